package dhf

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
)

// points lists five pairs of PecM and PecR.
var points = [][2]int{{0, 0}, {0, 100}, {50, 0}, {100, 0}, {100, 100}}

// dhf5Real runs sort's 320 maps and 200 reduces on a minicluster with sleep tasks, at five points
// with tR/tM = 0.5.
func dhf5Real(ctx context.Context, r *lab.Run) error {
	task := int64(2000)
	if r.Quick {
		task = 1000
	}
	w := sort(0.5, 0.2)
	w.MapTime, w.Reduce = task, task/2
	r.Knob("task time", fmt.Sprintf("%d ms for maps and half of that for reduces, lognormal with sigma 0.2; all runs "+
		"use the same times; tasks sleep inside the TaskTrackers", task))
	var spans []float64
	var rows [][]string
	for _, p := range points {
		j, err := once(ctx, r, lab.Policy{Name: "pi-dhfs", Set: percentages(p[0], p[1])}, w)
		if err != nil {
			return err
		}
		spans = append(spans, Span(j))
		rows = append(rows, []string{fmt.Sprint(p[0]), fmt.Sprint(p[1]), Seconds(Span(j)),
			fmt.Sprintf("%.3f", spans[0]/Span(j)), fmt.Sprint(Borrowed(j))})
	}
	r.AddTable("figure6", []string{"PecM", "PecR", "time (s)", "T0/T1", "tasks in borrowed slots"}, rows)
	gain := func(from, to int) float64 { return 100 * (spans[from]/spans[to] - 1) }
	r.Compare("monotone", r.Value(min(gain(0, 2), gain(2, 3))), "PecM 0, 50, 100: %s, %s, %s s", Seconds(spans[0]),
		Seconds(spans[2]), Seconds(spans[3]))
	r.Compare("pecm", r.Value(gain(0, 3)), "PecR = 0")
	r.Compare("pecm-pecr", r.Value(gain(0, 3)/gain(0, 1)), "PecM %+.0f%%, PecR %+.0f%%", gain(0, 3), gain(0, 1))
	r.Compare("both", r.Value(min(gain(1, 4), gain(3, 4))), "%s s with both", Seconds(spans[4]))
	return nil
}

// once runs the job alone on its own cluster.
func once(ctx context.Context, r *lab.Run, p lab.Policy, w Work) (*lab.Job, error) {
	c, err := StartCluster(ctx, r, p)
	if err != nil {
		return nil, err
	}
	defer c.Stop()
	return RunJob(ctx, c, r.Seed, w)
}
