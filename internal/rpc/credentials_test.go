package rpc_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/test/bufconn"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/wire/client"
	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job/failure"
)

func TestWhoKnowsTheSecretIsAdministrator(t *testing.T) {
	var who auth.Principal
	c := connect(t, rpc.Options{Secret: auth.NewSecret()}, func(ctx context.Context) (*wire.JobInfo, error) {
		who = auth.From(ctx)
		return &wire.JobInfo{}, nil
	})
	_, err := c.GetJob(t.Context(), &wire.GetJobRequest{})
	require.NoError(t, err)
	require.Equal(t, auth.Principal{Admin: true}, who)
}

// TestTokens checks that a server knows the user or node by its token, and that neither a new nor an
// open connection is of use after the token's end.
func TestTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		secret := auth.NewSecret()
		ledger, err := auth.OpenLedger(filepath.Join(t.TempDir(), "tokens"), secret)
		require.NoError(t, err)
		issue := func(c auth.Claims) *auth.Proof {
			c.Expires = time.Now().Add(time.Hour).Unix()
			text, err := ledger.Issue(c, "")
			require.NoError(t, err)
			p, err := auth.ParseToken(text, "the file")
			require.NoError(t, err)
			return p
		}
		var who auth.Principal
		// dial returns a function that makes the call of a node over one connection.
		dial := func(p *auth.Proof) func() error {
			o := rpc.Options{Secret: secret, Revoked: ledger.Revoked, Proof: p}
			c := connect(t, o, func(ctx context.Context) (*wire.JobInfo, error) {
				who = auth.From(ctx)
				return &wire.JobInfo{}, nil
			})
			return func() error {
				who = auth.Principal{}
				_, err := c.GetJob(t.Context(), &wire.GetJobRequest{})
				return err
			}
		}
		node := issue(auth.Claims{Node: "n1"})
		open := dial(node)
		require.NoError(t, open())
		require.Equal(t, auth.Principal{Node: "n1"}, who)

		err = dial(issue(auth.Claims{User: "alice"}))()
		require.True(t, failure.Is(err, failure.Permission), "%v", err)
		require.ErrorContains(t, err, "user alice may not make this call")
		require.ErrorContains(t, err, "--node HOST")
		require.Zero(t, who)

		require.NoError(t, ledger.Revoke(node.Claims()))
		for _, call := range []func() error{open, dial(node)} {
			err = call()
			require.True(t, failure.Is(err, failure.Permission), "%v", err)
			require.ErrorContains(t, err, auth.ErrRevoked.Error())
			require.Zero(t, who)
		}

		node = issue(auth.Claims{Node: "n1"})
		open = dial(node)
		require.NoError(t, open())
		time.Sleep(2 * time.Hour)
		for _, call := range []func() error{open, dial(node)} {
			err = call()
			require.True(t, failure.Is(err, failure.Permission), "%v", err)
			require.ErrorContains(t, err, auth.ErrExpired.Error())
			require.Zero(t, who)
		}

		text, _ := auth.NewSecret().Issue(auth.Claims{Admin: true, Expires: time.Now().Add(time.Hour).Unix()})
		stranger, err := auth.ParseToken(text, "the file")
		require.NoError(t, err)
		err = dial(stranger)()
		require.True(t, failure.Is(err, failure.Permission), "%v", err)
		require.ErrorContains(t, err, "did not issue the token in the file")
		require.Zero(t, who)
	})
}

