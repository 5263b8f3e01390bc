// Package ra1 is the motivating example of the Reverse-Adaptive scheduler's paper: three equal jobs and a front-end.
package ra1

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/ra"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/simulator/tasklevel"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// Experiment is RA-1.
var Experiment = &lab.Experiment{
	ID: "RA-1", Paper: ra.Paper, Item: "Figures 1 and 2 (motivating example)", BibTeX: ra.BibTeX,
	Claim: "Of three identical jobs with deadlines of 6.5, 15 and 23.1 h Adaptive misses the first two, because it gives tasks of all three nodes from the beginning; " +
		"Reverse-Adaptive, which knows f(t), meets all three and starts a few tasks of J3 only around hour 4.",
	Relation: "Reverse-Adaptive misses 0 of 3, Adaptive at least 1; Reverse-Adaptive gives J3 less than 5% of slot time before hour 4",
	Sim:      simulate,
	Real:     real,
}

const (
	hour = 3_600_000
	// size is the work of a job in hours of the whole cluster: three of them are 97% of what f(t) leaves until the last deadline,
	// so that, as in the paper, J2 needs nodes before J1's deadline.
	size = 4.1
	// early is until when J3 should wait.
	early = 4 * hour
)

var deadlines = []float64{6.5, 15, 23.1} // h

// front is the f(t) of Figure 1: a front-end that needs most at hour 18. The paper's trace was not published.
var front = generate.Availability{Mean: 0.55, Amplitude: 0.35}

// settings of the policies. The buffer covers what tasks that cannot be split waste at the deadlines.
var settings = map[string]string{"howdah.adaptive.cycle": "30000", "howdah.adaptive.capacity.buffer": "5"}

const (
	nodes    = 100
	taskTime = 600_000 // ms
)

func jobs() *trace.Trace {
	t := &trace.Trace{Name: "three equal jobs", Origin: "generated"}
	for i, d := range deadlines {
		j := &trace.Job{ID: fmt.Sprintf("J%d", i+1), Name: "equal", State: job.Succeeded, Deadline: int64(d * hour)}
		for range int(size * hour / taskTime * nodes) {
			j.Maps = append(j.Maps, trace.Map{Time: taskTime})
		}
		t.Jobs = append(t.Jobs, j)
	}
	return t
}

// outcome is one execution.
type outcome struct {
	finish [3]float64 // h
	missed int
	// share is each job's part of the slot time before early.
	share [3]float64
	hours []float64
	slots [4][]float64 // of each job, and what f(t) leaves
}

func simulate(ctx context.Context, r *lab.Run) error {
	r.Knob("f(t)", fmt.Sprintf("available: mean %g, amplitude %g, least at hour 18", front.Mean, front.Amplitude))
	r.Knob("work of a job", fmt.Sprintf("%g h of the whole cluster, tasks of %d s", size, taskTime/1000))
	for _, k := range []string{"howdah.adaptive.cycle", "howdah.adaptive.capacity.buffer"} {
		r.Knob(k, settings[k])
	}
	var rows [][]string
	found := map[string]*outcome{}
	for _, p := range []string{"adaptive", "reverse-adaptive", "minmiss", "fifo"} {
		o, err := execute(ctx, p)
		if err != nil {
			return err
		}
		r.Executions++
		found[p] = o
		rows = append(rows, row(p, o))
		draw(r, p, o)
	}
	r.AddTable("jobs", head, rows)
	check(r, found)
	return nil
}

var head = []string{"policy", "J1 ends (6.5 h)", "J2 ends (15 h)", "J3 ends (23.1 h)", "missed", "J3's slot time before hour 4 (%)"}

// check is the paper's relation.
func check(r *lab.Run, found map[string]*outcome) {
	a, b := found["adaptive"], found["reverse-adaptive"]
	r.Check("Adaptive misses at least one of three", a.missed >= 1, "%d missed: ends %.2f, %.2f, %.2f h", a.missed, a.finish[0], a.finish[1], a.finish[2])
	r.Check("Reverse-Adaptive misses none", b.missed == 0, "%d missed: ends %.2f, %.2f, %.2f h", b.missed, b.finish[0], b.finish[1], b.finish[2])
	r.Check("Reverse-Adaptive gives J3 less than 5% of the slot time before hour 4", b.share[2] < 0.05, "%.1f%%; Adaptive %.1f%%", 100*b.share[2], 100*a.share[2])
}

func hours(h float64) string { return fmt.Sprintf("%.2f h", h) }

// execute runs the example under a policy; it is the same every time, as nothing in it is random.
func execute(ctx context.Context, policy string) (*outcome, error) {
	p, err := ra.Policy(policy, settings, front)
	if err != nil {
		return nil, err
	}
	o := &outcome{}
	const every = hour / 60
	total := 0.0
	c := tasklevel.Config{Slots: [2]int32{nodes, 1}, Scheduler: policy, Policy: p, Capacity: ra.Changes(front, nodes, 2), SampleEvery: every}
	minute := 0
	c.Sample = func(v scheduler.View) {
		o.hours = append(o.hours, float64(minute)/60)
		for i := range 3 {
			n := 0.0
			if j := v.Job(int32(i + 1)); j != nil {
				n = float64(j.Running[job.Map])
			}
			o.slots[i] = append(o.slots[i], n)
			if minute*every < early {
				o.share[i] += n
				total += n
			}
		}
		o.slots[3] = append(o.slots[3], float64(v.Cluster().Slots[job.Map]))
		minute++
	}
	result, err := tasklevel.Run(ctx, c, jobs().Source())
	if err != nil {
		return nil, err
	}
	for i := range o.share {
		o.share[i] /= max(1, total)
	}
	for i := range result.Jobs {
		j := &result.Jobs[i]
		o.finish[j.Seq-1] = float64(j.Finish) / hour
		if j.Missed() {
			o.missed++
		}
	}
	return o, nil
}

// draw is the paper's figure: nodes of each job over time below f(t).
func draw(r *lab.Run, policy string, o *outcome) {
	p := lab.Plot{Name: policy, Title: "Nodes over time, " + policy, X: "hour", Y: "nodes", Kind: lab.Steps}
	for i, name := range []string{"J1", "J2", "J3", "f(t)"} {
		p.Series = append(p.Series, lab.Series{Name: name, X: o.hours, Y: o.slots[i]})
	}
	r.AddPlot(p)
}
