// Package certs protects the connections of a cluster with TLS (howdah.security.tls). [Open]
// returns a [TLS], with which a process opens and accepts connections. [TLS.Server] and
// [TLS.Client] return configurations for package crypto/tls. A nil TLS means connections without
// TLS.
//
// A certificate contains the [Role] of its holder. Clients check the role of a server instead of its
// host name, because daemons are known by many names.
package certs

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/job/failure"
)

// KeyTLS is the configuration key that switches TLS on.
const KeyTLS = "howdah.security.tls"

// A TLS opens and accepts the connections of a process. It is safe for concurrent use.
type TLS struct{ source }

// Holder describes the holder of a certificate by at least one role, and by the names and IP
// addresses at which browsers reach the holder.
type Holder struct {
	Roles []Role
	Hosts []string
}

// Open returns the TLS of a process, or nil if c switches TLS off. secret is nil for a process that
// does not know the secret. If certificates are in files, a daemon's certificate must contain its
// role.
func Open(c *conf.Config, secret *auth.Secret, who Holder) (*TLS, error) {
	mode, err := conf.SecurityTLS.Get(c)
	if err != nil {
		return nil, err
	}
	switch {
	case mode == "off":
		return nil, nil
	case mode == "files":
		x, err := openFiles(c, who.daemon())
		if err != nil {
			return nil, err
		}
		return &TLS{x}, nil
	case secret != nil:
		return &TLS{newIssued(secret, who)}, nil
	}
	return &TLS{&granted{who: who}}, nil
}

// OpenClient is like Open for a client that presents a proof. The client's role is self. If self is
// "", it is the role that the client's token or Kerberos login allows, or that of this process's
// user.
func OpenClient(c *conf.Config, p *auth.Proof, self Role) (*TLS, error) {
	var secret *auth.Secret
	if Scheme(c) == "https" && p.Secret() {
		var err error
		if secret, err = auth.Load(c); err != nil {
			return nil, err
		}
	}
	if self == "" {
		self = roleOf(p)
	}
	return Open(c, secret, Holder{Roles: []Role{self}})
}

func roleOf(p *auth.Proof) Role {
	if !p.Secret() && !p.Token() {
		return loggedIn
	}
	claims := p.Claims()
	if claims.Node != "" {
		return Agent(claims.Node)
	}
	return User(cmp.Or(claims.User, passwd.Me()))
}

// daemon returns the holder's role if the holder is a daemon, and "" if it is a user.
func (h Holder) daemon() Role {
	if r := h.Roles[0]; r != User(r.name()) {
		return r
	}
	return ""
}

// Trust returns the TLS with which a task opens connections to daemons. ca contains the CA
// certificates in PEM format. If it is empty, Trust returns nil.
func Trust(ca []byte) (*TLS, error) {
	if len(ca) == 0 {
		return nil, nil
	}
	x := told{x509.NewCertPool(), ca}
	if !x.pool.AppendCertsFromPEM(ca) {
		return nil, failure.New(failure.Internal, "read the certificates of the CA", "", errors.New("they are not in PEM"))
	}
	return &TLS{x}, nil
}

// CA returns the CA certificates in PEM format. It returns nil if TLS is off, or if the process has
// not learned the CA yet (see Joined).
func (t *TLS) CA() []byte {
	if t == nil {
		return nil
	}
	_, ca := t.trusted()
	return ca
}

// Scheme returns the URL scheme, "http" or "https".
func (t *TLS) Scheme() string {
	if t == nil {
		return "http"
	}
	return "https"
}

// Scheme returns the URL scheme of the cluster that c configures.
func Scheme(c *conf.Config) string {
	if mode, _ := conf.SecurityTLS.Get(c); mode == "off" {
		return "http"
	}
	return "https"
}

// Addresses returns the names and IP addresses at which browsers reach a daemon: its own name,
// localhost, and the given hosts. A host is a name, an IP address, or a host:port at which the
// daemon listens. A port without a host, or with an unspecified IP address, stands for all IP
// addresses of this machine.
func Addresses(more ...string) []string {
	hosts := []string{"localhost", "127.0.0.1", "::1"}
	if name, err := os.Hostname(); err == nil {
		hosts = append(hosts, name)
	}
	for _, addr := range more {
		host, _, err := net.SplitHostPort(addr)
		switch ip := net.ParseIP(host); {
		case err != nil:
			hosts = append(hosts, addr)
		case host == "" || ip != nil && ip.IsUnspecified():
			hosts = append(hosts, interfaces()...)
		default:
			hosts = append(hosts, host)
		}
	}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

// interfaces returns the IP addresses of this machine.
func interfaces() (ips []string) {
	all, _ := net.InterfaceAddrs()
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok {
			ips = append(ips, n.IP.String())
		}
	}
	return ips
}

// Clients specifies which clients of a port need a certificate.
type Clients int

// Servers of pages and map outputs accept Anybody, because browsers and tasks have no certificates.
const (
	Anybody Clients = iota
	// Peers are the clients of gRPC ports. If certificates are in files, each client needs one.
	Peers
)

// Server returns the configuration of a server for the given clients.
func (t *TLS) Server(clients Clients) *tls.Config {
	cfg := &tls.Config{MinVersion: tls.VersionTLS13, DynamicRecordSizingDisabled: true, // few, large records
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return t.own() }}
	if clients == Anybody {
		cfg.NextProtos = []string{"http/1.1"} // shuffle connections carry one request at a time
		return cfg
	}
	cfg.SessionTicketsDisabled = true
	cfg.ClientAuth = tls.RequestClientCert
	if _, ok := t.source.(*files); ok {
		cfg.ClientAuth = tls.RequireAnyClientCert
	}
	cfg.VerifyConnection = func(s tls.ConnectionState) error {
		if len(s.PeerCertificates) == 0 {
			return nil
		}
		return t.verify(s.PeerCertificates, x509.ExtKeyUsageClientAuth)
	}
	return cfg
}

