package study

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/scenario"
)

// On real nodes, a job keeps one of every fewer tasks, and time passes faster. A slot has the same share
// of its node's CPU and memory as in the simulation, so that tasks need as much more than there is.
const (
	fewer     = 60
	faster    = 20
	realSlots = 6   // of a node, where the simulated nodes have 10
	realCores = 0.3 // of a node
	realSlot  = 128 // MB
	liveMost  = 54  // MB; the objects of the largest task, which fill its slot's memory as garbage is collected
	trash     = 0.1 // MB of garbage for each ms of CPU time and each unit of thrash
	realTimes = 3   // repetitions
)

// realNodes describes the real nodes and their MR-clusters. Settings in ms are those of the papers,
// divided by faster.
var realNodes = fmt.Sprintf(`pool:
  kind: namespaces
  nodes: 6
  maps: 4
  reduces: 2
  cores: %g
  memory: %dMB
  heartbeat: 300ms
  interval: 3s
  idle: 3s
  start: 2s
  set: {howdah.mrcluster.shrink: delayed, %s: '1000', %s: '250'}
  clusters:
    - {name: text, core: 1}
    - {name: rank, core: 1}
    - {name: learn, core: 1}
`, realCores, realSlots*realSlot, conf.OrchestratorEpochMS.Name, conf.OrchestratorSampleMS.Name)

// realTime is about the time in seconds that all six applications need on all real nodes.
const realTime = 17.0

// arrivals returns the keys of a part's arrival and deadline on real nodes. Relative to realTime, jobs
// arrive as densely as in the simulation, but each only once.
func (w *workload) arrivals(p *part) (at, deadline string) {
	share := func(x float64) string { return fmt.Sprintf("%.1fs", x*realTime) }
	switch w.name {
	case "batch":
		return "at: 0s", byLength(share(0.5), share(0.75))(p)
	case "bursts":
		return "at: " + map[string]string{"text": "0s", "rank": share(0.8), "learn": share(1.6)}[p.cluster],
			byLength(share(0.3), share(0.5))(p)
	default:
		return fmt.Sprintf("count: 1, gaps: 'exponential(%.0f)'", 1000*realTime), byLength(share(0.35), share(0.5))(p)
	}
}

// kept returns how many of n tasks a job keeps.
func kept(n int) int { return max(1, int(math.Round(float64(n)/fewer))) }

// cores returns how many cores a task uses. Relative to its slot's share of a node, it is as in the simulation,
// in which a node has 2 cores and 10 slots.
func (l *load) cores() float64 { return l.cpu / 2 * 10 / realSlots * realCores }

// phases returns the profile of a loadgen task that takes the given time alone. It needs CPU and memory
// relative to its slot as in the simulation.
func (l *load) phases(seconds float64) string {
	const n = 6
	busy := seconds / faster * l.cores() * 1000 // ms of CPU time
	wait := max(0, seconds/faster*1000-busy/realCores)
	phase := fmt.Sprintf("live=%.0fm,cpu=%.0fms,wait=%.0fms", l.memory/500*liveMost, busy/n, wait/n)
	if l.thrash > 0 {
		phase += fmt.Sprintf(",trash=%.0fm", trash*l.thrash*busy/n)
	}
	return strings.TrimSuffix(strings.Repeat(phase+";", n), ";")
}

// small returns the job that stands for the part on real nodes.
func (p *part) small() string {
	l := &p.load
	return fmt.Sprintf("run: [loadgen, -m, '%d', -r, '%d', -map, '%s', -reduce, '%s', -steps, '60', -skew, '0.3', "+
		"-skewlive, '0.3']", kept(l.maps), kept(l.reduces), l.phases(l.mapTime), l.phases(l.reduceTime))
}

// smallTasks returns the part's tasks and their needs in the simulation of the real nodes.
func (p *part) smallTasks() string {
	l := &p.load
	ms := func(s float64) string { return fmt.Sprintf("'%.0f'", 1000*s/faster) }
	s := fmt.Sprintf("tasks: {maps: %d, reduces: %d, map-time: %s, shuffle-time: %s, reduce-time: %s}, cpu: %.3f, "+
		"memory: %.0fMB", kept(l.maps), kept(l.reduces), ms(l.mapTime), ms(l.reduceTime/3), ms(l.reduceTime*2/3),
		l.cores(), l.memory/307*realSlot)
	if l.thrash > 0 {
		s += fmt.Sprintf(", thrash: %g", l.thrash)
	}
	return s
}

// onNodes runs the study on real nodes, and in the simulator for comparison.
func onNodes(ctx context.Context, r *lab.Run) error {
	n, list := realTimes, workloads
	if r.Quick {
		n, list = 1, workloads[:1]
	}
	r.Knob("repetitions", n)
	r.Knob("nodes", realNodes)
	for i := range parts {
		r.Knob(parts[i].name, parts[i].small()+", "+parts[i].smallTasks())
	}
	for _, w := range list {
		text := w.realScenario()
		all, err := run(r, &w, text, func(s *scenario.Scenario) (*scenario.Result, error) {
			return s.RunReal(ctx, scenario.Options{Repeat: n, Binary: r.Binary, Revision: "-"})
		})
		if err != nil {
			return err
		}
		foreseen, err := run(r, &w, text, func(s *scenario.Scenario) (*scenario.Result, error) {
			return s.Simulate(ctx, scenario.Options{Repeat: repetitions, Workers: r.Workers, Revision: "-"})
		})
		if err != nil {
			return err
		}
		w.report(r, all, foreseen)
	}
	return nil
}

// realScenario returns the scenario of the workload on real nodes.
func (w *workload) realScenario() string {
	return w.text(realNodes, func(p *part) string {
		at, deadline := w.arrivals(p)
		return fmt.Sprintf("%s, %s, set: {howdah.job.profile: '%s'}, %s, deadline: %s", p.small(), p.smallTasks(),
			p.smallProfile(), at, deadline)
	})
}

// smallProfile returns the part's job profile, with times divided by faster.
func (p *part) smallProfile() string {
	l := &p.load
	pair := func(s float64) string { return fmt.Sprintf("%.0f/%.0f", 1000*s/faster, 2000*s/faster) }
	return fmt.Sprintf("map=%s,typical=%s,reduce=%s", pair(l.mapTime), pair(l.reduceTime/3), pair(l.reduceTime*2/3))
}
