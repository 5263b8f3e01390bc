// Package simulator runs traces on the real JobTracker: the very machine that jobtracker/daemon drives with sockets, here
// driven with an event heap and a clock of its own, with the same scheduler values. TaskTrackers are stubs that do as they are
// told and take as long as the trace says; in runs with faults of trackers they are the real tasktracker machines.
//
// The clock jumps from one event to the next. Equal inputs give equal journals, byte for byte. simulator/tasklevel is the
// faster engine without trackers; simulator/replay holds what both do alike.
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

// Config says on what a trace runs.
type Config struct {
	// Trackers is how many there are; 0 = one for each of Nodes.
	Trackers int
	Slots    [2]int32 // of each tracker, by job.Map and job.Reduce
	// Nodes names the trackers' hosts and racks in turn. nil = hosts of no name in the trace, so that no map has its input
	// anywhere in particular.
	Nodes []trace.Node
	// Memory (MiB) and VCores are what each tracker has for tasks, for policies that place by them. 0 = not told.
	Memory, VCores int32
	// Heartbeat is the time between two beats of a tracker in ms. 0 = as the machine's configuration has it.
	Heartbeat int64
	// WaitForWork lets a tracker beat at once when an attempt has ended or the JobTracker has news for it, as howdah's do. Without
	// it, everything waits for the interval, as in Hadoop.
	WaitForWork bool
	// KeepIdleBeats sends also those beats that cannot change anything. The journal is the same, only later. Where trackers come
	// and go no beat is left out.
	KeepIdleBeats bool
	// Mumak models reduces as Hadoop's Mumak does: no shuffle (SIM section IV-C).
	Mumak bool
	Seed  uint64
	// Scheduler is the policy's name, for the result.
	Scheduler  string
	Policy     scheduler.Policy
	Speculator scheduler.Policy // nil = none
	// Machine configures the JobTracker; its zero value stands for Hadoop's defaults, with few finished jobs kept. That these are
	// forgotten is to save memory and not in the journal, from which a JobTracker shows them all.
	Machine jobtracker.Config
	// Plan is what goes wrong and what differs from node to node; nil = nothing.
	Plan *Plan
	// Shares lets tasks contend for CPU and memory; nil = they do not.
	Shares *Shares
	// Journal, if not nil, gets the run's journal, the same as a real JobTracker would have written. Its hash is in the result in
	// any case.
	Journal io.Writer
	// KeepJournal keeps the journal of a Live in memory instead, so that Live.Restart can start from it.
	KeepJournal bool
	// Sample is called every SampleEvery ms of the run's time with the state as it is then. 0 = never.
	SampleEvery int64
	Sample      func(scheduler.View)
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
		return bad("scheduler", "none given")
	case n < 1 || n > maxTrackers:
		return bad("trackers", "want 1 to 100000")
	case c.Slots[0] < 0 || c.Slots[1] < 0 || c.Slots[0] > maxSlots || c.Slots[1] > maxSlots:
		return bad("slots", "want 0 to 10000 of a kind on each tracker")
	case c.Heartbeat < 0 || c.Heartbeat > maxHeartbeat:
		return bad("heartbeat", "want 0 ms to a day")
	case c.SampleEvery < 0:
		return bad("sampling interval", "is negative")
	case c.Memory < 0 || c.VCores < 0:
		return bad("memory and cores", "are negative")
	}
	return c.Shares.validate(c)
}

func (c *Config) trackers() int {
	if c.Trackers == 0 {
		return len(c.Nodes)
	}
	return c.Trackers
}

// machine gives the JobTracker's configuration. Simulated jobs are told from the result and the journal, so the machine may
// forget them soon: memory does not grow with the trace.
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

// Run replays a trace. It ends when every job has, when ctx does, or when the source fails.
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
