package rpc

import (
	"context"
	"net/http"

	"google.golang.org/grpc"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/wire/token"
	"github.com/howdah/howdah/job/failure"
)

// Web sends requests to the web servers of daemons, with the user's proof of identity. It is safe for
// concurrent use.
type Web struct {
	conf *conf.Config
	tls  *certs.TLS
	// issuer calls a function with a connection to a daemon that issues certificates and tokens.
	issuer func(func(grpc.ClientConnInterface) error) error
}

// NewWeb returns a Web that gets certificates and tokens through conn, a connection with the TLS
// settings t.
func NewWeb(c *conf.Config, t *certs.TLS, conn grpc.ClientConnInterface) *Web {
	return &Web{c, t, func(f func(grpc.ClientConnInterface) error) error { return f(conn) }}
}

// Find returns the address and the role of a daemon that issues certificates and tokens.
type Find func(*conf.Config) (addr string, daemon certs.Role, err error)

// FindWeb returns a Web for a command without a connection. It calls find and connects only when it
// needs a certificate or a token. A user with the secret or a token file needs neither, except to
// learn the CA.
func FindWeb(c *conf.Config, find Find) (*Web, error) {
	options, err := ClientOptions(c, certs.JobTracker)
	if err != nil {
		return nil, err
	}
	return &Web{c, options.TLS, func(f func(grpc.ClientConnInterface) error) error {
		addr, daemon, err := find(c)
		if err != nil {
			return err
		}
		options, err := ClientOptions(c, daemon)
		if err != nil {
			return err
		}
		conn, err := Dial(addr, options)
		if err != nil {
			return err
		}
		defer conn.Close()
		return f(conn)
	}}, nil
}

// TLS returns the settings with which a command can verify the servers of the cluster. A command that
// does not know the secret first gets the CA's certificate. The result is nil if TLS is off.
func (w *Web) TLS(ctx context.Context) (*certs.TLS, error) {
	return w.tls, w.tls.Join(ctx, func(ctx context.Context, csr []byte) (cert, ca []byte, err error) {
		err = w.issuer(func(conn grpc.ClientConnInterface) error {
			cert, ca, err = certify(ctx, conn, csr)
			return err
		})
		return cert, ca, err
	})
}

// Lend returns a token for a user with a Kerberos login. It implements [auth.Lend].
func (w *Web) Lend(ctx context.Context) (text string, err error) {
	err = w.issuer(func(conn grpc.ClientConnInterface) error {
		r, err := token.NewTokensClient(conn).Create(ctx, &token.CreateRequest{Days: 1})
		text = r.GetText()
		return err
	})
	return text, err
}

// Do adds the user's proof to a request and sends it to the web server of a daemon. The caller must
// close the answer's body and check its status ([auth.Refusal]). op and on describe the request's
// purpose in an error, and remedy says what to do if the daemon does not respond. Such an error is of
// kind Unreachable.
func (w *Web) Do(r *http.Request, daemon certs.Role, op, on, remedy string) (*http.Response, error) {
	if err := auth.Authorize(r, w.conf, w.Lend); err != nil {
		return nil, err
	}
	t, err := w.TLS(r.Context())
	if err != nil {
		return nil, err
	}
	answer, err := t.HTTP(daemon).Do(r)
	if err != nil {
		return nil, failure.New(failure.Unreachable, op, on, err).Fix(remedy)
	}
	return answer, nil
}
