// Answers for each line whether Go accepts a certificate: "server" or "client", which is whose it is, seconds since 1970,
// the leaf, what was sent behind it, and what is trusted, each certificate as base64 of its DER, several joined by
// commas, "-" for none.
package main

import (
	"bufio"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if err := verify(strings.Fields(lines.Text())); err != nil {
			fmt.Println("refused:", err)
		} else {
			fmt.Println("accepted")
		}
	}
}

var uses = map[string]x509.ExtKeyUsage{"server": x509.ExtKeyUsageServerAuth, "client": x509.ExtKeyUsageClientAuth}

func verify(fields []string) error {
	use, known := uses[fields[0]]
	if !known {
		return fmt.Errorf("%s is neither server nor client", fields[0])
	}
	seconds, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return err
	}
	leaf, err := parse(fields[2])
	if err != nil {
		return err
	}
	sent, err := pool(fields[3])
	if err != nil {
		return err
	}
	trusted, err := pool(fields[4])
	if err != nil {
		return err
	}
	_, err = leaf.Verify(x509.VerifyOptions{
		Intermediates: sent,
		Roots:         trusted,
		CurrentTime:   time.Unix(seconds, 0),
		KeyUsages:     []x509.ExtKeyUsage{use},
	})
	return err
}

func pool(joined string) (*x509.CertPool, error) {
	found := x509.NewCertPool()
	if joined == "-" {
		return found, nil
	}
	for _, one := range strings.Split(joined, ",") {
		certificate, err := parse(one)
		if err != nil {
			return nil, err
		}
		found.AddCert(certificate)
	}
	return found, nil
}

func parse(encoded string) (*x509.Certificate, error) {
	der, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, err
	}
	return x509.ParseCertificate(der)
}
