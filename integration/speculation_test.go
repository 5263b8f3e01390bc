//go:build integration

package integration

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
)

// One of four TaskTrackers runs maps at a tenth of the others' speed. Fifteen maps take four rounds
// on a healthy cluster, and five on three TaskTrackers that also rerun one map. Without
// speculation, the job waits for the slow TaskTracker's first map. With speculation, another
// TaskTracker runs that map again.
func TestSlowTracker(t *testing.T) {
	bin := slowcount(t)
	healthy := slowNode(t, bin, "none", false)
	without := slowNode(t, bin, "none", true)
	t.Logf("healthy %v, one slow %v: %.2f times", healthy.took, without.took,
		without.took.Seconds()/healthy.took.Seconds())
	require.Empty(t, without.losers)
	for _, rule := range []string{"hadoop1", "late", "mrv2"} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			with := slowNode(t, bin, rule, true)
			t.Logf("with speculation %v: %.2f times, losers %v", with.took, with.took.Seconds()/healthy.took.Seconds(),
				with.losers)
			first := 0
			for id, state := range with.losers {
				require.Equal(t, "KILLED", state, id)
				if strings.HasSuffix(id, "_0") {
					first++
				}
			}
			require.Positive(t, first, "the job waited for every first attempt, including the slow one")
			require.EqualValues(t, slowMaps*slowLines, with.counters["MAP_INPUT_RECORDS"],
				"a task's counters were counted twice")
			require.EqualValues(t, slowMaps*slowLines, with.counters["LINES"], "a counter of the job was counted twice")
			launched := with.counters["TOTAL_LAUNCHED_MAPS"] + with.counters["TOTAL_LAUNCHED_REDUCES"]
			require.EqualValues(t, slowMaps+1+len(with.losers), launched)
		})
	}
}

const (
	slowMaps  = 15
	slowLines = 300 // of each map
)

// slowRun is the result of a job.
type slowRun struct {
	took     time.Duration
	losers   map[string]string // states of the attempts that did not succeed
	counters map[string]int64
}

// slowNode runs a job whose maps take 1.5 seconds each, or 15 on the slow TaskTracker.
func slowNode(t *testing.T, bin, rule string, slow bool) slowRun {
	t.Helper()
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 4, Set: []string{
		"howdah.speculation=" + rule, "howdah.speculation.lag.ms=2000", "howdah.speculation.interval.ms=200",
		// mrv2 may first start a second attempt of a map that has just started, because such a map
		// shows no progress yet.
		"mapreduce.job.speculative.retry-after-speculate=1000",
		"mapreduce.tasktracker.map.tasks.maximum=1", "mapreduce.tasktracker.reduce.tasks.maximum=1",
	}})
	set := []string{"slowcount.map.millis=5"}
	if slow {
		set = append(set, "slowcount.slow.tracker=tasktracker-4")
	}
	in, want := text(t, slowMaps, slowLines)
	out := filepath.Join(t.TempDir(), "out")
	ok(t, c.Command(bin, append(defines(set), in, out)...))
	require.Equal(t, want, counts(t, out))
	all := jobs(t, dial(t, c))
	require.Len(t, all, 1)
	return readSlowRun(all[0])
}

func readSlowRun(s *status.Job) slowRun {
	r := slowRun{took: time.Duration(s.FinishMs-s.StartMs) * time.Millisecond, losers: map[string]string{},
		counters: map[string]int64{}}
	for _, a := range s.Attempts {
		if a.State != job.AttemptSucceeded {
			r.losers[a.ID.String()] = a.State.String()
		}
	}
	for i, v := range s.Counters.Builtin {
		if v != 0 {
			r.counters[job.CounterID(i).Info().Name] = v
		}
	}
	for _, u := range s.Counters.User {
		r.counters[u.Name] = u.Value
	}
	return r
}
