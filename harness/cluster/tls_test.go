package cluster_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/cluster"
	"github.com/usetools/usetools/harness/cluster/clustertest"
)

// certificate makes a certificate for 127.0.0.1, signed by itself, and its key.
func certificate(t testing.TB) (cert, key string) {
	t.Helper()
	pair, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(rand.Reader, of, of, &pair.PublicKey, pair)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(pair)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

func TestTLS(t *testing.T) {
	t.Parallel()
	cert, key := certificate(t)
	other, otherKey := certificate(t)
	url := clustertest.Configured(t, fmt.Sprintf("tls { cert_file: %q, key_file: %q, ca_file: %q, verify: true }\n", cert, key, cert)).
		ClientURL()
	s, err := connect(t, cluster.Options{URL: url, CA: cert, Cert: cert, Key: key}).Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !s.TLS {
		t.Errorf("no TLS: %+v", s)
	}
	for what, o := range map[string]cluster.Options{
		"an authority that has not signed it": {CA: other, Cert: cert, Key: key},
		"no authority":                        {Cert: cert, Key: key},
		"no certificate":                      {CA: cert},
		"a strange certificate":               {CA: cert, Cert: other, Key: otherKey},
	} {
		o.URL = url
		if c, err := cluster.Connect(t.Context(), &o); err == nil {
			c.Close()
			t.Errorf("%s: connected", what)
		}
	}
}
