package client

import (
	"context"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/transport"
	"github.com/howdah/howdah/job/failure"
)

// line is a connection to a JobTracker that is unreachable until a given time.
type line struct {
	grpc.ClientConnInterface
	back  time.Time
	calls int
	why   error // of the failed calls
}

func (l *line) Invoke(context.Context, string, any, any, ...grpc.CallOption) error {
	l.calls++
	if time.Now().Before(l.back) {
		return failure.New(failure.Unreachable, "call", "", l.why)
	}
	return nil
}

func over(l *line) *Client {
	c := &Client{conn: l, addr: "jobtracker:9001", start: "start it", reconnect: 5 * time.Minute}
	c.jobs = transport.Client(&retrying{c})
	return c
}

// TestJobTrackerIsAway checks how long a client retries. A client that has reached the JobTracker
// retries for the configured time. A client that has never reached it gives up quickly.
func TestJobTrackerIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &line{}
		c := over(l)
		call := func() error {
			_, err := c.Cluster(t.Context())
			return err
		}
		require.NoError(t, call())
		began := time.Now()
		l.back = began.Add(time.Minute)
		require.NoError(t, call())
		require.InDelta(t, 60, time.Since(began).Seconds(), 1)
		require.Less(t, l.calls, 100, "without hammering")

		began = time.Now()
		l.back = began.Add(time.Hour)
		err := call()
		require.True(t, failure.Is(err, failure.Unreachable), "%v", err)
		require.InDelta(t, 300, time.Since(began).Seconds(), 1)

		c = over(l)
		began = time.Now()
		err = call()
		require.True(t, failure.Is(err, failure.Unreachable), "%v", err)
		require.EqualError(t, err, "reach the JobTracker at jobtracker:9001: unreachable; start it")
		require.Less(t, time.Since(began), time.Second)

		l.why = auth.OtherAddress{Called: netip.MustParseAddrPort("10.0.0.1:9001")}
		err = func() error { _, err := over(l).Cluster(t.Context()); return err }()
		require.EqualError(t, err, "call: "+l.why.Error(), "something answers, so starting it would not help")

		c = over(l)
		c.connect = time.Minute
		l.back = time.Now().Add(50 * time.Second)
		require.NoError(t, call(), "with a timeout, the client keeps trying")
	})
}
