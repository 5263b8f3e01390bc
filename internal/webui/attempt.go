package webui

import (
	"context"
	"net/http"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// attemptData is the data for an attempt's page.
type attemptData struct {
	*status.Attempt
	Job   *status.Job
	Table *counterTable

	Reader  string // address of the page that follows and searches the logs; "" means none
	Actions []action
}

func attemptPage(ctx context.Context, jobs source, id string) (*attemptData, error) {
	a, err := job.ParseAttemptID(id)
	if err != nil {
		return nil, failure.New(failure.NotFound, "find attempt", id, err)
	}
	j, err := jobs.Status(ctx, a.Job, status.Query{Attempts: true, Counters: true, Only: &a})
	if err != nil {
		return nil, err
	}
	for _, s := range j.Attempts {
		if s.ID == a {
			return &attemptData{s, j, newCounters(nil, s.Counters), "", nil}, nil
		}
	}
	return nil, failure.New(failure.NotFound, "find attempt", id, nil)
}

// oldAttemptPage redirects the Hadoop 1.x address of an attempt, which has an ?attemptid=
// parameter, to the attempt's page.
func oldAttemptPage(w http.ResponseWriter, r *http.Request) {
	id, err := job.ParseAttemptID(r.FormValue("attemptid"))
	if err != nil {
		fail(w, jobTrackerHome, failure.New(failure.Usage, "read parameter", "attemptid", err))
		return
	}
	http.Redirect(w, r, "/attempts/"+id.String(), http.StatusFound)
}
