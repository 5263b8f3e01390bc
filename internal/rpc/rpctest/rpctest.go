// Package rpctest serves fake daemons to clients in tests.
package rpctest

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/rpc"
)

// Options returns the options of a server that clients with a default configuration trust.
func Options(t testing.TB) rpc.Options {
	t.Helper()
	secret, err := auth.Load(conf.New())
	require.NoError(t, err)
	return rpc.Options{Secret: secret}
}

// Serve serves until the test ends and returns the address. register adds the services.
func Serve(t testing.TB, register func(s grpc.ServiceRegistrar)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := rpc.NewServer(Options(t))
	register(s)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	return l.Addr().String()
}
