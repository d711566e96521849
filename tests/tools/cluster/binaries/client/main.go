// A TLS client as Kafka Exporter is one: connects to ADDRESS, wants the name NAME, trusts the certificates in FILE.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"time"
)

func main() {
	address, name, file := os.Args[1], os.Args[2], os.Args[3]
	if err := connect(address, name, file); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func connect(address, name, file string) error {
	trusted, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(trusted) {
		return fmt.Errorf("no certificate in %s", file)
	}
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	connection, err := tls.DialWithDialer(dialer, "tcp", address, &tls.Config{RootCAs: roots, ServerName: name})
	if err != nil {
		return err
	}
	return connection.Close()
}
