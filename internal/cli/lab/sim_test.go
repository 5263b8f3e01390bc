package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/hdfs/kerberos/kerberostest"
	"github.com/howdah/howdah/internal/golden"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker/history"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/simulator/trace"
)

// sim runs howdah sim with the given arguments and without the user's configuration.
func sim(t *testing.T, args ...string) (code int, out, errOut string) {
	t.Helper()
	t.Setenv("HOWDAH_CONF_DIR", "")
	t.Setenv("HADOOP_CONF_DIR", "")
	var o, e bytes.Buffer
	code = run(t.Context(), append([]string{"sim"}, args...), &o, &e)
	return code, o.String(), e.String()
}

// in changes to a temporary directory with the test's input and its own trace database.
func in(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/sim")))
	t.Chdir(dir)
	t.Setenv(dbEnvironment, "traces.db")
	return dir
}

// call is a call of howdah sim with its expected exit code.
type call struct {
	args string
	code int
}

// transcript makes the calls and returns the commands with what they print. It excludes the list of all
// schedulers, which changes often.
func transcript(t *testing.T, calls []call) string {
	t.Helper()
	var all strings.Builder
	for _, c := range calls {
		code, out, errOut := sim(t, strings.Fields(c.args)...)
		require.Equal(t, c.code, code, "%s\n%s%s", c.args, out, errOut)
		all.WriteString("$ howdah sim " + c.args + "\n" + out + errOut)
	}
	return strings.ReplaceAll(all.String(), strings.Join(catalog.Builtin().Names(), " "), "...")
}

// The transcript covers every command and the messages for mistakes.
func TestSimTranscript(t *testing.T) {
	file, err := filepath.Abs("testdata/sim.txt")
	require.NoError(t, err)
	in(t)
	said := transcript(t, []call{
		{"generate custom --jobs 4 --seed 3 --maps constant(6) --reduces constant(2) --map-time uniform(2000,9000) " +
			"--reduce-time constant(4000) --mean-gap 5 --deadline-slots 8 --deadline-factor 2 --name mix", 0},
		{"import job.log damaged.tsv", 2}, {"import job.log", 0}, {"import job.log", 4},
		{"import --replace job.log --name job.log", 0}, {"import damaged.tsv --name swim --drop-idle", 0},
		{"import topology.json", 2}, {"import notes", 2}, {"import none.log", 2}, {"import", 2},
		{"import http://jobtracker:50030", 2},
		{"list", 0}, {"show mix", 0}, {"show job.log", 0}, {"profile job.log --fit", 0},
		{"profile mix --divergence --jobs", 0},
		{"run mix --nodes 2 --model task", 0}, {"run mix --nodes 2 --model task --scheduler MaxEDF --keep", 0},
		{"run mix --nodes 2 --model task --repeat 3 --deadline-factor 1.5 --workers 1", 0},
		{"list --runs", 0}, {"compare mix --scheduler fifo,fair --sizes 2,4 --model task", 0},
		{"run mix --scheduler maxedv", 3}, {"run mix --model exact", 2}, {"run mix --deadline-factor 0.5", 2},
		{"run mix --nodes 0", 2}, {"run mix --repeat 0", 2}, {"run none", 2}, {"run mix job.log", 2},
		{"run mix --plot x.gif", 2}, {"run mix --plot x.svg --plot-kind pie", 2}, {"run mix --nods 3", 2},
		{"run mix --plan none", 2}, {"run mix --plan notes", 3}, {"run mix --plan stopped", 3},
		{"run mix --plan faraway --nodes 12", 3}, {"run mix --plan plan --model task", 2},
		{"run mix --speculation late --model task", 2}, {"run mix --heartbeat 10 --model task", 2},
		{"run mix --wait-for-work --model task", 2}, {"run mix --keep-idle-beats --model task", 2},
		{"run mix --plot-kind gantt", 2}, {"run mix --workers 0", 2}, {"compare mix --workers -1", 2},
		{"compare mix --sizes 2,3 --nodes 4", 2}, {"run mix --map-rate 3", 2}, {"run job.log --spread 1", 2},
		{"run damaged.tsv --spread 0.1 --nodes 2 --model task", 0}, {"import job.log --block-size 5", 2},
		{"run mix --plan plan --nodes 2", 0}, {"run mix --plan failing --nodes 2", 0},
		{"compare mix --plan failing --nodes 2", 0}, {"run mix --nodes 2 --model task --journal new", 0},
		{"run mix -D mapreduce.tasktracker.map.tasks.maximum=many", 3},
		{"run mix -D mapreduce.tasktracker.map.tasks.maximum=4 --nodes 1 --model task", 0},
		{"validate job.log --nodes 2 --model task", 0}, {"validate mix", 2}, {"validate job.log --plan plan", 2},
		{"generate custom --variance", 2}, {"generate testbed --map-time constant(3)", 2},
		{"generate facebook --reduces constant(3)", 2}, {"generate testbed --burstiness 7", 2},
		{"generate testbed --burstiness 7 --arrivals bursty", 2},
		{"generate testbed --arrivals bursty --shape rates", 2}, {"generate testbed --arrivals constant(3) --mean-gap 7", 2},
		{"generate testbed --map-rate 7", 2}, {"generate mix --map-rate 7", 2}, {"generate testbed --deadline-slots 7", 2},
		{"generate testbed -o x --json", 2},
		{"submit mix --speedup 10 --dry-run", 0}, {"submit mix --load disk", 2}, {"submit mix", 3},
		{"submit mix --speedup 0", 2},
		{"submit mix --load cpu -D howdah.sleep.in-tracker=true", 2},
		{"generate facebook --arrivals busty", 2}, {"generate testbed --scale-tasks 0", 2},
		{"generate custom --jobs 2 --maps constant(1e300) --name huge", 2},
		{"generate custom --jobs 2 --arrivals lognormal(700,1) --name huge", 2},
		{"generate mix --jobs 2 --seed 5 --arrivals bursty --name more", 0},
		{"generate testbed --jobs 2 --arrivals shaped --shape rates", 0},
		{"generate testbed --arrivals shaped --shape notes", 2},
		{"export mix", 0}, {"export mix -o job.log", 4}, {"run mix --journal notes", 4}, {"frobnicate", 2},
	})
	// The transcript excludes the engines' event counts and the hash of their decisions, which change
	// often.
	got := regexp.MustCompile(`(?m)^(events|journal|  [a-z-]+)  +\S+ *\n`).ReplaceAllString(said, "")
	golden.Compare(t, file, []byte(got))
}

