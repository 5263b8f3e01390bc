package daemon

import (
	"bytes"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/prom"
	"github.com/howdah/howdah/internal/prom/promtest"
	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/internal/wire/umbilical"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
)

func TestClockStandsStillDuringPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClock()
		start := c.now()
		c.due = start + 1000
		time.Sleep(1500 * time.Millisecond) // a slight delay is not a pause
		require.Equal(t, start+1500, c.now())
		c.due = c.read() + 1000
		time.Sleep(time.Hour)
		require.Equal(t, start+2500, c.now())
		time.Sleep(time.Second)
		c.due = c.read() + 1000
		require.Equal(t, start+3500, c.now())
	})
}

func TestLogRange(t *testing.T) {
	for _, e := range []struct{ size, start, end, from, n int64 }{
		{10, 0, -1, 0, 10}, {10, 2, 4, 2, 3}, {10, -3, -1, 7, 3}, {10, -30, -1, 0, 10}, {10, 5, 100, 5, 5},
		{10, 10, -1, 0, 0}, {10, 4, 3, 0, 0},
		{0, 0, -1, 0, 0}, {10, 0, 0, 0, 1}, {10, 0, -20, 0, 0}, {1 << 40, 0, -1, 0, maxLog},
	} {
		from, n := logRange(e.size, e.start, e.end)
		require.Equal(t, []int64{e.from, e.n}, []int64{from, n}, "%+v", e)
	}
}

func TestTaskLogErrors(t *testing.T) {
	c := startCluster(t, nil)
	const id = "attempt_202611210000_0001_m_000000_0"
	get(t, c, "/tasklog", 400)
	get(t, c, "/tasklog?attemptid=attempt_..%2F..%2Fx_0001_m_000000_0", 400)
	get(t, c, "/tasklog?attemptid="+id, 404)
	get(t, c, "/tasklog?attemptid="+id+"&filter=passwd", 400)
	get(t, c, "/tasklog?attemptid="+id+"&start=x", 400)
	get(t, c, "/mapOutput?job=job_202611210000_0001&reduce=0&map="+id, 401)
}

func TestPagesAndMetrics(t *testing.T) {
	c := startCluster(t, func(cfg *Config) { cfg.Warm = 0 })
	c.addJob(t, 1, "ok", nil)
	c.addJob(t, 2, "fail", nil)
	good, bad := mapAttempt(1, 0, 0), mapAttempt(2, 0, 0)
	c.jt.want([]*wire.Attempt{good, bad}, 1, 2)
	c.jt.await(t, "both", func() bool { return c.jt.state(good).Terminal() && c.jt.state(bad).Terminal() })
	get(t, c, "/mapOutput", 400)
	r := httptest.NewRecorder()
	prom.Handler(prom.Registry(c.d.Collectors()...)).ServeHTTP(r, httptest.NewRequest("GET", "/metrics", nil))
	for _, line := range []string{"mapred_tasktracker_tasks_completed_total 1\n",
		"mapred_tasktracker_tasks_failed_total 1\n",
		"mapred_tasktracker_map_task_slots 2\n", "mapred_tasktracker_maps_running 0\n",
		"mapred_tasktracker_shuffle_output_bytes_total 0\n",
		"mapred_tasktracker_shuffle_request_seconds_count 1\n"} {
		require.Contains(t, r.Body.String(), line)
	}
	promtest.CheckQueries(t, "mapred_tasktracker_", r.Body.String())
	s, ok := c.d.Status()
	require.True(t, ok)
	require.True(t, s.Registered)
	require.Equal(t, map[int32]string{1: "job_202611210000_0001", 2: "job_202611210000_0002"}, s.JobIDs)
	c.shutDown(t)
	_, ok = c.d.Status()
	require.False(t, ok)
}

// TestProbesAreRare checks that pick creates a file in a directory only if it has not done so for a
// while. The creation of a file changes the directory's modification time.
func TestProbesAreRare(t *testing.T) {
	dir, old := t.TempDir(), time.Unix(1, 0)
	synctest.Test(t, func(t *testing.T) {
		l := localDirs{all: []string{dir}}
		for _, probed := range []bool{true, false, false, true} {
			require.NoError(t, os.Chtimes(dir, old, old))
			_, err := l.pick()
			require.NoError(t, err)
			info, err := os.Stat(dir)
			require.NoError(t, err)
			require.Equal(t, probed, !info.ModTime().Equal(old))
			time.Sleep(probeEvery/3 + time.Nanosecond)
		}
	})
}

