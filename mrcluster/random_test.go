package mrcluster

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	schedules = flag.Int("schedules", 100, "random schedules to try")
	firstSeed = flag.Uint64("seed", 1, "seed of the first")
)

// TestRandomSchedules creates, uses, and removes MR-clusters while faults occur. Nodes and masters
// die and return, agents fall silent, daemons fail to start, copies fail, and drains hang. The test
// also kills the manager at random steps. It checks the invariants after every step. When the
// faults stop, all MR-clusters must end and all nodes must be empty.
func TestRandomSchedules(t *testing.T) {
	for i := range *schedules {
		seed := *firstSeed + uint64(i)
		chaos(t, seed)
		if t.Failed() {
			return
		}
	}
}

func chaos(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 42))
	cfg := testConfig()
	cfg.Shrink = Preemption(draw(r, 2))
	cfg.Window = Window(draw(r, 2))
	cfg.Grow = Transient + Kind(draw(r, 2))
	w := newWorld(t, cfg, 3+draw(r, 10))
	w.hint = fmt.Sprintf("again: go test ./mrcluster -run TestRandomSchedules -schedules 1 -seed %d", seed)
	w.faulty = func(*agent) bool { return draw(r, 20) == 0 }
	w.loadErr = func() string {
		if draw(r, 4) == 0 {
			return "broken"
		}
		return ""
	}
	for range 50 + draw(r, 250) {
		fault(w, r)
		w.second()
	}
	calm(w)
}

// fault causes at most one random event: a fault, a recovery, or a request.
func fault(w *world, r *rand.Rand) {
	a := w.agents[draw(r, len(w.agents))]
	name := fmt.Sprintf("c%d", draw(r, 5))
	switch draw(r, 24) {
	case 0:
		a.die()
	case 1, 2, 3:
		a.dead, a.mute, a.stuck = false, false, false
	case 4:
		a.mute = true
	case 5:
		a.stuck = true
	case 6:
		w.restart()
	case 16:
		w.compact()
	case 7, 8:
		s := Spec{Name: name, Core: 1 + draw(r, 4), HDFS: draw(r, 2) == 0, Grow: Kind(draw(r, 2)) * Transient}
		if draw(r, 2) == 0 {
			s.Load, s.Save = []Copy{{"a", "b"}}, []Copy{{"c", "d"}}
		}
		w.step(Input{Kind: InCreate, Spec: &s})
	case 9, 10, 11, 12:
		if w.step(Input{Kind: InJob, Cluster: name}).Err == nil {
			w.work[name] += int64(draw(r, 200))
		}
	case 13:
		w.step(Input{Kind: InRemove, Cluster: name, Discard: draw(r, 3) == 0})
	case 17:
		w.step(Input{Kind: InGrow, Cluster: name, Nodes: draw(r, 2+len(w.agents))})
	case 14:
		w.step(Input{Kind: InLoaded, Cluster: name, Deployment: int64(draw(r, 9))})
		w.step(Input{Kind: InSaved, Cluster: name, Deployment: int64(draw(r, 9)), Err: "late"})
	case 15:
		w.step(Input{Kind: InSample, Cluster: name, Deployment: int64(draw(r, 9)),
			Sample: &Sample{WaitingTasks: r.Int64(), Jobs: -1,
				Stored: []Stored{{a.name, -5}, {"nobody", 3}}}})
	}
}

// die simulates a kill -9 of an agent with its descendants. The node's disk stays.
func (a *agent) die() {
	a.dead = true
	for i := range a.runs {
		a.runs[i].Phase = PhaseStarting
	}
}

// calm stops the faults and waits until all work ends. It allows one second for each remaining
// task, because at least one node works, and more for drains, retries, and removals.
func calm(w *world) {
	w.faulty, w.loadErr = nil, nil
	for _, a := range w.agents {
		a.dead, a.mute, a.stuck = false, false, false
	}
	tasks := int64(0)
	for _, n := range w.work {
		tasks += n
	}
	for range 1000 + tasks {
		w.second()
		if quiet(w) {
			return
		}
	}
	v := w.m.View()
	require.Fail(w.t, "it never ends", "%s\n%+v\n%+v", w.hint, v.Clusters, v.Nodes)
}

// quiet reports whether no MR-cluster is deployed or waiting, and no node runs daemons.
func quiet(w *world) bool {
	v := w.m.View()
	for _, c := range v.Clusters {
		if c.State != Defined || c.Doomed {
			return false
		}
	}
	for _, n := range v.Nodes {
		if n.State != Free {
			return false
		}
	}
	for _, a := range w.agents {
		if len(a.runs) > 0 {
			return false
		}
	}
	return true
}
