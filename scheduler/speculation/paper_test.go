package speculation

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// LATE, section 4: the time left is (1 - ProgressScore) / ProgressRate, and the rate is the score
// divided by the elapsed time.
func TestTimeLeft(t *testing.T) {
	a := &scheduler.Attempt{Start: 1000, Progress: 250_000}
	require.EqualValues(t, 30_000, timeLeft(a, 11_000))
	require.InDelta(t, 0.025, rate(a, 11_000), 1e-12)
	require.Greater(t, timeLeft(&scheduler.Attempt{Start: 1000}, 11_000),
		timeLeft(&scheduler.Attempt{Start: 1000, Progress: 1}, 1<<40))
	require.Greater(t, timeLeft(&scheduler.Attempt{Start: 1000}, 11_000),
		timeLeft(&scheduler.Attempt{Start: 2000}, 11_000), "the older first")
}

// LATE, section 4.1, the example of a two-phase straggler: LATE chooses the task that ends last,
// not the one with the least progress. Of two tasks with 20% after 60 s and 66% after 1,000 s, the
// second ends later.
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

// Hadoop 0.21, DataStatistics: the deviation is that of the population.
func TestDeviation(t *testing.T) {
	mean, std := meanAndDeviation([]float64{2, 4, 4, 4, 5, 5, 7, 9})
	require.InDelta(t, 5, mean, 1e-12)
	require.InDelta(t, 2, std, 1e-12)
}

