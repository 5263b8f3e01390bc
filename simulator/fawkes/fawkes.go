// Package fawkes runs workloads on MR-clusters that share a pool of simulated nodes. It drives the
// manager of package mrcluster and, for each MR-cluster, the state machine of the real JobTracker
// (simulator.Live). The agents are simulated. Starting daemons, copying data in and out, and
// draining nodes take simulated time.
package fawkes

import (
	"context"
	"errors"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/trace"
)

// Config describes a pool. Times are in ms.
type Config struct {
	Nodes     int
	Slots     [2]int32 // slots of each node, by job.Map and job.Reduce
	Manager   mrcluster.Config
	Weighting mrcluster.Weighting
	// Policy returns a scheduler for an MR-cluster's JobTracker. Run calls it for each start of a
	// JobTracker.
	Policy func() (scheduler.Policy, error)
	// Foresee, if not nil, returns a scheduler that knows f(t), a file in the format of
	// howdah.adaptive.capacity.file. Run replaces an MR-cluster's scheduler by it whenever the manager
	// decides a change of the MR-cluster's nodes.
	Foresee func(curve string) (scheduler.Policy, error)
	// JobTracker, if not nil, completes the configuration of an MR-cluster's JobTracker, which is
	// otherwise the simulator's default. It can set Machine, Speculator, Memory, and VCores.
	JobTracker func(*simulator.Config) error
	Heartbeat  int64 // heartbeat interval of TaskTrackers; 0 means 3000. TaskTrackers also report news immediately
	// Report is the interval between an agent's reports. 0 means a third of the time after which
	// the agent counts as lost. Agents also report news immediately.
	Report int64
	Sample int64 // interval between samples of a JobTracker; 0 means 5000
	// OutputsWait limits how long a draining node waits for jobs that need its map outputs, once it
	// has no other work or data. After that, its maps run again elsewhere. 0 means 60000, the real
	// master's value.
	OutputsWait int64
	Start       int64 // time from ordering the start of a node's daemons until they are up
	// Storage is the storage capacity of a node in bytes. Replication is the number of copies of a
	// job's output; 0 means 1.
	Storage     int64
	Replication int
	// Move returns the rate in bytes per second at which each draining node moves its data. Its
	// arguments are the number of draining nodes and the number of other nodes that store data. If
	// Move is nil, data moves instantly.
	Move func(leaving, staying int) int64
	// TaskTime returns the durations of a task in an MR-cluster of the given composition. The other
	// arguments and the results are those of simulator.TaskTime. If TaskTime is nil, the durations
	// in the trace apply.
	TaskTime func(c Composition, j *trace.Job, t job.TaskType, shuffle, rest int64) (int64, int64)
	// Reference returns the duration of a job on the reference MR-cluster, for weights by slowdown.
	// If Reference is nil, the duration is unknown.
	Reference func(j *trace.Job) int64
	// CountEarlyReduces counts reduces as waiting even before slow start allows them to run.
	CountEarlyReduces bool
	// Watch, if not nil, receives a snapshot of the pool after each sampling of the JobTrackers.
	Watch  func(Moment)
	Seed   uint64
	Faults Faults
	// Shares makes the tasks on a node contend for CPU and memory, and MROrchestrator move these. Each
	// MR-cluster has its own orchestrator. nil means no contention.
	Shares *simulator.Shares
	// Loads are the shares of nodes' CPU that other tenants use, in the order of their times, which
	// count from the start.
	Loads []simulator.Load
	// Aways are the times at which nodes fail with everything on them, and at which they return. Times
	// count from the start. With Leave, the TaskTracker of the node leaves its cluster first.
	Aways []simulator.Away
	// Limit is the simulated time after which Run gives up; 0 means 30 days.
	Limit int64
}

// Faults configures random faults, which depend on the seed. Each field whose name ends in Every is
// the mean time between two faults; 0 means never.
type Faults struct {
	ManagerEvery int64 // the manager is killed and restarts from its journal
	AgentEvery   int64 // any agent in the pool is killed with all daemons on its node, including a JobTracker
	TrackerEvery int64 // any TaskTracker in the pool is killed alone, and its agent starts another
	// JobTrackerEvery is the mean time between two kills of any JobTracker in the pool. Each kill ends
	// only the JobTracker. The agent of the JobTracker's node restarts it from the journal.
	JobTrackerEvery int64
	// GrowEvery is the mean time between two requests of an operator for a random size of any
	// MR-cluster. The manager refuses some of them.
	GrowEvery int64
	Down      int64 // time for which an agent stays dead
	Until     int64 // ms since the start after which no more faults occur
	Snapshots bool  // after replaying its journal, a manager or JobTracker replaces it with a snapshot
}

// Composition is the number of nodes of each kind in an MR-cluster. Leaving is the number of these
// nodes that are draining.
type Composition struct{ Core, Transient, TransientCore, Leaving int }

// Nodes returns the total number of nodes.
func (c Composition) Nodes() int { return c.Core + c.Transient + c.TransientCore }

// Workload is an MR-cluster and the jobs submitted to it.
type Workload struct {
	Spec       mrcluster.Spec
	Load, Save int64 // time in ms to copy data in and out, if Spec requires copies
	Jobs       []*trace.Job
	// Follow, if not nil, returns the jobs that follow a job that has ended. See
	// simulator.Config.Follow. All times are in ms since the start.
	Follow func(ended trace.JobResult) []*trace.Job
}

// Moment is a snapshot of the pool.
type Moment struct {
	At   int64 // ms since the start
	View mrcluster.View
	// Queue is the number of unfinished jobs of each MR-cluster, in the order of the workloads.
	Queue []int
}

// Result is the outcome of the workloads.
type Result struct {
	Clusters []Done // in the order of the workloads
	Facts    []mrcluster.Fact
	// Reconfigurations is the number of reconfigurations by weight, not counting deployments and
	// removals.
	Reconfigurations int64
	Restarts         int // of the manager
	Deaths           int // of agents
	Kills            int // of TaskTrackers killed while their node stayed up
	JobTrackers      int // of JobTrackers killed while their node stayed up
	Sizes            int // of sizes that the manager accepted from an operator
}

// Done is the outcome of one workload.
type Done struct {
	Name string
	Jobs []trace.JobResult // in the order in which the jobs ended; times are in ms since the start
	// Makespan is the time from the first submission to the last end, in ms.
	Makespan int64
}

func (c *Config) defaults() error {
	bad := func(on, why string) error { return failure.New(failure.Config, "simulate", on, errors.New(why)) }
	switch {
	case c.Nodes < 1 || c.Nodes > 100_000:
		return bad("nodes", "want 1 to 100000")
	case c.Policy == nil:
		return bad("scheduler", "none is set")
	case c.Heartbeat < 0 || c.Sample < 0 || c.Report < 0 || c.Start < 0 || c.OutputsWait < 0 || c.Storage < 0 ||
		c.Replication < 0 || c.Limit < 0:
		return bad("times and sizes", "must be 0 or more")
	}
	for _, p := range []struct {
		v   *int64
		def int64
	}{{&c.Heartbeat, 3000}, {&c.Sample, 5000}, {&c.OutputsWait, 60_000}, {&c.Report, max(1, c.Manager.Expiry/3)},
		{&c.Limit, 30 * 24 * 3600 * 1000}} {
		if *p.v == 0 {
			*p.v = p.def
		}
	}
	c.Replication = max(1, c.Replication)
	return nil
}

// Run runs workloads until all their jobs have ended and all nodes are free.
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
