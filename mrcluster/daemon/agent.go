package daemon

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"time"

	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/provision/node"
)

// ErrMissing is what a copy's error wraps if its source is not there: another attempt would find no more.
var ErrMissing = errors.New("there is no such file or directory to copy")

// Follower does for an MR-cluster what only its master's node can (package master). No method but Copy blocks.
type Follower interface {
	// Follow says which deployment is followed, where its daemons listen, and which of its nodes are to be drained. It is called with
	// every beat.
	Follow(d mrcluster.Desired, at node.Endpoints)
	// Sample gives what was learnt last; nil = nothing yet.
	Sample() *mrcluster.Sample
	// Drains tells how far the nodes are that Follow named as leaving; of those that are not told nothing is known.
	Drains() []Draining
	// Copy carries out the copies in their order and gives the first error; if all that went wrong is that sources are not there, it is
	// ErrMissing, and what is there has been copied. It ends early when ctx does. If what is followed is being
	// saved, they begin when its last job has ended, and when Copy has ended well there is none and no new one is taken.
	Copy(ctx context.Context, copies []mrcluster.Copy) error
	// Stop ends what Follow began.
	Stop()
}

// Draining is a node that is leaving its MR-cluster.
type Draining struct {
	Node string
	Left int64 // bytes that have still to be moved
	Done bool  // nothing there is needed any more
	// Problem says that it does not get on; "" = it does.
	Problem string
}

// AgentConfig is what an agent needs to know.
type AgentConfig struct {
	Node     string // unique in the pool
	Addr     string // where the node can be reached, for people
	Beat     time.Duration
	Services node.Services
	Lead     func() Follower // makes a follower for a master's node
	Find     func() (addr string, err error)
	Dir      string // where it remembers whose node it is
	Log      *slog.Logger
	// call is the beat itself; nil = by RPC.
	call func(ctx context.Context, addr string, in *pool.ReportRequest) (*pool.ReportReply, error)
}

// Agent runs a node of a pool: with every beat it tells the manager how it is and brings about what it is told.
type Agent struct {
	cfg     AgentConfig
	peers   *Peers
	lines   lines
	owner   ownership
	leader  *leader
	failing time.Time // since when; zero = the last beat went well
	problem string    // that was said last
	id      string    // tells it from others of its name
}

// NewAgent makes an agent. peers hears where masters are.
func NewAgent(cfg AgentConfig, peers *Peers) (a *Agent, err error) {
	a = &Agent{cfg: cfg, peers: peers, id: rand.Text()}
	if a.cfg.call == nil {
		a.cfg.call = a.lines.report
	}
	a.owner, err = readOwnership(cfg.Dir)
	return a, err
}

// Run serves until ctx ends; then every process on the node ends too. What lies on its disk stays for the next agent.
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

// patience is how long a beat may fail before that is said: a manager that starts, or is found, takes its time.
const patience = 3 * time.Second

// say logs a problem that lasts once, until another one comes.
func (a *Agent) say(err error) {
	if a.failing.IsZero() {
		a.failing = time.Now()
	}
	if text := err.Error(); time.Since(a.failing) >= patience && text != a.problem {
		a.problem = text
		a.cfg.Log.Warn("the manager cannot be told how this node is; what runs goes on", "error", err)
	}
}

// beat reports once and obeys the answer.
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
		return nil // an answer of a manager that has been replaced
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
	a.peers.set(d.Cluster, d.Deployment, reply.GetEndpoints())
	a.cfg.Services.Apply(d)
	a.follow(d, reply)
	return nil
}

func (a *Agent) report() *pool.ReportRequest {
	in := &pool.ReportRequest{Protocol: rpc.Protocol, Node: a.cfg.Node, Addr: a.cfg.Addr, Agent: a.id}
	for _, r := range a.cfg.Services.Runs() {
		x := &pool.Running{Cluster: r.Cluster, Deployment: r.Deployment, Phase: uint32(r.Phase), Left: r.Left, Doing: r.Doing, Error: r.Err}
		if a.leader.of(r.Cluster, r.Deployment) {
			x.Endpoints = endpointsToWire(a.cfg.Services.Endpoints())
		}
		in.Running = append(in.Running, x)
	}
	if len(in.Running) > 0 {
		in.Pool, in.Incarnation = a.owner.Pool, a.owner.Incarnation
	} else {
		a.owner.identity = identity{} // nobody's node: whoever comes first may have it
	}
	in.Master = a.leader.report()
	return in
}

// follow starts, tells and ends what a master's node does for its MR-cluster.
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

func endpointsToWire(e node.Endpoints) *pool.Endpoints {
	if e.JobTracker == "" && e.NameNode == "" {
		return nil
	}
	return &pool.Endpoints{JobTracker: e.JobTracker, JobTrackerWeb: e.JobTrackerHTTP, NameNode: e.NameNode, NameNodeWeb: e.NameNodeHTTP}
}

// orDefault gives a logger in any case.
func orDefault(log *slog.Logger) *slog.Logger { return cmp.Or(log, slog.Default()) }
