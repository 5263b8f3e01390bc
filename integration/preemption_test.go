//go:build integration

package integration

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
)

const newcomers = `<?xml version="1.0"?>
<allocations>
  <pool name="steel"/>
  <pool name="wool"><minMaps>2</minMaps><minSharePreemptionTimeout>2</minSharePreemptionTimeout></pool>
</allocations>
`

// A pool with a minimum share preempts tasks when the cluster is full. The preemption takes at most
// the timeout, one check interval, the grace period of the killed tasks, and two heartbeats. It
// kills only the newest tasks of the pool that exceeds its share.
func TestFairPreemption(t *testing.T) {
	const (
		timeout, interval, update, grace, beat = 2000, 500, 100, 200, 300 // ms
		minimum                                = 2
	)
	pools := filepath.Join(t.TempDir(), "pools.xml")
	require.NoError(t, os.WriteFile(pools, []byte(newcomers), 0o644))
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2, Set: []string{
		"mapreduce.jobtracker.taskscheduler=fair", "mapred.fairscheduler.allocation.file=" + pools,
		"mapred.fairscheduler.preemption=true",
		"mapred.fairscheduler.preemption.interval=500", "mapred.fairscheduler.update.interval=100",
		"mapreduce.tasktracker.map.tasks.maximum=3",
		"mapreduce.tasktracker.tasks.sleeptimebeforesigkill=200", "howdah.speculation=none",
	}})
	sleep := func(pool, maps, ms string) {
		c.Background("run", "-q", "sleep", "-D", "mapred.fairscheduler.pool="+pool, "-m", maps, "-r", "0", "-mt", ms)
	}
	running := func(seq int32) int {
		n := map[job.Attempt]bool{}
		for _, e := range facts(t, c) {
			switch {
			case e.Job != seq:
			case e.Type == event.AttemptStarted:
				n[e.Attempt] = true
			case e.Type == event.AttemptFinished:
				delete(n, e.Attempt)
			}
		}
		return len(n)
	}
	sleep("steel", "3", "600000")
	minicluster.Eventually(t, 60*time.Second, "the first job to fill half of the cluster",
		func() bool { return running(1) == 3 })
	sleep("steel", "5", "600000")
	minicluster.Eventually(t, 60*time.Second, "the second job to fill the rest", func() bool { return running(2) == 3 })
	sleep("wool", "4", "600000")
	minicluster.Eventually(t, 60*time.Second, "the newcomer to get its minimum",
		func() bool { return running(3) >= minimum })

	starts := map[job.Attempt]int64{}
	var began, got int64
	mine := 0
	for _, e := range facts(t, c) {
		switch {
		case e.Type == event.JobStarted && e.Job == 3:
			began = e.Time
		case e.Type == event.AttemptStarted:
			starts[e.Attempt] = e.Time
			if e.Job == 3 {
				if mine++; mine == minimum {
					got = e.Time
				}
			}
		case e.Type == event.AttemptFinished:
			require.Equal(t, job.AttemptKilled, e.State)
			require.EqualValues(t, 2, e.Attempt.Job, "an older task died")
			require.Contains(t, e.Text, "preempt")
			for other, start := range starts {
				require.True(t, other.Job == 3 || start <= starts[e.Attempt], "%v is newer than %v, which died", other, e.Attempt)
			}
			delete(starts, e.Attempt)
		}
	}
	require.Equal(t, 6, len(starts), "more tasks died than needed")
	t.Logf("the newcomer had its minimum share after %d ms", got-began)
	// As in Hadoop, a pool's starvation starts at the last update at which the pool was not
	// starving. That update may be one interval earlier than the submission of its job.
	require.GreaterOrEqual(t, got-began, int64(timeout-update), "before its timeout")
	require.LessOrEqual(t, got-began, int64(timeout+interval+grace+2*beat))
}
