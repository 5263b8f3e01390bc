package daemon

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"time"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/transport/manager"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/provision/node"
	"github.com/howdah/howdah/mrcluster/status"
)

// ErrMissing is the error, usually wrapped, for a copy whose source does not exist. A retry would
// fail again.
var ErrMissing = errors.New("the file or directory to copy does not exist")

// Follower performs the tasks of an MR-cluster that only its master's node can perform (package
// master). Only Copy and Stop block.
type Follower interface {
	// Follow sets the deployment to follow, the addresses of its daemons, and the nodes to drain.
	// The agent calls it on every beat.
	Follow(d mrcluster.Desired, at node.Endpoints)
	// Revoke sets the tokens that the MR-cluster's JobTracker must reject.
	Revoke(tokens []auth.Claims)
	// Sample returns the latest sample, or nil if there has been no new sample since the previous
	// call.
	Sample() *mrcluster.Sample
	// Drains returns the progress of the nodes to drain. It omits nodes whose progress is unknown.
	Drains() []Draining
	// Copy performs the copies in order. It skips missing sources and stops at any other error. If
	// missing sources are the only problem, it copies all existing sources and then returns an
	// error that wraps ErrMissing. It stops when ctx ends. If the deployment is being saved, the
	// copies begin after its last job has ended. In that case, the deployment has no jobs after a
	// successful Copy and accepts none.
	Copy(ctx context.Context, copies []mrcluster.Copy) error
	// Stop ends all activity that Follow started.
	Stop()
}

// Draining is a node that is leaving its MR-cluster.
type Draining struct {
	Node string
	Left int64 // number of bytes still to move
	Done bool  // the MR-cluster no longer needs the node
	// Problem is the reason why the drain makes no progress; "" = no problem.
	Problem string
}

// AgentConfig is the configuration of an agent.
type AgentConfig struct {
	Node     string // unique within the pool
	Addr     string // the node's address for display
	Beat     time.Duration
	Services node.Services
	Lead     func() Follower // returns a new follower for a master's node
	Find     func() (addr string, err error)
	RPC      rpc.Options // for calls to the manager
	Dir      string      // directory of the file that records the node's owner
	Log      *slog.Logger
	// call sends a beat. If it is nil, the agent uses RPC.
	call func(ctx context.Context, addr string, in *pool.ReportRequest) (*pool.ReportReply, error)
}

// Agent runs a node of a pool. With every beat, it reports the node's state to the manager and
// executes the reply.
type Agent struct {
	cfg     AgentConfig
	peers   *Peers
	lines   lines
	owner   ownership
	leader  *leader
	failing time.Time // time of the first failed beat; zero = the last beat succeeded
	problem string    // last problem logged; "" = no problem
	id      string    // distinguishes the agent from others with the same name
}

// NewAgent returns an agent that stores the addresses of its master in peers.
func NewAgent(cfg AgentConfig, peers *Peers) (a *Agent, err error) {
	a = &Agent{cfg: cfg, peers: peers, id: rand.Text(), lines: lines{options: cfg.RPC}}
	if a.cfg.call == nil {
		a.cfg.call = a.lines.report
	}
	a.owner, err = readOwnership(cfg.Dir)
	return a, err
}

// Run serves until ctx ends. It then ends all daemons on the node. Their data on disk remains for
// the next agent.
func (a *Agent) Run(ctx context.Context) error {
	defer a.lines.close()
	defer a.cfg.Services.Stop()
	defer a.follow(mrcluster.Desired{}, nil)
	for {
		started := time.Now()
		if err := a.beat(ctx); err != nil && ctx.Err() == nil {
			a.say(err)
		}
		if lifecycle.Sleep(ctx, max(0, a.cfg.Beat-time.Since(started))) != nil {
			return nil
		}
	}
}

// patience is how long beats can fail before the agent logs the problem. Starting or finding a
// manager takes time.
const patience = 3 * time.Second

// say logs a problem that has lasted for patience, unless it is the problem that was logged last.
func (a *Agent) say(err error) {
	if a.failing.IsZero() {
		a.failing = time.Now()
	}
	if text := err.Error(); time.Since(a.failing) >= patience && text != a.problem {
		a.problem = text
		a.cfg.Log.Warn("cannot report to the manager; running daemons continue", "error", err)
	}
}

// beat sends a report and executes the reply.
func (a *Agent) beat(ctx context.Context) error {
	addr, err := a.cfg.Find()
	if err != nil {
		return err
	}
	in := a.report()
	reply, err := a.cfg.call(ctx, addr, in)
	if err != nil {
		return err
	}
	if !a.owner.mayObey(reply) {
		return nil // a reply from a replaced manager
	}
	d, err := desiredFromWire(reply)
	if err != nil {
		return err
	}
	a.failing = time.Time{}
	if a.problem != "" {
		a.problem = ""
		a.cfg.Log.Info("the manager answers again", "address", addr)
	}
	if err := a.owner.obey(reply); err != nil {
		return err
	}
	a.peers.set(d.Cluster, d.Deployment, manager.EndpointsFromWire(reply.GetEndpoints()))
	a.cfg.Services.Apply(d)
	a.follow(d, reply)
	return nil
}

func (a *Agent) report() *pool.ReportRequest {
	in := &pool.ReportRequest{Protocol: rpc.Protocol, Node: a.cfg.Node, Addr: a.cfg.Addr, Agent: a.id}
	for _, r := range a.cfg.Services.Runs() {
		x := &pool.Running{Cluster: r.Cluster, Deployment: r.Deployment, Phase: uint32(r.Phase), Left: r.Left, Doing: r.Doing,
			Error: r.Err}
		if a.leader.of(r.Cluster, r.Deployment) {
			e := a.cfg.Services.Endpoints()
			x.Endpoints = manager.EndpointsToWire(status.Endpoints{JobTracker: e.JobTracker, JobTrackerWeb: e.JobTrackerHTTP,
				NameNode: e.NameNode, NameNodeWeb: e.NameNodeHTTP})
		}
		in.Running = append(in.Running, x)
	}
	if len(in.Running) > 0 {
		in.Pool, in.Incarnation = a.owner.Pool, a.owner.Incarnation
	} else {
		a.owner.identity = identity{} // the node has no owner, so the next manager that replies becomes its owner
	}
	in.Master = a.leader.report()
	return in
}

// follow starts, updates, or ends the follower of a master's node.
func (a *Agent) follow(d mrcluster.Desired, reply *pool.ReportReply) {
	if a.leader != nil && !(d.Master && a.leader.of(d.Cluster, d.Deployment)) {
		a.leader.stop()
		a.leader = nil
	}
	if !d.Master {
		return
	}
	if a.leader == nil {
		a.leader = newLeader(d, a.cfg.Lead())
	}
	a.leader.follow(d, reply, a.cfg.Services.Endpoints())
}

func orDefault(log *slog.Logger) *slog.Logger { return cmp.Or(log, slog.Default()) }
