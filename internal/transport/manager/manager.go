// Package manager translates between clients and the manager of MR-clusters. [Manager] is the
// manager's interface without protobuf. [Register] serves an implementation of it, and [Client]
// calls one over a connection. The reports of agents belong to mrcluster/daemon.
package manager

import (
	"context"
	"math"

	"google.golang.org/grpc"

	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/status"
)

// Manager is the interface of the manager of MR-clusters. It is safe for concurrent use. Errors are
// of type *failure.Error.
type Manager interface {
	// Create requests an MR-cluster.
	Create(context.Context, *mrcluster.Spec) error
	// Job deploys an MR-cluster or keeps its deployment alive. If deployment is not 0, Job only keeps
	// that deployment alive and does not start another.
	Job(ctx context.Context, cluster string, deployment int64) (*status.Cluster, error)
	// Remove removes an MR-cluster. It first saves the MR-cluster's output unless discard is set.
	Remove(ctx context.Context, cluster string, discard bool) error
	// Grow sets an MR-cluster's operator size: the minimum number of nodes while the MR-cluster is
	// active. 0 means that only the weight determines the number.
	Grow(ctx context.Context, cluster string, nodes int) error
	// Status returns the state of the pool. If cluster is not "", it returns only the part that
	// concerns that MR-cluster.
	Status(ctx context.Context, cluster string) (*status.Pool, error)
}

// Server translates messages into calls to a Manager. It does not implement the Report call.
type Server struct {
	pool.UnimplementedPoolServer
	manager Manager
}

// NewServer returns a server for m.
func NewServer(m Manager) *Server { return &Server{manager: m} }

// Register makes s serve m to all clients except agents.
func Register(s grpc.ServiceRegistrar, m Manager) { pool.RegisterPoolServer(s, NewServer(m)) }

func empty(err error) (*pool.Empty, error) {
	if err != nil {
		return nil, err
	}
	return &pool.Empty{}, nil
}

// Create implements pool.PoolServer.
func (s *Server) Create(ctx context.Context, in *pool.CreateRequest) (*pool.Empty, error) {
	spec, err := SpecFromWire(in.GetSpec())
	if err != nil {
		return nil, err
	}
	return empty(s.manager.Create(ctx, spec))
}

// Job implements pool.PoolServer.
func (s *Server) Job(ctx context.Context, in *pool.JobRequest) (*pool.Cluster, error) {
	c, err := s.manager.Job(ctx, in.GetCluster(), in.GetDeployment())
	if err != nil {
		return nil, err
	}
	return clusterToWire(c), nil
}

// Remove implements pool.PoolServer.
func (s *Server) Remove(ctx context.Context, in *pool.RemoveRequest) (*pool.Empty, error) {
	return empty(s.manager.Remove(ctx, in.GetCluster(), in.GetDiscard()))
}

// Grow implements pool.PoolServer.
func (s *Server) Grow(ctx context.Context, in *pool.GrowRequest) (*pool.Empty, error) {
	return empty(s.manager.Grow(ctx, in.GetCluster(), int(in.GetNodes())))
}

// Status implements pool.PoolServer.
func (s *Server) Status(ctx context.Context, in *pool.StatusRequest) (*pool.PoolStatus, error) {
	p, err := s.manager.Status(ctx, in.GetCluster())
	if err != nil {
		return nil, err
	}
	return poolToWire(p), nil
}

// Client returns the manager at the other end of a connection.
func Client(conn grpc.ClientConnInterface) Manager { return &caller{pool.NewPoolClient(conn)} }

// caller implements Manager. It translates calls into messages to the manager.
type caller struct{ pool pool.PoolClient }

func (c *caller) Create(ctx context.Context, s *mrcluster.Spec) error {
	_, err := c.pool.Create(ctx, &pool.CreateRequest{Spec: SpecToWire(s)})
	return err
}

func (c *caller) Job(ctx context.Context, cluster string, deployment int64) (*status.Cluster, error) {
	r, err := c.pool.Job(ctx, &pool.JobRequest{Cluster: cluster, Deployment: deployment})
	if err != nil {
		return nil, err
	}
	return clusterFromWire(r), nil
}

func (c *caller) Remove(ctx context.Context, cluster string, discard bool) error {
	_, err := c.pool.Remove(ctx, &pool.RemoveRequest{Cluster: cluster, Discard: discard})
	return err
}

func (c *caller) Grow(ctx context.Context, cluster string, nodes int) error {
	_, err := c.pool.Grow(ctx, &pool.GrowRequest{Cluster: cluster, Nodes: int32(max(-1, min(nodes, math.MaxInt32)))})
	return err
}

func (c *caller) Status(ctx context.Context, cluster string) (*status.Pool, error) {
	r, err := c.pool.Status(ctx, &pool.StatusRequest{Cluster: cluster})
	if err != nil {
		return nil, err
	}
	return poolFromWire(r), nil
}
