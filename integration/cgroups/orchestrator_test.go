//go:build integration && linux

package cgroups

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker/history"
)

// MROrchestrator moves CPU between maps with unequal amounts of work, and the kernel's limits match
// the journal. The status of the job contains the limits. No group remains.
func TestOrchestrator(t *testing.T) {
	c, parent := startCluster(t, minicluster.Options{Set: []string{"howdah.orchestrator=on",
		"howdah.orchestrator.epoch.ms=2000", "howdah.orchestrator.sample.ms=500",
		"howdah.orchestrator.contended=0", "howdah.orchestrator.control=cpu", "mapreduce.tasktracker.map.tasks.maximum=4",
		fmt.Sprintf("mapreduce.map.memory.mb=%d", slotMemory)}})
	wait, _ := c.Background("run", "loadgen", "-m", "4", "-map", "cpu=20s", "-skew", "0.8")
	(&watcher{t: t, c: c, parent: parent}).agree()

	status := c.Howdah("job", "-list", "all", "--json")
	require.Zero(t, status.Code, status.Err)
	var jobs []struct{ ID string }
	require.NoError(t, json.Unmarshal([]byte(status.Out), &jobs))
	text := c.Howdah("job", "-status", jobs[0].ID, "--json")
	require.Zero(t, text.Code, text.Err)
	require.Contains(t, text.Out, `"cpu_millicores"`)
	result := wait()
	require.Zero(t, result.Code, result.Err)
}

// changes returns the limit changes in the JobTracker's journal.
func changes(t *testing.T, c *minicluster.Cluster) (all []event.Event) {
	read(t, c, func(e *event.Event) {
		if e.Type == event.LimitsChanged {
			all = append(all, *e)
		}
	})
	return all
}

// journaled returns the latest limit change of each running attempt.
func journaled(t *testing.T, c *minicluster.Cluster) map[job.Attempt]event.Event {
	limits := map[job.Attempt]event.Event{}
	read(t, c, func(e *event.Event) {
		switch e.Type {
		case event.LimitsChanged:
			limits[e.Attempt] = *e
		case event.AttemptFinished:
			delete(limits, e.Attempt)
		}
	})
	return limits
}

func read(t *testing.T, c *minicluster.Cluster, f func(*event.Event)) {
	r, err := http.Get(c.Web + "/journal")
	require.NoError(t, err)
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	var e event.Event
	for d := history.NewDecoder(bytes.NewReader(b)); d.Next(&e) == nil; {
		f(&e)
	}
}
