package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator"
)

// minimal is a valid scenario. Tests add lines to it.
const minimal = `scenario: test
cluster: {nodes: 2}
workload:
  - {app: wordcount, size: tiny}
`

// onPool returns minimal on a pool with the given keys.
func onPool(keys string) string {
	return strings.NewReplacer("cluster: {nodes: 2}", "pool: {nodes: 2, clusters: [{name: a}], "+keys+"}",
		"{app", "{cluster: a, app").Replace(minimal)
}

func parse(t *testing.T, text string) *Scenario {
	t.Helper()
	s, err := Parse("x.yaml", text, Parts{})
	require.NoError(t, err)
	return s
}

func TestShippedScenarios(t *testing.T) {
	require.NotEmpty(t, ShippedNames())
	for _, name := range ShippedNames() {
		s, err := Read(name, Parts{})
		require.NoError(t, err)
		require.Equal(t, name, s.Name)
		require.NoError(t, s.Check())
		require.NoError(t, s.Realizable())
	}
}

func TestDefaults(t *testing.T) {
	s := parse(t, minimal)
	require.Equal(t, []Variant{{Scheduler: "fifo", Orchestrator: "off"}}, s.Variants())
	require.Equal(t, Repeat{5, 1}, s.Repeat)
	require.Equal(t, [2]int32{2, 1}, s.Nodes.Slots)
	require.Equal(t, []int64{0}, s.Work[0].Arrive.times(1, "x"))
	require.Equal(t, &Input{"articles", 1 << 20, 2}, s.Work[0].input())
}

func TestVariants(t *testing.T) {
	s := parse(t, `scenario: all
pool: {nodes: 4, clusters: [{name: a}, {name: b, core: 2}]}
scheduler: [fifo, fair]
weights: [td, EQ]
workload: [{app: grep, cluster: a}]
`)
	var names []string
	for _, v := range s.Variants() {
		names = append(names, s.variantName(v))
	}
	require.Equal(t, []string{"fifo TD", "fifo EQ", "fair TD", "fair EQ"}, names)
}

