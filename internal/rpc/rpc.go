// Package rpc connects daemons and clients over gRPC with keepalive, a maximum message size, and a
// deadline for every call. If a server returns a *failure.Error, the client receives an equal one.
package rpc

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path"
	"runtime/debug"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
	grpcpeer "google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/job/failure"
)

// Options configure both ends of a connection. The zero value selects the defaults.
type Options struct {
	// MaxMessage is the maximum size of a request, in bytes (ipc.maximum.data.length). A reply can
	// have up to 64 MiB, or up to MaxMessage bytes if that is more. 0 means the key's default.
	MaxMessage int
	// Memory is the maximum total size of the requests that a server has not yet answered, in bytes
	// (howdah.ipc.memory). The same limit applies to the large replies that it is sending. 0 means the
	// key's default.
	Memory  int64
	Timeout time.Duration // for calls without a deadline; 0 means 60 s
	// Undated lets a client not send the deadlines of its calls. It cancels a call at the deadline
	// anyway. For a deadline in a request, the server starts two timers, and keeps it in the
	// connection's table of headers until other deadlines displace it.
	Undated bool
	// Secret lets a server check its callers. If it is nil, the server treats every caller as an
	// administrator. Only tests do that.
	Secret *auth.Secret
	// Revoked reports whether a token has been revoked; nil means that none has.
	Revoked func(id string) bool
	// MayCall reports whether a user may call a server; nil means that all users may.
	MayCall func(user string) bool
	// Logins lets clients of a server log in with Kerberos; nil means that none may.
	Logins *auth.Logins
	// Addresses are additional addresses at which clients without TLS reach a server.
	Addresses auth.Addresses
	// Proof is what a client presents; nil means that the client presents Secret. A client with
	// neither trusts every server. Only tests do that.
	Proof *auth.Proof
	// TLS protects the connections; nil means connections without TLS.
	TLS *certs.TLS
	// Server is the role that a client with TLS requires the server's certificate to have.
	Server certs.Role
	// Connect is how long a client tries to connect and to prove its identity before it begins
	// again; 0 means 2 s.
	Connect time.Duration
	// Warn logs a problem that a server has with a client. It works like slog.Logger.Warn; nil
	// means no log.
	Warn func(text string, args ...any)
	// Observer returns a function that a server calls after each call of a method, with the time from
	// the arrival of the request to the end of the reply. Beat is the name of a method. nil means none.
	Observer func(method string) func(took time.Duration)
	// Dialer opens connections in tests, instead of TCP. It is nil otherwise.
	Dialer func(ctx context.Context, addr string) (net.Conn, error)
}

const (
	defaultTimeout = 60 * time.Second
	defaultConnect = 2 * time.Second

	// maxReply is the default maximum size of a reply. It is larger than that of a request, because
	// the state of a job with 100,000 attempts is one reply. This is safe, because a reply contains
	// only the server's own data.
	maxReply = 64 << 20

	// greetTimeout is how long a client may take to prove its identity.
	greetTimeout = 10 * time.Second

	// idleTimeout is the time after which a server closes a connection without calls. The client
	// connects again when it makes the next call.
	idleTimeout = 10 * time.Minute

	// A peer that vanishes without closing its connection is detected after pingEvery +
	// pingTimeout.
	pingEvery   = 20 * time.Second
	pingTimeout = 10 * time.Second

	// reconnectFirst is the first pause between attempts to reach a server that is down. It is short,
	// so that clients detect a restart quickly. The pause doubles up to reconnectMax.
	reconnectFirst = 50 * time.Millisecond
	reconnectMax   = time.Second
)

// ClientOptions returns the options of a client that calls a daemon with the given role. The client
// presents the proof from [auth.LoadProof].
func ClientOptions(c *conf.Config, server certs.Role) (Options, error) {
	return options(c, server, "", auth.LoadProof)
}

// DaemonOptions is like ClientOptions, but for a daemon on a node, whose role is self. It uses the
// proof from [auth.LoadNodeProof]. The daemon has as much time to connect as the server waits for
// it, because thousands of daemons that begin again early keep a busy server busy. For the same
// reason, it does not send deadlines.
func DaemonOptions(c *conf.Config, server, self certs.Role) (Options, error) {
	o, err := options(c, server, self, auth.LoadNodeProof)
	o.Connect, o.Undated = greetTimeout, true
	return o, err
}

func options(c *conf.Config, server, self certs.Role,
	load func(*conf.Config, auth.Service) (*auth.Proof, error)) (Options, error) {
	proof, err := load(c, server.Service())
	if err != nil {
		return Options{}, err
	}
	secure, err := certs.OpenClient(c, proof, self)
	return Options{Proof: proof, TLS: secure, Server: server}, err
}

func (o Options) withDefaults() Options {
	if o.MaxMessage == 0 {
		o.MaxMessage = int(conf.IPCMaximumDataLength.BuiltIn())
	}
	if o.Memory == 0 {
		o.Memory = conf.IPCMemory.BuiltIn()
	}
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	if o.Connect == 0 {
		o.Connect = defaultConnect
	}
	if o.Proof == nil {
		o.Proof = o.Secret.Proof()
	}
	return o
}

