// Package study asks what the systems of the five papers gain together: dynamic slots, deadline
// schedulers, an orchestrator of CPU and memory, and MR-clusters that grow and shrink. No paper answers
// this, because each evaluates its system alone.
package study

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/scenario"
)

// Paper is the heading of the study among the papers.
const Paper = "All systems together (a study of this project)"

// BibTeX cites the study.
const BibTeX = `@misc{howdah,
  title = {howdah: a {MapReduce} runtime and laboratory},
  howpublished = {docs/explanation/what-adds-up.md}
}`

// Experiments lists the study.
var Experiments = []*lab.Experiment{{ID: "ALL-1", Paper: Paper, BibTeX: BibTeX, Sim: simulate, Real: onNodes}}

// repetitions is the number of paired seeds.
const repetitions = 10

// schedulers are compared with the first one.
var schedulers = []string{"fair", "pi-dhfs", "minedf-wc", "reverse-adaptive"}

// cell is one combination of the three factors.
type cell struct {
	scheduler    string
	orchestrator string // "off" or "on"
	clusters     bool   // three MR-clusters under TD instead of one cluster
}

func (c cell) String() string {
	s := c.scheduler
	if c.orchestrator == "on" {
		s += " + orchestrator"
	}
	if c.clusters {
		s += " + MR-clusters"
	}
	return s
}

// cells contains the runs of each cell by seed.
type cells map[cell][]scenario.Run

// simulate runs the study in the simulator.
func simulate(ctx context.Context, r *lab.Run) error {
	n := repetitions
	if r.Quick {
		n = 2
	}
	r.Knob("seeds", n)
	r.Knob("nodes", nodes)
	for _, p := range parts {
		r.Knob(p.name, fmt.Sprintf("MR-cluster %s; %s; needs of a task: %s", p.cluster, p.tasks, p.needs))
	}
	for _, w := range workloads {
		all, err := run(r, &w, w.scenario(), func(s *scenario.Scenario) (*scenario.Result, error) {
			return s.Simulate(ctx, scenario.Options{Repeat: n, Workers: r.Workers, Revision: "-"})
		})
		if err != nil {
			return err
		}
		w.report(r, all, nil)
	}
	return nil
}

// run runs all cells of a workload, whose scenario on the MR-clusters is text.
func run(r *lab.Run, w *workload, text string, on func(*scenario.Scenario) (*scenario.Result, error)) (cells, error) {
	s, err := scenario.Parse(w.name, text, scenario.Parts{})
	if err != nil {
		return nil, err
	}
	all := cells{}
	for _, x := range []*scenario.Scenario{s, s.Merged()} {
		res, err := on(x)
		if err != nil {
			return nil, err
		}
		for _, v := range res.Variants {
			all[cell{v.Scheduler, v.Orchestrator, x.Pool != nil}] = v.Runs
			r.Executions += len(v.Runs)
		}
	}
	return all, nil
}

// jobTime and missed are the study's measures.
func jobTime(r *scenario.Run) float64 {
	sum := 0.0
	for i := range r.Jobs {
		sum += float64(r.Jobs[i].Finish-r.Jobs[i].Submit) / 1000
	}
	return sum / float64(len(r.Jobs))
}

func missed(r *scenario.Run) float64 {
	n := 0
	for i := range r.Jobs {
		if j := &r.Jobs[i]; j.Finish > j.Deadline {
			n++
		}
	}
	return 100 * float64(n) / float64(len(r.Jobs))
}

// each returns a measure of the cell's runs.
func (all cells) each(c cell, of func(*scenario.Run) float64) []float64 {
	runs := all[c]
	out := make([]float64, len(runs))
	for i := range runs {
		out[i] = of(&runs[i])
	}
	return out
}

// gain returns by how many percent jobs take less time in cell b than in cell a.
func (all cells) gain(a, b cell) lab.Interval {
	return lab.Gain(all.each(b, jobTime), all.each(a, jobTime))
}

