package shuffle

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// trackerTLS returns the TLS of the TaskTracker on host n1.
func trackerTLS(t testing.TB, s *auth.Secret) *certs.TLS {
	c := conf.New()
	c.Set(certs.KeyTLS, "auto", "test")
	x, err := certs.Open(c, s, certs.Holder{Roles: []certs.Role{certs.TaskTracker("n1")}})
	require.NoError(t, err)
	return x
}

// serveMaps serves map outputs as a TaskTracker does and returns the address.
func serveMaps(t testing.TB, root string, secure *certs.TLS) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := l.Addr().String()
	if secure != nil {
		l = tls.NewListener(l, secure.Server(certs.Anybody))
	}
	s := &http.Server{Handler: NewServer(ServerConfig{Addr: addr, Root: root, Token: tokenOf})}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() { s.Close(); <-done })
	return addr
}

// TestFetchWithTLS checks that a reducer takes outputs only from the TaskTracker of the host that has
// them, and that it needs no more than the certificate of the CA.
func TestFetchWithTLS(t *testing.T) {
	secret := auth.NewSecret()
	tracker := trackerTLS(t, secret)
	cl := newCluster(t, 1, 1, nil)
	list := cl.makeMaps(1, 5, 5)
	addr := serveMaps(t, cl.roots[0], tracker)
	fetch := func(secure *certs.TLS, host string) (got *cause) {
		cfg := cl.config(0, 1)
		cfg.TLS = secure
		require.NoError(t, cfg.validate())
		f := newFetcher(&cfg, newStore(&cfg), nil)
		defer f.close()
		f.fetch(atHost(t.Context(), host), addr, []target{{list[0].Map, 0}}, func(_ target, c *cause) { got = c })
		return got
	}
	task, err := certs.Trust(tracker.CA())
	require.NoError(t, err)
	require.Nil(t, fetch(task, "n1"))

	for _, c := range []struct {
		secure *certs.TLS
		host   string
		want   error
	}{
		{task, "n2", certs.ErrRole},
		{trackerTLS(t, auth.NewSecret()), "n1", auth.ErrOtherSecret},
	} {
		got := fetch(c.secure, c.host)
		require.NotNil(t, got)
		require.ErrorIs(t, got.err, c.want)
		require.True(t, got.connect, "the host counts as unreachable")
		require.Equal(t, job.ShuffleConnection, got.counter)
	}
	got := fetch(nil, "n1") // without TLS
	require.NotNil(t, got)
	require.True(t, failure.Is(got.err, failure.Unreachable), "%v", got.err)
}

// TestTLSKeepsConnections checks that the fetches from a host share a connection.
func TestTLSKeepsConnections(t *testing.T) {
	tracker := trackerTLS(t, auth.NewSecret())
	cl := newCluster(t, 1, 1, nil)
	cl.makeMaps(2, 5, 5)
	addr := serveMaps(t, cl.roots[0], tracker)
	cfg := cl.config(0, 2)
	cfg.TLS = tracker
	require.NoError(t, cfg.validate())
	dials := 0
	f := newFetcher(&cfg, newStore(&cfg), func(ctx context.Context, network, addr string) (net.Conn, error) {
		if dials++; dials > 1 {
			return nil, errors.New("a second connection")
		}
		var d net.Dialer
		return d.DialContext(ctx, network, addr)
	})
	defer f.close()
	for m := range int32(2) {
		f.fetch(atHost(t.Context(), "n1"), addr, []target{{m, 0}}, func(_ target, c *cause) { require.Nil(t, c) })
	}
	require.Equal(t, 1, dials)
}
