package rpc

import (
	"context"

	"google.golang.org/grpc"

	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/wire/token"
)

// Join gets a certificate from the daemon at the other end of a connection if t needs one. See
// [certs.TLS.Join].
func Join(ctx context.Context, conn grpc.ClientConnInterface, t *certs.TLS) error {
	return t.Join(ctx, func(ctx context.Context, csr []byte) (cert, ca []byte, err error) {
		return certify(ctx, conn, csr)
	})
}

func certify(ctx context.Context, conn grpc.ClientConnInterface, csr []byte) (cert, ca []byte, err error) {
	r, err := token.NewTokensClient(conn).Certify(ctx, &token.CertifyRequest{Csr: csr})
	return r.GetCertificate(), r.GetCa(), err
}
