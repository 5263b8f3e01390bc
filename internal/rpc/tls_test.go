package rpc_test

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/transport/tokens"
	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job/failure"
)

// auto returns the TLS of a process with a role. Without a secret, the process has only a token.
func auto(t *testing.T, s *auth.Secret, role certs.Role) *certs.TLS {
	c := conf.New()
	c.Set(certs.KeyTLS, "auto", "test")
	x, err := certs.Open(c, s, certs.Holder{Roles: []certs.Role{role}})
	require.NoError(t, err)
	return x
}

// serve returns the address of a server on loopback.
func serve(t *testing.T, o rpc.Options, ledger *auth.Ledger) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := rpc.NewServer(o)
	wire.RegisterTrackersServer(s, &server{getJob: func(context.Context) (*wire.JobInfo, error) {
		return &wire.JobInfo{}, nil
	}})
	tokens.Register(s, ledger, o.TLS)
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() { s.Stop(); <-served })
	return l.Addr().String()
}

// open returns a connection to a server.
func open(t *testing.T, addr string, o rpc.Options) *grpc.ClientConn {
	conn, err := rpc.Dial(addr, o)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

// getJob makes a call.
func getJob(t *testing.T, conn *grpc.ClientConn) error {
	_, err := wire.NewTrackersClient(conn).GetJob(t.Context(), &wire.GetJobRequest{})
	return err
}

func TestTLS(t *testing.T) {
	s := auth.NewSecret()
	addr := serve(t, rpc.Options{Secret: s, TLS: auto(t, s, certs.JobTracker)}, nil)
	me := auto(t, s, certs.User("me"))
	require.NoError(t, getJob(t, open(t, addr, rpc.Options{Secret: s, TLS: me, Server: certs.JobTracker})))

	err := getJob(t, open(t, addr, rpc.Options{Secret: s, TLS: me, Server: certs.Manager}))
	require.True(t, failure.Is(err, failure.Unreachable), "%v", err)
	require.ErrorIs(t, err, certs.ErrRole)

	other := auth.NewSecret()
	stranger := auto(t, other, certs.User("me"))
	err = getJob(t, open(t, addr, rpc.Options{Secret: other, TLS: stranger, Server: certs.JobTracker}))
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	require.ErrorIs(t, err, auth.ErrOtherSecret)
}

// TestOneEndWithoutTLS checks that both ends say what to do if only one of them uses TLS.
func TestOneEndWithoutTLS(t *testing.T) {
	s := auth.NewSecret()
	for _, atServer := range []bool{true, false} {
		var log bytes.Buffer
		at := rpc.Options{Secret: s, Warn: slog.New(slog.NewTextHandler(&log, nil)).Warn}
		from := rpc.Options{Secret: s, Server: certs.JobTracker}
		if atServer {
			at.TLS = auto(t, s, certs.JobTracker)
		} else {
			from.TLS = auto(t, s, certs.User("me"))
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		server := rpc.NewServer(at)
		served := make(chan error, 1)
		go func() { served <- server.Serve(l) }()
		for range 2 {
			err = getJob(t, open(t, l.Addr().String(), from))
			require.True(t, failure.Is(err, failure.Unreachable), "%v", err)
			require.Equal(t, 1, strings.Count(err.Error(), "set howdah.security.tls to the same value"), "%v", err)
		}
		server.Stop()
		<-served
		require.Equal(t, 1, bytes.Count(log.Bytes(), []byte("set howdah.security.tls")), "%s", &log)
	}
}

// TestTokenWithTLS follows a node that has only a token: it opens a connection to a server that it
// cannot verify, gets a certificate, and shows it from then on.
func TestTokenWithTLS(t *testing.T) {
	s := auth.NewSecret()
	ledger, err := auth.OpenLedger(t.TempDir()+"/tokens", s)
	require.NoError(t, err)
	addr := serve(t, rpc.Options{Secret: s, Revoked: ledger.Revoked, TLS: auto(t, s, certs.JobTracker)}, ledger)
	issue := func(c auth.Claims) *auth.Proof {
		c.Expires = time.Now().Add(time.Hour).Unix()
		text, err := ledger.Issue(c, "")
		require.NoError(t, err)
		p, err := auth.ParseToken(text, "the file")
		require.NoError(t, err)
		return p
	}
	node := issue(auth.Claims{Node: "n1"})
	with := rpc.Options{Proof: node, TLS: auto(t, nil, certs.TaskTracker("n1")), Server: certs.JobTracker}
	conn := open(t, addr, with)
	require.NoError(t, getJob(t, conn))
	require.False(t, with.TLS.Joined())
	require.NoError(t, rpc.Join(t.Context(), conn, with.TLS))
	require.True(t, with.TLS.Joined())
	require.NoError(t, getJob(t, open(t, addr, with)))
	with.Server = certs.Manager
	require.ErrorIs(t, getJob(t, open(t, addr, with)), certs.ErrRole, "it knows the CA now")
	with.Server = certs.JobTracker

	// A certificate of one node does not match the token of another.
	with.Proof = issue(auth.Claims{Node: "n2"})
	err = getJob(t, open(t, addr, with))
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	require.ErrorContains(t, err, "tasktracker/n1")

	greedy := auto(t, nil, certs.JobTracker)
	err = rpc.Join(t.Context(), conn, greedy)
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	require.ErrorContains(t, err, "jobtracker")

	require.NoError(t, ledger.Revoke(node.Claims()))
	err = rpc.Join(t.Context(), conn, auto(t, nil, certs.TaskTracker("n1")))
	require.ErrorContains(t, err, auth.ErrRevoked.Error())
}