// A scenario with an error is refused. The error contains the line and what is allowed.
func TestErrors(t *testing.T) {
	for _, x := range []struct{ text, want string }{
		{"",
			"x.yaml:1: the file is empty"},
		{"a: [",
			"not YAML"},
		{"[1]",
			"x.yaml:1: the scenario: want keys and values"},
		{"scenario: x\n---\na: 1",
			"more than one document"},
		{minimal + "shceduler: fair",
			`x.yaml:5: the scenario: unknown key "shceduler": did you mean scheduler? want one of scenario,`},
		{minimal + "scheduler: [fifo, fair, fifo]",
			"x.yaml:5: scheduler: fifo occurs twice"},
		{minimal + "scheduler: fiar",
			`x.yaml:5: scheduler: unknown value "fiar": did you mean fair?`},
		{minimal + "scenario: y",
			"x.yaml:5: the scenario: scenario occurs twice"},
		{minimal + "seed: 0",
			`x.yaml:5: seed: "0": want a whole number from 1`},
		{minimal + "seed:",
			"x.yaml:5: seed has no value"},
		{minimal + "weights: TD",
			"weights has no effect without a pool"},
		{minimal + "repetitions: {simulated: x}",
			`x.yaml:5: simulated: "x": want a whole number`},
		{minimal + "measures: [speed]",
			`x.yaml:5: measures: unknown value "speed": want one of makespan,`},
		{minimal + "faults: |\n  lose 9 1s\n",
			"node 9 of statement 1 does not exist: want 1 to 2"},
		{minimal + "faults: |\n  lose 1 1s\n  lsoe 2 1s\n",
			"x.yaml:7: faults: lsoe 2 1s: want one of: speed"},
		{minimal + "faults: load 1 1s 0.5",
			"x.yaml:5: faults: use co-tenants instead of load"},
		{minimal + "co-tenants: {share: {5s: 0.1, 2s: 0.3}}",
			"x.yaml:5: share: 2s is not later"},
		{minimal + "co-tenants: {share: {5s: 2}}",
			`x.yaml:5: share: "2": want a number from 0 to 1`},
		{minimal + "co-tenants: {nodes: 3, share: {5s: 1}}",
			"node 3 does not exist: want 1 to 2"},
		{minimal + "co-tenants: {share: {5s: 1}}",
			"share 1 leaves no capacity"},
		{minimal + "co-tenants: {share: {5s: 0}, period: 2s}",
			"the last time of share is not within the period"},
		{minimal + "orchestrator: on",
			"orchestrator: on needs cores and memory"},
		{minimal + "  - {app: wordcount}",
			"x.yaml:5: workload: the name wordcount occurs twice"},
		{minimal + "  - {app: sort, every: 3s, gaps: 5}",
			"x.yaml:5: workload: gaps has no effect with every"},
		{minimal + "  - {app: sort, count: 2}",
			"count needs every or gaps"},
		{minimal + "  - {app: sort, at: [2s, 1s]}",
			"at: 1s is earlier than the time before it"},
		{minimal + "  - {app: sort, jobs: 3}",
			"jobs has no effect on an application"},
		{minimal + "  - {app: sort, after: grep}",
			`after: no earlier part is named "grep"`},
		{minimal + "  - {app: sort, cluster: a}",
			"cluster has no effect without a pool"},
		{minimal + "  - {app: sort, set: {mapreduce.job.deadline: 3}}",
			"set: mapreduce.job.deadline: use the key deadline instead"},
		{minimal + "  - {app: sort, set: {howdah.nonsense: 3}}",
			"unknown key howdah.nonsense"},
		{minimal + "  - {app: sort, set: {mapreduce.map.maxattempts: -3}}",
			"want 1 to 1000"},
		{minimal + "  - {run: [sort, x]}",
			"run: tasks is missing"},
		{minimal + "  - {run: [srot], tasks: {maps: 1, map-time: 5}}",
			`x.yaml:5: run: howdah has no application "srot"`},
		{minimal + "  - {run: [sort, '{in}'], tasks: {maps: 1, map-time: 5}}",
			"want both input and the word {in}, or neither"},
		{minimal + "  - {trace: t, generate: testbed}",
			"want exactly one of app, run, trace, generate"},
		{minimal + "  - {generate: testbed}",
			"generate needs jobs"},
		{minimal + "  - {generate: testbed, jobs: 3, gaps: triangle(3)}",
			`gaps: "triangle(3)": want a distribution`},
		{minimal + "  - {generate: testbed, jobs: 3, deadline: 3s}",
			"deadline has no effect on jobs with given times"},
		{minimal + "co-tenants: {foretold: true, share: {0s: 0.5}}",
			"x.yaml:5: co-tenants: foretold needs takes: slots, a period"},
		{minimal + "co-tenants: {foretold: true, takes: slots, period: 1m, share: {0s: 0.5}}",
			"foretold has no effect on the scheduler fifo"},
		{"scenario: a\ncluster: &c {nodes: 1}\npool: *c\n",
			"x.yaml:3: pool: aliases are not supported"},
		{minimal + "  - &a {app: sort}\n  - *a",
			"aliases are not supported"},
		{strings.Replace(minimal, "nodes: 2", "nodes: 2, cores: x", 1),
			`x.yaml:2: cores: "x": want a number`},
		{strings.Replace(minimal, "nodes: 2", "maps: 2", 1),
			"x.yaml:2: cluster: nodes is missing"},
		{strings.Replace(minimal, "nodes: 2", "nodes: 2, memory: 4", 1),
			`memory: "4": want a size from 64MB to 1TB`},
		{strings.Replace(minimal, "nodes: 2", "nodes: 2, files: {../x: y}", 1),
			"want a file name without a folder"},
		{strings.Replace(minimal, "cluster", "pool", 1),
			"pool: clusters is missing"},
		{strings.Replace(minimal, "cluster: {nodes: 2}", "pool: {nodes: 2, mbit: 5, clusters: [{name: a}]}", 1),
			"mbit needs kind: namespaces"},
		{onPool("image: x"),
			"image needs kind: containers"},
		{strings.Replace(minimal, "scenario: test", "scenario: ../x", 1),
			`x.yaml:1: scenario: "../x" is not a name`},
		{"scenario: a\npool: {nodes: 1, clusters: [{name: a}]}\nfaults: fail 0.1\n",
			"x.yaml:3: faults of a pool: want only lose and leave"},
		{"scenario: a\ncluster: {nodes: 1}\n",
			"workload is missing"},
	} {
		_, err := Parse("x.yaml", x.text, Parts{})
		require.ErrorContains(t, err, x.want, x.text)
		require.True(t, failure.Is(err, failure.Config), x.text)
	}
}

