package scenario

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/weight"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/scheduler/fifo"
	"github.com/howdah/howdah/simulator/replay"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
)

func simulate(t *testing.T, text string, o Options) *Result {
	t.Helper()
	s := parse(t, text)
	require.NoError(t, s.Check())
	o.Workers = 2
	r, err := s.Simulate(t.Context(), o)
	require.NoError(t, err)
	require.Zero(t, r.Failed(), r.firstFailure())
	return r
}

const fixed = `scenario: fixed
cluster: {nodes: 2, maps: 2, reduces: 1}
repetitions: 2
workload:
  - name: one
    run: [pi, "4", "10"]
    tasks: {maps: 8, reduces: 1, map-time: "10000", shuffle-time: "1000", reduce-time: "2000"}
    at: [0s, 100s]
    deadline: 30s
`

// Eight maps of 10 s on four slots take 20 s, and the reduce takes 3 s more.
func TestSimulate(t *testing.T) {
	r := simulate(t, fixed, Options{})
	require.False(t, r.Real)
	require.Len(t, r.Variants, 1)
	require.Len(t, r.Variants[0].Runs, 2)
	for _, run := range r.Variants[0].Runs {
		require.Len(t, run.Jobs, 2)
		for i, j := range run.Jobs {
			require.Equal(t, int64(i)*100_000, j.Submit)
			require.InDelta(t, 23_000, j.Finish-j.Submit, 700)
			require.Equal(t, j.Submit+30_000, j.Deadline)
			require.Equal(t, [2]int{8, 1}, [2]int{j.Maps, j.Reduces})
			require.InDelta(t, 80_000, j.SlotTime[0], 100)
			require.Len(t, j.IDs, 1)
		}
		require.InDelta(t, 123_000, run.Makespan, 700)
		require.InDelta(t, 100*160.0/(4*123), run.Use[0], 1)
	}
	require.NotEqual(t, r.Variants[0].Runs[0].Seed, r.Variants[0].Runs[1].Seed)
	again := simulate(t, fixed, Options{})
	require.Equal(t, r.Variants, again.Variants, "the same seed gives the same result")
}

// A co-tenant that uses half of the CPU doubles the time of the maps, and a dead node does, too.
func TestDisturbances(t *testing.T) {
	for _, more := range []string{"co-tenants: {share: {0s: 0.5}}\n", "faults: lose 1 0s\n"} {
		r := simulate(t, fixed+more, Options{Repeat: 1})
		require.Greater(t, r.Variants[0].Runs[0].Jobs[0].Finish, int64(40_000), more)
	}
}

// Faults and co-tenants count from the first arrival. Parts that follow others do not determine it.
func TestFirstArrival(t *testing.T) {
	later := strings.Replace(fixed, "at: [0s, 100s]", "at: [50s, 150s]", 1)
	for _, text := range []string{fixed, strings.Replace(later, "cluster: {", "pool: {clusters: [{name: a}], ", 1)} {
		text = strings.Replace(text, "name: one", "name: one\n    cluster: a", 1)
		if !strings.Contains(text, "pool") {
			text = later
		}
		text += "co-tenants: {share: {45s: 0.9, 90s: 0}}\n"
		run := simulate(t, text, Options{Repeat: 1}).Variants[0].Runs[0]
		require.Less(t, run.Jobs[0].Finish-run.Jobs[0].Submit, int64(50_000), "the load comes after the first job")
	}
	list, err := parse(t, later+`  - {name: two, after: one, app: grep}`).instances(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, int64(50_000), firstArrival(list))
}

// A part that follows another starts when all its jobs have ended.
func TestAfter(t *testing.T) {
	r := simulate(t, fixed+`  - name: two
    after: one
    run: [pi, "4", "10"]
    tasks: {maps: 1, map-time: "5000"}
    at: [0s, 3s]
`, Options{Repeat: 1})
	jobs := r.Variants[0].Runs[0].Jobs
	byID := map[string]Job{}
	last := int64(0)
	for _, j := range jobs {
		byID[j.ID] = j
		if j.Part == "one" {
			last = max(last, j.Finish)
		}
	}
	require.Equal(t, last, byID["two-1"].Submit)
	require.Equal(t, last+3000, byID["two-2"].Submit)
	require.GreaterOrEqual(t, byID["two-2"].Finish, byID["two-2"].Submit+5000)
}

