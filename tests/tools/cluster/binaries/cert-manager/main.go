// The controllers of cert-manager that issue, without its webhook and without ACME: those that are named, in all
// namespaces or in one.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/cert-manager/cert-manager/pkg/controller"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/approver"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/ca"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/selfsigned"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/vault"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/issuing"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/keymanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/readiness"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/requestmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/revisionmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/trigger"
	_ "github.com/cert-manager/cert-manager/pkg/controller/clusterissuers"
	_ "github.com/cert-manager/cert-manager/pkg/controller/issuers"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/ca"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/selfsigned"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/vault"
)

// Of each controller, as in cert-manager itself.
const workers = 5

func main() {
	kubeconfig := flag.String("kubeconfig", "", "of the cluster")
	namespace := flag.String("namespace", "", "look at this namespace alone")
	resources := flag.String("cluster-resource-namespace", "cert-manager", "where the Secrets of ClusterIssuers are")
	flag.Parse()
	options := controller.ContextOptions{Kubeconfig: *kubeconfig, Namespace: *namespace}
	options.ClusterResourceNamespace = *resources
	// As cert-manager's own configuration has them; no client-side limit, which a busy test would meet.
	options.CertificateRequestMinimumBackoffDuration = time.Hour
	options.CertificateRequestMaximumBackoffDuration = 32 * time.Hour
	options.KubernetesAPIQPS, options.KubernetesAPIBurst = 200, 400
	if err := run(context.Background(), options, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run starts the named controllers and ends when one of them does.
func run(root context.Context, options controller.ContextOptions, names []string) error {
	factory, err := controller.NewContextFactory(root, options)
	if err != nil {
		return err
	}
	running := map[string]controller.Interface{}
	for _, name := range names {
		construct, known := controller.Known()[name]
		if !known {
			return fmt.Errorf("there is no controller %q", name)
		}
		if running[name], err = construct(factory); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	// What they watch is known now, and shared by all of them.
	shared, err := factory.Build()
	if err != nil {
		return err
	}
	shared.SharedInformerFactory.Start(root.Done())
	shared.KubeSharedInformerFactory.Start(root.Done())
	fmt.Fprintln(os.Stderr, "starting", strings.Join(names, ", "))
	ended := make(chan error)
	for name, one := range running {
		go func() { ended <- fmt.Errorf("%s ended: %w", name, one.Run(workers, root)) }()
	}
	return <-ended
}
