package rpc

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/port"
	"github.com/howdah/howdah/job/failure"
)

// shaken starts each connection with the TLS handshake, if TLS is on, and then howdah's own
// handshake. It implements credentials.TransportCredentials.
type shaken struct {
	tls *certs.TLS // nil means without TLS

	proof  *auth.Proof                    // of a client
	server certs.Role                     // role of the server, for a client
	addr   string                         // address of the server, for a client
	failed *atomic.Pointer[failure.Error] // why the client's last handshake failed; nil after a success
	shown  *atomic.Pointer[showing]       // the client's last handshake

	secret  *auth.Secret // of a server
	revoked func(id string) bool
	logins  *auth.Logins
	also    auth.Addresses
	warn    func(text string, args ...any)
	warned  *atomic.Int64 // when the server last logged a client that it rejected, in seconds since the epoch
}

// clientCredentials returns the credentials of a client. A client without a proof trusts every
// server.
func clientCredentials(o Options, addr string) credentials.TransportCredentials {
	if o.Proof == nil {
		return insecure.NewCredentials()
	}
	return shaken{tls: o.TLS, proof: o.Proof, server: o.Server, addr: addr, failed: new(atomic.Pointer[failure.Error]),
		shown: new(atomic.Pointer[showing])}
}

// serverCredentials returns the credentials of a server. A server without a secret answers every
// client.
func serverCredentials(o Options) credentials.TransportCredentials {
	if o.Secret == nil {
		return insecure.NewCredentials()
	}
	return shaken{tls: o.TLS, secret: o.Secret, revoked: o.Revoked, logins: o.Logins, also: o.Addresses,
		warn: o.Warn, warned: new(atomic.Int64)}
}

// peer contains what the handshake has proved about the other end of a connection.
type peer struct {
	credentials.CommonAuthInfo
	claims   auth.Claims
	mismatch error    // the client's certificate does not match the claims
	conn     net.Conn // the server's connection to a client; nil in a client

	mu    sync.Mutex
	share *semaphore.Weighted
}

func (*peer) AuthType() string { return "howdah" }