// Without a profile, an application of the suite with several jobs runs them one after another.
func TestSuiteWithoutProfile(t *testing.T) {
	text, err := Suite("tiny", 2, nil)
	require.NoError(t, err)
	r := simulate(t, text, Options{Repeat: 1})
	require.Len(t, r.Variants[0].Runs[0].Jobs, len(suite))
	end := int64(0)
	for i, j := range r.Variants[0].Runs[0].Jobs {
		require.Len(t, j.IDs, suite[i].jobs)
		require.Equal(t, end, j.Submit)
		end = j.Finish
	}
	_, err = Suite("tiny", 2, []string{"srot"})
	require.True(t, failure.Is(err, failure.Usage))
	_, err = Suite("giant", 2, nil)
	require.True(t, failure.Is(err, failure.Usage))
}

// Generated jobs keep the parameters of the scenario, and deadlines.
func TestGenerated(t *testing.T) {
	text := `scenario: g
cluster: {nodes: 4}
scheduler: [fifo, minedf-wc]
workload:
  - {generate: testbed, jobs: 5, scale-time: 0.01, scale-tasks: 0.02, gaps: exponential(20000),
     scale-gaps: 0.1, deadline-factor: 2}
`
	r := simulate(t, text, Options{Repeat: 2})
	require.Len(t, r.Variants, 2)
	for _, v := range r.Variants {
		require.Len(t, v.Runs[0].Jobs, 5)
		for _, j := range v.Runs[0].Jobs {
			require.Greater(t, j.Deadline, j.Submit)
		}
	}
	require.Equal(t, r.Variants[0].Runs[0].Jobs[3].Submit, r.Variants[1].Runs[0].Jobs[3].Submit, "pairs")
	require.NotEqual(t, r.Variants[0].Runs[0].Jobs[3].Submit, r.Variants[0].Runs[1].Jobs[3].Submit)
}

const contended = `scenario: c
cluster:
  {nodes: 1, maps: 2, reduces: 1, cores: 1, memory: 600MB,
   set: {howdah.orchestrator.epoch.ms: 2000, howdah.orchestrator.sample.ms: 500}}
orchestrator: [off, on]
repetitions: 1
workload:
  - {name: big, run: [pi, "1", "1"], cpu: 1, memory: 350MB, thrash: 4,
     tasks: {maps: 8, map-time: "20000"}}
  - {name: small, run: [pi, "1", "1"], cpu: 0.2, memory: 50MB, tasks: {maps: 8, map-time: "20000"}}
`

// Tasks contend for the node's CPU and memory, and the orchestrator moves memory to those that lack
// it.
func TestOrchestrator(t *testing.T) {
	r := simulate(t, contended, Options{})
	require.Equal(t, []string{"fifo orchestrator-off", "fifo orchestrator-on"}, r.names())
	off, on := r.Variants[0].Runs[0].Makespan, r.Variants[1].Runs[0].Makespan
	require.Greater(t, off, int64(8*20_000), "tasks contend")
	require.Less(t, on, off)
}

const pooledText = `scenario: p
pool:
  nodes: 6
  interval: 5s
  clusters: [{name: a}, {name: b}]
weights: [TD, None]
repetitions: 1
workload:
  - {name: many, cluster: a, run: [pi, "1", "1"], count: 4, every: 1s, deadline: 300s,
     tasks: {maps: 40, reduces: 1, map-time: "5000", reduce-time: "500"}}
  - {name: few, cluster: b, run: [pi, "1", "1"], tasks: {maps: 2, map-time: "5000"}}
  - {name: next, cluster: b, after: few, run: [pi, "1", "1"], tasks: {maps: 2, map-time: "5000"}}
`

