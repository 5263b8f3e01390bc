// Package tasklevel simulates a cluster without TaskTrackers. It is SimMR's engine (SIM section
// III-B), with seven kinds of events, slots instead of nodes, and decisions that take effect
// immediately. It is a second, small JobTracker for the same scheduler.Policy interface and exists
// for its speed. Package simulator drives the real machine. A test on random traces checks that the
// two engines agree.
//
// Package tasklevel does not model locality, node failures, speculation, or containers. Like
// package simulator, it takes task durations from simulator/replay.
package tasklevel

import (
	"context"
	"errors"
	"io"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/simulator/replay"
	"github.com/howdah/howdah/simulator/trace"
)

// Config describes the cluster on which a trace runs.
type Config struct {
	Slots    [2]int32 // slots of the whole cluster, by job.Map and job.Reduce
	Trackers int      // number of trackers that share the slots; 0 means 1
	// Start is the state in which the run begins. nil means an empty cluster. If Start is set, it
	// determines the slots, and Slots, Trackers, Capacity, and Journal must not be set.
	Start *Start
	// Capacity lists the changes to the number of slots in chronological order.
	Capacity  []Capacity
	Scheduler string // the policy's name, as recorded in the result
	Policy    scheduler.Policy
	Model     replay.Model
	Network   *Network // nil means that the trace determines the durations of shuffles
	Seed      uint64
	// Journal, if not nil, receives a journal of the run in the JobTracker's format. Writing it
	// takes most of the run time.
	Journal io.Writer
	// SampleEvery is the interval between calls to Sample, in ms of the run's time; 0 means never.
	// Sample receives the current state.
	SampleEvery int64
	Sample      func(scheduler.View)
}

func (c *Config) validate() error {
	bad := func(on, why string) error {
		return failure.New(failure.Config, "simulate", on, errors.New(why))
	}
	switch {
	case c.Policy == nil:
		return bad("scheduler", "none is set")
	case scheduler.UsesContainers(c.Policy):
		return bad(c.Scheduler, "it starts tasks in containers, which the task level does not have; simulate at the "+
			"level of heartbeats")
	case c.SampleEvery < 0:
		return bad("sampling interval", "must be 0 or more")
	}
	if err := c.Network.validate(c); err != nil {
		return err
	}
	switch {
	case c.Start != nil:
		return c.Start.validate(c)
	case c.Slots[0] < 0 || c.Slots[1] < 0 || c.Slots[0] == 0 && c.Slots[1] == 0:
		return bad("slots", "want at least 1")
	case c.Slots[0] > maxSlots || c.Slots[1] > maxSlots:
		return bad("slots", "want at most 1000000 of each kind")
	case c.Trackers < 0 || c.Trackers > maxTrackers:
		return bad("trackers", "want 0 to 100000")
	}
	return checkCapacity(c.Capacity)
}

const (
	maxSlots    = 1_000_000
	maxTrackers = 100_000
)

// Run replays a trace until every job has ended, including the jobs in c.Start. It returns an error
// if the configuration is invalid, if ctx is canceled, if the source or the journal fails, or if
// the jobs cannot end. Result.Hash is a hash of the time, kind, task, tracker, and slot of each of
// the engine's events.
func Run(ctx context.Context, c Config, src trace.Source) (*trace.Result, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	e := newEngine(&c, src)
	if err := e.run(ctx); err != nil {
		return nil, err
	}
	return e.result(), nil
}

// kind is one of the seven event kinds (SIM section III-B).
type kind uint8

const (
	jobArrival kind = iota
	mapArrival
	mapDeparture
	allMapsFinished
	reduceArrival
	reduceDeparture
	jobDeparture
	numKinds
)

var kindNames = [numKinds]string{"job-arrival", "map-arrival", "map-departure", "all-maps-finished", "reduce-arrival",
	"reduce-departure", "job-departure"}

func arrival(t job.TaskType) kind {
	if t == job.Reduce {
		return reduceArrival
	}
	return mapArrival
}

func departure(t job.TaskType) kind {
	if t == job.Reduce {
		return reduceDeparture
	}
	return mapDeparture
}