// fewer returns how many percent of the deadlines are missed in cell a but not in cell b.
func (all cells) fewer(a, b cell) lab.Interval {
	return lab.Difference(all.each(a, missed), all.each(b, missed))
}

// loss returns by how many percent jobs take longer in cell both than if the factors x and y kept the
// effects that each has alone. Factors of time that do not interact multiply.
func (all cells) loss(none, x, y, both cell) lab.Interval {
	a, b, c, d := all.each(none, jobTime), all.each(x, jobTime), all.each(y, jobTime), all.each(both, jobTime)
	for i := range a {
		a[i] = 100 * (math.Exp(math.Log(d[i])+math.Log(a[i])-math.Log(b[i])-math.Log(c[i])) - 1)
	}
	return lab.IntervalOf(a)
}

// report evaluates the relations of a workload. foreseen contains simulations of the same cells to
// compare with; nil = none.
func (w *workload) report(r *lab.Run, all, foreseen cells) {
	fair := cell{scheduler: schedulers[0], orchestrator: "off"}
	orchestrated, split := fair, fair
	orchestrated.orchestrator, split.clusters = "on", true
	compare := func(id string, x lab.Interval, a, b cell) {
		r.Compare(w.name+"-"+id, x, "job time %.0f and %.0f s, missed deadlines %.1f and %.1f%%", lab.IntervalOf(all.each(a,
			jobTime)).Mean, lab.IntervalOf(all.each(b, jobTime)).Mean, lab.IntervalOf(all.each(a, missed)).Mean,
			lab.IntervalOf(all.each(b, missed)).Mean)
	}
	compare("orchestrator", all.gain(fair, orchestrated), fair, orchestrated)
	compare("clusters", all.gain(fair, split), fair, split)
	for _, s := range schedulers[1:] {
		one := cell{scheduler: s, orchestrator: "off"}
		if s == "pi-dhfs" {
			compare(s, all.gain(fair, one), fair, one)
		} else {
			compare(s, all.fewer(fair, one), fair, one)
		}
		with := one
		with.orchestrator = "on"
		compare(s+"-orchestrator", all.loss(fair, one, orchestrated, with), orchestrated, with)
		with = one
		with.clusters = true
		compare(s+"-clusters", all.loss(fair, one, split, with), split, with)
	}
	both := split
	both.orchestrator = "on"
	compare("orchestrator-clusters", all.loss(fair, orchestrated, split, both), split, both)

	var rows [][]string
	plot := lab.Plot{Name: w.name, Title: w.title, Y: "mean job time (s)", Kind: lab.Bars}
	for _, clusters := range []bool{false, true} {
		for _, o := range []string{"off", "on"} {
			line := lab.Series{Name: strings.TrimPrefix(cell{"", o, clusters}.String(), " + ")}
			if line.Name == "" {
				line.Name = "one cluster"
			}
			for _, s := range schedulers {
				c := cell{s, o, clusters}
				time := lab.IntervalOf(all.each(c, jobTime))
				row := []string{c.String(), time.String(), lab.IntervalOf(all.each(c, missed)).String(),
					lab.IntervalOf(all.each(c, func(r *scenario.Run) float64 { return float64(r.Makespan) / 1000 })).String(),
					all.gain(fair, c).String()}
				if foreseen != nil {
					row = append(row, foreseen.gain(fair, c).String())
				}
				rows = append(rows, row)
				line.Labels, line.Y = append(line.Labels, s), append(line.Y, time.Mean)
			}
			plot.Series = append(plot.Series, line)
		}
	}
	head := []string{"systems", "mean job time (s)", "deadlines missed (%)", "makespan (s)", "gain over fair (%)"}
	if foreseen != nil {
		head = append(head, "simulated gain (%)")
	}
	r.AddTable(w.title, head, rows)
	r.AddPlot(plot)
}
