package certs

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
)

// The configuration keys of certificates in files.
const (
	KeyCert = KeyTLS + ".cert.file"
	KeyKey  = KeyTLS + ".key.file"
	KeyCA   = KeyTLS + ".ca.file"
)

var fileKeys = [3]string{KeyCert, KeyKey, KeyCA}

// maxFile limits the size of a file with certificates or a key, in bytes.
const maxFile = 1 << 20

// files is the certificate source for a process whose certificates are in PEM files. It reads them
// again when they change. Until the new files match each other, the old ones stay in use.
type files struct {
	names [3]string // certificate, key, CA

	mu   sync.Mutex
	read [3]os.FileInfo
	cert *tls.Certificate
	pool *x509.CertPool
	ca   []byte
	bad  string // the last error of load that fresh has logged
}

// openFiles reads the configured files. The certificate of a daemon must contain its role.
func openFiles(c *conf.Config, role Role) (*files, error) {
	x := &files{names: [3]string{conf.SecurityTLSCertFile.Get(c), conf.SecurityTLSKeyFile.Get(c),
		conf.SecurityTLSCAFile.Get(c)}}
	for i, key := range fileKeys {
		if x.names[i] == "" {
			return nil, c.Refuse(key, errors.New(KeyTLS+"=files needs this file")).Fix("name a PEM file")
		}
	}
	if key, err := x.load(); err != nil {
		return nil, c.Refuse(key, err).Fix(auth.Remedy(err, "use PEM files that belong together and are valid now"))
	}
	if has := rolesIn(x.cert.Leaf.URIs); role != "" && !slices.Contains(has, role) {
		return nil, c.Refuse(KeyCert, fmt.Errorf("the certificate in %s is not for %s: its roles are %v", x.names[0], role,
			has)).Fix("use a certificate with the URI " + role.uri().String() + " as a subject alternative name")
	}
	return x, nil
}

// load reads the files. If it fails, it also returns the configuration key of the file that caused
// the error, and does not change x.
func (x *files) load() (key string, err error) {
	var read [3]os.FileInfo
	for i, name := range x.names {
		if read[i], err = os.Stat(name); err != nil {
			return fileKeys[i], err
		}
	}
	certPEM, err := auth.ReadTrusted(x.names[0], maxFile)
	if err != nil {
		return KeyCert, err
	}
	keyPEM, err := auth.ReadPrivate(x.names[1], maxFile)
	if err != nil {
		return KeyKey, err
	}
	ca, err := auth.ReadTrusted(x.names[2], maxFile)
	if err != nil {
		return KeyCA, err
	}
	cert, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return KeyCert, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(ca) {
		return KeyCA, errors.New(x.names[2] + " has no certificate in PEM")
	}
	var chain []*x509.Certificate
	for _, der := range cert.Certificate {
		c, err := x509.ParseCertificate(der)
		if err != nil {
			return KeyCert, err
		}
		chain = append(chain, c)
	}
	if err := verify(chain, pool, x509.ExtKeyUsageAny); err == ErrCA {
		return KeyCert, fmt.Errorf("no CA in %s has issued the certificate in %s", x.names[2], x.names[0])
	} else if err != nil {
		return KeyCert, err
	}
	x.read, x.cert, x.pool, x.ca = read, &cert, pool, ca
	return "", nil
}

// fresh reads the files again if they have changed. If they are invalid, it logs the reason once. The
// caller must hold the lock.
func (x *files) fresh() {
	if !x.changed() {
		return
	}
	key, err := x.load()
	if err == nil {
		x.bad = ""
		return
	}
	if text := err.Error(); text != x.bad {
		x.bad = text
		slog.Warn("cannot use the changed TLS files; the old certificates stay in use", "key", key, "err", err)
	}
}

// changed reports whether a file is missing or differs from the one that load has read.
func (x *files) changed() bool {
	for i, name := range x.names {
		now, err := os.Stat(name)
		if old := x.read[i]; err != nil || !os.SameFile(now, old) || now.Size() != old.Size() ||
			!now.ModTime().Equal(old.ModTime()) {
			return true
		}
	}
	return false
}

func (x *files) own() (*tls.Certificate, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.fresh()
	return x.cert, nil
}

func (x *files) trusted() (*x509.CertPool, []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.fresh()
	return x.pool, x.ca
}
