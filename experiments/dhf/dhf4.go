package dhf

import (
	"context"
	"fmt"
	"strings"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/scheduler"
)

// dhf4 reproduces figure 5 of Dynamic Slot Allocation, which shows the number of running tasks of
// two pools over time under PI-DHFS and PD-DHFS.
var dhf4 = &lab.Experiment{
	ID: "DHF-4", Paper: Paper, BibTeX: BibTeX, Sim: dhf4Sim, Real: dhf4Real,
}

// dhf4Works returns the two jobs, each in its own pool. Pool 1 has many reduces, and its maps end
// first. Pool 2 has many maps.
func dhf4Works() []Work {
	return []Work{
		{Name: "one", Pool: "pool1", Row: Row{Maps: 400, Reduces: 400}, MapTime: 10_000, Reduce: 20_000, SlowStart: 1},
		{Name: "two", Pool: "pool2", Row: Row{Maps: 1600, Reduces: 60}, MapTime: 10_000, Reduce: 20_000, SlowStart: 1,
			Noise: 0.4},
	}
}

// step holds the numbers of running and unfinished tasks of both jobs at one time. Arrays are indexed
// by job, then by task type.
type step struct {
	running [2][2]int32
	left    [2][2]int32 // tasks that have not ended
}

// ready reports whether all maps of job j have ended, so that its reduces can run.
func (s *step) ready(j int) bool { return s.left[j][0] == 0 }

func (s *step) total(j int) int32 { return s.running[j][0] + s.running[j][1] }

// demand returns the number of slots that job j can use.
func (s *step) demand(j int) int32 {
	if s.ready(j) {
		return s.left[j][1]
	}
	return s.left[j][0]
}

// afterMaps explains which steps dhf4Phases omits under both policies.
const afterMaps = "the second relation of each policy omits the first two steps after pool 1's maps have ended, " +
	"because slots change pools only when tasks end"

const dhf4Interval = 10_000 // length of a time step in figure 5, in ms

func dhf4Sim(ctx context.Context, r *lab.Run) error {
	w := dhf4Works()
	r.Knob("jobs", fmt.Sprintf("%d maps and %d reduces in pool 1, and %d maps and %d reduces in pool 2; maps take 10 s "+
		"and reduces 20 s; in pool 2, the times are lognormal with sigma 0.4 (the paper does not describe its "+
		"jobs)", w[0].Maps,
		w[0].Reduces, w[1].Maps, w[1].Reduces))
	r.Knob("slow start", "1, which the figure implies")
	r.Knob("time step", "10 s, with a sample 5 s after its start; "+afterMaps)
	for _, name := range []string{"pi-dhfs", "pd-dhfs"} {
		steps, err := flow(ctx, r, name, w)
		if err != nil {
			return err
		}
		dhf4Show(r, name, dhf4Interval, steps)
		for _, p := range dhf4Phases(name, Testbed().Total(), steps, 0) {
			r.Compare(p.id, lab.Exact(p.share()), "%d of %d steps; %s tasks", p.fine, p.n, lab.Span("%d", p.low, p.high))
		}
	}
	return nil
}

// flow simulates the jobs under a policy and samples the run in the middle of each time step.
func flow(ctx context.Context, r *lab.Run, policy string, w []Work) ([]step, error) {
	r.Executions++
	var steps []step
	c := Testbed()
	n := 0
	c.SampleEvery = dhf4Interval / 2
	c.Sample = func(v scheduler.View) {
		if n++; n%2 != 0 {
			return
		}
		var s step
		for i := range 2 {
			if j := v.Job(int32(i + 1)); j != nil {
				s.running[i] = j.Running
				for k := range s.left[i] {
					s.left[i][k] = j.Tasks[k] - j.Finished[k]
				}
			}
		}
		steps = append(steps, s)
	}
	_, err := c.Run(ctx, lab.Policy{Name: policy}, r.Seed, Trace(r.Seed, w...))
	return steps, err
}