// With weights by demand, the MR-cluster with many tasks gets the idle nodes.
func TestPool(t *testing.T) {
	r := simulate(t, pooledText, Options{})
	td, none := r.Variants[0].Runs[0], r.Variants[1].Runs[0]
	require.Len(t, td.Jobs, 6)
	require.Less(t, td.Makespan, none.Makespan)
	for _, j := range td.Jobs {
		require.Greater(t, j.Finish, j.Submit, j.ID)
		require.Less(t, j.Finish, int64(600_000), "times count from the start")
		if j.Part == "many" {
			require.Equal(t, j.Submit+300_000, j.Deadline)
		}
	}
}

// A program's own scheduler, weights and workload can be part of a scenario.
func TestOwnParts(t *testing.T) {
	parts := Parts{
		Schedulers: []catalog.Entry{{Name: "mine", New: fifo.New}},
		Weights: []weight.Entry{{Name: "even", New: func(*conf.Config) (mrcluster.Weighting, error) {
			return weight.EQ{}, nil
		}}},
		Workloads: []Workload{{"threes", func(jobs int, _ generate.Arrivals, _ uint64) trace.Source {
			tr := &trace.Trace{}
			for i := range jobs {
				tr.Jobs = append(tr.Jobs, &trace.Job{ID: "x", Name: "three", Submit: int64(i) * 1000, State: job.Succeeded,
					Maps: []trace.Map{{Time: 3000}, {Time: 3000}, {Time: 3000}}})
			}
			return tr.Source()
		}}}}
	text := `scenario: own
pool: {nodes: 2, clusters: [{name: a}]}
scheduler: [mine, fifo]
weights: even
repetitions: 1
workload: [{generate: threes, jobs: 2, cluster: a}]
`
	_, err := Parse("x.yaml", text, Parts{})
	require.ErrorContains(t, err, "mine")
	s, err := Parse("x.yaml", text, parts)
	require.NoError(t, err)
	require.ErrorContains(t, s.Realizable(), "even")
	r, err := s.Simulate(t.Context(), Options{})
	require.NoError(t, err)
	require.Equal(t, r.Variants[0].Runs, r.Variants[1].Runs)
	require.Equal(t, 3, r.Variants[0].Runs[0].Jobs[0].Maps)
}

// A result is written once, with a report that needs no other file, and read again.
func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "r")
	require.NoError(t, Directory(dir))
	r := simulate(t, fixed, Options{})
	require.NoError(t, r.Write(dir))
	require.True(t, failure.Is(Directory(dir), failure.Exists))
	require.Error(t, r.Write(dir), "files stay as they are")
	html, err := os.ReadFile(filepath.Join(dir, "report.html"))
	require.NoError(t, err)
	require.Contains(t, string(html), "<svg")
	require.NotContains(t, string(html), "src=")
	require.NotContains(t, string(html), "<?xml")
	back, err := ReadResult(dir)
	require.NoError(t, err)
	a, err := json.Marshal(r)
	require.NoError(t, err)
	b, err := json.Marshal(back)
	require.NoError(t, err)
	require.JSONEq(t, string(a), string(b))
	_, err = ReadResult(t.TempDir())
	require.True(t, failure.Is(err, failure.NotFound))
	require.NoError(t, os.WriteFile(filepath.Join(dir, resultFile), []byte(`{"variants":[{}]}`), 0o644))
	_, err = ReadResult(dir)
	require.True(t, failure.Is(err, failure.Corrupt))
}

// The report escapes what a scenario says.
func TestEscapes(t *testing.T) {
	r := simulate(t, strings.Replace(fixed, "cluster:", "about: \"<script>x</script>\"\ncluster:", 1), Options{Repeat: 1})
	html, err := r.HTML()
	require.NoError(t, err)
	require.NotContains(t, string(html), "<script>")
}

