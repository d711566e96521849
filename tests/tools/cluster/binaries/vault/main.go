// A Vault server with an empty store in memory, one PKI engine's worth of plugins, and the ways to log in that the collection has.
// It is unsealed, and says where it listens and how it is administered in a line of JSON.
//
//	vault [CERTIFICATE KEY]    with TLS where these files are named; a client may show a certificate, and need not
//
// What seals by a cloud's keys, reports to a cloud's metrics or finds other servers is left out of the build: see left-out.
package main

import (
	"context"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"log"
	"net"
	"net/http"
	"os"
	_ "unsafe" // for go:linkname

	"github.com/hashicorp/go-hclog"
	kubeauth "github.com/hashicorp/vault-plugin-auth-kubernetes"
	"github.com/hashicorp/vault/builtin/credential/approle"
	"github.com/hashicorp/vault/builtin/credential/cert"
	"github.com/hashicorp/vault/builtin/logical/pki"
	vaulthttp "github.com/hashicorp/vault/http"
	"github.com/hashicorp/vault/sdk/framework"
	"github.com/hashicorp/vault/sdk/helper/consts"
	"github.com/hashicorp/vault/sdk/logical"
	"github.com/hashicorp/vault/sdk/physical/inmem"
	"github.com/hashicorp/vault/vault"
)

// Of the Enterprise edition. The released SDK does not take how they are declared.
//
//go:linkname enterprisePaths github.com/hashicorp/vault/vault.entPaths
var enterprisePaths func(*vault.SystemBackend) []*framework.Path

func main() {
	enterprisePaths = func(*vault.SystemBackend) []*framework.Path { return nil }
	logger := hclog.New(&hclog.LoggerOptions{Level: hclog.Warn, Output: os.Stderr})
	storage, err := inmem.NewInmem(nil, logger)
	must(err)
	core, err := vault.NewCore(&vault.CoreConfig{
		Physical:        storage,
		DisableMlock:    true,
		Logger:          logger,
		BuiltinRegistry: builtIn{},
		LogicalBackends: map[string]logical.Factory{"pki": pki.Factory},
		CredentialBackends: map[string]logical.Factory{
			"approle": approle.Factory, "cert": cert.Factory, "kubernetes": kubeauth.Factory,
		},
	})
	must(err)
	shares := &vault.SealConfig{SecretShares: 1, SecretThreshold: 1}
	made, err := core.Initialize(context.Background(), &vault.InitParams{BarrierConfig: shares})
	must(err)
	_, err = core.Unseal(made.SecretShares[0])
	must(err)
	listener, scheme := listen(os.Args[1:])
	must(json.NewEncoder(os.Stdout).Encode(map[string]string{
		"url":   scheme + "://" + listener.Addr().String(),
		"token": made.RootToken,
		"key":   hex.EncodeToString(made.SecretShares[0]),
	}))
	must(http.Serve(listener, vaulthttp.Handler.Handler(&vault.HandlerProperties{Core: core})))
}

// listen opens a port of the loopback interface. pair: the files of certificate and key, or nothing.
func listen(pair []string) (net.Listener, string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	if len(pair) == 0 {
		return listener, "http"
	}
	own, err := tls.LoadX509KeyPair(pair[0], pair[1])
	must(err)
	config := &tls.Config{Certificates: []tls.Certificate{own}, ClientAuth: tls.RequestClientCert}
	return tls.NewListener(listener, config), "https"
}

// builtIn says that what is named is a part of this program, and no plugin in a file.
type builtIn struct{}

func (builtIn) Contains(string, consts.PluginType) bool { return true }

func (builtIn) Get(string, consts.PluginType) (func() (interface{}, error), bool) {
	return func() (interface{}, error) { return nil, nil }, true
}

func (builtIn) Keys(consts.PluginType) []string { return nil }

func (builtIn) DeprecationStatus(string, consts.PluginType) (consts.DeprecationStatus, bool) {
	return consts.Supported, true
}

func (builtIn) IsBuiltinEntPlugin(string, consts.PluginType) bool { return false }

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
