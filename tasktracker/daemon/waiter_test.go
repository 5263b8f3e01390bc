package daemon

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/waits"
	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// addSleep stages a sleep job that runs inside the TaskTracker. The argument settings alternates
// keys and values.
func (c *cluster) addSleep(t *testing.T, seq int32, settings ...string) {
	k := conf.New()
	k.Set(conf.SleepInTracker.Name, "true", "test")
	for i := 0; i < len(settings); i += 2 {
		k.Set(settings[i], settings[i+1], "test")
	}
	c.addJob(t, seq, waits.JobName, func(i *wire.JobInfo) {
		i.Maps, i.Program = 2, "a program that is nowhere"
		f, err := os.Create(filepath.Join(i.StagingDir, "job.xml"))
		require.NoError(t, err)
		require.NoError(t, k.WriteXML(f, true))
		require.NoError(t, f.Close())
	})
}

// report returns the last report of an attempt.
func (c *cluster) report(a *wire.Attempt) *wire.AttemptReport {
	c.jt.mu.Lock()
	defer c.jt.mu.Unlock()
	return c.jt.last[attemptName(a)]
}

func TestSleepInTracker(t *testing.T) {
	c := startCluster(t, func(cfg *Config) { cfg.Warm = 0 })
	c.addSleep(t, 1, conf.SleepMapTimes.Name, "1,60", conf.SleepJobReduceSleepTime.Name, "40", conf.SleepShuffleTime.Name,
		"30")
	first, second := mapAttempt(1, 0, 0), mapAttempt(1, 1, 0)
	reduce := &wire.Attempt{Job: 1, Type: uint32(job.Reduce)}
	begun := time.Now()
	c.jt.want([]*wire.Attempt{first, second, reduce}, 1)
	c.jt.await(t, "both maps", func() bool {
		return c.jt.state(first) == job.AttemptSucceeded && c.jt.state(second) == job.AttemptSucceeded
	})
	require.GreaterOrEqual(t, time.Since(begun), 60*time.Millisecond)

	require.Equal(t, job.AttemptRunning, job.AttemptState(c.report(reduce).State))
	require.Zero(t, c.report(reduce).ShuffleDone, "a map is missing")
	c.jt.mu.Lock()
	// A withdrawn output does not count, nor does an older output of another attempt.
	c.jt.events = []*wire.Completion{{Map: 0}, {Map: 0, Obsolete: true}, {Map: 0, Attempt: 1}, {Map: 0, Obsolete: true}}
	c.jt.change()
	c.jt.mu.Unlock()
	time.Sleep(50 * time.Millisecond)
	require.Zero(t, c.report(reduce).ShuffleDone, "a map is missing")
	c.jt.mu.Lock()
	last := time.Now()
	c.jt.events = append(c.jt.events, &wire.Completion{Map: 1, Attempt: -1})
	c.jt.change()
	c.jt.mu.Unlock()
	c.jt.await(t, "the reducer", func() bool { return c.jt.state(reduce) == job.AttemptSucceeded })
	require.GreaterOrEqual(t, time.Since(last), 70*time.Millisecond)
	r := c.report(reduce)
	require.GreaterOrEqual(t, r.ShuffleDone, last.UnixMilli()+30)
	require.Equal(t, r.ShuffleDone, r.SortDone)
	require.EqualValues(t, wholeTask, r.Progress)
	c.jt.mu.Lock()
	require.EqualValues(t, 2, builtins(c.jt.counters[attemptName(reduce)])[job.ReduceInputRecords])
	require.EqualValues(t, 1, builtins(c.jt.counters[attemptName(first)])[job.MapInputRecords])
	c.jt.mu.Unlock()
}

// builtins returns the built-in counters of a report.
func builtins(a *wire.AttemptReport) map[job.CounterID]int64 {
	out := map[job.CounterID]int64{}
	for i, id := range a.Builtin {
		out[job.CounterID(id)] = a.BuiltinValue[i]
	}
	return out
}

// TestSleepersEndByThemselves checks that a short sleeper does not wait for a longer sleeper.
func TestSleepersEndByThemselves(t *testing.T) {
	c := startCluster(t, func(cfg *Config) { cfg.Warm = 0 })
	c.addSleep(t, 1, conf.SleepMapTimes.Name, "1,3600000")
	short, long := mapAttempt(1, 0, 0), mapAttempt(1, 1, 0)
	c.jt.want([]*wire.Attempt{short, long}, 1)
	c.jt.await(t, "the short map to end before the long one", func() bool {
		return c.jt.state(short) == job.AttemptSucceeded && c.jt.state(long) == job.AttemptRunning
	})
}

func TestKilledSleepers(t *testing.T) {
	t.Parallel()
	c := startCluster(t, func(cfg *Config) { cfg.Warm = 0 })
	c.addSleep(t, 1, conf.SleepJobMapSleepTime.Name, "100000")
	a, b := mapAttempt(1, 0, 0), &wire.Attempt{Job: 1, Type: uint32(job.Reduce)}
	c.jt.want([]*wire.Attempt{a, b}, 1)
	c.jt.await(t, "two that run", func() bool {
		return c.jt.state(a) == job.AttemptRunning && c.jt.state(b) == job.AttemptRunning
	})
	c.jt.want(nil, 1)
	require.Eventually(t, func() bool {
		s, ok := c.d.Status()
		return ok && len(s.Attempts) == 0 && len(s.PIDs) == 0
	}, patience, time.Millisecond, "waiters are left")
	again := mapAttempt(1, 0, 1)
	c.jt.want([]*wire.Attempt{again}, 1)
	c.jt.await(t, "another attempt", func() bool { return c.jt.state(again) == job.AttemptRunning })
}

func TestBadNapsFailTheJobsAttempts(t *testing.T) {
	c := startCluster(t, func(cfg *Config) { cfg.Warm = 0 })
	c.addSleep(t, 1, conf.SleepMapTimes.Name, "1,oops")
	a := mapAttempt(1, 0, 0)
	c.jt.want([]*wire.Attempt{a}, 1)
	c.jt.await(t, "failure", func() bool { return c.jt.state(a) == job.AttemptFailed })
	require.EqualValues(t, failure.Config, c.report(a).Kind)
	require.Contains(t, c.report(a).Text, conf.SleepMapTimes.Name)
}

// TestThousandsOfSleepers checks that the TaskTracker continues its heartbeats while it runs
// thousands of sleepers.
func TestThousandsOfSleepers(t *testing.T) {
	const n = 2000
	c := startCluster(t, func(cfg *Config) { cfg.Warm, cfg.Slots = 0, [2]int32{n, 1} })
	c.addSleep(t, 1, conf.SleepJobMapSleepTime.Name, "300")
	var all []*wire.Attempt
	for i := range int32(n) {
		all = append(all, mapAttempt(1, i, 0))
	}
	c.jt.want(all, 1)
	c.jt.await(t, "all maps", func() bool {
		for _, a := range all {
			if c.jt.state(a) != job.AttemptSucceeded {
				return false
			}
		}
		return true
	})
}
