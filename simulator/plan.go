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

	clauses []clausePlan // where the plan was read, for errors
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

// Crash loses every node at random, on average once in Every ms, for Down ms. Every = 0 = never, else 1000 ms or more.
type Crash struct{ Every, Down int64 }

// faulty tells whether trackers come or go.
func (p *Plan) faulty() bool { return len(p.Aways) > 0 || len(p.Joins) > 0 || p.Crash.Every > 0 }

const (
	minFactor = 0.001
	maxFactor = 1000
	maxTime   = 100 * 365 * 24 * 3600 * 1000
	minCrash  = 1000
)

// validate refuses what cannot be, and names the clause if the plan was read from text.
func (p *Plan) validate(nodes int) error {
	for _, j := range p.Joins {
		nodes += max(0, min(j.Count, maxTrackers))
		if nodes > maxTrackers {
			return failure.New(failure.Config, "read plan", "join", fmt.Errorf("more than %d nodes in all", maxTrackers))
		}
	}
	for i := range p.clauses {
		if err := p.clauses[i].check(nodes); err != nil {
			return p.clauses[i].bad(err)
		}
	}
	if err := p.check(nodes); err != nil {
		return failure.New(failure.Config, "read plan", "", err)
	}
	return nil
}

// check gives the first thing that cannot be on so many nodes.
func (p *Plan) check(nodes int) error {
	for _, s := range p.Speeds {
		if !(s.Factor >= minFactor && s.Factor <= maxFactor) {
			return fmt.Errorf("speed %g: want a factor of %g to %d", s.Factor, minFactor, maxFactor)
		}
		if err := s.Nodes.check(nodes); err != nil {
			return err
		}
	}
	for _, f := range p.Locality {
		if f != 0 && !(f >= minFactor && f <= maxFactor) {
			return fmt.Errorf("locality %g: want a factor of %g to %d", f, minFactor, maxFactor)
		}
	}
	for _, l := range p.Loads {
		if err := l.check(nodes); err != nil {
			return err
		}
	}
	for _, a := range p.Aways {
		if err := a.check(nodes); err != nil {
			return err
		}
	}
	for _, j := range p.Joins {
		if j.Count < 1 || j.Count > maxTrackers || j.At < 0 || j.At > maxTime {
			return fmt.Errorf("join: want 1 to %d nodes, at 0s or later", maxTrackers)
		}
	}
	return p.checkChance()
}

func (n Nodes) check(nodes int) error {
	for _, x := range n {
		if x < 1 || x > nodes {
			return fmt.Errorf("node %d: there are 1 to %d", x, nodes)
		}
	}
	return nil
}

func (l *Load) check(nodes int) error {
	if !(l.Share >= 0 && l.Share <= 1) || l.At < 0 || l.At > maxTime {
		return fmt.Errorf("load %g: want a share from 0 to 1, from 0s on", l.Share)
	}
	if !l.Slots && l.Share > 1-minFactor {
		return fmt.Errorf("load %g leaves nothing to the tasks: want at most %g, or say slots", l.Share, 1-minFactor)
	}
	return l.Nodes.check(nodes)
}

func (a *Away) check(nodes int) error {
	if a.At < 0 || a.At > maxTime || a.Back < 0 || a.Back > maxTime {
		return errors.New("trackers go at 0s or later")
	}
	if a.Back != 0 && a.Back <= a.At {
		return errors.New("a tracker comes back after it has gone: want BACK later than AT")
	}
	return a.Nodes.check(nodes)
}

func (p *Plan) checkChance() error {
	s, c := p.Straggle, p.Crash
	switch {
	case !(s.Share >= 0 && s.Share <= 1):
		return fmt.Errorf("straggle %g: want a share from 0 to 1", s.Share)
	case s.Share > 0 && !(s.Factor >= minFactor && s.Factor <= maxFactor):
		return fmt.Errorf("straggle by %g: want a factor of %g to %d", s.Factor, minFactor, maxFactor)
	case !(p.Fail >= 0 && p.Fail <= 1):
		return fmt.Errorf("fail %g: want a share from 0 to 1", p.Fail)
	case c == Crash{}:
		return nil
	case c.Every < minCrash || c.Every > maxTime:
		return errors.New("crash: want EVERY to be 1s or more")
	case c.Down < 1 || c.Down > maxTime:
		return errors.New("crash: want DOWN to be more than 0s")
	}
	return nil
}

// millionths turns a factor into an integer, with which times are worked out the same everywhere.
func millionths(f float64) int64 { return int64(math.Round(float64(f * million))) }
