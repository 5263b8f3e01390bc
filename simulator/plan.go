package simulator

import (
	"errors"
	"fmt"
	"math"

	"github.com/howdah/howdah/job/failure"
)

// Plan is what goes wrong in a run and what differs from node to node. What happens by chance depends on the run's seed, so a
// plan and a seed give the same faults again. ParsePlan reads one from text. Times are in ms since the first submission; nodes
// count from 1, nil = all. Once trackers come or go, the run drives the real tasktracker machines instead of stubs.
type Plan struct {
	Speeds []Speed
	// Locality is by how much longer a map takes by the place of its input: on the node, in the rack, elsewhere. Zero stands for 1.
	// Mumak has 1, 1.5, 3.
	Locality [3]float64
	Straggle Straggle
	// Fail is the share of attempts that fail on the way.
	Fail  float64
	Loads []Load
	Aways []Away
	Joins []Join
	Crash Crash
}

// Nodes names nodes by their numbers, from 1; nil = all.
type Nodes []int

// Speed makes nodes faster or slower: 2 halves the time of all tasks.
type Speed struct {
	Nodes  Nodes
	Factor float64
}

// Straggle makes a share of the attempts take Factor times as long.
type Straggle struct{ Share, Factor float64 }

// Load says what share of the nodes' CPU others use from a time on, until the next Load of the same node. Tasks slow down by
// it, or, with Slots, the trackers offer so many slots less (rounded down). Trackers report it either way.
type Load struct {
	Nodes Nodes
	At    int64
	Share float64
	Slots bool
}

// Away takes trackers down at a time, with all that they run: without a word, or, with Leave, in good order. Back is when they
// start again, 0 = never.
type Away struct {
	Nodes    Nodes
	At, Back int64
	Leave    bool
}

// Join adds nodes.
type Join struct {
	Count int
	At    int64
}

// Crash loses every node at random, on average once in Every ms, for Down ms. Every = 0 = never.
type Crash struct{ Every, Down int64 }

// faulty tells whether trackers come or go.
func (p *Plan) faulty() bool { return len(p.Aways) > 0 || len(p.Joins) > 0 || p.Crash.Every > 0 }

const (
	minSpeed  = 0.001
	maxFactor = 1000
	maxTime   = 100 * 365 * 24 * 3600 * 1000
)

// validate refuses what cannot be.
func (p *Plan) validate(nodes int) error {
	bad := func(what, format string, args ...any) error {
		return failure.New(failure.Config, "read plan", what, fmt.Errorf(format, args...))
	}
	for _, j := range p.Joins {
		if j.Count < 1 || j.Count > maxTrackers || j.At < 0 || j.At > maxTime {
			return bad("join", "want 1 to %d nodes, at 0 or later", maxTrackers)
		}
		nodes += j.Count
	}
	if nodes > maxTrackers {
		return bad("join", "more than %d nodes", maxTrackers)
	}
	named := func(what string, list Nodes) error {
		for _, n := range list {
			if n < 1 || n > nodes {
				return bad(what, "node %d: there are 1 to %d", n, nodes)
			}
		}
		return nil
	}
	var errs []error
	for _, s := range p.Speeds {
		if !(s.Factor >= minSpeed && s.Factor <= maxFactor) {
			return bad("speed", "%g: want %g to %d", s.Factor, minSpeed, maxFactor)
		}
		errs = append(errs, named("speed", s.Nodes))
	}
	for _, f := range p.Locality {
		if f != 0 && !(f >= minSpeed && f <= maxFactor) {
			return bad("locality", "%g: want %g to %d", f, minSpeed, maxFactor)
		}
	}
	for _, l := range p.Loads {
		if !(l.Share >= 0 && l.Share <= 1) || l.At < 0 || l.At > maxTime {
			return bad("load", "want a share from 0 to 1, from 0 on")
		}
		if !l.Slots && l.Share > 1-minSpeed {
			return bad("load", "%g leaves nothing to the tasks: want at most %g, or say slots", l.Share, 1-minSpeed)
		}
		errs = append(errs, named("load", l.Nodes))
	}
	for _, a := range p.Aways {
		if a.At < 0 || a.At > maxTime || a.Back != 0 && a.Back <= a.At || a.Back > maxTime {
			return bad("lose", "a tracker comes back after it has gone")
		}
		errs = append(errs, named("lose", a.Nodes))
	}
	switch {
	case !(p.Straggle.Share >= 0 && p.Straggle.Share <= 1) || p.Straggle.Share > 0 && !(p.Straggle.Factor >= minSpeed && p.Straggle.Factor <= maxFactor):
		return bad("straggle", "want a share from 0 to 1 and a factor")
	case !(p.Fail >= 0 && p.Fail <= 1):
		return bad("fail", "want a share from 0 to 1")
	case p.Crash.Every < 0 || p.Crash.Down < 0 || p.Crash.Every > maxTime || p.Crash.Down > maxTime || p.Crash.Every > 0 && p.Crash.Down == 0:
		return bad("crash", "want two times above 0")
	}
	return errors.Join(errs...)
}

// millionths turns a factor into an integer, with which times are worked out the same everywhere.
func millionths(f float64) int64 { return int64(math.Round(float64(f * million))) }