// Agrees returns an error if a client presents a certificate that cannot belong to p.
func (t *TLS) Agrees(s tls.ConnectionState, p auth.Principal) error {
	if len(s.PeerCertificates) == 0 || agrees(p, s.PeerCertificates[0]) {
		return nil
	}
	return fmt.Errorf("the certificate of %s has the roles %v", p, rolesIn(s.PeerCertificates[0].URIs))
}

// Joined reports whether the process knows the CA. A process that does not know the secret learns the CA
// when it joins.
func (t *TLS) Joined() bool {
	pool, _ := t.trusted()
	return pool != nil
}

// Client returns the configuration of a client that requires the server to have the given role.
func (t *TLS) Client(server Role) *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS13,
		InsecureSkipVerify: true, // VerifyConnection checks the role instead of the host's name
		VerifyConnection: func(s tls.ConnectionState) error {
			if err := t.verify(s.PeerCertificates, x509.ExtKeyUsageServerAuth); err != nil {
				return err
			}
			if has := rolesIn(s.PeerCertificates[0].URIs); !slices.Contains(has, server) {
				return fmt.Errorf("%w: its roles are %v, and not %s", ErrRole, has, server)
			}
			return nil
		},
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			// A client that knows the secret proves this in the handshake. A certificate would add nothing.
			if _, knows := t.source.(*issued); !knows {
				if cert, err := t.own(); err == nil {
					return cert, nil
				}
			}
			return &tls.Certificate{}, nil // none
		}}
}

var (
	// ErrMode is the error for a connection on which only one end uses TLS.
	ErrMode = errors.New("one end uses TLS and the other does not")
	// ErrCA is the error for a certificate that the configured CA did not issue. It occurs only if
	// certificates are in files.
	ErrCA = errors.New("the certificate of the other end is not from the CA of this cluster")
	// ErrRole is the error for a server with an unexpected role.
	ErrRole = errors.New("the certificate of the other end is for another daemon")

	errSecret = fmt.Errorf("%w, or different values of %s", auth.ErrOtherSecret, KeyTLS)
)

// Remedy is the remedy for ErrMode.
const Remedy = "set " + KeyTLS + " to the same value for all daemons and clients of the cluster"

// Explain returns an error that wraps ErrMode if err, from a client's TLS handshake, probably means
// that the server does not use TLS. Such a server closes the connection or answers in another
// protocol. Otherwise, Explain returns err.
func Explain(err error) error {
	if errors.As(err, &tls.RecordHeaderError{}) || errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) {
		return fmt.Errorf("%w, or the server has closed the connection", ErrMode)
	}
	return err
}

// verify checks that the CA issued a certificate chain for the given use.
func (t *TLS) verify(chain []*x509.Certificate, use x509.ExtKeyUsage) error {
	pool, _ := t.trusted()
	if pool == nil {
		return errNotJoined
	}
	err := verify(chain, pool, use)
	if _, named := t.source.(*files); err == ErrCA && !named {
		return errSecret // the CA is derived from the secret
	}
	return err
}

// verify checks that a certificate is valid now for the given use, and that a CA in pool issued it.
// If no CA in pool issued it, the error is ErrCA. The other certificates in the chain are those of
// intermediate CAs.
func verify(chain []*x509.Certificate, pool *x509.CertPool, use x509.ExtKeyUsage) error {
	between := x509.NewCertPool()
	for _, c := range chain[1:] {
		between.AddCert(c)
	}
	_, err := chain[0].Verify(x509.VerifyOptions{Roots: pool, Intermediates: between,
		KeyUsages: []x509.ExtKeyUsage{use}})
	if errors.As(err, &x509.UnknownAuthorityError{}) {
		return ErrCA
	}
	return err
}

// dialTimeout is the maximum time that a client of HTTP waits for a connection.
const dialTimeout = 30 * time.Second

// HTTP returns a client for the HTTP port of a daemon with the given role. With TLS, the client
// does not keep connections open.
func (t *TLS) HTTP(server Role) *http.Client {
	if t == nil {
		return http.DefaultClient
	}
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialTLSContext: t.Dial(
		(&net.Dialer{Timeout: dialTimeout}).DialContext, func(context.Context) Role { return server })}}
}

// readAhead is the size in bytes of one read from a connection. TLS itself reads each record, of at
// most 16 KiB, with separate calls.
const readAhead = 128 << 10

// ahead is a connection that reads up to readAhead bytes at a time.
type ahead struct {
	net.Conn
	r io.Reader
}

func (c *ahead) Read(p []byte) (int, error) { return c.r.Read(p) }

// Dialer opens a connection.
type Dialer func(ctx context.Context, network, addr string) (net.Conn, error)

// Dial returns a Dialer that adds TLS to the connections that dial opens. server returns the role
// that the called server must have.
func (t *TLS) Dial(dial Dialer, server func(ctx context.Context) Role) Dialer {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		raw, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		conn := tls.Client(&ahead{raw, bufio.NewReaderSize(raw, readAhead)}, t.Client(server(ctx)))
		if err := conn.HandshakeContext(ctx); err != nil {
			raw.Close()
			if err = Explain(err); errors.Is(err, ErrMode) {
				err = fmt.Errorf("%w; %s", err, Remedy)
			}
			return nil, err
		}
		return conn, nil
	}
}
