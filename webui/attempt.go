package webui

import (
	"context"
	"net/http"

	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// attemptData is what an attempt's page shows.
type attemptData struct {
	*client.AttemptStatus
	Job    *client.JobStatus
	Groups []counterGroup
}

func attemptPage(ctx context.Context, jobs Jobs, id string) (*attemptData, error) {
	a, err := job.ParseAttemptID(id)
	if err != nil {
		return nil, failure.New(failure.NotFound, "find attempt", id, err)
	}
	j, err := jobs.Status(ctx, &client.StatusRequest{Id: a.Job.String(), Attempts: true, Counters: true})
	if err != nil {
		return nil, err
	}
	for _, s := range j.Attempt {
		if s.Id == a.String() {
			return &attemptData{s, j, groups(s.Counter)}, nil
		}
	}
	return nil, failure.New(failure.NotFound, "find attempt", id, nil)
}

// oldAttemptPage answers Hadoop 1.x's ?attemptid=.
func oldAttemptPage(w http.ResponseWriter, r *http.Request) {
	id, err := job.ParseAttemptID(r.FormValue("attemptid"))
	if err != nil {
		fail(w, jobTrackerHome, failure.New(failure.Usage, "read parameter", "attemptid", err))
		return
	}
	http.Redirect(w, r, "/attempts/"+id.String(), http.StatusFound)
}
