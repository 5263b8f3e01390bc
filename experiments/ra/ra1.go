package ra

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/simulator/tasklevel"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// ra1 is the motivating example from the Reverse-Adaptive paper: three identical jobs share a
// cluster with a front-end.
var ra1 = &lab.Experiment{
	ID: "RA-1", Paper: Paper, BibTeX: BibTeX, Sim: ra1Simulate, Real: ra1Real,
}

const (
	ra1Hour = 3_600_000 // ms
	// size is the work per job, in hours of the whole cluster. The three jobs use 97% of the
	// capacity that f(t) leaves until the last deadline. J2 therefore needs nodes before J1's
	// deadline, as in the paper.
	size = 4.1
	// early is a time in ms. J3 should run hardly any tasks before this time.
	early = 4 * ra1Hour
)

var deadlines = []float64{6.5, 15, 23.1} // h

// front approximates the f(t) in Figure 1, whose trace is not public. The front-end needs the most
// nodes at hour 18.
var front = generate.Availability{Mean: 0.55, Amplitude: 0.35}

// settings configures the policies. The capacity buffer, in percent, makes up for the capacity that
// is wasted at the deadlines because tasks are indivisible.
var settings = map[string]string{"howdah.adaptive.cycle": "30000", "howdah.adaptive.capacity.buffer": "5"}

const (
	nodes    = 100
	taskTime = 600_000 // ms
)

func jobs() *trace.Trace {
	t := &trace.Trace{Name: "three equal jobs", Origin: "generated"}
	for i, d := range deadlines {
		j := &trace.Job{ID: fmt.Sprintf("J%d", i+1), Name: "equal", State: job.Succeeded, Deadline: int64(d * ra1Hour)}
		for range int(size * ra1Hour / taskTime * nodes) {
			j.Maps = append(j.Maps, trace.Map{Time: taskTime})
		}
		t.Jobs = append(t.Jobs, j)
	}
	return t
}

type ra1Outcome struct {
	finish [3]float64 // h
	missed int        // number of missed deadlines
	// share is each job's fraction of the slot time that all jobs use before early.
	share [3]float64
	hours []float64    // times of the samples
	slots [4][]float64 // slots of each job, and slots that f(t) leaves for all jobs, by sample
}

func ra1Simulate(ctx context.Context, r *lab.Run) error {
	r.Knob("f(t)", fmt.Sprintf("available capacity, with mean %g, amplitude %g, and minimum at hour 18", front.Mean,
		front.Amplitude))
	r.Knob("work per job", fmt.Sprintf("%g h of the whole cluster, in tasks of %d s", size, taskTime/1000))
	for _, k := range []string{"howdah.adaptive.cycle", "howdah.adaptive.capacity.buffer"} {
		r.Knob(k, settings[k])
	}
	var rows [][]string
	found := map[string]*ra1Outcome{}
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
	r.AddTable("jobs", ra1Head, rows)
	ra1Check(r, found)
	return nil
}

var ra1Head = []string{"policy", "J1 ends (deadline 6.5 h)", "J2 ends (deadline 15 h)",
	"J3 ends (deadline 23.1 h)", "missed",
	"J3's slot time before hour 4 (%)"}

func ra1Check(r *lab.Run, found map[string]*ra1Outcome) {
	a, b := found["adaptive"], found["reverse-adaptive"]
	ends := func(o *ra1Outcome) string {
		return fmt.Sprintf("the jobs end at %.2f, %.2f, and %.2f h", o.finish[0], o.finish[1], o.finish[2])
	}
	r.Compare("adaptive", r.Value(float64(a.missed)), "%s", ends(a))
	r.Compare("reverse", r.Value(float64(b.missed)), "%s", ends(b))
	r.Compare("early", r.Value(100*b.share[2]), "Adaptive %.1f%%", 100*a.share[2])
}

func hours(h float64) string { return fmt.Sprintf("%.2f h", h) }

// execute simulates the example under a policy. The result is deterministic.
func execute(ctx context.Context, policy string) (*ra1Outcome, error) {
	p, err := Policy(policy, settings, front)
	if err != nil {
		return nil, err
	}
	o := &ra1Outcome{}
	const every = ra1Hour / 60
	total := 0.0
	c := tasklevel.Config{Slots: [2]int32{nodes, 1}, Scheduler: policy, Policy: p, Capacity: Changes(front, nodes, 2),
		SampleEvery: every}
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
		o.finish[j.Seq-1] = float64(j.Finish) / ra1Hour
		if j.Missed() {
			o.missed++
		}
	}
	return o, nil
}

// draw adds the paper's figure, which shows each job's nodes over time, below f(t).
func draw(r *lab.Run, policy string, o *ra1Outcome) {
	p := lab.Plot{Name: policy, Title: "Nodes over time, " + policy, X: "hour", Y: "nodes", Kind: lab.Steps}
	for i, name := range []string{"J1", "J2", "J3", "f(t)"} {
		p.Series = append(p.Series, lab.Series{Name: name, X: o.hours, Y: o.slots[i]})
	}
	r.AddPlot(p)
}