// An overhead of 0 means none. A rate or a size of 0 is an error.
func TestRatesOfSWIM(t *testing.T) {
	in(t)
	for _, o := range []string{"--map-rate=0", "--shuffle-rate=-1", "--reduce-rate=2e+09", "--overhead=-1",
		"--block-size=0", "--bytes-per-reduce=-1"} {
		code, _, errOut := sim(t, "export", "damaged.tsv", o)
		require.Equal(t, 2, code, errOut)
		require.Contains(t, errOut, o+": want ")
	}
	code, out, errOut := sim(t, "export", "damaged.tsv", "--overhead=0")
	require.Zero(t, code, errOut)
	require.Contains(t, out, "13422", "64 MiB at 5 MB/s")
}

func TestSimRunJSON(t *testing.T) {
	in(t)
	code, _, errOut := sim(t, "generate", "testbed", "--jobs", "3")
	require.Zero(t, code, errOut)
	code, out, errOut := sim(t, "run", "testbed", "--json", "--nodes", "16", "--seed", "18446744073709551615",
		"--deadline-factor", "1")
	require.Zero(t, code, errOut)
	var j struct {
		Scheduler, Model string
		Nodes            int
		Seed             uint64
		Events           int64
		Wall             float64 `json:"wall_seconds"`
		PerSecond        float64 `json:"events_per_second"`
		Makespan         int64   `json:"makespan_ms"`
		Jobs             []map[string]any
	}
	require.NoError(t, json.Unmarshal([]byte(out), &j))
	require.Equal(t, []any{"fifo", "heartbeat", 16, uint64(1<<64 - 1)}, []any{j.Scheduler, j.Model, j.Nodes, j.Seed})
	require.Len(t, j.Jobs, 3)
	require.Positive(t, min(j.Wall, j.PerSecond, float64(j.Events), float64(j.Makespan)))
	for _, key := range []string{"id", "name", "submit_ms", "start_ms", "finish_ms", "duration_ms", "deadline_ms",
		"missed", "maps", "reduces", "journal_id"} {
		require.Contains(t, j.Jobs[0], key)
	}

	code, out, _ = sim(t, "run", "testbed", "--json", "--nodes", "16", "--repeat", "3", "--model", "task")
	require.Zero(t, code)
	var r struct {
		Repetitions []struct{ Seed uint64 }
		Intervals   []struct {
			Measure string
			Half    *float64 `json:"half_width"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	require.Len(t, r.Repetitions, 3)
	require.EqualValues(t, 3, r.Repetitions[2].Seed)
	require.NotNil(t, r.Intervals[0].Half)
}

// The same seed yields the same journal. A replay of the journal with the same model has almost the
// same job times.
func TestSimJournal(t *testing.T) {
	in(t)
	sim(t, "generate", "testbed", "--jobs", "3")
	for _, name := range []string{"a", "b"} {
		code, _, errOut := sim(t, "run", "testbed", "--nodes", "16", "--journal", name)
		require.Zero(t, code, errOut)
	}
	a, err := os.ReadFile("a")
	require.NoError(t, err)
	b, err := os.ReadFile("b")
	require.NoError(t, err)
	require.True(t, bytes.Equal(a, b))
	code, out, errOut := sim(t, "validate", "a", "--json")
	require.Zero(t, code, errOut)
	var v []struct {
		Model   string
		Average float64
	}
	require.NoError(t, json.Unmarshal([]byte(out), &v))
	require.Len(t, v, 3)
	require.Less(t, v[0].Average, 0.01)
	require.Greater(t, v[2].Average, 3*v[0].Average)
	code, _, _ = sim(t, "run", "a", "--journal", filepath.Join("no", "such", "dir"))
	require.Equal(t, 2, code)
}

// recorded converts a simulation's journal to a JobTracker's journal, which has a name. If change
// is not nil, it edits every event.
func recorded(t *testing.T, journal []byte, change func(*event.Event)) []byte {
	d, out := history.NewDecoder(bytes.NewReader(journal)), history.AppendHeader(nil)
	for {
		var e event.Event
		err := d.Next(&e)
		if err == io.EOF {
			return out
		}
		require.NoError(t, err)
		if e.Type == event.Started {
			e.Name = "202611210753"
		}
		if change != nil {
			change(&e)
		}
		out, err = history.AppendRecord(out, &e)
		require.NoError(t, err)
	}
}

// By default, nodes send heartbeats like those of the recorded cluster. In a cluster of howdah, a node
// with news sends a heartbeat immediately. In other clusters, it waits for the end of the interval.
func TestNodesBeatAsRecorded(t *testing.T) {
	in(t)
	sim(t, "generate", "custom", "--jobs", "4", "--map-time", "constant(500)", "--maps", "constant(20)")
	code, _, errOut := sim(t, "run", "custom", "--nodes", "4", "--wait-for-work", "--journal", "simulated")
	require.Zero(t, code, errOut)
	journal, err := os.ReadFile("simulated")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("recorded", recorded(t, journal, nil), 0o644))
	lines := func(args ...string) string {
		code, out, errOut := sim(t, append([]string{"run"}, args...)...)
		require.Zero(t, code, errOut)
		_, out, _ = strings.Cut(out, "\n")
		return regexp.MustCompile(`job_[0-9]*_`).ReplaceAllString(out, "job_")
	}
	require.Equal(t, lines("recorded", "--wait-for-work"), lines("recorded"))
	require.Equal(t, lines("simulated", "--wait-for-work"), lines("recorded"))
	require.NotEqual(t, lines("recorded"), lines("recorded", "--wait-for-work=false"))
	require.Equal(t, lines("simulated"), lines("recorded", "--wait-for-work=false"))
	code, out, errOut := sim(t, "import", "recorded")
	require.Zero(t, code, errOut)
	require.Contains(t, out, "(journal)")
	require.Equal(t, lines("recorded", "--wait-for-work"), lines("recorded", "--db", "traces.db"))
	_, out, _ = sim(t, "import", "simulated")
	require.Contains(t, out, "(simulation)")
}

// The TaskTrackers of a minicluster share one host. In the simulation each of them is a separate
// node.
func TestTrackersOfOneHost(t *testing.T) {
	in(t)
	sim(t, "generate", "custom", "--jobs", "4", "--map-time", "constant(5000)", "--maps", "constant(20)",
		"--mean-gap", "1")
	code, _, errOut := sim(t, "run", "custom", "--nodes", "3", "--wait-for-work", "--journal", "simulated")
	require.Zero(t, code, errOut)
	journal, err := os.ReadFile("simulated")
	require.NoError(t, err)
	minicluster := recorded(t, journal, func(e *event.Event) {
		if e.Type == event.TrackerJoined {
			e.Host = "127.0.0.1"
		}
	})
	require.NoError(t, os.WriteFile("minicluster", minicluster, 0o644))
	run := func(args ...string) (makespan int64, errOut string) {
		t.Helper()
		code, out, errOut := sim(t, append(args, "--json")...)
		require.Zero(t, code, errOut)
		var r struct {
			Makespan int64 `json:"makespan_ms"`
		}
		require.NoError(t, json.Unmarshal([]byte(out), &r))
		return r.Makespan, errOut
	}
	want, _ := run("run", "custom", "--nodes", "3", "--wait-for-work")
	for _, args := range [][]string{{"run", "minicluster"}, {"run", "minicluster", "--nodes", "3"}} {
		got, errOut := run(args...)
		require.InEpsilon(t, want, got, 0.02, args)
		require.Empty(t, errOut)
	}

	// A simulation on the recorded cluster prints a warning if its makespan differs a lot.
	late := recorded(t, journal, func(e *event.Event) {
		if e.Type == event.JobFinished {
			e.Time += want
		}
	})
	require.NoError(t, os.WriteFile("late", late, 0o644))
	const warning = "howdah: late: simulated makespan"
	_, errOut = run("run", "late")
	require.Contains(t, errOut, warning)
	require.Contains(t, errOut, "howdah sim validate")
	_, out, errOut := sim(t, "compare", "late", "--scheduler", "fifo", "--sizes", "3,4")
	require.Equal(t, 1, strings.Count(errOut, warning), "%s%s", out, errOut)
	_, errOut = run("run", "late", "--nodes", "2")
	require.NotContains(t, errOut, warning, "another cluster")
	_, errOut = run("run", "late", "--map-slots", "1")
	require.NotContains(t, errOut, warning, "another cluster")
}

// sim run simulates the history of a live JobTracker on a different cluster.
func TestWhatIf(t *testing.T) {
	in(t)
	sim(t, "generate", "testbed", "--jobs", "2")
	sim(t, "run", "testbed", "--nodes", "16", "--journal", "journal")
	journal, err := os.ReadFile("journal")
	require.NoError(t, err)
	broken := false
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/journal" {
			http.NotFound(w, r)
			return
		}
		w.Write(journal[:len(journal)/2])
		if broken {
			panic(http.ErrAbortHandler)
		}
		w.Write(journal[len(journal)/2:])
	}))
	defer s.Close()
	code, out, errOut := sim(t, "run", s.URL, "--scheduler", "fair", "--nodes", "8")
	require.Zero(t, code, errOut)
	require.Contains(t, out, "2 jobs under fair on 8 nodes of 2 + 2 slots")
	code, _, errOut = sim(t, "validate", s.URL)
	require.Equal(t, 2, code, "the answer has no changes of the scheduler")
	require.Contains(t, errOut, "name it with --scheduler")
	code, out, errOut = sim(t, "validate", s.URL, "--scheduler", "fifo")
	require.Zero(t, code, errOut)
	require.Contains(t, out, "2 jobs compared")
	code, out, _ = sim(t, "run", s.URL)
	require.Zero(t, code)
	require.Contains(t, out, "2 jobs under fifo on 16 nodes of 2 + 2 slots")

	code, _, errOut = sim(t, "run", s.URL+"/elsewhere")
	require.Equal(t, 5, code)
	require.Contains(t, errOut, "404")
	broken = true
	code, _, errOut = sim(t, "run", s.URL)
	require.Equal(t, 5, code)
	require.Contains(t, errOut, "response is incomplete")
	s.Close()
	code, _, _ = sim(t, "run", s.URL)
	require.Equal(t, 5, code)
}

func TestSimPlots(t *testing.T) {
	in(t)
	sim(t, "generate", "testbed", "--jobs", "3")
	for _, kind := range plotKinds {
		for _, file := range []string{kind + ".svg", kind + ".png"} {
			code, _, errOut := sim(t, "run", "testbed", "--nodes", "16", "--model", "task", "--repeat", "2", "--plot", file,
				"--plot-kind", kind)
			require.Zero(t, code, errOut)
			info, err := os.Stat(file)
			require.NoError(t, err)
			require.Greater(t, info.Size(), int64(1000))
		}
	}
	for _, n := range []string{"1", "2"} {
		code, _, errOut := sim(t, "compare", "testbed", "--nodes", "16", "--model", "task", "--repeat", n, "--plot",
			"compare"+n+".svg")
		require.Zero(t, code, errOut)
	}
}

// A job in a trace becomes a sleep job with the same pool. Its times and its deadline are divided by
// the speedup.
func TestSubmittedSettings(t *testing.T) {
	j := &trace.Job{ID: "j", Name: "n", Queue: "q", Priority: job.High, Submit: 1000, Deadline: 21000,
		Conf: []job.Property{{Name: "mapred.fairscheduler.pool", Value: "p"}},
		Maps: []trace.Map{{Time: 1000}, {Time: 2000}}, Reduces: []trace.Reduce{{Shuffle: 300, Time: 700}}}
	x := &submission{conf: conf.New(), load: "cpu", speedup: 10, first: -1}
	c := x.settings(j)
	for key, want := range map[string]string{
		conf.SleepMapTimes.Name: "100,200", conf.SleepReduceTimes.Name: "100", conf.SleepLoad.Name: "cpu",
		"mapred.fairscheduler.pool": "p",
		"mapreduce.job.queuename":   "q",
		"mapreduce.job.priority":    "HIGH", "mapreduce.job.name": "n", "mapreduce.job.deadline": "+2000ms",
	} {
		require.Equal(t, want, c.Get(key), key)
	}
	x.conf.Set(conf.SleepInTracker.Name, "true", "test")
	c = x.settings(j)
	require.Equal(t, "70", c.Get(conf.SleepReduceTimes.Name))
	require.Equal(t, "30", c.Get(conf.SleepShuffleTimes.Name))
}

// Ctrl-C ends a simulation with exit code 6 and leaves no incomplete trace.
func TestSimInterrupted(t *testing.T) {
	in(t)
	sim(t, "generate", "testbed", "--jobs", "3")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{{"sim", "run", "testbed"}, {"sim", "compare", "testbed"},
		{"sim", "generate", "testbed", "--name", "other"}} {
		var o, e bytes.Buffer
		require.Equal(t, 6, run(ctx, args, &o, &e), e.String())
	}
	_, out, _ := sim(t, "list")
	require.NotContains(t, out, "other")
}

// TestReadLiveTraceWithKerberos checks that a user with a Kerberos login asks the JobTracker for a
// token. There is no JobTracker, so that fails.
func TestReadLiveTraceWithKerberos(t *testing.T) {
	in(t)
	s := kerberostest.New(t, "alice")
	code, _, said := sim(t, "-D", "hadoop.security.authentication=kerberos",
		"-D", "mapreduce.jobtracker.kerberos.principal=jt/_HOST", "-D", "howdah.security.kerberos.principal=alice",
		"-D", "howdah.security.kerberos.keytab="+s.Keytab, "-jt", "127.0.0.1:1", "run", "http://127.0.0.1:1")
	require.Equal(t, 5, code, said)
	require.Contains(t, said, "call Create of 127.0.0.1:1")
}
