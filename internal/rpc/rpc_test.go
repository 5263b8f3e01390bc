package rpc_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/grpc/test/bufconn"

	"github.com/howdah/howdah/internal/rpc"
	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job/failure"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server answers GetJob as configured by the test.
type server struct {
	wire.UnimplementedTrackersServer
	getJob func(context.Context) (*wire.JobInfo, error)
}

func (s *server) GetJob(ctx context.Context, _ *wire.GetJobRequest) (*wire.JobInfo, error) {
	return s.getJob(ctx)
}

// connect starts an in-memory server and returns a client.
func connect(t *testing.T, o rpc.Options, getJob func(context.Context) (*wire.JobInfo, error)) wire.TrackersClient {
	l := bufconn.Listen(1 << 20)
	s := rpc.NewServer(o)
	wire.RegisterTrackersServer(s, &server{getJob: getJob})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- rpc.Serve(ctx, s, l) }()
	o.Dialer = func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }
	conn, err := rpc.Dial("jobtracker:9001", o)
	require.NoError(t, err)
	t.Cleanup(func() {
		conn.Close()
		cancel()
		require.NoError(t, <-done)
	})
	return wire.NewTrackersClient(conn)
}

// A client can keep its deadlines to itself. The server's call ends at the deadline in either case.
func TestDeadlines(t *testing.T) {
	for _, undated := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			ended := make(chan bool, 1)
			c := connect(t, rpc.Options{Undated: undated}, func(ctx context.Context) (*wire.JobInfo, error) {
				_, dated := ctx.Deadline()
				<-ctx.Done()
				ended <- dated
				return nil, ctx.Err()
			})
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			began := time.Now()
			_, err := c.GetJob(ctx, &wire.GetJobRequest{})
			require.True(t, failure.Is(err, failure.Timeout), "%v", err)
			require.Equal(t, !undated, <-ended)
			require.Equal(t, time.Second, time.Since(began))
		})
	}
}

func TestErrorsSurvive(t *testing.T) {
	var fail error
	c := connect(t, rpc.Options{}, func(context.Context) (*wire.JobInfo, error) { return nil, fail })
	for kind := failure.Unknown; kind <= failure.Internal; kind++ {
		want := failure.New(kind, "open", "file:/ü", errors.New("because")).Fix("do this")
		fail = fmt.Errorf("wrapped: %w", want)
		_, err := c.GetJob(t.Context(), &wire.GetJobRequest{})
		var got *failure.Error
		require.ErrorAs(t, err, &got)
		require.Equal(t, want.Error(), got.Error())
		require.Equal(t, []any{want.Kind, want.Op, want.On, want.Remedy}, []any{got.Kind, got.Op, got.On, got.Remedy})
	}
	fail = failure.New(failure.User, "map", "", errors.New(strings.Repeat("x", 1<<20)))
	_, err := c.GetJob(t.Context(), &wire.GetJobRequest{})
	require.True(t, failure.Is(err, failure.User), "a long text is shortened: %.100v", err)
}

func TestPanicAnswersAndServesOn(t *testing.T) {
	calls := 0
	c := connect(t, rpc.Options{}, func(context.Context) (*wire.JobInfo, error) {
		if calls++; calls == 1 {
			panic("a bug")
		}
		return &wire.JobInfo{Id: "fine"}, nil
	})
	_, err := c.GetJob(t.Context(), &wire.GetJobRequest{})
	require.True(t, failure.Is(err, failure.Internal), "%v", err)
	require.ErrorContains(t, err, "a bug")
	info, err := c.GetJob(t.Context(), &wire.GetJobRequest{})
	require.NoError(t, err)
	require.Equal(t, "fine", info.Id)
}

