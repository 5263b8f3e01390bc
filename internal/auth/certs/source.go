package certs

import (
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"sync"
	"time"

	"github.com/howdah/howdah/internal/auth"
)

// source supplies the certificates of a process. It is safe for concurrent use.
type source interface {
	// own returns the certificate of this process.
	own() (*tls.Certificate, error)
	// trusted returns the CA certificates as a pool and in PEM format. Both are nil if the CA is
	// unknown.
	trusted() (*x509.CertPool, []byte)
}

// issued is the source of a process that knows the secret. It issues its own certificates.
type issued struct {
	who  Holder
	ca   *issuer
	pool *x509.CertPool

	mu    sync.Mutex
	cert  *tls.Certificate
	renew time.Time
}

func newIssued(s *auth.Secret, who Holder) *issued {
	x := &issued{who: who, ca: newIssuer(s), pool: x509.NewCertPool()}
	x.pool.AddCert(x.ca.cert)
	return x
}

func (x *issued) own() (*tls.Certificate, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if now := time.Now(); now.Before(x.renew) {
		return x.cert, nil
	}
	key := newKey()
	der, err := x.ca.issue(key.Public(), x.who, time.Time{})
	if err != nil {
		return nil, err
	}
	x.cert = &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: parse(der, nil)}
	x.renew = halfLife(x.cert)
	return x.cert, nil
}

func (x *issued) trusted() (*x509.CertPool, []byte) { return x.pool, toPEM(x.ca.cert.Raw) }

func toPEM(der []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}) }

// granted is the source of a process that does not know the secret, but has a token or a Kerberos login.
// It requests its certificates from a daemon that knows the secret.
type granted struct {
	who Holder

	joining sync.Mutex // one request at a time
	mu      sync.Mutex
	cert    *tls.Certificate
	renew   time.Time
	pool    *x509.CertPool
	ca      []byte
}

var errNotJoined = errors.New("this process has no certificate yet: no JobTracker or manager has issued one")

func (x *granted) own() (*tls.Certificate, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.cert == nil || !time.Now().Before(x.cert.Leaf.NotAfter) {
		return nil, errNotJoined
	}
	return x.cert, nil
}

func (x *granted) trusted() (*x509.CertPool, []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.pool, x.ca
}

func (x *granted) due() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return !time.Now().Before(x.renew)
}

// Certify requests a certificate from a daemon that knows the secret. The request, the certificate,
// and the CA's certificate are in DER format.
type Certify func(ctx context.Context, csr []byte) (cert, ca []byte, err error)

// Join requests a certificate from a daemon if this process has none, or if its certificate has
// passed half of its life. Join does nothing for a process that knows the secret or has
// certificates in files. If a request fails but this process still has a valid certificate, Join
// ignores the failure, and does not try again until a call at least a minute later.
func (t *TLS) Join(ctx context.Context, certify Certify) error {
	if t == nil {
		return nil
	}
	x, ok := t.source.(*granted)
	if !ok || !x.due() {
		return nil
	}
	x.joining.Lock()
	defer x.joining.Unlock()
	if !x.due() {
		return nil
	}
	err := x.join(ctx, certify)
	if _, none := x.own(); err != nil && none == nil {
		x.postpone()
		return nil
	}
	return err
}

// postpone makes Join skip requests for a minute after a failed one.
func (x *granted) postpone() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.renew = time.Now().Add(time.Minute)
}

func (x *granted) join(ctx context.Context, certify Certify) error {
	key := newKey()
	request := &x509.CertificateRequest{URIs: x.who.uris()}
	request.DNSNames, request.IPAddresses = x.who.names()
	csr, err := x509.CreateCertificateRequest(rand.Reader, request, key)
	if err != nil {
		return err
	}
	der, ca, err := certify(ctx, csr)
	if err != nil {
		return err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return err
	}
	root, err := x509.ParseCertificate(ca)
	if err != nil {
		return err
	}
	if k, ok := cert.PublicKey.(*ecdsa.PublicKey); !ok || !k.Equal(key.Public()) {
		return errors.New("the daemon has issued a certificate for another key")
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.cert = &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: cert}
	x.renew = halfLife(x.cert)
	x.pool, x.ca = x509.NewCertPool(), toPEM(ca)
	x.pool.AddCert(root)
	return nil
}

// told is the source for a task, which has only the CA certificates.
type told struct {
	pool *x509.CertPool
	ca   []byte
}

func (told) own() (*tls.Certificate, error) { return nil, errNotJoined }

func (x told) trusted() (*x509.CertPool, []byte) { return x.pool, x.ca }
