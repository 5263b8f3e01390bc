package status

import (
	"fmt"
	"time"
)

// NoDeadline is the text that removes a job's deadline.
const NoDeadline = "none"

// Slack returns the time between the job's actual or predicted end and its deadline, in
// milliseconds. A negative value means that the job is, or will be, late. known is false for a job
// without a deadline, or without an actual or predicted end.
func (j *Job) Slack() (ms int64, known bool) {
	end := j.FinishMs
	if end == 0 {
		end = j.PredictedFinishMs
	}
	return j.DeadlineMs - end, j.DeadlineMs != 0 && end != 0
}

// Missed reports whether the job ended after its deadline. For an unfinished job, it reports
// whether the deadline has passed.
func (j *Job) Missed(now time.Time) bool {
	end := j.FinishMs
	if end == 0 {
		end = now.UnixMilli()
	}
	return j.DeadlineMs != 0 && end > j.DeadlineMs
}

// DeadlineText returns a text that compares the job's end with its deadline, such as "slack 1m30s"
// or "missed by 2s". The job must have a deadline.
func (j *Job) DeadlineText(now time.Time) string {
	slack, known := j.Slack()
	span := func(ms int64) time.Duration { return (time.Duration(ms) * time.Millisecond).Round(time.Second) }
	switch {
	case j.FinishMs != 0 && slack < 0:
		return fmt.Sprintf("missed by %v", span(-slack))
	case j.FinishMs != 0:
		return fmt.Sprintf("met with %v to spare", span(slack))
	case j.Missed(now):
		return fmt.Sprintf("missed, %v ago", span(now.UnixMilli()-j.DeadlineMs))
	case !known:
		return fmt.Sprintf("in %v", span(j.DeadlineMs-now.UnixMilli()))
	case slack < 0:
		return fmt.Sprintf("will be missed by %v", span(-slack))
	}
	return fmt.Sprintf("slack %v", span(slack))
}
