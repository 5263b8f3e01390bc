// Package simulator runs traces on the real JobTracker. It drives the same state machine and the
// same schedulers as jobtracker/daemon, but with an event heap and virtual time instead of sockets.
// TaskTrackers are stubs that follow orders and take as long as the trace specifies. In runs with
// tracker faults, they are real tasktracker machines. Start with Run, which runs a trace on the
// cluster that a Config describes.
//
// The clock jumps from event to event. Equal inputs produce byte-identical journals. Package
// simulator/tasklevel is a faster engine without trackers. Package simulator/replay contains the
// code that both engines share.
package simulator

import (
	"context"
	"errors"
	"io"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/simulator/trace"
)

// Config describes a run, including the cluster, the policy, the faults, and what the run records.
type Config struct {
	// Trackers is the number of TaskTrackers; 0 means one for each entry of Nodes.
	Trackers int
	Slots    [2]int32 // slots of each tracker, by job.Map and job.Reduce
	// Nodes are the trackers' hosts and racks, assigned in turn. If Nodes is nil, the run ignores
	// the recorded locations, so no map has local input.
	Nodes []trace.Node
	// Memory (in MiB) and VCores are each tracker's resources, for policies that place tasks by
	// resources. 0 means not reported.
	Memory, VCores int32
	// Heartbeat is the interval between a tracker's heartbeats in ms. 0 means the interval in the
	// machine's configuration.
	Heartbeat int64
	// WaitForWork makes a tracker send a heartbeat immediately when an attempt has ended or the
	// JobTracker has news for the tracker. Howdah's TaskTrackers do so. Otherwise, trackers wait
	// until the interval ends, as in Hadoop.
	WaitForWork bool
	// KeepIdleBeats makes trackers also send heartbeats that cannot change anything. The journal is
	// the same, but the run takes longer. If trackers come and go, no heartbeat is skipped.
	KeepIdleBeats bool
	// Mumak models reduces as Hadoop's Mumak does, without a shuffle (SIM section IV-C).
	Mumak bool
	Seed  uint64
	// Scheduler is the policy's name, as recorded in the result.
	Scheduler  string
	Policy     scheduler.Policy
	Speculator scheduler.Policy // nil means none
	// Switches replace the policy during Run, in order of time.
	Switches []Switch
	// Machine configures the JobTracker. The zero value means Hadoop's defaults, except that the
	// JobTracker retains few finished jobs in memory and accepts any number of jobs and
	// TaskTrackers. The journal contains all jobs, so a JobTracker that opens it shows all of them.
	Machine jobtracker.Config
	// Plan describes faults and differences between nodes; nil means none.
	Plan *Plan
	// Shares makes tasks contend for CPU and memory; nil means no contention.
	Shares *Shares
	// Follow, if not nil, returns the jobs that the user of an ended job submits next, as the driver
	// of an application with several jobs does. Run calls it once for each job that ends or that the
	// JobTracker rejects. The times of the returned jobs have the form of the source's times; a
	// submission in the past happens at once.
	Follow func(ended trace.JobResult) []*trace.Job
	// Journal, if not nil, receives the journal of the run. A real JobTracker would write the same
	// journal, except for job retirements. The result always contains the journal's hash.
	Journal io.Writer
	// KeepJournal keeps the journal of a Live in memory, for Live.Restart.
	KeepJournal bool
	// SampleEvery is the interval between calls to Sample, in ms of the run's time; 0 means never.
	// Sample receives the current state.
	SampleEvery int64
	Sample      func(scheduler.View)
}

// Switch is a change of the policy.
type Switch struct {
	At     int64 // in ms, in the form of the source's times
	Policy scheduler.Policy
}

const (
	maxTrackers  = 100_000
	maxSlots     = 10_000
	maxHeartbeat = 24 * 3600 * 1000
)

func (c *Config) validate() error {
	bad := func(on, why string) error { return failure.New(failure.Config, "simulate", on, errors.New(why)) }
	n := c.trackers()
	switch {
	case c.Policy == nil:
		return bad("scheduler", "none is set")
	case n < 1 || n > maxTrackers:
		return bad("trackers", "want 1 to 100000")
	case c.Slots[0] < 0 || c.Slots[1] < 0 || c.Slots[0] > maxSlots || c.Slots[1] > maxSlots:
		return bad("slots", "want 0 to 10000 of each kind on each tracker")
	case c.Heartbeat < 0 || c.Heartbeat > maxHeartbeat:
		return bad("heartbeat", "want 0 ms to a day")
	case c.SampleEvery < 0:
		return bad("sampling interval", "must be 0 or more")
	case c.Memory < 0 || c.VCores < 0:
		return bad("memory and cores", "must be 0 or more")
	}
	return c.Shares.validate(c)
}

func (c *Config) trackers() int {
	if c.Trackers == 0 {
		return len(c.Nodes)
	}
	return c.Trackers
}

// machine returns the JobTracker's configuration. Unless Config.Machine is set, the machine retains
// few finished jobs, because the result and the journal describe them. The machine's memory usage
// therefore grows with the tasks of the unfinished jobs, but not with the trace.
func (c *Config) machine() jobtracker.Config {
	m := c.Machine
	if m == (jobtracker.Config{}) {
		m = jobtracker.DefaultConfig()
		m.CompletedPerUser, m.CompletedTotal = 4, 4
		m.MaxJobs, m.MaxTrackers = 0, 0
	}
	if c.Heartbeat > 0 {
		m.HeartbeatMin, m.HeartbeatsPerSecond = c.Heartbeat, 1_000_000
	}
	return m
}

// Run replays a trace until every job has ended. It returns an error if the configuration is
// invalid, if ctx is canceled, if the source or the journal fails, or if the jobs cannot end.
func Run(ctx context.Context, c Config, src trace.Source) (*trace.Result, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	e, err := newEngine(&c, src)
	if err != nil {
		return nil, err
	}
	if err := e.run(ctx); err != nil {
		return nil, err
	}
	return e.result(), nil
}
