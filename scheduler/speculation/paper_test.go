package speculation

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// LATE, section 4: the time left is (1 - ProgressScore) / ProgressRate, and the rate is the score by the time that it took.
func TestTimeLeft(t *testing.T) {
	a := &scheduler.Attempt{Start: 1000, Progress: 250_000}
	require.EqualValues(t, 30_000, timeLeft(a, 11_000))
	require.InDelta(t, 0.025, rate(a, 11_000), 1e-12)
	require.Greater(t, timeLeft(&scheduler.Attempt{Start: 1000}, 11_000), timeLeft(&scheduler.Attempt{Start: 1000, Progress: 1}, 1<<40))
	require.Greater(t, timeLeft(&scheduler.Attempt{Start: 1000}, 11_000), timeLeft(&scheduler.Attempt{Start: 2000}, 11_000), "the older first")
}

// LATE, section 4.1, the example of a two-phase straggler: not the task with the least progress is chosen, but the one that
// ends last. Of two tasks with 5% and 66% after 60 and 1,000 s the second is slower.
func TestLongestTimeToEndIsChosen(t *testing.T) {
	young := &scheduler.Attempt{Start: 940_000, Progress: 200_000}
	old := &scheduler.Attempt{Start: 0, Progress: 660_000}
	require.Less(t, young.Progress, old.Progress)
	require.Less(t, timeLeft(young, 1_000_000), timeLeft(old, 1_000_000))
}

// LATE, section 4: SlowTaskThreshold and SlowNodeThreshold are the 25th percentile.
func TestPercentile(t *testing.T) {
	require.InDelta(t, 2, percentile([]float64{5, 1, 3, 2, 4}, 25), 1e-12)
	require.InDelta(t, 1.75, percentile([]float64{4, 1, 3, 2}, 25), 1e-12)
	require.InDelta(t, 1, percentile([]float64{1}, 25), 1e-12)
	require.InDelta(t, 4, percentile([]float64{4, 1}, 100), 1e-12)
	require.Zero(t, percentile(nil, 25))
}

// Hadoop 0.21, DataStatistics: deviation of the population.
func TestDeviation(t *testing.T) {
	mean, std := meanAndDeviation([]float64{2, 4, 4, 4, 5, 5, 7, 9})
	require.InDelta(t, 5, mean, 1e-12)
	require.InDelta(t, 2, std, 1e-12)
}

// LATE, section 4: SpeculativeCap is 10% of the slots; it is on all jobs together.
func TestSpeculativeCap(t *testing.T) {
	p := speculator(t, "late", LagKey, "2000")
	c := newCluster(t, p)
	for i := range 30 { // 60 slots: the cap is 6. Four tasks of each job are slow
		pace := int32(10_000)
		if i%8 == 0 {
			pace = 100
		}
		c.join(pace, 2, 0)
	}
	c.submit(30, 0)
	c.submit(30, 0)
	most := int32(0)
	for range 300 {
		c.second()
		require.LessOrEqual(t, p.twins[job.Map], int32(6))
		most = max(most, p.twins[job.Map])
	}
	require.EqualValues(t, 6, most)
}

// LATE, section 4: no second attempt goes to a slow node; by either measure.
func TestSlowNodesGetNone(t *testing.T) {
	for _, by := range []string{"percentile", "deviation"} {
		p := speculator(t, "late", LagKey, "5000", ThresholdKey, by, PercentileKey, "40")
		c := newCluster(t, p)
		for range 4 {
			c.join(50_000, 2, 0)
		}
		slow := map[int32]bool{}
		for range 2 {
			slow[c.join(4_000, 2, 0).report.Tracker] = true
		}
		first := c.submit(24, 0)
		c.until(first, 3000)
		second := c.submit(12, 0)
		c.until(second, 3000)
		twins := append(c.twins(first), c.twins(second)...)
		require.NotEmpty(t, twins, by)
		for _, a := range twins {
			require.False(t, slow[a.Tracker], "%s: %v went to a slow node", by, a.ID)
		}
	}
}

// Hadoop 1.x, TaskInProgress.hasSpeculativeTask: a fifth behind the average, after a minute.
func TestGapOfHadoop1(t *testing.T) {
	for _, x := range []struct {
		gap  string
		want bool
	}{{"0.2", true}, {"0.9", false}} {
		c := straggling(t, speculator(t, "hadoop1", GapKey, x.gap))
		seq := c.submit(8, 0)
		c.until(seq, 5000)
		require.Equal(t, x.want, len(c.twins(seq)) > 0, x.gap)
	}
}

// Hadoop 2, DefaultSpeculator: a second attempt must gain time, and nothing is judged before something of the phase is done.
func TestGainOfHadoop2(t *testing.T) {
	a := &scheduler.Attempt{Start: 0, Progress: 100_000} // would end at 100 s
	gain, ok := expectedGain(a, 10_000, 20_000)
	require.True(t, ok)
	require.EqualValues(t, 70_000, gain)
	gain, ok = expectedGain(a, 10_000, 100_000)
	require.True(t, ok)
	require.Negative(t, gain)
	_, ok = expectedGain(&scheduler.Attempt{Progress: 1_000_000}, 10_000, 20_000)
	require.False(t, ok, "it is done")
}

// Hadoop 2, DefaultSpeculator: after one was found the next look is 15 s later, otherwise 1 s.
func TestPaceOfHadoop2(t *testing.T) {
	c := straggling(t, speculator(t, "mrv2", RetryYesKey, "30000"))
	seq := c.submit(8, 0)
	c.until(seq, 5000)
	twins := c.twins(seq)
	require.Len(t, twins, 2)
	require.GreaterOrEqual(t, max(twins[0].Start, twins[1].Start)-min(twins[0].Start, twins[1].Start), int64(30_000))
}

// Hadoop 2, DefaultSpeculator: minimum-allowed-tasks and the two shares.
func TestCapOfHadoop2(t *testing.T) {
	for _, x := range []struct{ minimum, running, total string }{{"1", "0", "0"}, {"0", "0.5", "0"}, {"0", "0", "0.125"}, {"0", "0", "0"}} {
		p := speculator(t, "mrv2", MinimumKey, x.minimum, CapKey, x.running, CapTotalKey, x.total, RetryYesKey, "1000")
		c := straggling(t, p)
		seq := c.submit(8, 0)
		most := int32(0)
		for !c.m.Job(seq).State.Terminal() {
			c.second()
			most = max(most, p.twins[job.Map])
		}
		want := int32(1)
		if x.minimum+x.running+x.total == "000" {
			want = 0
		}
		require.Equal(t, want, most, "%+v", x)
	}
}

// Settings of a job count for it alone.
func TestSettingsOfAJob(t *testing.T) {
	p := speculator(t, "mrv2")
	c := straggling(t, p)
	seq := c.submit(8, 0, func(s *job.Spec) {
		s.Conf = []job.Property{{Name: MinimumKey, Value: "0"}, {Name: CapKey, Value: "0"}, {Name: CapTotalKey, Value: "0"}}
	})
	c.until(seq, 5000)
	require.Empty(t, c.twins(seq))
	seq = c.submit(8, 0, func(s *job.Spec) { s.Conf = []job.Property{{Name: MinimumKey, Value: "many"}} })
	c.until(seq, 5000)
	require.NotEmpty(t, c.twins(seq))
}
