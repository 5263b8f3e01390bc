//go:build integration

package integration

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/scenario"
	"github.com/howdah/howdah/integration/leftovers"
	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/integration/testpool"
	"github.com/howdah/howdah/internal/daemonrun"
	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/mrcluster"
)

// runScenario runs howdah scenario run for a file with the given text, and returns the result.
func runScenario(t *testing.T, text string, args ...string) (*scenario.Result, string) {
	t.Helper()
	return runScenarioBy(t, minicluster.Binary(t), text, args...)
}

// runScenarioBy is like runScenario with another program.
func runScenarioBy(t *testing.T, program, text string, args ...string) (*scenario.Result, string) {
	t.Helper()
	dir := t.TempDir()
	file, out := filepath.Join(dir, "s.yaml"), filepath.Join(dir, "out")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	cmd := exec.CommandContext(t.Context(), program, append([]string{"scenario", "run", "--out", out, file}, args...)...)
	cmd.Env = append(daemonrun.Environ(), "TMPDIR="+dir, "HOWDAH_CONF_DIR="+dir)
	said, err := cmd.CombinedOutput()
	require.NoError(t, err, string(said))
	r, err := scenario.ReadResult(out)
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(out, "report.html"))
	left, err := filepath.Glob(filepath.Join(dir, "howdah-*"))
	require.NoError(t, err)
	require.Empty(t, left, "temporary files")
	return r, out
}

// keys returns the keys of a JSON value and of all values in it, each as a path.
func keys(t *testing.T, v any) []string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	var any any
	require.NoError(t, json.Unmarshal(b, &any))
	found := map[string]bool{}
	walk(any, "", found)
	return ordered.Keys(found)
}

func walk(v any, at string, found map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v { //nolint:maporder // the caller sorts
			found[at+"/"+k] = true
			if k != "durations" {
				walk(x, at+"/"+k, found)
			}
		}
	case []any:
		for _, x := range v {
			walk(x, at, found)
		}
	}
}

// The same file runs on real nodes and in the simulator, with results of the same form. A node dies
// and returns meanwhile, in both worlds.
func TestScenario(t *testing.T) {
	leftovers.Check(t)
	const text = `scenario: both
cluster: {nodes: 2, maps: 2, reduces: 1, set: {mapreduce.jobtracker.expire.trackers.interval: 2000}}
scheduler: [fifo, minedf-wc]
faults: lose 2 1s 3s
workload:
  - {name: count, app: wordcount, count: 2, every: 1s, deadline: 60s}
  - {name: match, app: grep, at: 2s}
  - {name: last, app: terasort, after: match}
  - {name: naps, generate: testbed, jobs: 2, gaps: constant(1000), scale-tasks: 0.01, scale-time: 0.01}
repetitions: 1
`
	inReality, dir := runScenario(t, text, "--real")
	require.Equal(t, []string{"fifo", "minedf-wc"}, []string{inReality.Variants[0].Name, inReality.Variants[1].Name})
	simulated, _ := runScenario(t, text, "--profile-from", dir)
	require.Equal(t, keys(t, simulated), keys(t, inReality), "one form")
	for i, v := range inReality.Variants {
		real, sim := v.Runs[0], simulated.Variants[i].Runs[0]
		require.Len(t, real.Jobs, 6)
		for k, j := range real.Jobs {
			s := sim.Jobs[k]
			require.Equal(t, s.ID, j.ID)
			require.Equal(t, [2]int{s.Maps, s.Reduces}, [2]int{j.Maps, j.Reduces}, j.ID)
			require.Len(t, j.IDs, len(s.IDs), j.ID)
			require.GreaterOrEqual(t, j.Start, j.Submit, j.ID)
			require.Greater(t, j.Finish, j.Start, j.ID)
			require.Positive(t, j.SlotTime[0], j.ID)
			if j.After == "" {
				require.Equal(t, s.Submit, j.Submit, j.ID)
			}
		}
		match := slices.IndexFunc(real.Jobs, func(j scenario.Job) bool { return j.ID == "match-1" })
		last := slices.IndexFunc(real.Jobs, func(j scenario.Job) bool { return j.ID == "last-1" })
		require.GreaterOrEqual(t, real.Jobs[last].Submit, real.Jobs[match].Finish)
		require.Len(t, real.Jobs[match].IDs, 2, "grep runs two jobs")
	}
	c, err := scenario.Compare(simulated, inReality)
	require.NoError(t, err)
	require.True(t, c.A.Real)
	require.True(t, strings.HasPrefix(simulated.Durations["count"], "profile: fifo of a real run"))
}