// reading returns the memory that the connection can reserve to read requests. share is its size in
// bytes. If p is nil, every call of reading returns new memory, which no other request shares.
func (p *peer) reading(share int64) *semaphore.Weighted {
	if p == nil {
		return semaphore.NewWeighted(share)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.share == nil {
		p.share = semaphore.NewWeighted(share)
	}
	return p.share
}

func (p *peer) close() {
	if p != nil {
		p.conn.Close()
	}
}

func (s shaken) ClientHandshake(ctx context.Context, _ string, conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	proof := s.proof.Latest()
	s.shown.Store(&showing{proof, conn})
	var err error
	if s.tls != nil {
		cfg := s.tls.Client(s.server)
		if !s.tls.Joined() {
			cfg.VerifyConnection = nil // the handshake, which is bound to TLS, proves the server's identity
		}
		secure := tls.Client(conn, cfg)
		conn, err = secure, certs.Explain(secure.HandshakeContext(ctx))
	}
	if err == nil {
		err = proof.Present(ctx, conn, s.addr) // gRPC closes the connection when ctx ends
	}
	s.failed.Store(s.explain(ctx, err))
	return conn, &peer{}, err
}

// showing is the proof that a client has presented on a connection.
type showing struct {
	proof *auth.Proof
	conn  net.Conn
}

// renewed reports whether the server has rejected the client's token and the token file now
// contains a different token. If so, renewed closes the connection, so that the next connection
// presents the new token.
func (s shaken) renewed(refused error) bool {
	shown := s.shown.Load()
	if shown == nil || status.Code(refused) != codes.PermissionDenied || shown.proof.Latest() == shown.proof {
		return false
	}
	shown.conn.Close()
	return true
}

// ErrSilent is the error for a daemon that accepts connections but does not answer, for example
// because its process is stopped.
var ErrSilent = errors.New("the daemon accepts connections but does not answer")

// explain returns the error that the user sees if a handshake fails because of TLS, the secret, the
// token, a Kerberos login, the version, or a suspended server. If err has another cause, explain
// returns nil.
func (s shaken) explain(ctx context.Context, err error) *failure.Error {
	const op = "connect to"
	const newToken = "ask an administrator for a new token (howdah token create)"
	var whole *failure.Error
	var other auth.OtherAddress
	switch {
	case errors.As(err, &whole):
		return whole
	case err != nil && ctx.Err() != nil:
		return failure.New(failure.Unreachable, op, s.addr, ErrSilent).
			Fix("check whether its process is stopped or its machine is overloaded")
	case errors.Is(err, certs.ErrMode), errors.Is(err, auth.ErrNeedsTLS):
		return failure.New(failure.Unreachable, op, s.addr, err).Fix(certs.Remedy)
	case errors.As(err, &other):
		return failure.New(failure.Unreachable, op, s.addr, err).Fix(other.Remedy())
	case errors.Is(err, certs.ErrRole):
		return failure.New(failure.Unreachable, op, s.addr, err).Fix("check the address")
	case errors.Is(err, certs.ErrCA):
		return failure.New(failure.Unreachable, op, s.addr, err).Fix("add the certificate of its CA to " + certs.KeyCA)
	case refusedByTLS(err):
		return failure.New(failure.Permission, op, s.addr, fmt.Errorf("the daemon refuses this end's certificate: %w", err)).
			Fix("use a certificate for clients from a CA in the daemon's " + certs.KeyCA)
	case errors.Is(err, auth.ErrOtherSecret) && s.proof.Token():
		return failure.New(failure.Permission, op, s.addr,
			fmt.Errorf("%w; the daemon did not issue the token in %s", err, s.proof.File())).Fix(newToken)
	case errors.Is(err, auth.ErrOtherSecret):
		return failure.New(failure.Permission, op, s.addr,
			fmt.Errorf("%w; this end's is in %s", err, s.proof.File())).
			Fix("run this as the daemon's user, set " + conf.SecuritySecretFile.Name +
				" to a copy of the daemon's secret, or set " +
				conf.SecurityTokenFile.Name + " to a token; if the daemon started with an older secret, restart it")
	case errors.Is(err, auth.ErrExpired), errors.Is(err, auth.ErrRevoked):
		return failure.New(failure.Permission, op, s.addr, fmt.Errorf("%w; it is in %s", err, s.proof.File())).
			Fix(newToken)
	case errors.Is(err, auth.ErrNoHandshake):
		return failure.New(failure.Unreachable, op, s.addr, err).
			Fix("check the address, and run the same version of howdah on both sides")
	}
	return nil
}

// refusedByTLS reports whether err means that the server has closed the connection with a TLS
// alert.
func refusedByTLS(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "remote error"
}

func (s shaken) ServerHandshake(raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	conn, p := raw, &peer{conn: raw}
	if s.tls != nil {
		secure := tls.Server(raw, s.tls.Server(certs.Peers))
		if err := secure.Handshake(); err != nil {
			s.refuse(raw, err)
			return nil, nil, err
		}
		conn = secure
	}
	var err error
	if p.claims, err = s.secret.Admit(conn, s.revoked, s.logins, s.also); err != nil {
		s.refuse(raw, err)
		return nil, nil, err
	}
	if s.tls != nil {
		p.mismatch = s.tls.Agrees(conn.(*tls.Conn).ConnectionState(), p.claims.Principal())
	}
	port.Busy(raw)
	if end, ok := p.claims.Login(); ok {
		conn = until(conn, end)
	}
	if s.tls == nil {
		conn = spare(conn, raw)
	}
	return conn, p, nil
}

// refuse notifies a client without TLS that the port uses TLS. At most once per minute, it logs
// such a client, a client that uses TLS on a port without TLS, or a client that has called an
// address that is not the daemon's.
func (s shaken) refuse(conn net.Conn, err error) {
	text, remedy := "", certs.Remedy
	var header tls.RecordHeaderError
	var other auth.OtherAddress
	switch {
	case errors.As(err, &header) && header.Conn != nil:
		text = "a client without TLS has called a port with TLS"
		auth.NeedTLS(conn)
	case errors.Is(err, auth.ErrWithTLS):
		text = "a client with TLS has called a port without TLS"
	case errors.As(err, &other):
		text = "a client has called " + other.Called.String() + ", which is not an address of this daemon"
		remedy = other.Remedy()
	default:
		return
	}
	now, last := time.Now().Unix(), s.warned.Load()
	if s.warn != nil && now >= last+60 && s.warned.CompareAndSwap(last, now) {
		s.warn(text, "client", conn.RemoteAddr(), "remedy", remedy)
	}
}

// ending is a connection that is closed when the client's Kerberos login expires. The client then
// connects again with a new ticket.
type ending struct {
	net.Conn
	timer *time.Timer
}

func until(conn net.Conn, end time.Time) net.Conn {
	return &ending{conn, time.AfterFunc(time.Until(end), func() { conn.Close() })}
}

func (e *ending) Close() error {
	e.timer.Stop()
	return e.Conn.Close()
}

func (s shaken) Info() credentials.ProtocolInfo {
	return credentials.ProtocolInfo{SecurityProtocol: "howdah"}
}

func (s shaken) Clone() credentials.TransportCredentials { return s }
func (s shaken) OverrideServerName(string) error         { return nil }