// maxReply returns the maximum size of a reply, in bytes.
func (o Options) maxReply() int { return max(o.MaxMessage, maxReply) }

// Dial prepares a connection to "host:port" without waiting for the server. The first call connects.
// If the server goes down and comes back, the connection recovers automatically. The caller must
// close the connection. For a malformed address the error is of kind Config.
func Dial(addr string, o Options) (*grpc.ClientConn, error) {
	o = o.withDefaults()
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return nil, failure.New(failure.Config, "dial", addr, err).Fix("use an address of the form " +
			"host:port")
	}
	creds := clientCredentials(o, addr)
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(creds),
		grpc.WithNoProxy(),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(o.maxReply()), grpc.MaxCallSendMsgSize(o.MaxMessage)),
		grpc.WithStaticStreamWindowSize(replyWindow), grpc.WithStaticConnWindowSize(replyWindow),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: pingEvery, Timeout: pingTimeout,
			PermitWithoutStream: true}),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: reconnectFirst, Multiplier: 2, Jitter: 0.2, MaxDelay: reconnectMax},
			MinConnectTimeout: o.Connect,
		}),
		grpc.WithUnaryInterceptor(clientInterceptor(addr, o, creds)),
	}
	if o.Dialer != nil {
		options = append(options, grpc.WithContextDialer(o.Dialer))
	}
	// With passthrough, gRPC passes the address to the dialer without resolving it.
	return grpc.NewClient("passthrough:///"+addr, options...)
}

func clientInterceptor(addr string, o Options, creds credentials.TransportCredentials) grpc.UnaryClientInterceptor {
	return func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker,
		opts ...grpc.CallOption) error {
		if _, ok := ctx.Deadline(); !ok {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, o.Timeout)
			defer cancel()
		}
		if o.Undated {
			ctx = undated{ctx}
		}
		err := invoke(ctx, method, req, reply, cc, opts...)
		s, ok := creds.(shaken)
		if ok && s.renewed(err) && cc.WaitForStateChange(ctx, connectivity.Ready) {
			err = invoke(ctx, method, req, reply, cc, append(opts, grpc.WaitForReady(true))...)
		}
		if ok && status.Code(err) == codes.Unavailable {
			if why := s.failed.Load(); why != nil {
				return why
			}
		}
		return FromStatus(err, path.Base(method), addr)
	}
}

// undated is a context whose deadline gRPC does not see, and therefore does not send.
type undated struct{ context.Context }

// Deadline implements context.Context.
func (undated) Deadline() (time.Time, bool) { return time.Time{}, false }

// intercept wraps every call of a server's method. It converts errors and panics to errors that the
// client understands.
func (o Options) intercept(ctx context.Context, req any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (
	reply any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = ToStatus(failure.New(failure.Internal, path.Base(info.FullMethod), "",
				fmt.Errorf("panic: %v\n%s", p, debug.Stack())))
		}
	}()
	reply, err = handle(ctx, req)
	return reply, ToStatus(err)
}

// identify returns a context with the caller's principal. A token can expire while the connection
// is open, so identify checks it for every call.
func (o Options) identify(ctx context.Context) (context.Context, error) {
	if o.Secret == nil {
		return auth.With(ctx, auth.Principal{Admin: true}), nil
	}
	p, ok := grpcpeer.FromContext(ctx)
	if !ok {
		return ctx, nil // nobody
	}
	greeted, ok := p.AuthInfo.(*peer)
	if !ok {
		return ctx, nil
	}
	if err := greeted.claims.Check(time.Now(), o.Revoked); err != nil {
		return ctx, failure.New(failure.Permission, "call as", greeted.claims.Principal().String(), err).
			Fix("ask an administrator for a new token (howdah token create)")
	}
	if greeted.mismatch != nil {
		return ctx, failure.New(failure.Permission, "call as", greeted.claims.Principal().String(), greeted.mismatch).
			Fix("use a certificate and a token of the same user or node")
	}
	ctx = auth.Via(auth.With(ctx, greeted.claims.Principal()), p.Addr)
	if _, ok := greeted.claims.Login(); ok {
		return auth.WithLogin(ctx, greeted.claims.Expires), nil
	}
	return auth.Until(ctx, greeted.claims.Expires), nil
}

// stopGrace is how long Serve waits for running calls after ctx is done.
const stopGrace = 500 * time.Millisecond

// Serve answers calls on l until ctx is done, and then stops gracefully. After stopGrace, it
// cancels the calls that are still running.
func Serve(ctx context.Context, s *Server, l net.Listener) error {
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	select {
	case err := <-done:
		return failure.New(failure.IO, "serve", l.Addr().String(), err)
	case <-ctx.Done():
	}
	cut := time.AfterFunc(stopGrace, s.Stop)
	s.GracefulStop()
	cut.Stop()
	if err := <-done; err != nil && !errors.Is(err, grpc.ErrServerStopped) {
		return failure.New(failure.IO, "serve", l.Addr().String(), err)
	}
	return nil
}
