package rpc_test

import (
	"context"
	"net"
	"strings"
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

// TestRepliesThatNobodyReads checks that the replies to a client that does not read them occupy a limited
// amount of memory for a limited time, and that small replies continue.
func TestRepliesThatNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const size = 40 << 20 // a reply can have 64 MiB, which is then the limit for all
		large, inside := &wire.JobInfo{Owner: strings.Repeat("x", size)}, 0
		o := rpc.Options{Secret: auth.NewSecret(), Memory: 1}
		l := bufconn.Listen(1 << 20)
		s := rpc.NewServer(o)
		wire.RegisterTrackersServer(s, &server{getJob: func(context.Context) (*wire.JobInfo, error) {
			inside++
			return large, nil
		}})
		go func() { _ = s.Serve(l) }()
		defer s.Stop()
		o.Dialer = func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }
		dial := func() *grpc.ClientConn {
			conn, err := rpc.Dial("jobtracker:9001", o)
			require.NoError(t, err)
			return conn
		}
		idle, busy := dial(), dial()
		defer idle.Close()
		defer busy.Close()
		began := time.Now()
		stalled, err := idle.NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true}, "/howdah.tracker.Trackers/GetJob")
		require.NoError(t, err)
		require.NoError(t, stalled.SendMsg(&wire.GetJobRequest{}))
		require.NoError(t, stalled.CloseSend())
		synctest.Wait()
		require.Equal(t, 1, inside)

		get := func() error {
			_, err := wire.NewTrackersClient(busy).GetJob(t.Context(), &wire.GetJobRequest{})
			return err
		}
		others := make(chan error, 2)
		for range 2 { // one waits, and the other would wait beside it
			go func() { others <- get() }()
		}
		for range 2 {
			err := <-others
			require.True(t, failure.Is(err, failure.Limit), "%v", err)
			require.ErrorContains(t, err, "howdah.ipc.memory")
		}
		require.Equal(t, 10*time.Second, time.Since(began))
		_, err = wire.NewTrackersClient(busy).Leave(t.Context(), &wire.LeaveRequest{})
		require.True(t, failure.Is(err, failure.Stale), "a small reply, that the call is unknown: %v", err)

		time.Sleep(time.Until(began.Add(time.Minute)))
		synctest.Wait()
		require.NoError(t, get(), "the server has closed the connection of the client that does not read")
		require.NoError(t, get())
	})
}
