package dhf

import (
	"context"
	"fmt"
	"os"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job"
)

// dhf4Real runs a ninth of each of two jobs at the same time, with the real programs, and derives the
// flow from their attempts.
func dhf4Real(ctx context.Context, r *lab.Run) error {
	const (
		repeat   = 5
		interval = 500 // length of a time step in ms
		slack    = 1   // in tasks; slots are briefly empty between two tasks
	)
	w := []Work{
		ninth(Work{Row: Row{"sort", 128, 400, 400}, Name: "one", Pool: "pool1", SlowStart: 1}),
		ninth(Work{Row: Row{"wordcount", 64, 900, 60}, Name: "two", Pool: "pool2", SlowStart: 1}),
	}
	small.knobs(r)
	r.Knob("jobs", "in pool 1, sort with 400 maps of 128 MB and 400 reduces; in pool 2, wordcount with 900 maps of 64 MB "+
		"and 60 reduces (the paper does not describe its jobs)")
	r.Knob("scale", ninthText)
	r.Knob("time step", fmt.Sprintf("%d ms, about a task's time; task counts may be off by %d, because slots are briefly "+
		"empty between two tasks; the first relation omits the first step in which pool 2 runs maps and all earlier "+
		"steps; %s", interval, slack, afterMaps))
	r.Knob("repetitions", repeat)
	dir, err := small.write(r, w...)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	policies := []lab.Policy{{Name: "pi-dhfs"}, {Name: "pd-dhfs"}}
	runs, err := small.repeat(ctx, r, dir, policies, repeat, w...)
	if err != nil {
		return err
	}
	for p, policy := range policies {
		var shares [3][]float64
		var sum [3]phase
		for n, jobs := range runs[p] {
			steps := flowOf(jobs, w, interval)
			if n == 0 {
				dhf4Show(r, policy.Name, interval, steps)
			}
			for i, x := range dhf4Phases(policy.Name, small.total(), steps, slack) {
				shares[i] = append(shares[i], x.share())
				sum[i].id, sum[i].n, sum[i].fine = x.id, sum[i].n+x.n, sum[i].fine+x.fine
			}
		}
		for i := range sum {
			r.Compare(sum[i].id, lab.IntervalOf(shares[i]), "%d of %d steps in %d runs", sum[i].fine, sum[i].n, repeat)
		}
	}
	return nil
}

// flowOf divides a run into time steps of ms milliseconds each, and returns the state of the jobs
// in the middle of each step.
func flowOf(jobs []*lab.Job, w []Work, ms int64) (steps []step) {
	first, last := jobs[0].Submit, int64(0)
	for _, j := range jobs {
		first = min(first, j.Submit)
		for i := range j.Attempts {
			last = max(last, j.Attempts[i].Finish)
		}
	}
	for at := first + ms/2; at < last; at += ms {
		var s step
		for n, j := range jobs {
			s.left[n] = [2]int32{int32(w[n].Maps), int32(w[n].Reduces)}
			for i := range j.Attempts {
				a := &j.Attempts[i]
				k := typeOf(a)
				switch {
				case a.Finish <= at && a.State == job.AttemptSucceeded.String():
					s.left[n][k]--
				case a.Start <= at && at < a.Finish:
					s.running[n][k]++
				}
			}
		}
		steps = append(steps, s)
	}
	return steps
}
