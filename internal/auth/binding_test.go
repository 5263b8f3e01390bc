package auth_test

import (
	"crypto/tls"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/auth/certs"
)

// serverTLS returns the configuration of a server with a certificate from a CA.
func serverTLS(t *testing.T, ca *auth.Secret) *tls.Config {
	c := conf.New()
	c.Set(certs.KeyTLS, "auto", "test")
	x, err := certs.Open(c, ca, certs.Holder{Roles: []certs.Role{certs.JobTracker}})
	require.NoError(t, err)
	return x.Server(certs.Anybody)
}

// blind opens a connection with TLS without verifying the server. A client that has only a token does so.
func blind(conn net.Conn) *tls.Conn { return tls.Client(conn, &tls.Config{InsecureSkipVerify: true}) }

// tcp returns the ends of a connection.
func tcp(t *testing.T) (near, far net.Conn) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	near, err = net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	far, err = l.Accept()
	require.NoError(t, err)
	t.Cleanup(func() { near.Close(); far.Close() })
	return near, far
}

// TestRelayIsNoticed lets somebody relay a handshake between two connections. It fails if at least one
// of them has TLS.
func TestRelayIsNoticed(t *testing.T) {
	s := auth.NewSecret()
	for _, c := range []struct {
		name                 string
		clientTLS, serverTLS bool
		works                bool
	}{
		{"without TLS", false, false, true}, // nothing notices a relay that changes nothing
		{"both with TLS", true, true, false},
		{"downgrade at the server", true, false, false},
		{"downgrade at the client", false, true, false},
	} {
		near, toClient := tcp(t)
		toServer, far := tcp(t)
		if c.clientTLS {
			near, toClient = blind(near), tls.Server(toClient, serverTLS(t, auth.NewSecret()))
		}
		if c.serverTLS {
			far, toServer = tls.Server(far, serverTLS(t, s)), blind(toServer)
		}
		go func() { _, _ = io.Copy(toServer, toClient); toServer.Close() }()
		go func() { _, _ = io.Copy(toClient, toServer); toClient.Close() }()
		admit := make(chan error)
		go func() {
			defer far.Close()
			_, err := s.Admit(far, nil, nil)
			admit <- err
		}()
		present := s.Proof().Present(t.Context(), near, "jt:9001")
		near.Close()
		if c.works {
			require.NoError(t, present, c.name)
			require.NoError(t, <-admit, c.name)
		} else {
			require.ErrorIs(t, present, auth.ErrOtherSecret, c.name)
			require.Error(t, <-admit, c.name)
		}
	}
}

// TestHandshakeWithTLS checks that the handshake works in a connection whose server the client cannot
// verify.
func TestHandshakeWithTLS(t *testing.T) {
	s := auth.NewSecret()
	near, far := tcp(t)
	admit := make(chan error)
	go func() {
		_, err := s.Admit(tls.Server(far, serverTLS(t, s)), nil, nil)
		admit <- err
	}()
	require.NoError(t, s.Proof().Present(t.Context(), blind(near), "jt:9001"))
	require.NoError(t, <-admit)
}
