package daemon

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/prom"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
)

// Attempts of the setup and cleanup of a job count neither as maps nor as reduces.
func TestMetricsCountMapsAndReduces(t *testing.T) {
	m := newMetrics()
	for _, typ := range []job.TaskType{job.Map, job.Reduce, job.Setup, job.Cleanup} {
		a := job.Attempt{Task: job.Task{Job: 1, Type: typ}}
		m.fact(&event.Event{Type: event.AttemptStarted, Attempt: a}, 0)
		m.fact(&event.Event{Type: event.AttemptFinished, Attempt: a, State: job.AttemptFailed}, 1)
		m.fact(&event.Event{Type: event.AttemptFinished, Attempt: a, State: job.AttemptSucceeded, Time: 4500}, 1000)
	}
	r := httptest.NewRecorder()
	prom.Handler(prom.Registry(m.all...)).ServeHTTP(r, httptest.NewRequest("GET", "/metrics", nil))
	for _, line := range []string{"maps_launched_total 1", "maps_failed_total 1", "maps_completed_total 1",
		"reduces_launched_total 1", "reduces_failed_total 1", "reduces_killed_total 0",
		`task_seconds_bucket{type="map",le="2"} 0`, `task_seconds_bucket{type="reduce",le="5"} 1`,
		`task_seconds_count{type="map"} 1`} {
		require.Contains(t, r.Body.String(), "\n"+prefix+line+"\n")
	}
}
