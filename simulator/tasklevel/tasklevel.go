// Package tasklevel is the simulator without TaskTrackers: SimMR's engine (SIM section III-B). Seven kinds of events, slots
// instead of nodes, and decisions that take effect at once. It is a deliberately small second JobTracker behind the same
// scheduler.Policy contract, kept for its speed; package simulator drives the real machine, and a test on random traces holds
// the two together.
//
// It knows no places, no failures of nodes, no speculation and no containers. What a job's tasks take comes from
// simulator/replay, as in the other engine.
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

// Config says on what a trace runs.
type Config struct {
	Slots    [2]int32 // of the whole cluster, by job.Map and job.Reduce
	Trackers int      // among which the slots are spread; 0 = 1
	// Capacity changes the number of slots over time, in order of time: other workloads on the same nodes.
	Capacity  []Capacity
	Scheduler string // the policy's name, for the result
	Policy    scheduler.Policy
	Model     replay.Model
	Seed      uint64
	// Journal, if not nil, gets an ordinary journal of the run, which costs most of the speed.
	Journal io.Writer
	// Sample is called every SampleEvery ms of the run's time with the state as it is then. 0 = never.
	SampleEvery int64
	Sample      func(scheduler.View)
}

func (c *Config) validate() error {
	bad := func(on, why string) error {
		return failure.New(failure.Config, "simulate", on, errors.New(why))
	}
	switch {
	case c.Policy == nil:
		return bad("scheduler", "none given")
	case c.Slots[0] < 0 || c.Slots[1] < 0 || c.Slots[0] == 0 && c.Slots[1] == 0:
		return bad("slots", "want at least one")
	case c.Slots[0] > maxSlots || c.Slots[1] > maxSlots:
		return bad("slots", "more than a million of a kind")
	case c.Trackers < 0 || c.Trackers > maxTrackers:
		return bad("trackers", "want 0 to 100000")
	case c.SampleEvery < 0:
		return bad("sampling interval", "is negative")
	}
	return checkCapacity(c.Capacity)
}

const (
	maxSlots    = 1_000_000
	maxTrackers = 100_000
)

// Run replays a trace. It ends when every job has, when ctx does, or when the source fails. Result.Hash sums up the engine's
// events: what happened when, to which task, on which tracker.
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

// kind is one of the seven kinds of events (SIM section III-B).
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

var kindNames = [numKinds]string{"job-arrival", "map-arrival", "map-departure", "all-maps-finished", "reduce-arrival", "reduce-departure", "job-departure"}

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