// A comparison shows errors of the simulation.
func TestCompare(t *testing.T) {
	a, b := simulate(t, fixed, Options{Repeat: 2}), simulate(t, fixed, Options{Repeat: 2})
	a.Real = true
	for i := range a.Variants[0].Runs {
		run := &a.Variants[0].Runs[i]
		for k := range run.Jobs {
			run.Jobs[k].Finish = run.Jobs[k].Submit + (run.Jobs[k].Finish-run.Jobs[k].Submit)*2
		}
		run.finish([2]int64{4, 2})
	}
	c, err := Compare(b, a)
	require.NoError(t, err)
	require.True(t, c.A.Real, "the real run comes first")
	var text bytes.Buffer
	require.NoError(t, c.Print(&text))
	require.Contains(t, text.String(), "error (%)")
	part := c.Tables[1].Rows[0]
	require.Equal(t, "-50.0", part[4])
	require.NotEqual(t, "-", part[5], "two pairs")
	require.InDelta(t, 16, c.Worst, 2)
	dir := filepath.Join(t.TempDir(), "c")
	require.NoError(t, Directory(dir))
	require.NoError(t, c.Write(dir))
	require.FileExists(t, filepath.Join(dir, "compare.html"))
	b.Variants[0].Name = "other"
	b.Variants = append(b.Variants, b.Variants[0])
	_, err = Compare(a, b)
	require.ErrorContains(t, err, "no variant in common")
}

// A comparison uses the repetitions with the same arrivals and jobs: those with the same seed if arrivals
// or jobs are random, and all if they are fixed.
func TestSameArrivals(t *testing.T) {
	random := strings.Replace(fixed, "at: [0s, 100s]", "count: 3\n    gaps: exponential(9000)", 1)
	for text, want := range map[string][2]int{fixed: {2, 3}, random: {2, 2}} {
		a, b := simulate(t, text, Options{Repeat: 2}), simulate(t, text, Options{Repeat: 3})
		x, y := sameArrivals(&a.Variants[0], &b.Variants[0])
		require.Equal(t, want, [2]int{len(x.Runs), len(y.Runs)}, text)
	}
	const generated = "scenario: g\ncluster: {nodes: 4}\nworkload: [{generate: testbed, jobs: 1, scale-tasks: 0.1, " +
		"scale-time: 0.01}]\n"
	a, b := simulate(t, generated, Options{Repeat: 1}), simulate(t, generated, Options{Repeat: 30})
	_, y := sameArrivals(&a.Variants[0], &b.Variants[0])
	require.Less(t, len(y.Runs), 6, "of thirty jobs of 18 kinds, few are alike")
	for _, r := range y.Runs {
		require.Equal(t, a.Variants[0].Runs[0].Jobs[0].Maps, r.Jobs[0].Maps)
	}
}

// Adaptive schedulers keep their tasks within a foretold f(t), in the simulator and on real nodes.
func TestForetold(t *testing.T) {
	text := fixed + `scheduler: reverse-adaptive
co-tenants: {takes: slots, foretold: true, period: 100s, share: {0s: 1, 40s: 0.5, 70s: 0}}
`
	s := parse(t, text)
	require.NoError(t, s.Realizable())
	require.Empty(t, s.plan().Loads)
	require.Equal(t, "period 100000ms\norigin 7\nstep 100000ms\n0ms 0\n39999ms 0\n40000ms 0.5\n69999ms 0.5\n70000ms 1\n"+
		"100000ms 1\n", s.foretold().curve(7))
	run := simulate(t, text, Options{Repeat: 1}).Variants[0].Runs[0]
	require.InDelta(t, 40_000, run.Jobs[0].Start, 2000, "no slots before 40 s")
	require.Greater(t, run.Jobs[0].Finish, int64(70_000), "two slots until 70 s")
}

// If all attempts fail, the application fails, and does not submit its second job. The part that
// follows it starts anyway.
func TestFailures(t *testing.T) {
	s := parse(t, `scenario: f
cluster: {nodes: 2}
faults: fail 1
workload:
  - {app: grep}
  - {name: next, after: grep, app: wordcount}
`)
	r, err := s.Simulate(t.Context(), Options{Repeat: 1})
	require.NoError(t, err)
	require.Equal(t, 2, r.Failed())
	jobs := r.Variants[0].Runs[0].Jobs
	require.Len(t, jobs[0].IDs, 1, "of two jobs")
	require.Equal(t, jobs[0].Finish, jobs[1].Submit)
	require.Contains(t, r.firstFailure(), "grep-1 under fifo: grep-1.1 failed")
	var text bytes.Buffer
	require.NoError(t, r.Print(&text))
	require.Contains(t, text.String(), "2 jobs failed")
}

