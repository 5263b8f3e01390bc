// Package fawkes runs workloads on MR-clusters that share a pool of simulated nodes: the manager of package mrcluster, and for each
// MR-cluster the real JobTracker's machine (simulator.Live). Agents are imagined: they bring about what the manager tells them
// after the time that starting, loading and draining take.
package fawkes

import (
	"context"
	"errors"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/simulator/trace"
)

// Config says what a pool is like. Times are ms.
type Config struct {
	Nodes     int
	Slots     [2]int32 // of each node, by job.Map and job.Reduce
	Manager   mrcluster.Config
	Weighting mrcluster.Weighting
	// Policy makes the scheduler of an MR-cluster's JobTracker; each gets one of its own.
	Policy    func() (scheduler.Policy, error)
	Heartbeat int64 // of TaskTrackers; 0 = 3000. They also beat when there is news
	Report    int64 // between two reports of an agent; 0 = a third of what makes it count as lost. It also reports when there is news
	Sample    int64 // between two samples of a JobTracker; 0 = 5000
	// OutputsWait is how long a node that leaves waits for jobs that need its map outputs after all else has left it; 0 = 60000, as the
	// real master. Then its maps run again.
	OutputsWait int64
	Start       int64 // from the order to start a node's daemons until they are up
	// Storage is how many bytes a node can store, and Replication how many copies of a job's output there are (0 = 1).
	Storage     int64
	Replication int
	// Move is how many bytes a second leave each node that drains, by how many drain and how many others store data; nil = its data is
	// elsewhere at once.
	Move func(leaving, staying int) int64
	// TaskTime says how long a task takes in an MR-cluster that is composed like that; nil = as the trace says.
	TaskTime func(c Composition, j *trace.Job, t job.TaskType, shuffle, rest int64) (int64, int64)
	// Reference is how long a job takes on the reference MR-cluster, for the weights by slowdown; nil = not known.
	Reference func(j *trace.Job) int64
	// CountEarlyReduces lets reduces count as waiting before their job's slow start, though no free slot would get them.
	CountEarlyReduces bool
	// Watch is called with every sample; At is ms since the start.
	Watch  func(Moment)
	Seed   uint64
	Faults Faults
	// Limit ends a run that does not end by itself; 0 = 30 days.
	Limit int64
}

// Faults happen by chance, from the seed; 0 = never. Every is the mean time between two.
type Faults struct {
	ManagerEvery int64 // the manager is killed and starts again from its journal
	AgentEvery   int64 // an agent is killed with all that runs on its node, a JobTracker too; of the whole pool
	TrackerEvery int64 // a TaskTracker is killed alone, and its agent starts another; of the whole pool
	// JobTrackerEvery: a JobTracker is killed alone, and its agent starts another from its journal; of the whole pool.
	JobTrackerEvery int64
	Down            int64 // for how long an agent is dead
	Until           int64 // ms since the start; then there are no more
	Snapshots       bool  // a manager or JobTracker that starts again shortens its journal to a snapshot first
}

// Composition is how many nodes of each kind an MR-cluster has. Leaving are those among them that drain.
type Composition struct{ Core, Transient, TransientCore, Leaving int }

// Nodes is how many there are in all.
func (c Composition) Nodes() int { return c.Core + c.Transient + c.TransientCore }

// Workload is an MR-cluster and what is submitted to it.
type Workload struct {
	Spec       mrcluster.Spec
	Load, Save int64 // ms that copying in and out takes, if Spec has anything to copy
	Jobs       []*trace.Job
}

// Moment is the state of the pool at a time.
type Moment struct {
	At   int64 // ms since the start
	View mrcluster.View
	// Queue is how many jobs of each MR-cluster are submitted and not over, in the order of the workloads.
	Queue []int
}

// Result is what became of the workloads.
type Result struct {
	Clusters []Done // in the order of the workloads
	Facts    []mrcluster.Fact
	// Reconfigurations by weight; deployments and removals are not among them.
	Reconfigurations int64
	Restarts         int // of the manager
	Deaths           int // of agents
	Kills            int // of TaskTrackers alone
	JobTrackers      int // killed alone
}

// Done is what became of one workload.
type Done struct {
	Name string
	Jobs []trace.JobResult // in the order in which they ended; times are ms since the start
	// Makespan is from the first submission to the last end, in ms.
	Makespan int64
}

func (c *Config) defaults() error {
	bad := func(on, why string) error { return failure.New(failure.Config, "simulate", on, errors.New(why)) }
	switch {
	case c.Nodes < 1 || c.Nodes > 100_000:
		return bad("nodes", "want 1 to 100000")
	case c.Policy == nil:
		return bad("scheduler", "none given")
	case c.Heartbeat < 0 || c.Sample < 0 || c.Report < 0 || c.Start < 0 || c.OutputsWait < 0 || c.Storage < 0 || c.Replication < 0 || c.Limit < 0:
		return bad("times and sizes", "are negative")
	}
	for _, p := range []struct {
		v   *int64
		def int64
	}{{&c.Heartbeat, 3000}, {&c.Sample, 5000}, {&c.OutputsWait, 60_000}, {&c.Report, max(1, c.Manager.Expiry/3)}, {&c.Limit, 30 * 24 * 3600 * 1000}} {
		if *p.v == 0 {
			*p.v = p.def
		}
	}
	c.Replication = max(1, c.Replication)
	return nil
}

// Run runs workloads until all their jobs are over and all nodes are free.
func Run(ctx context.Context, c Config, work []Workload) (*Result, error) {
	if err := c.defaults(); err != nil {
		return nil, err
	}
	p, err := newPool(&c, work)
	if err != nil {
		return nil, err
	}
	for i := 0; !p.over(); i++ {
		if i&0xff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := p.once(); err != nil {
			return nil, err
		}
	}
	return p.result(), nil
}
