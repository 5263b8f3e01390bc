package dhf

import (
	"context"
	"os"

	"github.com/howdah/howdah/experiments/lab"
)

// dhf5Real runs a ninth of J2 alone at eight points of the figure, with the real program.
func dhf5Real(ctx context.Context, r *lab.Run) error {
	const repeat = 4
	w := ninths(2)[1]
	small.knobs(r)
	dhf5Knobs(r)
	r.Knob("jobs", ninthText)
	r.Knob("repetitions", repeat)
	dir, err := small.write(r, w)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	steps := []int{0, 50, 100}
	t, err := sweep(steps, func(policies []lab.Policy) (Times, error) {
		runs, err := small.repeat(ctx, r, dir, policies, repeat, w)
		return timesOf(runs), err
	})
	if err != nil {
		return err
	}
	dhf5Report(r, steps, t)
	return nil
}