// Jobs of a profile end after their commit, and the next jobs start after it.
func TestCommits(t *testing.T) {
	s := parse(t, strings.Replace(fixed, "at: [0s, 100s]", "at: 0s", 1))
	j := func() *trace.Job { return &trace.Job{State: job.Succeeded, Maps: []trace.Map{{Time: 1000}}} }
	p := &Profile{runs: map[string][]recorded{"one": {{{after: -1, commit: 5000, job: j()},
		{after: 0, gap: 100, commit: 3000, job: j()}}}}}
	r, err := s.Simulate(t.Context(), Options{Repeat: 1, Profile: p})
	require.NoError(t, err)
	require.InDelta(t, 1000+5000+100+1000+3000, r.Variants[0].Runs[0].Jobs[0].Finish, 700)
	spans := []lab.SlotSpan{{Job: 3, Start: 10, End: 90}, {Job: 4, Start: 10, End: 500}, {Job: 3, Start: 20, End: 70}}
	require.Equal(t, int64(30), commit(&trace.Job{ID: "job_200001010000_0003", Finish: 1120}, 1000, spans))
	require.Zero(t, commit(&trace.Job{ID: "job_200001010000_0005", Finish: 1120}, 1000, spans))
}

// A profile keeps the jobs of an application with the gaps between them: a job follows the one that
// ended last before its submission.
func TestStages(t *testing.T) {
	j := func(id string, submit, finish int64) *trace.Job {
		return &trace.Job{ID: id, Submit: submit, Finish: finish, Maps: []trace.Map{{Time: finish - submit}}}
	}
	got := stages([]*trace.Job{j("c", 2100, 2500), j("a", 1100, 1500), j("b", 1200, 2000), j("d", 2050, 2400)}, 1000)
	want := []struct {
		id    string
		after int
		gap   int64
	}{{"a", -1, 100}, {"b", -1, 200}, {"d", 1, 50}, {"c", 1, 100}}
	require.Len(t, got, len(want))
	for i, w := range want {
		require.Equal(t, w.id, got[i].job.ID)
		require.Equal(t, w.after, got[i].after, w.id)
		require.Equal(t, w.gap, got[i].gap, w.id)
	}
}

// A simulation with the profile of a run takes as long as that run. A simulated journal stands for a
// real one.
func TestProfile(t *testing.T) {
	dir := t.TempDir()
	r := simulate(t, fixed, Options{Repeat: 1})
	r.Real, r.Revision = true, "r1"
	r.Variants[0].Runs[0].Start = replay.Epoch
	require.NoError(t, r.Write(dir))
	s := parse(t, `scenario: other
cluster: {nodes: 2, maps: 2, reduces: 1}
workload: [{name: one, run: [pi, "1", "1"], tasks: {maps: 1, map-time: "1"}}]
`)
	p, err := s.ReadProfile(dir)
	require.NoError(t, err)
	got, err := s.Simulate(t.Context(), Options{Profile: p, Repeat: 1})
	require.NoError(t, err)
	one := got.Variants[0].Runs[0].Jobs[0]
	require.Equal(t, 8, one.Maps)
	require.InDelta(t, 23_000, one.Finish-one.Submit, 700)
	require.Contains(t, got.Durations["one"], "revision r1")
	require.Contains(t, p.setting(&s.Work[0]), "map=10000/10000")
	_, err = s.ReadProfile(dir + ":fair")
	require.ErrorContains(t, err, "want one of fifo")
	_, err = parse(t, minimal).ReadProfile(dir)
	require.ErrorContains(t, err, "no run of any application")
}

