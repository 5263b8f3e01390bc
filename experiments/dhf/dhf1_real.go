package dhf

import (
	"context"
	"fmt"
	"math"

	"github.com/howdah/howdah/experiments/lab"
)

// dhf1Real runs J1 to J3 on a minicluster with sleep tasks. A reduce takes as long as a map (tR =
// tM), and all times are shorter than in the simulator.
func dhf1Real(ctx context.Context, r *lab.Run) error {
	task := int64(3000)
	if r.Quick {
		task = 2000
	}
	r.Knob("task time", fmt.Sprintf("%d ms for all tasks, which sleep inside the TaskTrackers", task))
	spans := make([][]float64, len(Policies))
	borrowed := make([][]int, len(Policies))
	for p, policy := range Policies {
		c, err := StartCluster(ctx, r, policy)
		if err != nil {
			return err
		}
		for _, w := range dhf1Works(task) {
			j, err := RunJob(ctx, c, r.Seed, w)
			if err != nil {
				c.Stop()
				return err
			}
			spans[p], borrowed[p] = append(spans[p], Span(j)), append(borrowed[p], Borrowed(j))
		}
		c.Stop()
	}
	dhf1Compare(r, dhf1Works(task), spans, borrowed)
	return nil
}

func dhf1Works(task int64) []Work {
	w := dhf1Jobs(1, 0)
	for i := range w {
		w[i].MapTime, w[i].Reduce = task, task
	}
	return w
}

func dhf1Compare(r *lab.Run, w []Work, spans [][]float64, borrowed [][]int) {
	slots := Testbed().Total()
	var rows [][]string
	var off, apart float64
	unborrowed, borrows := 0, math.MaxInt
	for i := range w {
		fixed, dynamic := w[i].Waves(slots, false), w[i].Waves(slots, true)
		fair, pi, pd := spans[0][i], spans[1][i], spans[2][i]
		off = max(off, math.Abs(fair/fixed-1), math.Abs(pi/dynamic-1), math.Abs(pd/dynamic-1))
		apart = max(apart, math.Abs(pi/pd-1))
		unborrowed, borrows = max(unborrowed, borrowed[0][i]), min(borrows, borrowed[1][i], borrowed[2][i])
		name := w[i].Name
		r.Compare("faster-"+name, r.Value(100*(fair/max(pi, pd)-1)), "T0/T1: PI %.3f, PD %.3f", fair/pi, fair/pd)
		rows = append(rows, []string{name, Seconds(fair), Seconds(fixed), Seconds(pi), Seconds(pd), Seconds(dynamic),
			Percent(fair / pi), "32-55%"})
	}
	r.AddTable("figure4a", []string{"job", "fair (s)", "closed form, fair", "pi-dhfs", "pd-dhfs",
		"closed form, dynamic", "PI gain", "paper"}, rows)
	r.Compare("closed-form", r.Value(100*off), "%d jobs under three policies", len(w))
	r.Compare("same", r.Value(100*apart), "the largest difference of %d jobs", len(w))
	r.Compare("borrows-not", r.Value(float64(unborrowed)), "the most of %d jobs", len(w))
	r.Compare("borrows", r.Value(float64(borrows)), "the fewest of %d jobs under both policies", len(w))
}
