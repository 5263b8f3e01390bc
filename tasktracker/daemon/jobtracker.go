package daemon

import (
	"context"
	"errors"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/transport/tokens"
	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job/failure"
)

// jobTracker is a connection to the JobTracker at its current address. It is safe for concurrent
// use.
type jobTracker struct {
	find    func(context.Context) (string, error)
	options rpc.Options

	mu    sync.Mutex
	addr  string
	conn  *grpc.ClientConn
	stale bool // a call got no response, so look up the JobTracker's address again
}

// call runs f with a client. Before that, it gets a certificate if the TaskTracker needs one. If
// the JobTracker does not respond, the next call looks up the JobTracker's address again, because
// the port may have changed.
func (j *jobTracker) call(ctx context.Context, f func(context.Context, wire.TrackersClient) error) error {
	return j.with(ctx, func(ctx context.Context, conn *grpc.ClientConn) error {
		return f(ctx, wire.NewTrackersClient(conn))
	})
}

// with is like call, but passes the connection to f, so that f can create any client.
func (j *jobTracker) with(ctx context.Context, f func(context.Context, *grpc.ClientConn) error) error {
	conn, err := j.connection(ctx)
	if err == nil {
		err = rpc.Join(ctx, conn, j.options.TLS)
	}
	if err == nil {
		err = f(ctx, conn)
	}
	if silent(err) {
		j.mu.Lock()
		j.stale = true
		j.mu.Unlock()
	}
	return err
}

// checkWeb returns the claims in text, which is a visitor's token or pass, and the time when text
// expires. It asks the JobTracker, because a node without the cluster's secret cannot check text
// itself.
func (j *jobTracker) checkWeb(ctx context.Context, text string, use auth.Use, place string) (c auth.Claims,
	end time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	err = j.with(ctx, func(ctx context.Context, conn *grpc.ClientConn) error {
		c, end, err = tokens.NewClient(conn).Check(ctx, text, use, place)
		return err
	})
	if err != nil && !failure.Is(err, failure.Permission) {
		err = errors.New("the JobTracker, which checks tokens for this node, does not answer") // strangers can see this text
	}
	return c, end, err
}

// checkTimeout is the maximum time that a visitor waits for the JobTracker.
const checkTimeout = 10 * time.Second

// silent reports whether err means that the JobTracker did not respond. A response from a process
// that has a different secret does not count as one from the JobTracker, because a stranger may
// have taken the JobTracker's address while the JobTracker was down.
func silent(err error) bool {
	return failure.Is(err, failure.Unreachable) || failure.Is(err, failure.Timeout) ||
		errors.Is(err, auth.ErrOtherSecret)
}

// busyTries is the number of times that insist repeats a call that an overloaded JobTracker
// rejects. All repetitions together take about a minute.
const busyTries = 30

// stalled reports whether err means that the JobTracker cannot write its journal.
func stalled(err error) bool {
	return failure.Is(err, failure.DiskFull) || failure.Is(err, failure.IO)
}

// insist repeats a call until the JobTracker responds or ctx is canceled. An error that says that
// the JobTracker is stalled does not count as a response. If the JobTracker is overloaded, insist
// gives up after a while. The call must be idempotent.
func (j *jobTracker) insist(ctx context.Context, f func(context.Context, wire.TrackersClient) error) error {
	busy := 0
	for wait := retryFirst; ; wait = min(2*wait, retryMax) {
		err := j.call(ctx, func(ctx context.Context, c wire.TrackersClient) error {
			ctx, cancel := context.WithTimeout(ctx, callTimeout)
			defer cancel()
			return f(ctx, c)
		})
		if failure.Is(err, failure.Limit) {
			busy++
		}
		if again := failure.Is(err, failure.Limit) && busy <= busyTries; !silent(err) && !stalled(err) && !again {
			return err
		}
		if lifecycle.Sleep(ctx, wait) != nil {
			return err
		}
	}
}

func (j *jobTracker) connection(ctx context.Context) (*grpc.ClientConn, error) {
	j.mu.Lock()
	conn, stale := j.conn, j.stale
	j.mu.Unlock()
	if conn != nil && !stale {
		return conn, nil
	}
	addr, err := j.find(ctx)
	if err != nil {
		return nil, failure.New(failure.Unreachable, "find the JobTracker", "", err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.stale = false
	if j.conn == nil || j.addr != addr {
		conn, err := rpc.Dial(addr, j.options)
		if err != nil {
			return nil, err
		}
		if j.conn != nil {
			j.conn.Close()
		}
		j.conn, j.addr = conn, addr
	}
	return j.conn, nil
}

func (j *jobTracker) close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.conn != nil {
		j.conn.Close()
		j.conn = nil
	}
}
