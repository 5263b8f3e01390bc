package certs

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/job/failure"
)

const (
	// life is how long a certificate is valid. Its holder replaces it after half of this time.
	life = 24 * time.Hour
	// backdated is how far the clock of a certificate's verifier may be behind that of its issuer.
	backdated = time.Hour
	// maxCSR limits the size of a certificate request, in bytes.
	maxCSR = 8 << 10
)

// issuer is the CA of a cluster. Its key is derived from the secret, so all processes that know the
// secret have the same CA, and no key file needs protection.
type issuer struct {
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

func newIssuer(s *auth.Secret) *issuer {
	a := &issuer{}
	for n := 0; a.key == nil; n++ { // about one in 2^32 derived keys is out of the curve's range
		a.key, _ = ecdsa.ParseRawPrivateKey(elliptic.P256(), s.Key("tls ca "+strconv.Itoa(n)))
	}
	// All fields are constant and the signature is deterministic, so the certificate is the same
	// everywhere.
	t := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "howdah cluster " + s.Fingerprint()},
		NotBefore: time.Unix(0, 0), NotAfter: time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true,
		KeyUsage: x509.KeyUsageCertSign, ExtKeyUsage: uses,
	}
	a.cert = parse(x509.CreateCertificate(nil, t, t, a.key.Public(), a.key))
	return a
}

var uses = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}

// parse parses a certificate that this process has created. It panics if the creation or the
// parsing fails.
func parse(der []byte, err error) *x509.Certificate {
	var c *x509.Certificate
	if err == nil {
		c, err = x509.ParseCertificate(der)
	}
	if err != nil {
		panic(err)
	}
	return c
}

// issue returns a certificate for a key. The certificate expires after a day or at the time until,
// whichever is earlier. If until is zero, it expires after a day.
func (a *issuer) issue(key crypto.PublicKey, who Holder, until time.Time) ([]byte, error) {
	serial := make([]byte, 16)
	rand.Read(serial) // never fails
	serial[0] &= 0x7f
	now := time.Now()
	t := &x509.Certificate{
		SerialNumber: new(big.Int).SetBytes(serial), Subject: pkix.Name{CommonName: string(who.Roles[0])},
		NotBefore: now.Add(-backdated), NotAfter: now.Add(life),
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: uses, URIs: who.uris(),
	}
	if !until.IsZero() && until.Before(t.NotAfter) {
		t.NotAfter = until
	}
	t.DNSNames, t.IPAddresses = who.names()
	return x509.CreateCertificate(rand.Reader, t, a.cert, key, a.key)
}

func (h Holder) uris() (all []*url.URL) {
	for _, r := range h.Roles {
		all = append(all, r.uri())
	}
	return all
}

// names separates host names from IP addresses. It omits names that certificates cannot contain.
func (h Holder) names() (names []string, ips []net.IP) {
	for _, host := range h.Hosts {
		if ip := net.ParseIP(host); ip != nil {
			ips = append(ips, ip)
		} else if host != "" && !strings.ContainsFunc(host, func(r rune) bool { return r > unicode.MaxASCII }) {
			names = append(names, host)
		}
	}
	return names, ips
}

// Grant answers p's request for a certificate. It returns the certificate and the CA's certificate,
// both in DER format. from is p's IP address. until is the time at which p's token or Kerberos
// login expires, or the zero time. An administrator gets every role that it requests. A user gets
// only its own role. A node gets only the roles of its daemons, at its own name and address. A
// request for any other role fails with an error of kind Permission.
func (t *TLS) Grant(csr []byte, p auth.Principal, from net.IP, until time.Time) (cert, ca []byte, err error) {
	const op = "issue certificate for"
	mine, ok := t.issues()
	if !ok {
		return nil, nil, failure.New(failure.Config, op, p.String(),
			errors.New("this daemon issues no certificates")).
			Fix("set " + KeyTLS + "=auto for the daemon, or another value here")
	}
	r, err := parseRequest(csr)
	if err != nil {
		return nil, nil, failure.New(failure.Usage, op, p.String(), err)
	}
	who := Holder{Roles: rolesIn(r.URIs)}
	for i, role := range who.Roles {
		if role == loggedIn && p.User != "" {
			role = User(p.User)
			who.Roles[i] = role
		}
		if !grants(p, role) {
			return nil, nil, failure.New(failure.Permission, op, p.String(),
				errors.New("it may not have the role "+string(role))).
				Fix("use the token of that user or node; a node's name is mapreduce.tasktracker.host.name or " +
					"howdah.mrcluster.agent.name")
		}
	}
	switch {
	case p.Admin:
		who.Hosts = r.DNSNames
		for _, ip := range r.IPAddresses {
			who.Hosts = append(who.Hosts, ip.String())
		}
	case p.Node != "":
		who.Hosts = []string{p.Node}
		if from != nil {
			who.Hosts = append(who.Hosts, from.String())
		}
	}
	if cert, err = mine.ca.issue(r.PublicKey, who, until); err != nil {
		return nil, nil, failure.New(failure.Usage, op, p.String(), err)
	}
	return cert, mine.ca.cert.Raw, nil
}

func (t *TLS) issues() (*issued, bool) {
	if t == nil {
		return nil, false
	}
	mine, ok := t.source.(*issued)
	return mine, ok
}

// parseRequest parses a certificate request. It rejects a request without a valid signature, a
// P-256 key, or a role.
func parseRequest(der []byte) (*x509.CertificateRequest, error) {
	if len(der) > maxCSR {
		return nil, errors.New("the request is too long")
	}
	r, err := x509.ParseCertificateRequest(der)
	if err == nil {
		err = r.CheckSignature()
	}
	if err != nil {
		return nil, err
	}
	if k, ok := r.PublicKey.(*ecdsa.PublicKey); !ok || k.Curve != elliptic.P256() || len(rolesIn(r.URIs)) == 0 {
		return nil, errors.New("a request has a P-256 key and names a role")
	}
	return r, nil
}

func newKey() *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err) // not for this curve
	}
	return key
}

// halfLife returns the time at which half of a certificate's remaining life will have passed. The
// holder then replaces the certificate.
func halfLife(c *tls.Certificate) time.Time {
	now := time.Now()
	return now.Add(c.Leaf.NotAfter.Sub(now) / 2)
}