func TestEveryCallHasADeadline(t *testing.T) {
	c := connect(t, rpc.Options{Timeout: 20 * time.Millisecond}, func(ctx context.Context) (*wire.JobInfo, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	_, err := c.GetJob(context.Background(), &wire.GetJobRequest{})
	require.True(t, failure.Is(err, failure.Timeout), "%v", err)
	require.ErrorContains(t, err, "GetJob")
}

func TestMessageTooLarge(t *testing.T) {
	c := connect(t, rpc.Options{}, func(context.Context) (*wire.JobInfo, error) {
		return &wire.JobInfo{Id: strings.Repeat("x", 8<<20)}, nil
	})
	_, err := c.GetJob(t.Context(), &wire.GetJobRequest{})
	require.NoError(t, err, "a reply can be larger than a request")

	c = connect(t, rpc.Options{}, func(context.Context) (*wire.JobInfo, error) {
		return &wire.JobInfo{Id: strings.Repeat("x", 65<<20)}, nil
	})
	_, err = c.GetJob(t.Context(), &wire.GetJobRequest{})
	require.True(t, failure.Is(err, failure.Limit), "%v", err)
	require.ErrorContains(t, err, "ipc.maximum.data.length")
}

func TestNobodyThere(t *testing.T) {
	const addr = "127.0.0.1:1" // another test might have taken a port that was free a moment ago
	conn, err := rpc.Dial(addr, rpc.Options{})
	require.NoError(t, err)
	defer conn.Close()
	_, err = wire.NewTrackersClient(conn).GetJob(t.Context(), &wire.GetJobRequest{})
	require.True(t, failure.Is(err, failure.Unreachable), "%v", err)
	require.EqualError(t, err, "call GetJob of 127.0.0.1:1: connection refused; "+
		"check that the daemon runs and that the address is correct")
}

func TestUnknownCallIsAnotherVersion(t *testing.T) {
	c := connect(t, rpc.Options{}, nil)
	_, err := c.Leave(t.Context(), &wire.LeaveRequest{})
	require.True(t, failure.Is(err, failure.Stale), "%v", err)
}

func TestBadAddress(t *testing.T) {
	_, err := rpc.Dial("nowhere", rpc.Options{})
	require.True(t, failure.Is(err, failure.Config), "%v", err)
}

func TestProtocol(t *testing.T) {
	require.NoError(t, rpc.CheckProtocol(rpc.Protocol))
	require.NoError(t, rpc.CheckProtocol(rpc.Protocol+7), "another minor version")
	for _, other := range []int32{0, rpc.Protocol - 1000, rpc.Protocol + 1000} {
		require.True(t, failure.Is(rpc.CheckProtocol(other), failure.Stale))
	}
}

func TestRetry(t *testing.T) {
	away := failure.New(failure.Unreachable, "call", "", nil)
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		began := time.Now()
		err := rpc.Retry(t.Context(), rpc.Backoff{First: time.Second, Max: 3 * time.Second, Attempts: 5},
			func(context.Context) error {
				calls++
				return away
			})
		require.Equal(t, error(away), err)
		require.Equal(t, 5, calls)
		require.Equal(t, (1+2+3+3)*time.Second, time.Since(began))

		calls = 0
		require.NoError(t, rpc.Retry(t.Context(), rpc.Backoff{}, func(context.Context) error {
			if calls++; calls < 10 {
				return away
			}
			return nil
		}))

		calls = 0
		final := failure.New(failure.Timeout, "call", "", nil)
		require.Equal(t, error(final),
			rpc.Retry(t.Context(), rpc.Backoff{}, func(context.Context) error { calls++; return final }))
		require.Equal(t, 1, calls, "a call that timed out may have taken effect")

		until, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began = time.Now()
		require.Error(t, rpc.Retry(t.Context(), rpc.Backoff{Until: until.Done()},
			func(context.Context) error { return away }))
		require.Equal(t, time.Minute, time.Since(began))
	})
}

func BenchmarkCall(b *testing.B) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	s := rpc.NewServer(rpc.Options{})
	wire.RegisterTrackersServer(s,
		&server{getJob: func(context.Context) (*wire.JobInfo, error) { return &wire.JobInfo{}, nil }})
	go s.Serve(l)
	defer s.Stop()
	conn, err := rpc.Dial(l.Addr().String(), rpc.Options{})
	require.NoError(b, err)
	defer conn.Close()
	c := wire.NewTrackersClient(conn)
	for b.Loop() {
		if _, err := c.GetJob(context.Background(), &wire.GetJobRequest{}); err != nil {
			b.Fatal(err)
		}
	}
}