// Two MR-clusters share a pool of processes, and the results have the same form, too. A node fails
// meanwhile, and another one leaves and returns.
func TestScenarioOnPool(t *testing.T) {
	leftovers.Check(t)
	const text = `scenario: shared
pool: {nodes: 4, maps: 1, reduces: 1, interval: 1s, idle: 30s, clusters: [{name: a, core: 2}, {name: b}],
  set: {mapreduce.jobtracker.expire.trackers.interval: 2000}}
faults: leave 3 500ms 2s; lose 4 1s
workload:
  - {name: count, cluster: a, app: wordcount}
  - {name: naps, cluster: b, generate: testbed, jobs: 1, gaps: constant(1000), scale-tasks: 0.01, scale-time: 0.01}
repetitions: 1
`
	inReality, _ := runScenario(t, text, "--real")
	simulated, _ := runScenario(t, text)
	without := func(r *scenario.Result) []string { // a pool has no journal
		return slices.DeleteFunc(keys(t, r), func(k string) bool { return strings.HasSuffix(k, "/journals") })
	}
	require.Equal(t, without(simulated), without(inReality))
	for k, j := range inReality.Variants[0].Runs[0].Jobs {
		s := simulated.Variants[0].Runs[0].Jobs[k]
		require.Equal(t, []any{s.ID, s.Cluster, s.Maps, s.Reduces}, []any{j.ID, j.Cluster, j.Maps, j.Reduces})
		require.Greater(t, j.Finish, j.Submit)
	}
}

// A node that fails is lost for the manager until it returns, although the manager starts nodes whose
// agent has ended.
func TestNodeOfPoolFails(t *testing.T) {
	leftovers.Check(t)
	r := &lab.Run{Binary: minicluster.Binary(t)}
	p, err := r.StartPool(t.Context(), lab.PoolOptions{Nodes: 2, Set: []string{"howdah.mrcluster.expiry.ms=1500",
		"howdah.mrcluster.heartbeat.ms=100"}})
	require.NoError(t, err)
	defer p.Stop()
	await := func(want ...mrcluster.NodeState) {
		t.Helper()
		var got []mrcluster.NodeState
		for range 600 {
			s, err := p.Status(t.Context())
			require.NoError(t, err)
			got = nil
			for _, n := range s.Nodes {
				got = append(got, n.State)
			}
			if slices.Equal(got, want) {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		require.Equal(t, want, got)
	}
	await(mrcluster.Free, mrcluster.Free)
	require.NoError(t, p.FailNode(t.Context(), 2, false))
	await(mrcluster.Free, mrcluster.Lost)
	require.NoError(t, p.ReturnNode(2))
	await(mrcluster.Free, mrcluster.Free)
	require.NoError(t, p.FailNode(t.Context(), 1, true), "Stop must stop it")
}

// A program's own scheduler and weighting policy run on a real pool, and its estimator in TaskTrackers.
func TestOwnPartsOnPool(t *testing.T) {
	leftovers.Check(t)
	dir := t.TempDir()
	own := filepath.Join(dir, "laboratory")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", own, "../docs/examples/laboratory").CombinedOutput()
	require.NoError(t, err, string(out))
	require.NoError(t, os.Symlink(minicluster.Binary(t), filepath.Join(dir, "howdah")))
	r, _ := runScenarioBy(t, own, `scenario: own
pool: {nodes: 2, interval: 1s, idle: 30s, clusters: [{name: a}]}
scheduler: in-order
weights: PerSlot
workload: [{cluster: a, app: wordcount}]
`, "--real")
	require.Equal(t, []string{"in-order", "PerSlot"}, []string{r.Variants[0].Scheduler, r.Variants[0].Weights})
	require.Zero(t, r.Failed())

	run := func(more ...string) (string, error) {
		args := []string{"minicluster", "-D", "howdah.orchestrator=watch", "-D", "howdah.orchestrator.estimator.own=peak"}
		cmd := exec.CommandContext(t.Context(), minicluster.Binary(t), append(args, more...)...)
		cmd.Env = append(daemonrun.Environ(), "TMPDIR="+t.TempDir())
		said, err := cmd.CombinedOutput()
		return string(said), err
	}
	said, err := run("--tasktracker-program", own, "--", minicluster.Binary(t), "run", "pi", "2", "10")
	require.NoError(t, err, said)
	require.Contains(t, said, "completed successfully")
	said, err = run()
	require.Error(t, err)
	require.Contains(t, said, "the TaskTracker's program has no such estimator")
}

// A scenario runs on a cluster that is already running, with each of its schedulers, and then gives the
// cluster's own scheduler back. Inputs and outputs are in the directory that the user names.
func TestScenarioOnTestbed(t *testing.T) {
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2, Set: []string{
		"mapreduce.tasktracker.map.tasks.maximum=2", "mapreduce.tasktracker.reduce.tasks.maximum=1",
		"mapreduce.jobtracker.taskscheduler=fair"}})
	const text = `scenario: elsewhere
cluster: {nodes: 2, maps: 2, reduces: 1}
scheduler: [fifo, fair]
workload:
  - {name: match, app: grep}
  - {name: naps, generate: testbed, jobs: 1, gaps: constant(1000), scale-tasks: 0.01, scale-time: 0.01}
repetitions: 1
`
	work := t.TempDir()
	r, dir := runScenario(t, text, "--real", "--testbed", c.Conf, "--work", work)
	require.Equal(t, "the testbed "+c.Conf, r.Place)
	simulated, _ := runScenario(t, text, "--profile-from", dir)
	for i, v := range r.Variants {
		for k, j := range v.Runs[0].Jobs {
			s := simulated.Variants[i].Runs[0].Jobs[k]
			require.Equal(t, []any{s.ID, s.Maps, s.Reduces, s.Submit}, []any{j.ID, j.Maps, j.Reduces, j.Submit})
			require.False(t, j.Failed, j.Why)
			require.Greater(t, j.Finish, j.Submit)
			require.Positive(t, j.SlotTime[0])
		}
	}
	left, err := os.ReadDir(work)
	require.NoError(t, err)
	require.Empty(t, left)
	cfg, err := conf.GenericOptions{ConfigDir: c.Conf}.Load()
	require.NoError(t, err)
	jobs, err := client.Connect(cfg, c.JobTracker, client.User(cfg))
	require.NoError(t, err)
	defer jobs.Close()
	now, err := jobs.Scheduler(t.Context())
	require.NoError(t, err)
	require.Equal(t, "fair", now.Name)
	require.Contains(t, now.By, "-setScheduler")
}

