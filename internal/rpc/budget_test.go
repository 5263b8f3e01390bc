package rpc_test

import (
	"context"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/test/bufconn"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/rpc"
	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job/failure"
)

// beats answers Beat with a function.
type beats struct {
	wire.UnimplementedTrackersServer
	beat func(*wire.Report)
}

func (b *beats) Beat(_ context.Context, r *wire.Report) (*wire.Desired, error) {
	b.beat(r)
	return &wire.Desired{}, nil
}

// serveBeats starts an in-memory server and returns a connection whose requests can have 64 MiB.
func serveBeats(t *testing.T, o rpc.Options, beat func(*wire.Report)) *grpc.ClientConn {
	l := bufconn.Listen(1 << 20)
	s := rpc.NewServer(o)
	wire.RegisterTrackersServer(s, &beats{beat: beat})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- rpc.Serve(ctx, s, l) }()
	conn, err := rpc.Dial("jobtracker:9001", rpc.Options{Secret: o.Secret, MaxMessage: 64 << 20,
		Dialer: func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }})
	require.NoError(t, err)
	t.Cleanup(func() {
		conn.Close()
		cancel()
		require.NoError(t, <-done)
	})
	return conn
}

// report returns a report with a text of n bytes.
func report(n int) *wire.Report { return &wire.Report{Unhealthy: strings.Repeat("x", n)} }

// TestRequestsShareMemory makes 30 calls of the maximum size whose handlers do not return. The server
// reads only as many as fit into its memory.
func TestRequestsShareMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const message, memory = 1 << 20, 16 << 20
		var inside atomic.Int64
		gate := make(chan struct{})
		o := rpc.Options{Secret: auth.NewSecret(), MaxMessage: message, Memory: memory}
		conn := serveBeats(t, o, func(r *wire.Report) {
			inside.Add(int64(len(r.Unhealthy)))
			<-gate
		})
		const calls, size = 30, message - 1000
		errs := make(chan error, calls)
		for range calls {
			go func() {
				_, err := wire.NewTrackersClient(conn).Beat(t.Context(), report(size))
				errs <- err
			}()
		}
		time.Sleep(time.Second)
		synctest.Wait()
		require.Positive(t, inside.Load())
		require.LessOrEqual(t, inside.Load(), int64(memory))
		close(gate)
		for range calls {
			require.NoError(t, <-errs)
		}
		require.EqualValues(t, calls*size, inside.Load())
	})
}

func TestNoMemoryForARequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		conn := serveBeats(t, rpc.Options{MaxMessage: 1 << 20, Memory: 1 << 20}, func(*wire.Report) { <-gate })
		first := make(chan error, 1)
		go func() {
			_, err := wire.NewTrackersClient(conn).Beat(t.Context(), report(1<<19))
			first <- err
		}()
		synctest.Wait()
		began := time.Now()
		_, err := wire.NewTrackersClient(conn).Beat(t.Context(), report(1))
		require.True(t, failure.Is(err, failure.Limit), "%v", err)
		require.ErrorContains(t, err, "howdah.ipc.memory")
		require.Equal(t, 10*time.Second, time.Since(began))
		close(gate)
		require.NoError(t, <-first)
	})
}

// TestRequestsThatNeverArrive begins more calls than the server reads at once and sends no requests.
// Other clients get in as soon as their time is over.
func TestRequestsThatNeverArrive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := serveBeats(t, rpc.Options{MaxMessage: 1 << 20, Memory: 1}, func(*wire.Report) {})
		stalled, err := conn.NewStream(t.Context(), &grpc.StreamDesc{ClientStreams: true}, "/howdah.tracker.Trackers/Beat")
		require.NoError(t, err)
		synctest.Wait()
		began := time.Now()
		_, err = wire.NewTrackersClient(conn).Beat(t.Context(), report(1))
		require.NoError(t, err)
		require.LessOrEqual(t, time.Since(began), 5*time.Second)
		require.Error(t, stalled.RecvMsg(&wire.Desired{}))
	})
}

// TestSmallMessagesWithManyParts sends messages whose decoded form would be a hundred times as large.
func TestSmallMessagesWithManyParts(t *testing.T) {
	served := 0
	conn := serveBeats(t, rpc.Options{}, func(*wire.Report) { served++ })
	c := wire.NewTrackersClient(conn)
	parts := func(n int) *wire.Report {
		r := &wire.Report{}
		for range n {
			r.Attempt = append(r.Attempt, &wire.AttemptReport{})
		}
		return r
	}
	nested := &wire.Report{Attempt: []*wire.AttemptReport{{Counter: make([]*wire.Counter, 200_000)}}}
	for i := range nested.Attempt[0].Counter {
		nested.Attempt[0].Counter[i] = &wire.Counter{}
	}
	for _, r := range []*wire.Report{parts(200_000), nested} {
		_, err := c.Beat(t.Context(), r)
		require.True(t, failure.Is(err, failure.Limit), "%v", err)
		require.ErrorContains(t, err, "ipc.maximum.data.length")
		require.True(t, rpc.TooLarge(r, 0))
	}
	require.Zero(t, served)
	_, err := c.Beat(t.Context(), parts(50_000))
	require.NoError(t, err)
	require.False(t, rpc.TooLarge(parts(50_000), 0))
	require.Equal(t, 1, served)
}

func TestRequestTooLarge(t *testing.T) {
	conn := serveBeats(t, rpc.Options{}, func(*wire.Report) { t.Error("served") })
	_, err := wire.NewTrackersClient(conn).Beat(t.Context(), report(5<<20))
	require.True(t, failure.Is(err, failure.Limit), "%v", err)
	require.ErrorContains(t, err, "ipc.maximum.data.length")
	require.True(t, rpc.TooLarge(report(5<<20), 0))
}
