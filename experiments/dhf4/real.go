package dhf4

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/howdah/howdah/experiments/dhf"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/simmr"
	"github.com/howdah/howdah/job"
)

// real runs both jobs at once on a minicluster with sleep tasks and reads the flow off their attempts.
func real(ctx context.Context, r *lab.Run) error {
	scale := int64(5)
	if r.Quick {
		scale = 10
	}
	w := works(scale)
	r.Knob("task time", fmt.Sprintf("a %dth of those in the simulator; tasks sleep inside the TaskTrackers", scale))
	for _, name := range []string{"pi-dhfs", "pd-dhfs"} {
		jobs, err := both(ctx, r, name, w)
		if err != nil {
			return err
		}
		steps := flowOf(jobs, w, interval/scale)
		show(r, name, interval/scale, steps)
		check(r, name, steps, 6) // slots are empty for a moment between two tasks
	}
	return nil
}

// both runs the two jobs at the same time.
func both(ctx context.Context, r *lab.Run, policy string, w []dhf.Work) ([]*lab.Job, error) {
	c, err := dhf.StartCluster(ctx, r, simmr.Policy{Name: policy})
	if err != nil {
		return nil, err
	}
	defer c.Stop()
	jobs, errs := make([]*lab.Job, len(w)), make([]error, len(w))
	var all sync.WaitGroup
	for i := range w {
		all.Go(func() { jobs[i], errs[i] = dhf.RunJob(ctx, c, r.Seed+uint64(i), w[i]) })
	}
	all.Wait()
	return jobs, errors.Join(errs...)
}

// flowOf tells what ran in the middle of each time step.
func flowOf(jobs []*lab.Job, w []dhf.Work, ms int64) (steps []step) {
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
				k := job.Map
				if a.Type == job.Reduce.String() {
					k = job.Reduce
				}
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
