//go:build integration && linux

package cgroups

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/history"
	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
)

// MROrchestrator at work: of maps that have unequally much to do the slow ones get more of a contended CPU. What the kernel holds is what
// the journal says, and what began with the orchestrator ends with the tasks.
func TestOrchestrator(t *testing.T) {
	c, parent := startCluster(t, minicluster.Options{Set: []string{"howdah.orchestrator=on", "howdah.orchestrator.epoch.ms=2000",
		"howdah.orchestrator.sample.ms=500", "howdah.orchestrator.contended=0", "howdah.orchestrator.control=cpu", "mapreduce.tasktracker.map.tasks.maximum=4"}})
	done := make(chan minicluster.Result, 1)
	go func() { done <- c.Howdah("run", "loadgen", "-m", "4", "-map", "cpu=10s", "-skew", "0.8") }()
	seen := 0
	for deadline := time.Now().Add(5 * time.Minute); seen < 2 && time.Now().Before(deadline); time.Sleep(500 * time.Millisecond) {
		want := weights(journaled(t, c))
		if got := held(t, parent); len(want) > 0 && slices.Equal(got, want) {
			seen++
		}
	}
	require.Equal(t, 2, seen, "the kernel never held what the journal says: %v and %v", held(t, parent), weights(journaled(t, c)))

	status := c.Howdah("job", "-list", "all", "--json")
	require.Zero(t, status.Code, status.Err)
	var jobs []struct{ ID string }
	require.NoError(t, json.Unmarshal([]byte(status.Out), &jobs))
	text := c.Howdah("job", "-status", jobs[0].ID, "--json")
	require.Zero(t, text.Code, text.Err)
	require.Contains(t, text.Out, `"cpu_millicores"`)
	result := <-done
	require.Zero(t, result.Code, result.Err)
}

// changes lists the changes of limits that the JobTracker's journal knows.
func changes(t *testing.T, c *minicluster.Cluster) (all []event.Event) {
	read(t, c, func(e *event.Event) {
		if e.Type == event.LimitsChanged {
			all = append(all, *e)
		}
	})
	return all
}

// journaled gives the latest change of each attempt that runs.
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

// weights gives limits as the kernel writes them, sorted; what is as it was at the launch is left out.
func weights(limits map[job.Attempt]event.Event) (out []string) {
	for _, e := range limits {
		if cpu := e.VCores; cpu > 0 && cpu != 1000 {
			out = append(out, shares(int64(cpu)/10))
		}
	}
	slices.Sort(out)
	return slices.Compact(out) // controllers may be mounted twice
}

// shares is a weight as the kernel's file has it.
func shares(weight int64) string {
	if _, err := os.Stat("/sys/fs/cgroup/cpu"); err == nil { // version 1
		weight = weight * 1024 / 100
	}
	return strconv.FormatInt(weight, 10)
}

// held gives the weights of the children's groups that differ from that of a task of one core.
func held(t *testing.T, parent string) (out []string) {
	for _, tree := range trees(parent) {
		for _, file := range []string{"cpu.shares", "cpu.weight"} {
			groups, err := filepath.Glob(filepath.Join(tree, "child-*", file))
			require.NoError(t, err)
			for _, g := range groups {
				b, err := os.ReadFile(g)
				if v := strings.TrimSpace(string(b)); err == nil && v != shares(100) {
					out = append(out, v)
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out) // controllers may be mounted twice
}