// dhf4Show adds the figure to the results. ms is the length of a time step.
func dhf4Show(r *lab.Run, policy string, ms int64, steps []step) {
	names := []string{"pool 1 maps", "pool 1 reduces", "pool 2 maps", "pool 2 reduces"}
	plot := lab.Plot{Name: "figure5-" + policy, Title: "Running tasks under " + strings.ToUpper(policy), X: "time (s)",
		Y:    "tasks",
		Kind: lab.Steps, Nested: true, Series: make([]lab.Series, 4)}
	var rows [][]string
	for i := range steps {
		row := []string{fmt.Sprint(i + 1)}
		for n := range names {
			x := steps[i].running[n/2][n%2]
			row = append(row, fmt.Sprint(x))
			s := &plot.Series[n]
			s.Name, s.X, s.Y = names[n], append(s.X, float64(int64(i)*ms)/1000), append(s.Y, float64(x))
		}
		rows = append(rows, row)
	}
	r.AddTable("figure5-"+policy, append([]string{"step"}, names...), rows)
	r.AddPlot(plot)
}

// phase summarizes the steps in one phase of the run.
type phase struct {
	id        string
	n, fine   int   // number of all steps, and number of correct steps
	low, high int32 // smallest and largest value
}

func (p *phase) add(x int32, fine bool) {
	if p.n == 0 {
		p.low, p.high = x, x
	}
	p.low, p.high = min(p.low, x), max(p.high, x)
	if p.n++; fine {
		p.fine++
	}
}

// share returns the share of correct steps in percent.
func (p *phase) share() float64 { return 100 * float64(p.fine) / float64(max(1, p.n)) }

// dhf4Phases compares steps with the paper. slots contains the cluster's numbers of slots. slack is the
// number of tasks by which a step may be off. It is not 0 for runs in which slots are briefly empty
// between tasks. In such runs, the first step in which pool 2 runs maps does not count toward the first
// phase, because one job arrives slightly before the other.
//
// A step can fall between two phases, so not all steps agree. Borrowed slots return only when their
// tasks end. Therefore, the first two steps after pool 1's maps have ended do not
// count toward the second phase.
func dhf4Phases(policy string, slots [2]int32, steps []step, slack int32) []*phase {
	near := func(x, want int32) bool { return x >= want-slack && x <= want+slack }
	all := slots[0] + slots[1]
	half := all / 2
	start := &phase{id: policy + "-start"}
	var phases []*phase
	var look func(s *step)
	together := 0 // number of steps so far in which pool 2 ran maps
	since := 0    // steps in which pool 1's reduces could run
	more := &phase{id: policy + "-more"}
	switch policy {
	case "pi-dhfs":
		full := &phase{id: policy + "-full"}
		phases = []*phase{start, full, more}
		look = func(s *step) {
			switch maps, reduces := s.left[1][0], s.left[0][1]; {
			case since > 2 && maps > all && reduces > 2*slots[1]:
				full.add(s.running[0][1], near(s.running[0][1], slots[1]) && near(s.running[1][0], slots[0]))
			case s.ready(0) && maps > 0 && maps < slots[0] && reduces > all:
				more.add(s.running[0][1], s.running[0][1] > slots[1])
			}
		}
	default:
		equal := &phase{id: policy + "-half"}
		phases = []*phase{start, equal, more}
		look = func(s *step) {
			switch {
			case since > 2 && s.left[1][0] > all && s.left[0][1] > all:
				equal.add(s.total(0), near(s.running[0][1], half) && near(s.running[1][0], half))
			case s.demand(0) < half*3/4 && s.demand(1) > all:
				more.add(s.total(1), s.total(1) > half)
			}
		}
	}
	for i := range steps {
		s := &steps[i]
		if s.running[1][0] > 0 {
			together++
		}
		if (together > 1 || slack == 0) && s.left[0][0] > all && s.left[1][0] > all {
			start.add(s.running[0][0], near(s.running[0][0], half) && near(s.running[1][0], half))
		}
		if s.ready(0) {
			since++
		}
		look(s)
	}
	return phases
}
