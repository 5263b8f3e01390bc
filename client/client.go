// Package client talks to a JobTracker. It submits jobs, waits for them, and queries jobs and the
// cluster. It keeps working when the JobTracker restarts.
//
// Start with [Dial] and [Client]. [Client.Submit] stages and submits a job, and [Client.Wait]
// follows the job to its end. [Client.Status] and [Client.List] return values of package
// job/status. A program that only runs its own jobs uses package howdah instead.
package client

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/transport"
	"github.com/howdah/howdah/job/failure"
)

// firstTries is the number of times that a client calls a JobTracker that it has never reached,
// unless howdah.client.connect.timeout is set. If they all fail, the address is most likely wrong,
// so the client reports the error immediately.
const firstTries = 3

// Client is a connection to a JobTracker. It is safe for concurrent use. An error of kind
// Unreachable means that the client could not reach the JobTracker and has stopped retrying.
type Client struct {
	conn      grpc.ClientConnInterface
	web       *rpc.Web
	close     func() error
	jobs      transport.Jobs
	fs        dfs.Resolver
	addr      string
	user      func() string // user on whose behalf the client sends commands
	start     string        // remedy if the JobTracker is not running
	poll      time.Duration
	connect   time.Duration
	reconnect time.Duration
	reached   atomic.Bool
	sent      atomic.Bool
}

// Address returns the JobTracker's address in c. If c does not contain one (local), the error is of
// kind Config.
func Address(c *conf.Config) (string, error) {
	addr := conf.JobTrackerAddress.Get(c)
	if addr == "" || addr == "local" {
		return "", failure.New(failure.Config, "find the JobTracker", "",
			errors.New("no JobTracker is configured (mapreduce.jobtracker.address=local)")).
			Fix("set $HOWDAH_CONF_DIR, or use --config DIR, -jt host:port or --mrcluster NAME")
	}
	return addr, nil
}

// Dial prepares a connection to the JobTracker at Address(c). The first call connects. The client
// presents the proof from [auth.LoadProof]: a token, a Kerberos login, or a secret. The client
// stages jobs through fs, which may be nil if the client does not submit jobs.
func Dial(c *conf.Config, fs dfs.Resolver) (*Client, error) {
	addr, err := Address(c)
	if err != nil {
		return nil, err
	}
	r := conf.Reader{Conf: c}
	x := &Client{fs: fs, addr: addr, user: sync.OnceValue(func() string { return User(c) }),
		start:     howToStart(c),
		poll:      conf.ClientProgressMonitorPollInterval.From(&r),
		connect:   time.Duration(conf.ClientConnectTimeout.From(&r)) * time.Millisecond,
		reconnect: time.Duration(conf.ClientReconnectTimeout.From(&r)) * time.Millisecond}
	maxMessage := conf.IPCMaximumDataLength.From(&r)
	if r.Err != nil {
		return nil, r.Err
	}
	options, err := rpc.ClientOptions(c, certs.JobTracker)
	if err != nil {
		return nil, err
	}
	options.MaxMessage = int(maxMessage)
	conn, err := rpc.Dial(addr, options)
	if err != nil {
		return nil, err
	}
	x.conn, x.web, x.close = conn, rpc.NewWeb(c, options.TLS, conn), conn.Close
	x.jobs = transport.Client(&retrying{x})
	return x, nil
}

// Connect prepares a connection to the JobTracker at addr. The client sends queries and commands on
// behalf of user, and presents the same proof as a client from Dial. It cannot submit jobs. Its
// calls retry only briefly if they cannot reach the JobTracker.
func Connect(c *conf.Config, addr, user string) (*Client, error) {
	options, err := rpc.ClientOptions(c, certs.JobTracker)
	if err != nil {
		return nil, err
	}
	conn, err := rpc.Dial(addr, options)
	if err != nil {
		return nil, err
	}
	x := &Client{conn: conn, web: rpc.NewWeb(c, options.TLS, conn), close: conn.Close, addr: addr,
		user: func() string { return user }, start: howToStart(c), poll: time.Second}
	x.jobs = transport.Client(&retrying{x})
	return x, nil
}

// howToStart returns advice on how to start the JobTracker at Address(c).
func howToStart(c *conf.Config) string {
	// source is DIR/conf/mapred-site.xml:LINE if minicluster created the file.
	_, source, _ := c.Lookup(conf.JobTrackerAddress.Name)
	dir, base := filepath.Split(filepath.Dir(source))
	if _, err := os.Stat(filepath.Join(dir, "commands", "jobtracker")); err == nil && base == "conf" {
		return "start it with howdah minicluster --dir " + filepath.Clean(dir)
	}
	return "start it (howdah jobtracker), or correct " + conf.JobTrackerAddress.Name
}

// Close closes the connection.
func (c *Client) Close() error { return c.close() }

// Addr returns the JobTracker's address.
func (c *Client) Addr() string { return c.addr }

// Sent reports whether the client has sent a job submission to the JobTracker, whether or not it
// succeeded.
func (c *Client) Sent() bool { return c.sent.Load() }

// retrying repeats calls that fail with an error of kind Unreachable. This is safe even if the
// JobTracker received a call, because calls read or set a state, and submissions carry a key.
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
	for _, runs := range []error{rpc.ErrSilent, auth.ErrNoHandshake, auth.ErrNeedsTLS, certs.ErrMode, certs.ErrRole,
		certs.ErrCA, auth.OtherAddress{}} {
		if errors.Is(err, runs) {
			return err
		}
	}
	var e *failure.Error
	if errors.As(err, &e) {
		err = e.Err
	}
	return failure.New(failure.Unreachable, "reach the JobTracker at", r.c.addr, err).
		Fix(r.c.start)
}

func (r *retrying) NewStream(context.Context, *grpc.StreamDesc, string, ...grpc.CallOption) (grpc.ClientStream, error) {
	return nil, fmt.Errorf("the protocol does not support streams")
}
