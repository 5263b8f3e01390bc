//go:build integration

package integration

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

// The test replays a trace on a live cluster, with TaskTrackers that sleep and with processes that
// compute. While the cluster runs, the simulator replays its history. With simulated heartbeats,
// the durations of jobs differ from the real ones by less than 10% on average.
func TestTraceOnLiveCluster(t *testing.T) {
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2})
	db := filepath.Join(t.TempDir(), "traces.db")
	ok(t, c.Howdah("sim", "generate", "custom", "--db", db, "--name", "mix", "--jobs", "5", "--maps", "constant(6)",
		"--reduces", "constant(2)", "--map-time", "uniform(20000,60000)",
		"--shuffle-time", "constant(20000)", "--reduce-time", "constant(30000)", "--mean-gap", "30"))
	ok(t, c.Howdah("sim", "submit", "mix", "--db", db, "--speedup", "20", "-D", "howdah.sleep.in-tracker=true"))

	// The cluster's heartbeats are short, and its trackers report the end of a task immediately.
	r := ok(t, c.Howdah("sim", "validate", c.Web, "--scheduler", "fifo", "--wait-for-work", "--json"))
	var reports []struct {
		Model                string
		Jobs                 []struct{}
		Average, Worst, Bias float64
	}
	require.NoError(t, json.Unmarshal([]byte(r.Out), &reports))
	t.Logf("%+v", reports)
	require.Len(t, reports, 3)
	require.Len(t, reports[0].Jobs, 5)
	require.Less(t, reports[0].Average, 0.1)
	require.Greater(t, reports[2].Average, reports[0].Average, "Mumak's model knows no shuffle")

	ok(t, c.Howdah("sim", "submit", "mix", "--db", db, "--speedup", "100", "--load", "cpu"))
	r = ok(t, c.Howdah("sim", "run", c.Web, "--scheduler", "fair", "--nodes", "5", "--json"))
	var what struct {
		Nodes int
		Jobs  []struct{}
	}
	require.NoError(t, json.Unmarshal([]byte(r.Out), &what))
	require.Equal(t, 5, what.Nodes)
	require.Len(t, what.Jobs, 10)
}

// The test predicts the ends of the jobs of mixes that are running, and waits for these ends. The
// tasks of all jobs take the same time, so only delays between tasks and the order of jobs matter.
func TestWhatIfOnLiveCluster(t *testing.T) {
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2})
	trace := filepath.Join(t.TempDir(), "mix.trace")
	const jobs = 5
	ok(t, c.Howdah("sim", "generate", "custom", "-o", trace, "--jobs", strconv.Itoa(jobs), "--maps", "uniform(4,10)",
		"--reduces", "constant(2)", "--map-time", "constant(3000)", "--shuffle-time", "constant(500)", "--reduce-time",
		"constant(1000)", "--mean-gap", "0.5"))
	submit := []string{"sim", "submit", trace, "-D", "howdah.sleep.in-tracker=true"}
	ok(t, c.Howdah(append(submit, "--speedup", "1")...)) // later jobs get the profiles of these jobs
	for _, scheduler := range []string{"fair", "minedf-wc"} {
		ok(t, c.Howdah("admin", "-setScheduler", scheduler))
		done := make(chan minicluster.Result, 1)
		go func() { done <- c.Howdah(submit...) }()
		var x struct {
			Scheduler string
			Jobs      []struct{}
			Check     struct {
				Jobs int
				Mean float64 `json:"mean_error"`
			}
		}
		predict := func(more ...string) bool {
			r := c.Howdah(append([]string{"sim", "what-if", c.Web, "--json", "--scheduler", scheduler}, more...)...)
			x.Jobs = nil
			return json.Unmarshal([]byte(r.Out), &x) == nil && len(x.Jobs) == jobs
		}
		require.Eventually(t, func() bool { return predict() }, time.Minute, 100*time.Millisecond)
		require.True(t, predict("--check"))
		ok(t, <-done)
		t.Logf("%+v", x)
		require.Equal(t, scheduler, x.Scheduler)
		require.Equal(t, jobs, x.Check.Jobs)
		require.Less(t, x.Check.Mean, 0.2)
	}
}
