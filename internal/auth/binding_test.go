package auth_test

import (
	"crypto/tls"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/hdfs/kerberos/kerberostest"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/job/failure"
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

// TestRelayIsNoticed lets somebody at the address that the client calls relay a handshake to the
// server. Both ends notice, with and without TLS.
func TestRelayIsNoticed(t *testing.T) {
	s := auth.NewSecret()
	for _, c := range []struct {
		name                 string
		clientTLS, serverTLS bool
		rewrites             bool // the relay replaces the address in the greeting by the server's
	}{
		{"without TLS", false, false, false},
		{"without TLS, with the server's address", false, false, true},
		{"both with TLS", true, true, false},
		{"downgrade at the server", true, false, true},
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
		go func() {
			defer toServer.Close()
			head := make([]byte, 58)
			if _, err := io.ReadFull(toClient, head); err != nil {
				return
			}
			if c.rewrites {
				at := toServer.RemoteAddr().(*net.TCPAddr)
				head = append(append(head[:40], at.IP.To16()...), byte(at.Port>>8), byte(at.Port))
			}
			_, _ = toServer.Write(head)
			_, _ = io.Copy(toServer, toClient)
		}()
		go func() { _, _ = io.Copy(toClient, toServer); toClient.Close() }()
		admit := make(chan error)
		go func() {
			defer far.Close()
			_, err := s.Admit(far, nil, nil, nil)
			admit <- err
		}()
		present := s.Proof().Present(t.Context(), near, "jt:9001")
		near.Close()
		if !c.serverTLS && !c.rewrites {
			called := auth.OtherAddress{Called: toClient.LocalAddr().(*net.TCPAddr).AddrPort()}
			require.Equal(t, called, present, c.name)
			require.Equal(t, called, <-admit, c.name)
			continue
		}
		require.ErrorIs(t, present, auth.ErrOtherSecret, c.name)
		require.Error(t, <-admit, c.name)
	}
}

// through connects a client to a server through a program that passes bytes on, and returns the
// address that the client has called.
func through(t *testing.T) (near, far net.Conn, called *net.TCPAddr) {
	near, toClient := tcp(t)
	toServer, far := tcp(t)
	go func() { _, _ = io.Copy(toServer, toClient) }()
	go func() { _, _ = io.Copy(toClient, toServer) }()
	return near, far, toClient.LocalAddr().(*net.TCPAddr)
}

// TestAddresses checks that a server accepts connections that were passed on if its configuration
// lists the address that the client has called, or if they have TLS.
func TestAddresses(t *testing.T) {
	s := auth.NewSecret()
	for list, want := range map[string]bool{"": false, "127.0.0.1:PORT": true, "localhost:PORT": true, ":PORT": true,
		"0.0.0.0:PORT": true, "127.0.0.1:1,[::ffff:127.0.0.1]:PORT": true, "127.0.0.2:PORT": false, ":1": false} {
		near, far, called := through(t)
		c := conf.New()
		c.Set(auth.KeyAddresses, strings.ReplaceAll(list, "PORT", strconv.Itoa(called.Port)), "test")
		also, err := auth.LoadAddresses(c)
		require.NoError(t, err)
		admit := make(chan error)
		go func() {
			_, err := s.Admit(far, nil, nil, also)
			admit <- err
		}()
		present := s.Proof().Present(t.Context(), near, "jt:9001")
		require.Equal(t, want, present == nil, "%q: %v", list, present)
		require.Equal(t, want, <-admit == nil, list)
	}
	for _, bad := range []string{"host", ":0", ":x", "host:65536", "no host:1"} {
		c := conf.New()
		c.Set(auth.KeyAddresses, bad, "test")
		_, err := auth.LoadAddresses(c)
		require.True(t, failure.Is(err, failure.Config), "%s: %v", bad, err)
	}

	near, far, _ := through(t)
	admit := make(chan error)
	go func() {
		_, err := s.Admit(tls.Server(far, serverTLS(t, s)), nil, nil, nil)
		admit <- err
	}()
	require.NoError(t, s.Proof().Present(t.Context(), blind(near), "jt:9001"))
	require.NoError(t, <-admit)
}

// TestRelayedLogins is like TestRelayIsNoticed for a token and a Kerberos login.
func TestRelayedLogins(t *testing.T) {
	s, jt := auth.NewSecret(), kerberostest.New(t, "jt/jt")
	logins, err := auth.JobTracker.Logins(kerberos(jt))
	require.NoError(t, err)
	alice, _ := token(t, s, auth.Claims{User: "alice", Expires: time.Now().Add(time.Hour).Unix()})
	for _, p := range []*auth.Proof{alice, auth.LoginProof(ticket{t: t, at: jt, client: "alice"}, "jt/_HOST")} {
		near, far, called := through(t)
		admit := make(chan error)
		go func() {
			_, err := s.Admit(far, nil, logins, nil)
			admit <- err
		}()
		require.Equal(t, auth.OtherAddress{Called: called.AddrPort()}, p.Present(t.Context(), near, "jt:9001"))
		require.Equal(t, auth.OtherAddress{Called: called.AddrPort()}, <-admit)
	}
}

// TestHandshakeWithTLS checks that the handshake works in a connection whose server the client cannot
// verify.
func TestHandshakeWithTLS(t *testing.T) {
	s := auth.NewSecret()
	near, far := tcp(t)
	admit := make(chan error)
	go func() {
		_, err := s.Admit(tls.Server(far, serverTLS(t, s)), nil, nil, nil)
		admit <- err
	}()
	require.NoError(t, s.Proof().Present(t.Context(), blind(near), "jt:9001"))
	require.NoError(t, <-admit)
}
