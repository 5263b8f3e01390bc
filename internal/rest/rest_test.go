package rest

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
)

// oneJob is a JobTracker with one job.
type oneJob struct {
	Live
	job status.Job
}

func (o *oneJob) Status(context.Context, job.ID, status.Query) (*status.Job, error) {
	return &o.job, nil
}

// Hadoop's JobState has no other states.
func TestStatesOfRunningJobs(t *testing.T) {
	live := &oneJob{}
	h := (&Server{Live: live}).Handler()
	for state, want := range map[job.State]string{job.Prep: "INITED", job.Running: "RUNNING", job.Committing: "RUNNING",
		job.Aborting: "RUNNING", job.Succeeded: "SUCCEEDED", job.Failed: "FAILED", job.Killed: "KILLED"} {
		live.job.State = state
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", masterBase+"/jobs/job_1_0001", nil))
		var got struct{ Job struct{ State string } }
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &got), "%s", w.Body)
		require.Equal(t, want, got.Job.State)
	}
}