func TestDirsTakeTurns(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	l := localDirs{all: []string{a, b}}
	var got []string
	for range 4 {
		dir, err := l.pick()
		require.NoError(t, err)
		got = append(got, dir)
	}
	require.Equal(t, []string{a, b, a, b}, got)

	require.NoError(t, os.RemoveAll(a))
	for range 2 {
		dir, err := l.pick()
		require.NoError(t, err)
		require.Equal(t, b, dir)
	}
	free, err := l.free()
	require.NoError(t, err)
	require.Positive(t, free)

	l.minStart = 1 << 60
	_, err = l.pick()
	require.True(t, failure.Is(err, failure.DiskFull), err)
	require.NoError(t, os.RemoveAll(b))
	_, err = l.pick()
	require.True(t, failure.Is(err, failure.IO), err)
	_, err = l.free()
	require.Error(t, err)
	_, err = l.sweep()
	require.NoError(t, err, "directories that are missing are made")
	require.NoError(t, os.RemoveAll(a))
	require.NoError(t, os.RemoveAll(b))
	require.NoError(t, os.WriteFile(a, nil, 0o644))
	require.NoError(t, os.WriteFile(b, nil, 0o644))
	_, err = l.sweep()
	require.Error(t, err)
}

func TestOldLogsGo(t *testing.T) {
	d := &Daemon{cfg: Config{LogDir: t.TempDir()}}
	old, fresh := attemptLogs(d.cfg.LogDir, "job_202611210000_0001", "a"),
		attemptLogs(d.cfg.LogDir, "job_202611210000_0002", "a")
	silent := attemptLogs(d.cfg.LogDir, "job_202611210000_0003", "a")
	now := time.Now()
	for _, dir := range []string{old, fresh, silent} {
		require.NoError(t, os.MkdirAll(dir, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "stdout"), nil, 0o644))
		for _, p := range []string{filepath.Join(dir, "stdout"), dir, filepath.Dir(dir)} {
			require.NoError(t, os.Chtimes(p, now, now.Add(-48*time.Hour)))
		}
	}
	require.NoError(t, os.Chtimes(filepath.Join(fresh, "stdout"), now, now)) // a long job still writes
	d.expireLogs(now.Add(-24*time.Hour), func(id job.ID) bool { return id.Seq == 3 })
	require.NoDirExists(t, filepath.Dir(old))
	require.DirExists(t, fresh)
	require.DirExists(t, silent, "its job may start another attempt at any moment")
	require.NoError(t, os.Chtimes(filepath.Join(fresh, "stdout"), now, now.AddDate(50, 0, 0)))
	none := func(job.ID) bool { return false }
	d.expireLogs(now.Add(-24*time.Hour), none)
	require.DirExists(t, fresh)
	d.expireLogs(now.Add(time.Hour), none)
	require.NoDirExists(t, filepath.Dir(fresh), "the time in the future counts only once")
}

func TestCompletions(t *testing.T) {
	var none *completions
	events, more := none.after(0, 10)
	require.Empty(t, events)
	require.Nil(t, more)

	c := newCompletions()
	_, more = c.after(0, 10)
	c.add([]*wire.Completion{{Map: 1}, {Map: 2, Obsolete: true}, {Map: 3}})
	<-more
	events, _ = c.after(0, 2)
	require.Len(t, events, 2)
	require.True(t, events[1].Obsolete)
	events, _ = c.after(2, 2)
	require.Equal(t, int32(3), events[0].Map)
	events, _ = c.after(3, 2)
	require.Empty(t, events)
}

func TestConfig(t *testing.T) {
	c := conf.New()
	c.Set("mapred.tasktracker.map.tasks.maximum", "3", "test")
	c.Set("mapred.local.dir", "/a,/b", "test")
	c.Set("hadoop.log.dir", "/logs", "test")
	cfg, err := FromConf(c)
	require.NoError(t, err)
	require.Equal(t, [2]int32{3, 2}, cfg.Slots)
	require.Equal(t, []string{"/a", "/b"}, cfg.LocalDirs)
	require.Equal(t, 5*time.Second, cfg.KillDelay)
	require.True(t, cfg.WaitForWork)

	c.Set("mapred.tasktracker.map.tasks.maximum", "many", "test")
	_, err = FromConf(c)
	require.True(t, failure.Is(err, failure.Config), err)
	require.ErrorContains(t, err, "map.tasks.maximum")
	c.Set("mapred.tasktracker.map.tasks.maximum", "3", "test")
	c.Set("mapreduce.tasktracker.http.address", "nowhere", "mapred-site.xml:4")
	_, err = FromConf(c)
	require.ErrorContains(t, err, "read mapreduce.tasktracker.http.address=nowhere (mapred-site.xml:4): ")

	for name, spoil := range map[string]func(*Config){
		"no JobTracker":  func(c *Config) { c.JobTracker = nil },
		"no storage":     func(c *Config) { c.FS = nil },
		"no directory":   func(c *Config) { c.LocalDirs = nil },
		"relative":       func(c *Config) { c.LocalDirs = []string{"x"} },
		"no logs":        func(c *Config) { c.LogDir = "" },
		"no slots":       func(c *Config) { c.Slots = [2]int32{} },
		"negative slots": func(c *Config) { c.Slots = [2]int32{-1, 5} },
		"negative":       func(c *Config) { c.Warm = -1 },
		"no port":        func(c *Config) { c.HTTPAddr = "localhost" },
		"address in use?": func(c *Config) {
			c.HTTPAddr = "256.0.0.1:0"
			c.LocalDirs = []string{t.TempDir()}
			c.LogDir = c.LocalDirs[0]
		},
	} {
		bad := cfg
		bad.JobTracker, bad.FS = (&finderOf{}).find, localFS{}
		spoil(&bad)
		_, err := New(bad)
		require.True(t, failure.Is(err, failure.Config), "%s: %v", name, err)
	}
}