// TestRenewedTokens checks that a client needs no restart after its token's file has been replaced: neither
// an open connection whose token has ended, nor one whose handshake has failed.
func TestRenewedTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		secret := auth.NewSecret()
		ledger, err := auth.OpenLedger(filepath.Join(t.TempDir(), "tokens"), secret)
		require.NoError(t, err)
		file := filepath.Join(t.TempDir(), "token")
		issue := func(node string) *auth.Proof {
			text, err := ledger.Issue(auth.Claims{Node: node, Expires: time.Now().Add(time.Hour).Unix()}, "")
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
			p, err := auth.ParseToken(text, file)
			require.NoError(t, err)
			return p
		}
		served := 0
		first := issue("n1")
		c := connect(t, rpc.Options{Secret: secret, Revoked: ledger.Revoked, Proof: first},
			func(ctx context.Context) (*wire.JobInfo, error) {
				served++
				return &wire.JobInfo{Owner: auth.From(ctx).Node}, nil
			})
		call := func() (string, error) {
			r, err := c.GetJob(t.Context(), &wire.GetJobRequest{})
			return r.GetOwner(), err
		}
		who, err := call()
		require.NoError(t, err)
		require.Equal(t, "n1", who)

		issue("n2")
		who, err = call()
		require.NoError(t, err)
		require.Equal(t, "n1", who, "the old token is still valid")
		require.NoError(t, ledger.Revoke(first.Claims()))
		who, err = call()
		require.NoError(t, err)
		require.Equal(t, "n2", who)

		time.Sleep(2 * time.Hour) // the server has closed the connection, and the token has expired
		_, err = call()
		require.ErrorContains(t, err, auth.ErrExpired.Error())
		issue("n3")
		time.Sleep(5 * time.Second)
		who, err = call()
		require.NoError(t, err)
		require.Equal(t, "n3", who)
		require.Equal(t, 4, served)
	})
}

// listen returns a server with secret on loopback.
func listen(t *testing.T, secret *auth.Secret) (addr string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := rpc.NewServer(rpc.Options{Secret: secret})
	wire.RegisterTrackersServer(s, &server{getJob: func(context.Context) (*wire.JobInfo, error) {
		t.Error("a stranger was answered")
		return &wire.JobInfo{}, nil
	}})
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() { s.Stop(); <-served })
	return l.Addr().String()
}

// ask returns the error of a call with secret.
func ask(t *testing.T, addr string, secret *auth.Secret) error {
	conn, err := rpc.Dial(addr, rpc.Options{Secret: secret})
	require.NoError(t, err)
	defer conn.Close()
	_, err = wire.NewTrackersClient(conn).GetJob(t.Context(), &wire.GetJobRequest{})
	return err
}

func TestStrangersAreRefused(t *testing.T) {
	addr := listen(t, auth.NewSecret())
	err := ask(t, addr, auth.NewSecret())
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	require.ErrorIs(t, err, auth.ErrOtherSecret)
	require.ErrorContains(t, err, addr)
	require.ErrorContains(t, err, "howdah.security.secret.file")

	err = ask(t, addr, nil) // a client of an older version
	require.True(t, failure.Is(err, failure.Unreachable), "%v", err)

	plain := listen(t, nil) // a server of an older version
	err = ask(t, plain, auth.NewSecret())
	require.True(t, failure.Is(err, failure.Unreachable), "%v", err)
	require.ErrorContains(t, err, "same version")
}

// TestRelayedConnection checks that a server refuses a client that has called a different address, and
// that both ends say so, unless the server's options list the address.
func TestRelayedConnection(t *testing.T) {
	for _, listed := range []bool{false, true} {
		relay, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		called := relay.Addr().(*net.TCPAddr).AddrPort()
		s := auth.NewSecret()
		var log bytes.Buffer
		t.Run(fmt.Sprint("listed ", listed), func(t *testing.T) {
			to := serve(t, rpc.Options{Secret: s, Addresses: auth.Addresses{called: listed},
				Warn: slog.New(slog.NewTextHandler(&log, nil)).Warn}, nil)
			var passing sync.WaitGroup
			passing.Go(func() {
				near, err := relay.Accept()
				relay.Close()
				if err != nil {
					return
				}
				defer near.Close()
				far, err := net.Dial("tcp", to)
				if err != nil {
					return
				}
				defer far.Close()
				passing.Go(func() { _, _ = io.Copy(far, near); far.Close() })
				_, _ = io.Copy(near, far)
			})
			conn := open(t, called.String(), rpc.Options{Secret: s})
			err := getJob(t, conn)
			conn.Close()
			passing.Wait()
			if listed {
				require.NoError(t, err)
				return
			}
			require.True(t, failure.Is(err, failure.Unreachable), "%v", err)
			require.ErrorContains(t, err, "does not have the address "+called.String())
			require.ErrorContains(t, err, "howdah.security.rpc.addresses")
		}) // has stopped the server, which logs after it has answered
		want := 1
		if listed {
			want = 0
		}
		text := []byte(called.String() + ", which is not an address of this daemon")
		require.Equal(t, want, bytes.Count(log.Bytes(), text), "%s", &log)
	}
}