// LATE, section 4: SpeculativeCap is 10% of the slots for all jobs together.
func TestSpeculativeCap(t *testing.T) {
	p := speculator(t, "late", conf.SpeculationLagMS.Name, "2000")
	c := newCluster(t, p)
	for i := range 30 { // 60 slots, so the cap is 6; each job has four slow tasks
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

func TestThresholdSetting(t *testing.T) {
	for by, percentile := range map[string]bool{"percentile": true, "deviation": false} {
		s, err := read(setup(t, conf.SpeculationLateThreshold.Name, by).Conf)
		require.NoError(t, err)
		require.Equal(t, percentile, s.byPercentile, by)
	}
}

// LATE, section 4: slow nodes get no second attempts, with either threshold.
func TestSlowNodesGetNone(t *testing.T) {
	for _, by := range []string{"percentile", "deviation"} {
		p := speculator(t, "late", conf.SpeculationLagMS.Name, "5000", conf.SpeculationLateThreshold.Name, by,
			conf.SpeculationLatePercentile.Name, "40")
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

// Hadoop 1.x, TaskInProgress.hasSpeculativeTask: a task gets a second attempt if its progress is far
// enough below the average.
func TestGapOfHadoop1(t *testing.T) {
	for _, x := range []struct {
		gap  string
		want bool
	}{{"0.2", true}, {"0.9", false}} {
		c := straggling(t, speculator(t, "hadoop1", conf.SpeculationGap.Name, x.gap))
		seq := c.submit(8, 0)
		c.until(seq, 5000)
		require.Equal(t, x.want, len(c.twins(seq)) > 0, x.gap)
	}
}

// Hadoop 2, DefaultSpeculator: the gain of a second attempt is the time by which it ends earlier.
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

// Hadoop 2, DefaultSpeculator: after a judgment that finds a task, the next judgment is
// retry-after-speculate later.
func TestPaceOfHadoop2(t *testing.T) {
	c := straggling(t, speculator(t, "mrv2", conf.JobSpeculativeRetryAfterSpeculate.Name, "30000"))
	seq := c.submit(8, 0)
	c.until(seq, 5000)
	twins := c.twins(seq)
	require.Len(t, twins, 2)
	require.GreaterOrEqual(t, max(twins[0].Start, twins[1].Start)-min(twins[0].Start, twins[1].Start), int64(30_000))
}

// Hadoop 2, DefaultSpeculator: the largest of minimum-allowed-tasks and the two shares limits the
// number of second attempts.
func TestCapOfHadoop2(t *testing.T) {
	for _, x := range []struct{ minimum, running, total string }{{"1", "0", "0"}, {"0", "0.5", "0"}, {"0", "0", "0.125"},
		{"0", "0", "0"}} {
		p := speculator(t, "mrv2", conf.JobSpeculativeMinimumAllowedTasks.Name, x.minimum,
			conf.JobSpeculativeSpeculativeCap.Name, x.running, conf.JobSpeculativeSpeculativeCapTotalTasks.Name, x.total,
			conf.JobSpeculativeRetryAfterSpeculate.Name, "1000")
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

// The settings in a job apply to that job only. If they are invalid, the policy's settings apply.
func TestSettingsOfAJob(t *testing.T) {
	p := speculator(t, "mrv2")
	c := straggling(t, p)
	seq := c.submit(8, 0, func(s *job.Spec) {
		s.Conf = []job.Property{{Name: conf.JobSpeculativeMinimumAllowedTasks.Name, Value: "0"},
			{Name: conf.JobSpeculativeSpeculativeCap.Name, Value: "0"},
			{Name: conf.JobSpeculativeSpeculativeCapTotalTasks.Name, Value: "0"}}
	})
	c.until(seq, 5000)
	require.Empty(t, c.twins(seq))
	seq = c.submit(8, 0, func(s *job.Spec) {
		s.Conf = []job.Property{{Name: conf.JobSpeculativeMinimumAllowedTasks.Name, Value: "many"}}
	})
	c.until(seq, 5000)
	require.NotEmpty(t, c.twins(seq))
}

// attempts is a view that contains only attempts and one job.
type attempts struct {
	scheduler.View
	now int64
	all map[job.Attempt]*scheduler.Attempt
	job scheduler.Job
}

func (v *attempts) Now() int64                                { return v.now }
func (v *attempts) Attempt(id job.Attempt) *scheduler.Attempt { return v.all[id] }
func (v *attempts) Job(int32) *scheduler.Job                  { return &v.job }

// run adds an attempt to a phase and to the view.
func (v *attempts) run(f *phase, index, n int32, start int64, progress int32) {
	id := job.Attempt{Task: job.Task{Job: f.job, Type: f.typ, Index: index}, N: n}
	v.all[id] = &scheduler.Attempt{ID: id, Start: start, Progress: progress}
	f.started(id)
}

// Hadoop 1.x judges an attempt for the first time after the lag.
func TestFirstJudgment(t *testing.T) {
	require.EqualValues(t, 65_000, hadoop1{}.first(&settings{lag: 60_000}, 5000))
}

// LATE: attempts younger than the lag have no rate yet.
func TestSlowRateLeavesOutTheYoung(t *testing.T) {
	for lag, want := range map[int64]float64{5000: 0.05, 1000: 0.03, 0: 0.03} {
		f := &phase{set: &settings{lag: lag}, at: map[int32]int32{}}
		v := &attempts{now: 10_000, all: map[job.Attempt]*scheduler.Attempt{}}
		v.run(f, 0, 0, 0, 500_000)     // 0.05 tasks per second
		v.run(f, 1, 0, 8_000, 20_000)  // 0.01 tasks per second
		v.run(f, 2, 0, 10_000, 10_000) // just begun
		require.InDelta(t, want, (&Policy{}).slowRate(v, f), 1e-9, "lag %d ms", lag)
	}
}

// Hadoop 1.x: the best attempt of a task counts.
func TestProgressOfHadoop1(t *testing.T) {
	f := &phase{at: map[int32]int32{}}
	v := &attempts{all: map[job.Attempt]*scheduler.Attempt{}, job: scheduler.Job{Finished: [2]int32{1, 5}}}
	v.run(f, 0, 0, 0, 700_000)
	v.run(f, 0, 1, 0, 300_000)
	v.run(f, 1, 0, 0, 100_000)
	require.EqualValues(t, 1_800_000, f.progress(v))
}

func TestDisarmForgetsCandidates(t *testing.T) {
	f := &phase{candidates: []int32{1}}
	(&Policy{}).disarm(f)
	require.Empty(t, f.candidates)
}