// In a pool, tasks also contend, and co-tenants slow nodes down.
func TestPoolWithLoads(t *testing.T) {
	text := strings.Replace(contended, "cluster:\n  {nodes: 1,", "pool:\n  {clusters: [{name: a}], nodes: 1,", 1)
	text = strings.ReplaceAll(strings.ReplaceAll(text, "{name: big,", "{name: big, cluster: a,"), "{name: small,",
		"{name: small, cluster: a,")
	require.ErrorContains(t, parse(t, text).Realizable(), "use kind: namespaces")
	require.NoError(t, parse(t, strings.Replace(text, "pool:\n  {", "pool:\n  {kind: namespaces, ", 1)).Realizable())
	r := simulate(t, text, Options{})
	off, on := r.Variants[0].Runs[0].Makespan, r.Variants[1].Runs[0].Makespan
	require.Less(t, on, off)
	slow := simulate(t, text+"co-tenants: {share: {20s: 0.5}}\n", Options{})
	require.Greater(t, slow.Variants[0].Runs[0].Makespan, off+10_000)
}

// In a pool, nodes fail and return at times that count from the first arrival.
func TestPoolWithFaults(t *testing.T) {
	const text = `scenario: faulty
pool: {nodes: 3, maps: 1, start: 0ms, clusters: [{name: a, core: 3}],
  set: {mapreduce.jobtracker.expire.trackers.interval: 2000}}
repetitions: 1
workload:
  - {name: one, cluster: a, run: [sleep, -m, "30"], at: 60s, tasks: {maps: 30, map-time: "4000"}}
`
	makespan := func(faults string) int64 {
		require.NoError(t, parse(t, text+faults).Realizable())
		return simulate(t, text+faults, Options{}).Variants[0].Runs[0].Makespan
	}
	whole := makespan("")
	require.InDelta(t, 40_000, whole, 3000)
	require.InDelta(t, whole+10_000, makespan("faults: lose 2 20s\n"), 5000, "half of the time with two nodes")
	require.InDelta(t, whole+5000, makespan("faults: leave 2 10s 25s\n"), 5000)
	require.Equal(t, whole, makespan("faults: lose 2 50s\n"), "after the end")
}

func TestOrder(t *testing.T) {
	r := Run{Jobs: []Job{{Part: "b", After: "a", Submit: 8}, {Part: "a", Finish: 7}, {Part: "a", Finish: 9},
		{Part: "c", After: "a", Submit: 10}, {Part: "d", Submit: 1}}}
	r.order()
	require.Equal(t, []int64{9, 0, 0, 10, 1}, []int64{r.Jobs[0].Submit, r.Jobs[1].Submit, r.Jobs[2].Submit,
		r.Jobs[3].Submit, r.Jobs[4].Submit})
}

// Ten nodes start for an MR-cluster of one node. Reverse-Adaptive meets the nearer deadline only if the
// manager tells it that they come, because the later job then need not run before.
const coming = `scenario: coming
pool:
  nodes: 8
  maps: 2
  interval: 2s
  idle: 300s
  start: 20s
  clusters: [{name: a, core: 1}]
  set: {howdah.mrcluster.threshold: 0, howdah.adaptive.cycle: 500, howdah.adaptive.task.length: profile}
scheduler: reverse-adaptive
repetitions: 1
workload:
  - name: soon
    cluster: a
    run: [sleep, -m, "16", -r, "0"]
    set: {howdah.job.profile: map=2000/2000}
    tasks: {maps: 16, map-time: "2000"}
    deadline: 42s
  - name: late
    cluster: a
    run: [sleep, -m, "60", -r, "0"]
    set: {howdah.job.profile: map=2000/2000}
    tasks: {maps: 60, map-time: "2000"}
    deadline: 60s
`

func TestManagerForetells(t *testing.T) {
	missed := func(text string) (names []string) {
		for _, j := range simulate(t, text, Options{}).Variants[0].Runs[0].Jobs {
			if j.Finish > j.Deadline {
				names = append(names, j.Part)
			}
		}
		return names
	}
	require.Equal(t, []string{"soon"}, missed(coming))
	told := strings.Replace(coming, "length: profile}", "length: profile, howdah.adaptive.capacity.source: manager}", 1)
	require.Empty(t, missed(told))
	_, err := Parse("x", told, Parts{})
	require.NoError(t, err)
	s := parse(t, strings.Replace(fixed, "reduces: 1}", "reduces: 1, set: {howdah.adaptive.capacity.source: manager}}\n"+
		"scheduler: adaptive", 1))
	require.ErrorContains(t, s.Check(), "only the JobTracker of an MR-cluster has a manager")
}