// The plan has the co-tenants' steps in every period, next to the faults.
func TestPlan(t *testing.T) {
	s := parse(t, minimal+`co-tenants:
  - {nodes: 1, period: 10s, share: {0s: 0.5, 4s: 0}}
faults: |
  lose 2 3s 5s   # and back
  straggle 0.1 3
`)
	p := s.plan()
	require.Equal(t, []simulator.Away{{Nodes: simulator.Nodes{2}, At: 3000, Back: 5000}}, p.Aways)
	require.Equal(t, simulator.Straggle{Share: 0.1, Factor: 3}, p.Straggle)
	require.Equal(t, simulator.Load{Nodes: simulator.Nodes{1}, At: 14_000, Share: 0}, p.Loads[3])
	require.Len(t, p.Loads, 2*(horizon/10_000+1))
	require.Empty(t, s.Faults.Loads, "the scenario's own faults stay as they are")
}

func TestRealizable(t *testing.T) {
	limited := strings.Replace(minimal, "nodes: 2", "nodes: 2, cores: 1", 1)
	pool := onPool("kind: namespaces, cores: 1")
	for text, want := range map[string]string{
		minimal + "faults: fail 0.1":                                            "only lose and leave",
		minimal + "co-tenants: {share: {1s: 0.5}}":                              "set cores",
		minimal + "co-tenants: {takes: slots, share: {1s: 1}}":                  "cannot lend slots",
		minimal + "faults: lose 1 1s 2s":                                        "",
		limited + "faults: lose 1 1s":                                           "",
		limited + "faults: lose 1 1s 2s":                                        "returns without its limits",
		onPool("kind: containers, cores: 1") + "co-tenants: {share: {1s: 0.5}}": "",
		onPool("kind: containers") + "faults: lose 1 1s":                        "use kind: namespaces",
		pool + "faults: lose 1 1s 2s":                                           "",
		pool + "faults: lose 1 1s 2s\nco-tenants: {share: {1s: 0.5}}":           "returns without its limits",
		onPool("cores: 1"):                                                      "use kind: namespaces",
	} {
		err := parse(t, text).Realizable()
		if want == "" {
			require.NoError(t, err, text)
			continue
		}
		require.ErrorContains(t, err, want, text)
	}
}

// Check reads what the scenario names.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	text := "scenario: a\ncluster: {nodes: 1}\nworkload: [{trace: t.json}]\n"
	file := filepath.Join(dir, "a.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	s, err := Read(file, Parts{})
	require.NoError(t, err)
	require.True(t, failure.Is(s.Check(), failure.NotFound))
	s = parse(t, `scenario: a
cluster:
  nodes: 1
  set: {mapred.fairscheduler.allocation.file: "@DIR@/fair.xml"}
  files: {fair.xml: "<allocations><pool name='x'><weight>heavy</weight></pool></allocations>"}
scheduler: fair
workload: [{app: sort}]
`)
	require.ErrorContains(t, s.Check(), "fair.xml")
	_, err = Read("no-such-scenario", Parts{})
	require.True(t, failure.Is(err, failure.NotFound))
}

// FuzzParse checks that no text makes Parse panic, and that every accepted scenario has a plan and
// arrivals.
func FuzzParse(f *testing.F) {
	for _, name := range ShippedNames() {
		text, _ := Shipped(name)
		f.Add(text)
	}
	f.Add(minimal + "co-tenants: {nodes: 1-2, period: 1s, share: {0s: 0.2}}\nfaults: lose all 3s")
	f.Add("a: &a [*a]")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse("fuzz.yaml", text, Parts{})
		if err != nil {
			require.True(t, failure.Is(err, failure.Config), "%v", err)
			return
		}
		require.NotEmpty(t, s.Variants())
		_ = s.plan()
		_ = s.Realizable()
		for i := range s.Work {
			if w := &s.Work[i]; w.IsApplication() && w.Arrive.Count < 1000 {
				for k, at := range w.Arrive.times(1, w.Name) {
					require.GreaterOrEqual(t, at, int64(0))
					_ = k
				}
				require.NotEmpty(t, w.command())
			}
		}
	})
}
