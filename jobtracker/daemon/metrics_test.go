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
		m.fact(&event.Event{Type: event.AttemptStarted, Attempt: a})
		m.fact(&event.Event{Type: event.AttemptFinished, Attempt: a, State: job.AttemptFailed})
	}
	r := httptest.NewRecorder()
	prom.Handler(m.all...).ServeHTTP(r, httptest.NewRequest("GET", "/metrics", nil))
	for _, line := range []string{"maps_launched 1", "maps_failed 1", "maps_completed 0", "reduces_launched 1",
		"reduces_failed 1", "reduces_killed 0"} {
		require.Contains(t, r.Body.String(), "\n"+prefix+line+"\n")
	}
}
