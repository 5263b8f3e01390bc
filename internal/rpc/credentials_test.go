package rpc_test

import (
	"context"
	"net"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/rpc"
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
