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

// skipping is how tasks of one type do without their bad records, as the JobTracker would have them do.
type skipping struct {
	most     int64 // records that may be lost around a bad one; 0 = nothing is skipped
	after    int   // failed attempts before skipping mode
	attempts int   // that a task has in all
}

func readSkipping(c *conf.Config, t job.TaskType) (s skipping, err error) {
	most, attempts := "mapreduce.map.skip.maxrecords", "mapreduce.map.maxattempts"
	if t == job.Reduce {
		most, attempts = "mapreduce.reduce.skip.maxgroups", "mapreduce.reduce.maxattempts"
	}
	if s.most, err = c.Int(most, 0, 0, 1<<62); err != nil {
		return s, err
	}
	after, err := c.Int("mapreduce.task.skip.start.attempts", 2, 0, 100)
	if err != nil {
		return s, err
	}
	n, err := c.Int(attempts, 4, 1, 1000)
	s.after, s.attempts = int(after), int(n)
	return s, err
}

var errLastTest = errors.New("its last attempt was a test of skipping; raise the number of attempts")

// task runs one task: once, or, where bad records may be skipped, until an attempt gets through or there were too many.
func (r *run) task(ctx context.Context, t job.TaskType, i int) (job.AttemptID, *task.Outcome, error) {
	s, known := r.skips[t], skip.State{}
	for failures := 0; ; failures++ {
		var plan *skip.Plan
		if s.most > 0 && failures > 0 && failures >= s.after {
			p := known.Plan()
			plan = &p
		}
		var inHand job.Range
		id, out, err := r.once(ctx, t, i, failures, plan, func(x job.Range) { inHand = x })
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
