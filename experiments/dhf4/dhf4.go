// Package dhf4 repeats figure 5 of Dynamic Slot Allocation: how two pools move through the slots under PI-DHFS and PD-DHFS.
package dhf4

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/dhf"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/simmr"
	"github.com/howdah/howdah/scheduler"
)

// Experiment is DHF-4.
var Experiment = &lab.Experiment{
	ID: "DHF-4", Paper: dhf.Paper, Item: "Figure 5, section IV-C", BibTeX: dhf.BibTeX,
	Claim: "two pools first run 54 maps each; later, under PI-DHFS, pool 1's reduces have all reduce slots, pool 2's maps all map slots, and then pool 1's reduces the idle map slots too; " +
		"under PD-DHFS each pool has half of all slots, and then pool 2 what pool 1 leaves",
	Relation: "54 + 54 maps at first; then PI-DHFS 90 maps of pool 2 beside 18 reduces of pool 1, and more than 18 once pool 2's maps need fewer than 90 slots; PD-DHFS 54 + 54 across phases, " +
		"and more than 54 for pool 2 once pool 1 needs fewer",
	Sim:  sim,
	Real: real,
}

// works are the two jobs, each in a pool of its own: pool 1's maps end first and it has many reduces; pool 2 has many maps.
// scale divides all times.
func works(scale int64) []dhf.Work {
	return []dhf.Work{
		{Name: "one", Pool: "pool1", Maps: 400, Reduces: 400, MapTime: 10_000 / scale, Reduce: 20_000 / scale, SlowStart: 1},
		{Name: "two", Pool: "pool2", Maps: 1600, Reduces: 60, MapTime: 10_000 / scale, Reduce: 20_000 / scale, SlowStart: 1, Noise: 0.4},
	}
}

// step is what runs and waits of the two jobs at a moment. Arrays are indexed by job, then by type of task.
type step struct {
	running [2][2]int32
	left    [2][2]int32 // tasks that have not ended
}

// ready reports whether a job's reduces may run.
func (s *step) ready(j int) bool { return s.left[j][0] == 0 }

func (s *step) total(j int) int32 { return s.running[j][0] + s.running[j][1] }

// demand is how many slots a job could use.
func (s *step) demand(j int) int32 {
	if s.ready(j) {
		return s.left[j][1]
	}
	return s.left[j][0]
}

const interval = 10_000 // ms of a time step in figure 5

func sim(ctx context.Context, r *lab.Run) error {
	w := works(1)
	r.Knob("jobs", fmt.Sprintf("pool 1: %d maps, %d reduces; pool 2: %d maps, %d reduces; map 10 s, reduce 20 s, those of pool 2 lognormal with deviation 0.4 of the logarithm (the paper does not say which jobs it ran)", w[0].Maps, w[0].Reduces, w[1].Maps, w[1].Reduces))
	r.Knob("slow start", "1, which the figure implies")
	r.Knob("time step", "10 s, sampled 5 s after its beginning")
	for _, name := range []string{"pi-dhfs", "pd-dhfs"} {
		steps, err := flow(ctx, r, name, w)
		if err != nil {
			return err
		}
		show(r, name, interval, steps)
		check(r, name, steps, 0)
	}
	return nil
}

// flow samples a run in the middle of each time step.
func flow(ctx context.Context, r *lab.Run, policy string, w []dhf.Work) ([]step, error) {
	r.Executions++
	var steps []step
	c := dhf.Testbed()
	n := 0
	c.SampleEvery = interval / 2
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
	_, err := c.Run(ctx, simmr.Policy{Name: policy}, r.Seed, dhf.Trace(r.Seed, w...))
	return steps, err
}

// show makes the figure.
func show(r *lab.Run, policy string, ms int64, steps []step) {
	names := []string{"pool 1 maps", "pool 1 reduces", "pool 2 maps", "pool 2 reduces"}
	plot := lab.Plot{Name: "figure5-" + policy, Title: "Running tasks under " + policy, X: "time (s)", Y: "tasks", Kind: lab.Steps, Series: make([]lab.Series, 4)}
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

// phase collects the steps of a phase of the flow and how many are as they should be.
type phase struct {
	text      string
	n, fine   int
	low, high int32
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

// check goes through the steps. slack is how many tasks a step may be off, for runs in which slots are empty between tasks;
// there one job comes a moment before the other, so the first step with both does not count either.
// One step in ten may fall between two phases. Borrowed slots come back only as their tasks end, so the two steps after pool
// 1's maps do not count.
func check(r *lab.Run, policy string, steps []step, slack int32) {
	near := func(x, want int32) bool { return x >= want-slack && x <= want+slack }
	start := &phase{text: "both pools run 54 maps while both have that many"}
	var phases []*phase
	var look func(s *step)
	together := 0 // steps that both pools run maps
	since := 0    // steps that pool 1's reduces may run
	switch policy {
	case "pi-dhfs":
		full := &phase{text: "pool 1's reduces have the 18 reduce slots and pool 2's maps the 90 map slots while they need them"}
		more := &phase{text: "pool 1's reduces have more than 18 slots once pool 2's maps need fewer than 90"}
		phases = []*phase{start, full, more}
		look = func(s *step) {
			switch maps, reduces := s.left[1][0], s.left[0][1]; {
			case since > 2 && maps > 108 && reduces > 36:
				full.add(s.running[0][1], near(s.running[0][1], 18) && near(s.running[1][0], 90))
			case s.ready(0) && maps > 0 && maps < 90 && reduces > 108:
				more.add(s.running[0][1], s.running[0][1] > 18)
			}
		}
	default:
		half := &phase{text: "each pool has half of all slots while both need that many, pool 1 with reduces, pool 2 with maps"}
		more := &phase{text: "pool 2 has more than half once pool 1 needs less"}
		phases = []*phase{start, half, more}
		look = func(s *step) {
			switch {
			case since > 2 && s.left[1][0] > 108 && s.left[0][1] > 108:
				half.add(s.total(0), near(s.running[0][1], 54) && near(s.running[1][0], 54))
			case s.demand(0) < 40 && s.demand(1) > 108:
				more.add(s.total(1), s.total(1) > 54)
			}
		}
	}
	for i := range steps {
		s := &steps[i]
		if s.running[1][0] > 0 {
			together++
		}
		if (together > 1 || slack == 0) && s.left[0][0] > 108 && s.left[1][0] > 108 {
			start.add(s.running[0][0], near(s.running[0][0], 54) && near(s.running[1][0], 54))
		}
		if s.ready(0) {
			since++
		}
		look(s)
	}
	for _, p := range phases {
		r.Check(policy+": "+p.text, p.n > 0 && 10*p.fine >= 9*p.n, "%d of %d steps; %d to %d tasks", p.fine, p.n, p.low, p.high)
	}
}
