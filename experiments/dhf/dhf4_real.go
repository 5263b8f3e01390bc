package dhf

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job"
)

const slack = 6 // in tasks; slots are briefly empty between two tasks

// dhf4Real runs both jobs at the same time on a minicluster with sleep tasks and derives the flow
// from their attempts.
func dhf4Real(ctx context.Context, r *lab.Run) error {
	scale := int64(5)
	if r.Quick {
		scale = 10
	}
	w := dhf4Works(scale)
	r.Knob("times", fmt.Sprintf("1/%d of those in the simulator; tasks sleep inside the TaskTrackers", scale))
	r.Knob("time step", fmt.Sprintf("%d s; task counts may be off by %d, because slots are briefly empty between "+
		"two tasks; the first relation omits the first step in which pool 2 runs maps and all earlier steps; %s",
		dhf4Interval/scale/1000, slack, afterMaps))
	for _, name := range []string{"pi-dhfs", "pd-dhfs"} {
		jobs, err := both(ctx, r, name, w)
		if err != nil {
			return err
		}
		steps := flowOf(jobs, w, dhf4Interval/scale)
		dhf4Show(r, name, dhf4Interval/scale, steps)
		dhf4Check(r, name, steps, slack)
	}
	return nil
}

// both runs the two jobs at the same time on a new cluster.
func both(ctx context.Context, r *lab.Run, policy string, w []Work) ([]*lab.Job, error) {
	c, err := StartCluster(ctx, r, lab.Policy{Name: policy})
	if err != nil {
		return nil, err
	}
	defer c.Stop()
	jobs, errs := make([]*lab.Job, len(w)), make([]error, len(w))
	var all sync.WaitGroup
	for i := range w {
		all.Go(func() { jobs[i], errs[i] = RunJob(ctx, c, r.Seed+uint64(i), w[i]) })
	}
	all.Wait()
	return jobs, errors.Join(errs...)
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
