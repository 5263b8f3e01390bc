package client

import (
	"cmp"
	"context"
	"errors"
	"net"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/transport/manager"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/status"
)

// Client is a connection to the manager of a pool. It is safe for concurrent use. All errors that
// it returns are of type *failure.Error.
type Client struct {
	manager manager.Manager
	user    string
	close   func() error
}

// Dial returns a Client for the configured manager. It returns an error of kind Config if the
// address is invalid.
func Dial(c *conf.Config) (*Client, error) {
	address := cmp.Or(conf.MRClusterManagerAddress.Get(c), net.JoinHostPort("127.0.0.1", DefaultPort))
	if _, port, err := net.SplitHostPort(address); err != nil || port == "0" {
		return nil, c.Refuse(KeyManager,
			errors.New("a command needs the host:port that the manager printed when it was ready"))
	}
	options, err := rpc.ClientOptions(c, certs.Manager)
	if err != nil {
		return nil, err
	}
	conn, err := rpc.Dial(address, options)
	if err != nil {
		return nil, err
	}
	return &Client{manager.Client(conn), client.User(c), conn.Close}, nil
}

// Close closes the connection.
func (c *Client) Close() error { return c.close() }

// Create requests an MR-cluster, which its first job deploys. If s does not name a user, the user
// of the client's jobs becomes the owner. Create returns an error of kind Exists if the name is
// taken, and of kind Limit if the pool has too few nodes.
func (c *Client) Create(ctx context.Context, s *mrcluster.Spec) error {
	if s.User == "" {
		whole := *s
		whole.User = c.user
		s = &whole
	}
	return c.manager.Create(ctx, s)
}

// Deploy requests the deployment of an MR-cluster, as a job does, and returns its state. Unlike Run
// and Use, it does not wait for the deployment.
func (c *Client) Deploy(ctx context.Context, name string) (*status.Cluster, error) {
	return c.manager.Job(ctx, name, 0)
}

// Remove requests the removal of an MR-cluster. The manager saves its output unless discard is set,
// releases its nodes, and deletes the request. Remove does not wait for these steps.
func (c *Client) Remove(ctx context.Context, name string, discard bool) error {
	return c.manager.Remove(ctx, name, discard)
}

// Grow sets the operator size of an MR-cluster: the number of nodes that it has at least while it is
// active, including its core nodes. 0 means that only the weight determines the number. Grow returns
// an error of kind Usage if the number is below the number of core nodes, and of kind Limit if the
// pool has too few nodes. It does not wait for the nodes.
func (c *Client) Grow(ctx context.Context, name string, nodes int) error {
	return c.manager.Grow(ctx, name, nodes)
}

// Status returns the state of the pool. If name is not "", the state contains only the clusters,
// nodes, and events of that MR-cluster. Status returns an error of kind NotFound if the MR-cluster
// does not exist.
func (c *Client) Status(ctx context.Context, name string) (*status.Pool, error) {
	return c.manager.Status(ctx, name)
}