func TestUsersAreDirectories(t *testing.T) {
	for _, u := range []string{"", ".", "..", "a/b", "a\x00", distCache, mapOutputs} {
		require.Error(t, checkUser(u), u)
	}
	require.NoError(t, checkUser("root"))
}

// Offsets of splits remain with their attempts if an invalid attempt is dropped.
func TestFromDesired(t *testing.T) {
	got := fromDesired(&wire.Desired{Run: []*wire.Attempt{{Job: 1}, {Job: -1}, {Job: 1, Index: 2}, {Job: 1, Index: 3}},
		SplitOffset: []int64{7, 8, 9}})
	require.Len(t, got.Run, 3)
	require.Equal(t, []int64{7, 9, 0}, got.Offsets)
}

func FuzzFromTheWire(f *testing.F) {
	f.Add([]byte{8, 1}, uint32(3))
	f.Add([]byte("\"\x00"), uint32(20)) // the end of an attempt
	f.Fuzz(func(t *testing.T, b []byte, kind uint32) {
		var d wire.Desired
		if unmarshal(b, &d) {
			got := fromDesired(&d)
			require.Equal(t, len(got.Run), len(got.Offsets))
			for _, a := range got.Run {
				require.True(t, a.Job > 0 && a.Type <= job.Cleanup && a.Index >= 0 && a.N >= 0)
			}
		}
		var m umbilical.FromChild
		if unmarshal(b, &m) {
			in := (&child{handle: 1, meter: &meter{}}).translate(&m)
			if p := in.Progress; p != nil {
				require.LessOrEqual(t, p.Phase, job.PhaseCleanup)
				for _, c := range p.Builtin {
					require.Less(t, c.ID, job.NumCounters)
				}
			}
			require.LessOrEqual(t, in.Failure, failure.Internal)
		}
		require.LessOrEqual(t, fromKind(kind), failure.Internal)
	})
}

func TestReportOnTheWire(t *testing.T) {
	a := job.Attempt{Task: job.Task{Job: 1, Index: 2, Type: job.Reduce}, N: 3}
	counters := &job.Counters{}
	counters.Builtin[job.MapInputRecords] = 5
	counters.Add("g", "n", 6)
	r := toReport(&heartbeat.Report{Tracker: 1, Incarnation: 2, Seq: 3, Full: true, Slots: [2]int32{4, 5},
		Unhealthy: "ill", Epoch: 6, OtherLoad: 10, Shares: &heartbeat.Shares{Capacity: heartbeat.Vector{11}},
		Unheld:  []heartbeat.Unheld{{Attempt: a, CPU: 12, Why: "w"}},
		Fetch:   []heartbeat.FetchFailure{{Reduce: a, Map: job.Attempt{Task: job.Task{Job: 1}}}},
		Refused: []heartbeat.Refusal{{Job: 9, Text: "no"}},
		Attempts: []heartbeat.AttemptReport{{Attempt: a, State: job.AttemptFailed, Phase: job.PhaseSort, Progress: 7,
			Counters: counters, ShuffleDone: 8, SortDone: 9, Kind: failure.User, Text: "text", Status: "status",
			Manifest: []job.OutputFile{{Name: "f", Length: 1, Checksum: 2}}}}})
	require.Equal(t, `tracker:1 incarnation:2 seq:3 full:true map_slots:4 reduce_slots:5 attempt:{attempt:{job:1 type:1 `+
		`index:2 n:3} state:3 phase:3 progress:7 `+
		`counter:{group:"g" name:"n" value:6} has_counters:true builtin:27 builtin_value:5 shuffle_done:8 sort_done:9 `+
		`kind:10 text:"text" status:"status" `+
		`file:{name:"f" length:1 checksum:2}} fetch:{reduce:{job:1 type:1 index:2 n:3} map:{job:1}} refused:{job:9 `+
		`text:"no"} unhealthy:"ill" epoch:6 `+
		`other_load:10 shares:{cpu:11 attempt:{}} unheld:{attempt:{job:1 type:1 index:2 n:3} cpu:12 why:"w"}`,
		compact(r.String()))
}

// compact removes the second space that protobuf's text format randomly contains.
func compact(s string) string { return string(bytes.ReplaceAll([]byte(s), []byte("  "), []byte(" "))) }
