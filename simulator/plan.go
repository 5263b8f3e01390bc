package simulator

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/howdah/howdah/job/failure"
)

// Plan describes the faults of a run and the differences between nodes. Random faults depend on the
// run's seed, so a plan and a seed reproduce the same faults. ParsePlan parses a textual plan.
//
// Times are in ms since the first submission. Node numbers start at 1; a nil list means all nodes.
// If trackers come or go, the run drives real tasktracker machines instead of stubs.
type Plan struct {
	Speeds []Speed
	// Locality holds the factors by which a map slows down when its input is on the same node, in
	// the same rack, or elsewhere. Zero means 1. Mumak uses 1, 1.5, and 3.
	Locality [3]float64
	Straggle Straggle
	// Fail is the share of attempts that fail at random, from 0 to 1.
	Fail  float64
	Loads []Load
	Aways []Away
	Joins []Join
	Crash Crash

	clauses []clausePlan // each clause with its source position, for error messages
}

// Nodes is a list of node numbers, which start at 1. Nil means all nodes.
type Nodes []int

// Speed changes the speed of nodes. For example, a factor of 2 halves the duration of their tasks.
type Speed struct {
	Nodes  Nodes
	Factor float64
}

// Straggle makes a share of the attempts take Factor times as long.
type Straggle struct{ Share, Factor float64 }

// Load is the share of the nodes' CPU that other tenants use, starting at a given time. It applies
// until the same node's next Load. It slows tasks down or, with Slots, reduces the trackers' slots
// (rounded down). Trackers report the load in either case.
type Load struct {
	Nodes Nodes
	At    int64
	Share float64
	Slots bool
}

// Away stops trackers and all their attempts, abruptly or (with Leave) gracefully. Back is the time
// at which they restart; 0 means never.
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

// Crash makes each node except those added by Joins crash at random, on average after Every ms of
// uptime, and stay down for Down ms. Every is 0 (no crashes) or at least 1000.
type Crash struct{ Every, Down int64 }

// faulty reports whether trackers come or go.
func (p *Plan) faulty() bool { return len(p.Aways) > 0 || len(p.Joins) > 0 || p.Crash.Every > 0 }

// OnlyCapacity reports whether the plan only changes the slots of all nodes at once.
func (p *Plan) OnlyCapacity() bool {
	return !p.faulty() && len(p.Speeds) == 0 && p.Locality == [3]float64{} && p.Straggle == (Straggle{}) && p.Fail == 0 &&
		!slices.ContainsFunc(p.Loads, func(l Load) bool { return l.Nodes != nil || !l.Slots })
}

// Left returns how many of a node's slots others leave.
func (l Load) Left(slots [2]int32) [2]int32 { return left(slots, millionths(l.Share)) }

func left(slots [2]int32, share int64) [2]int32 {
	for k, s := range slots {
		slots[k] = int32(int64(s) * (million - share) / million)
	}
	return slots
}

const (
	minFactor = 0.001
	maxFactor = 1000
	maxTime   = 100 * 365 * 24 * 3600 * 1000
	minCrash  = 1000
)

// validate checks the plan for a cluster that starts with the given number of nodes. An error in a
// clause parsed from text includes the clause.
func (p *Plan) validate(nodes int) error {
	for _, j := range p.Joins {
		nodes += max(0, min(j.Count, maxTrackers))
		if nodes > maxTrackers {
			return failure.New(failure.Config, "read plan", "join", fmt.Errorf("more than %d nodes in total", maxTrackers))
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

// check returns the first error in the plan for the given number of nodes.
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
			return fmt.Errorf("node %d does not exist: want 1 to %d", x, nodes)
		}
	}
	return nil
}

func (l *Load) check(nodes int) error {
	if !(l.Share >= 0 && l.Share <= 1) || l.At < 0 || l.At > maxTime {
		return fmt.Errorf("load %g: want a share from 0 to 1, from 0s on", l.Share)
	}
	if !l.Slots && l.Share > 1-minFactor {
		return fmt.Errorf("load %g leaves no capacity for tasks: want at most %g, or add slots", l.Share, 1-minFactor)
	}
	return l.Nodes.check(nodes)
}

func (a *Away) check(nodes int) error {
	if a.At < 0 || a.At > maxTime || a.Back < 0 || a.Back > maxTime {
		return errors.New("want trackers to leave at 0s or later")
	}
	if a.Back != 0 && a.Back <= a.At {
		return errors.New("a tracker returns after it leaves: want BACK later than AT")
	}
	return a.Nodes.check(nodes)
}

func (p *Plan) checkChance() error {
	s, c := p.Straggle, p.Crash
	switch {
	case !(s.Share >= 0 && s.Share <= 1):
		return fmt.Errorf("straggle %g: want a share from 0 to 1", s.Share)
	case s.Share > 0 && !(s.Factor >= minFactor && s.Factor <= maxFactor):
		return fmt.Errorf("straggle factor %g: want a factor of %g to %d", s.Factor, minFactor, maxFactor)
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

// millionths converts a factor to integer millionths, so that the computed times are the same on
// every machine.
func millionths(f float64) int64 { return int64(math.Round(float64(f * million))) }
