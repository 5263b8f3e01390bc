// Package client talks to a JobTracker: it stages and submits jobs, follows them, and survives a JobTracker that restarts.
package client

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job/failure"
)

// The keys of a client's own settings.
const (
	KeyAddr = "mapreduce.jobtracker.address"
	// KeyReconnect: how long, in ms, a client looks for a JobTracker that it had reached before; default 300000.
	KeyReconnect = "howdah.client.reconnect.timeout"
	// KeyConnect: the same for one that it has not reached yet; default 0, which stands for three tries.
	KeyConnect = "howdah.client.connect.timeout"
	// KeyPoll: how often, in ms, a waiting client hears of progress at least; default 1000.
	KeyPoll       = "mapreduce.client.progressmonitor.pollinterval"
	keyMaxMessage = "ipc.maximum.data.length"
)

// firstTries is how often a JobTracker is called that was never reached: nobody listening there is most likely a wrong address,
// and whoever typed it should hear so at once.
const firstTries = 3

// Client is a connection to a JobTracker. Its methods may be called concurrently. Errors are *failure.Error; kind Unreachable
// means that nobody answered for as long as the settings allow.
type Client struct {
	conn      grpc.ClientConnInterface
	close     func() error
	jobs      client.JobsClient
	fs        dfs.Resolver
	addr      string
	poll      time.Duration
	connect   time.Duration
	reconnect time.Duration
	reached   atomic.Bool
	sent      atomic.Bool
}

// Address gives the address of the JobTracker that c names; no JobTracker (local) is kind Config.
func Address(c *conf.Config) (string, error) {
	addr := c.Get(KeyAddr)
	if addr == "" || addr == "local" {
		return "", failure.New(failure.Config, "find the JobTracker", "", errors.New("none is configured (mapreduce.jobtracker.address=local)")).
			Fix("set $HOWDAH_CONF_DIR, or give --config DIR, or -jt host:port, or --mrcluster NAME")
	}
	return addr, nil
}

// Dial prepares a connection to the JobTracker that c names; no JobTracker (local) is kind Config. The first call connects.
func Dial(c *conf.Config, fs dfs.Resolver) (*Client, error) {
	addr, err := Address(c)
	if err != nil {
		return nil, err
	}
	r := conf.Reader{Conf: c}
	ms := func(key string, def, min, max int64) time.Duration {
		return time.Duration(r.Int(key, def, min, max)) * time.Millisecond
	}
	x := &Client{fs: fs, addr: addr, poll: ms(KeyPoll, 1000, 10, 3_600_000), connect: ms(KeyConnect, 0, 0, 86_400_000),
		reconnect: ms(KeyReconnect, 300_000, 0, 86_400_000)}
	maxMessage := r.Int(keyMaxMessage, 64<<20, 64<<10, 1<<30)
	if r.Err != nil {
		return nil, r.Err
	}
	conn, err := rpc.Dial(addr, rpc.Options{MaxMessage: int(maxMessage)})
	if err != nil {
		return nil, err
	}
	x.conn, x.close = conn, conn.Close
	x.jobs = client.NewJobsClient(&retrying{x})
	return x, nil
}

// Close ends the connection.
func (c *Client) Close() error { return c.close() }

// Addr gives the JobTracker's address.
func (c *Client) Addr() string { return c.addr }

// Sent reports whether a job was submitted, or may have been.
func (c *Client) Sent() bool { return c.sent.Load() }

// Jobs gives the calls of the protocol themselves, each repeated while the JobTracker is away.
func (c *Client) Jobs() client.JobsClient { return c.jobs }

// retrying repeats calls that found nobody. All calls of the protocol may be repeated: they set or read a state, and
// submissions carry a key.
type retrying struct{ c *Client }

func (r *retrying) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	b := rpc.Backoff{First: 50 * time.Millisecond, Max: time.Second, Attempts: firstTries}
	reached, patience := r.c.reached.Load(), r.c.connect
	if reached {
		patience = r.c.reconnect
	}
	if reached || patience > 0 {
		b.Attempts = 0
		deadline, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		b.Until = deadline.Done()
	}
	err := rpc.Retry(ctx, b, func(ctx context.Context) error { return r.c.conn.Invoke(ctx, method, args, reply, opts...) })
	if !failure.Is(err, failure.Unreachable) {
		r.c.reached.Store(true)
		return err
	}
	var e *failure.Error
	if errors.As(err, &e) {
		err = e.Err
	}
	return failure.New(failure.Unreachable, "reach the JobTracker at", r.c.addr, err).
		Fix("start it, or correct " + KeyAddr + "; howdah doctor looks for the cause")
}

func (r *retrying) NewStream(context.Context, *grpc.StreamDesc, string, ...grpc.CallOption) (grpc.ClientStream, error) {
	return nil, fmt.Errorf("the protocol has no streams")
}
