package rpc

import (
	"context"

	"google.golang.org/grpc"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/wire/token"
)

// Join gets a certificate from the daemon at the other end of a connection if t needs one. See
// [certs.TLS.Join].
func Join(ctx context.Context, conn grpc.ClientConnInterface, t *certs.TLS) error {
	return t.Join(ctx, func(ctx context.Context, csr []byte) (cert, ca []byte, err error) {
		r, err := token.NewTokensClient(conn).Certify(ctx, &token.CertifyRequest{Csr: csr})
		return r.GetCertificate(), r.GetCa(), err
	})
}

// Lend returns a token for the user whose Kerberos login opened the connection. The token expires
// with the login.
func Lend(ctx context.Context, conn grpc.ClientConnInterface) (string, error) {
	r, err := token.NewTokensClient(conn).Create(ctx, &token.CreateRequest{Days: 1})
	return r.GetText(), err
}

// Trust returns the TLS settings with which a command can verify the servers of the cluster that c
// configures. A command that does not know the secret gets the CA certificate from the daemon at
// the address that find returns.
func Trust(ctx context.Context, c *conf.Config, find func(*conf.Config) (string, error)) (*certs.TLS, error) {
	options, err := ClientOptions(c, certs.JobTracker)
	if err != nil || options.TLS == nil || options.TLS.Joined() {
		return options.TLS, err
	}
	addr, err := find(c)
	if err != nil {
		return nil, err
	}
	conn, err := Dial(addr, options)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return options.TLS, Join(ctx, conn, options.TLS)
}
