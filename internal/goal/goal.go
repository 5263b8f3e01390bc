// Package goal words how a job stands to its deadline, the same in commands and pages.
package goal

import (
	"fmt"
	"time"

	"github.com/howdah/howdah/internal/wire/client"
)

// Slack gives the time between a job's end, past or predicted, and its deadline, in milliseconds; negative = too late. It is not
// known if there is no deadline or nothing tells when the job will end.
func Slack(j *client.JobStatus) (ms int64, known bool) {
	end := j.FinishMs
	if end == 0 {
		end = j.PredictedFinishMs
	}
	return j.DeadlineMs - end, j.DeadlineMs != 0 && end != 0
}

// Missed tells whether a job's deadline passed before its end. now counts for a job that is not over.
func Missed(j *client.JobStatus, now time.Time) bool {
	end := j.FinishMs
	if end == 0 {
		end = now.UnixMilli()
	}
	return j.DeadlineMs != 0 && end > j.DeadlineMs
}

// Text says in a few words how a job with a deadline stands to it: "slack 1m30s", "missed by 2s".
func Text(j *client.JobStatus, now time.Time) string {
	slack, known := Slack(j)
	span := func(ms int64) time.Duration { return (time.Duration(ms) * time.Millisecond).Round(time.Second) }
	switch {
	case j.FinishMs != 0 && slack < 0:
		return fmt.Sprintf("missed by %v", span(-slack))
	case j.FinishMs != 0:
		return fmt.Sprintf("met with %v to spare", span(slack))
	case Missed(j, now):
		return fmt.Sprintf("missed, %v ago", span(now.UnixMilli()-j.DeadlineMs))
	case !known:
		return fmt.Sprintf("in %v", span(j.DeadlineMs-now.UnixMilli()))
	case slack < 0:
		return fmt.Sprintf("will be missed by %v", span(-slack))
	}
	return fmt.Sprintf("slack %v", span(slack))
}
