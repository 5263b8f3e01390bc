//go:build integration

package integration

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
	wire "github.com/howdah/howdah/internal/wire/client"
)

// One TaskTracker of four has a tenth of the CPU of the others. Fifteen maps are four rounds of the healthy cluster, and five of
// the other three trackers with one map twice. Without speculation the job waits for the slow tracker's first map; with it
// somebody else does that map again.
func TestSlowTracker(t *testing.T) {
	healthy := slowNode(t, "none", false)
	without := slowNode(t, "none", true)
	t.Logf("healthy %v, one slow %v: %.2f times", healthy.took, without.took, without.took.Seconds()/healthy.took.Seconds())
	require.Empty(t, without.losers)
	for _, rule := range []string{"hadoop1", "late", "mrv2"} {
		t.Run(rule, func(t *testing.T) {
			with := slowNode(t, rule, true)
			t.Logf("with speculation %v: %.2f times, losers %v", with.took, with.took.Seconds()/healthy.took.Seconds(), with.losers)
			require.Less(t, with.took, without.took, "the job still waited for the slow tracker")
			require.NotEmpty(t, with.losers)
			for id, state := range with.losers {
				require.Equal(t, "KILLED", state, id)
			}
			require.EqualValues(t, slowMaps, with.counters["MAP_INPUT_RECORDS"], "a task's counters were counted twice")
			require.Equal(t, healthy.counters["INSIDE"], with.counters["INSIDE"], "a counter of the job was counted twice")
			launched := with.counters["TOTAL_LAUNCHED_MAPS"] + with.counters["TOTAL_LAUNCHED_REDUCES"]
			require.EqualValues(t, slowMaps+1+len(with.losers), launched)
		})
	}
}

const slowMaps = 15

// slowRun is what came of a job.
type slowRun struct {
	took     time.Duration
	losers   map[string]string // attempts that did not win, and their states
	counters map[string]int64
}

// slowNode runs a job whose maps need about 0.4 s of CPU each, on trackers that have an eighth of a core each, so that a busy
// machine can give it to them. slow holds one of them back to a tenth of that.
func slowNode(t *testing.T, rule string, slow bool) slowRun {
	t.Helper()
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 4, Set: []string{
		"howdah.tasktracker.cgroups=off", // attempts stay in the group that slows their TaskTracker down
		"howdah.speculation=" + rule, "howdah.speculation.lag.ms=2000", "howdah.speculation.interval.ms=200",
		"mapreduce.tasktracker.map.tasks.maximum=1", "mapreduce.tasktracker.reduce.tasks.maximum=1", "howdah.tasktracker.warm.children=0",
	}})
	stop := func() {}
	for i := range 4 {
		part, thousandths := fmt.Sprintf("tasktracker-%d", i+1), 120
		if slow && i == 3 {
			thousandths = 12
		}
		if throttle(t, c, part, thousandths) {
			continue
		}
		end, before := stutter(t, c, part, thousandths), stop
		stop = func() { end(); before() }
	}
	defer stop()
	r := c.Howdah("run", "-q", "pi", strconv.Itoa(slowMaps), "40000000")
	require.Zero(t, r.Code, r.Err)
	all := jobs(t, dial(t, c))
	require.Len(t, all, 1)
	stop()
	c.Stop()
	return readSlowRun(all[0])
}

func readSlowRun(s *wire.JobStatus) slowRun {
	r := slowRun{took: time.Duration(s.FinishMs-s.StartMs) * time.Millisecond, losers: map[string]string{}, counters: map[string]int64{}}
	for _, a := range s.Attempt {
		if a.State != "SUCCEEDED" {
			r.losers[a.Id] = a.State
		}
	}
	for _, n := range s.Counter {
		r.counters[n.Name] = n.Value
	}
	return r
}