// A scenario runs on a pool whose manager is already running.
func TestScenarioOnTestbedPool(t *testing.T) {
	p := testpool.Start(t, testpool.Options{Nodes: 2})
	p.Eventually("both nodes are free", func() bool { return p.Free() == 2 })
	r, _ := runScenario(t, `scenario: elsewhere
pool: {nodes: 2, maps: 1, reduces: 1, clusters: [{name: a}]}
scheduler: fair
workload: [{cluster: a, app: wordcount}]
repetitions: 1
`, "--real", "--testbed", p.Manager)
	j := r.Variants[0].Runs[0].Jobs[0]
	require.False(t, j.Failed, j.Why)
	require.Equal(t, []int{2, 1}, []int{j.Maps, j.Reduces})
	s, ok := p.Status()
	require.True(t, ok)
	require.Empty(t, s.Clusters)
}

// A scenario runs on a pool of containers, whose image has the same howdah.
func TestScenarioInContainers(t *testing.T) {
	if out, err := exec.Command("docker", "image", "inspect", "howdah").CombinedOutput(); err != nil {
		t.Skipf("Docker has no image howdah: %s", out)
	}
	leftovers.Check(t)
	networks := func() string {
		out, err := exec.Command("docker", "network", "ls", "-q").Output()
		require.NoError(t, err)
		return string(out)
	}
	before := networks()
	r, _ := runScenario(t, `scenario: boxes
pool: {nodes: 2, cores: 1, kind: containers, interval: 1s, idle: 30s, clusters: [{name: a}]}
co-tenants: {share: {0s: 0.3}}
workload: [{cluster: a, app: wordcount}]
`, "--real")
	require.Equal(t, "a pool of containers", r.Place)
	require.Zero(t, r.Failed())
	require.Equal(t, before, networks())
}
