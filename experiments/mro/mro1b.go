package mro

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/orchestrator"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/trace"
)

// mro1b reproduces the example in section II-B of MROrchestrator, which shows why nodes must not
// decide independently.
var mro1b = &lab.Experiment{
	ID: "MRO-1b", Paper: Paper, BibTeX: BibTeX, Sim: mro1bSimulate,
}

// maps lists the maps of the example. Each has the time that it takes when it runs alone, and the
// node that stores its input. Contention on a node delays both jobs equally. The example works only
// if A's second map ends after its first, and if C uses the resource that A's second map lacks.
var maps = map[string][2]struct {
	seconds int64
	node    string
}{
	"A": {{100, "n1"}, {100, "n3"}},
	"B": {{60, "n1"}, {60, "n2"}},
	"C": {{100, "n2"}, {160, "n3"}},
}

var names = []string{"A", "B", "C"}

func mro1bWorkload() *trace.Trace {
	t := &trace.Trace{Name: "A, B and C", Origin: "generated"}
	for _, name := range names {
		j := &trace.Job{ID: name, Name: name, State: job.Succeeded}
		for _, m := range maps[name] {
			j.Maps = append(j.Maps, trace.Map{Time: 1000 * m.seconds, Hosts: []string{m.node}})
		}
		t.Jobs = append(t.Jobs, j)
	}
	return t
}

// execute returns the jobs' completion times in seconds. If c is nil, there is no orchestrator.
func execute(ctx context.Context, c *orchestrator.Config) (jct [3]float64, err error) {
	p, _, err := catalog.Builtin().Make("fair", scheduler.Setup{Conf: conf.New()})
	if err != nil {
		return jct, err
	}
	s := &simulator.Shares{Capacity: orchestrator.Vector{1000, 2048}, Orchestrator: c,
		Demand: func(string, job.Task) simulator.Demand { return simulator.Demand{CPU: 1000, Memory: 100} }}
	r, err := simulator.Run(ctx, simulator.Config{Nodes: []trace.Node{{Host: "n1", Rack: "/r"}, {Host: "n2", Rack: "/r"},
		{Host: "n3", Rack: "/r"}}, Slots: [2]int32{2, 0}, Heartbeat: 1000,
		WaitForWork: true, Policy: p, Scheduler: "fair", Shares: s, Seed: 1}, mro1bWorkload().Source())
	if err != nil {
		return jct, err
	}
	for i := range r.Jobs {
		jct[r.Jobs[i].Seq-1] = float64(r.Jobs[i].Finish-r.Jobs[i].Submit) / 1000
	}
	return jct, nil
}

func mro1bSimulate(ctx context.Context, r *lab.Run) error {
	local, coordinated := orchestrator.DefaultConfig(), orchestrator.DefaultConfig()
	local.Coordinate = false
	var found [3][3]float64
	var rows [][]string
	for i, c := range []*orchestrator.Config{nil, &local, &coordinated} {
		jct, err := execute(ctx, c)
		if err != nil {
			return err
		}
		r.Executions++
		found[i] = jct
		rows = append(rows, []string{[]string{"base", "local", "coordinated"}[i], fmt.Sprintf("%.0f", jct[0]),
			fmt.Sprintf("%.0f", jct[1]), fmt.Sprintf("%.0f", jct[2])})
	}
	r.AddTable("completion", []string{"decisions", "A (s)", "B (s)", "C (s)"}, rows)
	change := func(decisions, k int) lab.Interval { return lab.Exact(100 * (found[decisions][k]/found[0][k] - 1)) }
	r.Compare("local-A", change(1, 0), "%.0f s, %.0f s before", found[1][0], found[0][0])
	r.Compare("local-B", change(1, 1), "%.0f s, %.0f s before", found[1][1], found[0][1])
	r.Compare("coordinated", lab.Most(change(2, 0), change(2, 1), change(2, 2)), "the most delayed of three jobs")
	return nil
}