// TestStoppedServer checks the error for a daemon whose kernel accepts connections although the
// process is stopped.
func TestStoppedServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, err := rpc.Dial("jobtracker:9001", rpc.Options{Secret: auth.NewSecret(),
			Dialer: func(context.Context, string) (net.Conn, error) {
				near, _ := net.Pipe()
				return near, nil
			}})
		require.NoError(t, err)
		defer conn.Close()
		_, err = wire.NewTrackersClient(conn).GetJob(t.Context(), &wire.GetJobRequest{})
		require.True(t, failure.Is(err, failure.Unreachable), "%v", err)
		require.ErrorContains(t, err, "accepts connections but does not answer")
	})
}

// TestRightsBeforeRequests checks that a server refuses a caller without rights before it reads the
// request. So such callers do not wait for memory, and use none.
func TestRightsBeforeRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const message = 1 << 20
		gate := make(chan struct{})
		secret := auth.NewSecret()
		l := bufconn.Listen(1 << 20)
		s := rpc.NewServer(rpc.Options{Secret: secret, MaxMessage: message, Memory: message,
			MayCall: func(user string) bool { return user == "ann" }})
		wire.RegisterTrackersServer(s, &beats{beat: func(*wire.Report) { <-gate }})
		client.RegisterJobsServer(s, &client.UnimplementedJobsServer{})
		go func() { _ = s.Serve(l) }()
		defer s.Stop()
		dial := func(c auth.Claims) *grpc.ClientConn {
			c.Expires = time.Now().Add(time.Hour).Unix()
			text, _ := secret.Issue(c)
			p, err := auth.ParseToken(text, "the file")
			require.NoError(t, err)
			conn, err := rpc.Dial("jobtracker:9001", rpc.Options{Proof: p,
				Dialer: func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }})
			require.NoError(t, err)
			return conn
		}
		node, ann, eve := dial(auth.Claims{Node: "n1"}), dial(auth.Claims{User: "ann"}), dial(auth.Claims{User: "eve"})
		defer node.Close()
		defer ann.Close()
		defer eve.Close()
		done := make(chan struct{})
		go func() { // this call holds memory for requests until its end
			defer close(done)
			_, _ = wire.NewTrackersClient(node).Beat(t.Context(), report(message/2))
		}()
		synctest.Wait()
		began := time.Now()
		_, err := wire.NewTrackersClient(ann).Beat(t.Context(), report(message/2))
		require.True(t, failure.Is(err, failure.Permission), "%v", err)
		large := &client.SubmitRequest{SubmitKey: strings.Repeat("x", message/2)}
		_, err = client.NewJobsClient(eve).Submit(t.Context(), large)
		require.True(t, failure.Is(err, failure.Permission), "%v", err)
		require.ErrorContains(t, err, "user eve may not use this daemon")
		require.Zero(t, time.Since(began))
		_, err = client.NewJobsClient(ann).Submit(t.Context(), large)
		require.True(t, failure.Is(err, failure.Limit), "a caller with rights waits for memory: %v", err)
		close(gate)
		<-done
	})
}
