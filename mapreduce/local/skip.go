package local

import (
	"context"
	"errors"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/skip"
	"github.com/howdah/howdah/task"
)

// skipping contains the settings of a task type for skipping bad records. On a cluster, the
// JobTracker applies them.
type skipping struct {
	most     int64 // maximum number of records or groups to lose around a bad one; 0 = no skipping
	after    int   // number of failed attempts before skipping mode
	attempts int   // maximum number of attempts of a task
}

func readSkipping(c *conf.Config, t job.TaskType) (s skipping, err error) {
	most, attempts := &conf.MapSkipMaxRecords, &conf.MapMaxAttempts
	if t == job.Reduce {
		most, attempts = &conf.ReduceSkipMaxGroups, &conf.ReduceMaxAttempts
	}
	if s.most, err = most.Get(c); err != nil {
		return s, err
	}
	after, err := conf.TaskSkipStartAttempts.Get(c)
	if err != nil {
		return s, err
	}
	n, err := attempts.Get(c)
	s.after, s.attempts = int(after), int(n)
	return s, err
}

var errLastTest = errors.New("its last attempt only tested which records to skip; raise the number of " +
	"attempts")

// task runs task i of type t in a slot. If the job can skip bad records, it retries until an attempt succeeds
// or too many attempts have failed.
func (r *run) task(ctx context.Context, t job.TaskType, i, slot int) (job.AttemptID, *task.Outcome, error) {
	s, known := r.skips[t], skip.State{}
	for failures := 0; ; failures++ {
		var plan *skip.Plan
		if s.most > 0 && failures > 0 && failures >= s.after {
			p := known.Plan()
			plan = &p
		}
		var inHand job.Range
		id, out, err := r.once(ctx, t, i, failures, slot, plan, func(x job.Range) { inHand = x })
		test := plan != nil && plan.Test
		switch {
		case err == nil && !test || s.most == 0 || ctx.Err() != nil:
			return id, out, err
		case err == nil:
			known.Passed(s.most)
			err = failure.New(failure.User, "run", id.TaskID.String(), errLastTest)
		case plan != nil:
			known.Failed(inHand, s.most)
		}
		if failures+1 >= s.attempts {
			return id, nil, err
		}
	}
}
