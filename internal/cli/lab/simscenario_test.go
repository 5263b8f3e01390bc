package lab

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/scenario"
	"github.com/howdah/howdah/job/failure"
)

// poolFile is a pool whose MR-clusters run traces. The tasks of one contend for the CPU of their nodes.
const poolFile = `scenario: p
pool: {nodes: 6, maps: 2, reduces: 1, cores: 2, memory: 4GB, interval: 10s, idle: 300s,
  clusters: [{name: a, core: 1}, {name: b, core: 1}]}
weights: [TD, None]
orchestrator: ["off", "on"]
workload:
  - {name: left, cluster: a, generate: testbed, jobs: 1, scale-time: 0.1, cpu: 1.8, memory: 512MB}
  - {name: light, cluster: a, generate: testbed, jobs: 3, gaps: constant(1000), scale-time: 0.1, cpu: 0.2, memory: 3GB,
    thrash: 3}
  - {name: right, cluster: b, generate: testbed, jobs: 1, scale-tasks: 0.1, scale-time: 0.1}
`

// simulated runs a command in a new directory with a trace of five jobs and the given files.
func simulated(t *testing.T, files map[string]string) func(args ...string) (int, string, string) {
	t.Setenv("HOWDAH_CONF_DIR", "")
	t.Setenv("HADOOP_CONF_DIR", "")
	t.Chdir(t.TempDir())
	for name, text := range files {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	require.Zero(t, run(t.Context(), strings.Fields("sim generate testbed --jobs 5 --mean-gap 10 -o t.trace"), io.Discard,
		io.Discard))
	return func(args ...string) (int, string, string) {
		var out, errOut bytes.Buffer
		code := run(t.Context(), args, &out, &errOut)
		return code, out.String(), errOut.String()
	}
}

// TestSimOnAPool checks that howdah sim simulates traces on the pool of a scenario, and that the
// scenario's weights and orchestrators make a difference.
func TestSimOnAPool(t *testing.T) {
	command := simulated(t, map[string]string{"p.yaml": poolFile})
	code, out, errOut := command("sim", "compare", "left=t.trace", "right=t.trace", "--scenario", "p.yaml", "--repeat",
		"1", "--json")
	require.Zero(t, code, errOut)
	var r scenario.Result
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	ends := map[string]int64{}
	for _, v := range r.Variants {
		require.Len(t, v.Runs[0].Jobs, 13, "five jobs for each trace, and three generated ones")
		for _, j := range v.Runs[0].Jobs {
			ends[v.Name] = max(ends[v.Name], j.Finish)
		}
	}
	require.Len(t, ends, 4)
	require.Greater(t, ends["fifo None orchestrator-off"], 2*ends["fifo TD orchestrator-off"],
		"without weights, nothing grows")
	require.NotEqual(t, ends["fifo TD orchestrator-off"], ends["fifo TD orchestrator-on"])

	for want, args := range map[string]string{
		"several parts":                "sim compare t.trace --scenario p.yaml",
		"no part middle":               "sim compare middle=t.trace --scenario p.yaml",
		"use howdah sim compare":       "sim run left=t.trace --scenario p.yaml",
		"--nodes has no effect":        "sim compare left=t.trace --nodes 3 --scenario p.yaml",
		"--plot has no effect":         "sim compare left=t.trace --plot x.svg --scenario p.yaml",
		"needs a TRACE":                "sim compare --scenario p.yaml",
		"--deadline-factor=0.5: want":  "sim compare left=t.trace --deadline-factor 0.5 --scenario p.yaml",
		"no file or shipped scenario ": "sim compare left=t.trace --scenario nothing",
	} {
		code, _, errOut := command(strings.Fields(args)...)
		require.NotZero(t, code, args)
		require.Contains(t, errOut, want)
	}
}

// TestCapacityAtBothLevels checks that a plan that takes slots has the same effect with both models.
func TestCapacityAtBothLevels(t *testing.T) {
	command := simulated(t, map[string]string{"half.plan": "load all 3000s 0.5 slots\n",
		"one.plan": "load 1 60s 0.5 slots\n", "speed.plan": "load all 60s 0.5\n"})
	makespan := func(model string, args ...string) float64 {
		code, out, errOut := command(append([]string{"sim", "run", "t.trace", "--nodes", "8", "--map-slots", "2",
			"--reduce-slots", "2", "--json", "--model", model}, args...)...)
		require.Zero(t, code, errOut)
		var x struct {
			Makespan int64 `json:"makespan_ms"`
		}
		require.NoError(t, json.Unmarshal([]byte(out), &x))
		return float64(x.Makespan)
	}
	whole, half := makespan("heartbeat"), makespan("heartbeat", "--plan", "half.plan")
	require.Greater(t, half, 1.3*whole)
	require.InEpsilon(t, half, makespan("task", "--plan", "half.plan"), 0.02)
	for _, plan := range []string{"one.plan", "speed.plan"} {
		code, _, errOut := command("sim", "run", "t.trace", "--model", "task", "--plan", plan)
		require.Equal(t, failure.Usage.ExitCode(), code)
		require.Contains(t, errOut, "load all AT SHARE slots")
	}
}
