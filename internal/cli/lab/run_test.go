package lab

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/scenario"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/scheduler/fifo"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// run runs a command without parts of its own.
func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	return (&session{out: out, err: errOut}).run(ctx, args)
}

// TestOwnParts checks that the commands know a program's own scheduler and workload.
func TestOwnParts(t *testing.T) {
	t.Setenv("HOWDAH_CONF_DIR", "")
	t.Setenv("HADOOP_CONF_DIR", "")
	t.Chdir(t.TempDir())
	parts := scenario.Parts{Schedulers: []catalog.Entry{{Name: "mine", New: fifo.New}},
		Workloads: []scenario.Workload{{Name: "ones", New: func(jobs int, _ generate.Arrivals, _ uint64) trace.Source {
			tr := &trace.Trace{}
			for i := range jobs {
				tr.Jobs = append(tr.Jobs, &trace.Job{ID: "one", Submit: int64(i), State: job.Succeeded,
					Maps: []trace.Map{{Time: 1000}}})
			}
			return tr.Source()
		}}}}
	command := func(args ...string) (int, string, string) {
		var out, errOut bytes.Buffer
		code := (&session{out: &out, err: &errOut, parts: parts}).run(t.Context(), args)
		return code, out.String(), errOut.String()
	}
	code, _, errOut := command("sim", "generate", "ones", "--jobs", "3", "-o", "t.trace")
	require.Zero(t, code, errOut)
	code, out, errOut := command("sim", "compare", "t.trace", "--scheduler", "fifo,mine", "--nodes", "2")
	require.Zero(t, code, errOut)
	require.Contains(t, out, "mine")
	code, out, errOut = command("sim", "run", "t.trace", "--scheduler", "mine")
	require.Zero(t, code, errOut)
	require.Contains(t, out, "under mine")
	require.NoError(t, os.WriteFile("s.yaml", []byte("scenario: s\ncluster: {nodes: 2}\nscheduler: mine\n"+
		"workload: [{generate: ones, jobs: 3}]\n"), 0o644))
	code, _, errOut = command("scenario", "run", "s.yaml")
	require.Zero(t, code, errOut)
	code = run(t.Context(), []string{"scenario", "run", "s.yaml"}, io.Discard, io.Discard)
	require.Equal(t, failure.Config.ExitCode(), code)
}

// TestScenarioCommands runs the commands of howdah scenario in the simulator.
func TestScenarioCommands(t *testing.T) {
	t.Setenv("HOWDAH_CONF_DIR", "")
	dir := t.TempDir()
	command := func(want int, args ...string) string {
		t.Helper()
		var out, errOut bytes.Buffer
		require.Equal(t, want, run(t.Context(), append([]string{"scenario"}, args...), &out, &errOut), errOut.String())
		return out.String() + errOut.String()
	}
	require.Contains(t, command(0, "list"), "deadlines")
	text := command(0, "show", "deadlines")
	file := filepath.Join(dir, "mine.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	require.Contains(t, command(0, "check", file, "pool"), "runs in the simulator and on real nodes")
	a, b, c := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "c")
	require.Contains(t, command(0, "run", "--repeat", "2", "--out", a, file), "minedf-wc")
	command(0, "run", "--repeat", "2", "--seed", "7", "--out", b, "deadlines")
	require.Contains(t, command(0, "compare", "--out", c, a, b), "difference (%)")
	require.FileExists(t, filepath.Join(c, "compare.html"))
	require.Contains(t, command(0, "compare", "--json", a, b), `"head"`)
	command(failure.Exists.ExitCode(), "run", "--out", a, file)
	command(failure.Exists.ExitCode(), "compare", "--out", c, a, b)
	require.Contains(t, command(0, "run", "--repeat", "1", "--json", file), "howdah_scenario_result")
	suite := command(0, "suite", "--size", "small", "grep", "sort")
	require.NoError(t, os.WriteFile(file, []byte(suite), 0o644))
	require.Contains(t, command(0, "run", "--repeat", "1", file), "grep")
	require.NoError(t, os.WriteFile(file, []byte("scenario: x\n"), 0o644))
	require.Contains(t, command(failure.Config.ExitCode(), "run", file), file+":1: want either cluster or pool")
	for _, args := range [][]string{{"run"}, {"run", "a", "b"}, {"run", "--repeat", "0", "deadlines"},
		{"run", "--seed", "0", "deadlines"}, {"compare", a}, {"suite", "--size", "giant"}, {"suite", "--nodes", "0"},
		{"list", "x"}, {"check"}, {"show"}, {"run", "--testbed", "h:1", "deadlines"}, {"run", "--work", "/w", "deadlines"}} {
		command(failure.Usage.ExitCode(), args...)
	}
	command(failure.NotFound.ExitCode(), "run", "--real", "--testbed", "no-such", "deadlines")
	require.Contains(t, command(failure.Config.ExitCode(), "run", "--real", "--testbed", "h:1", "failure"), "remove ")
	command(failure.NotFound.ExitCode(), "show", "no-such")
	command(failure.NotFound.ExitCode(), "run", "--profile-from", filepath.Join(dir, "none"), "deadlines")
}

func TestTestbedOptions(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(t.TempDir(), "config"))
	t.Setenv("HOME", t.TempDir())
	home, err := os.UserConfigDir()
	require.NoError(t, err)
	das := filepath.Join(home, "howdah", "testbeds", "das")
	require.NoError(t, os.MkdirAll(das, 0o755))
	require.NoError(t, os.Mkdir("conf", 0o755))
	for name, want := range map[string][]string{"h:1": {"-jt", "h:1"}, "conf": {"--config", "conf"}, "das": {"--config", das}} {
		got, err := testbedOptions(name, false)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	got, err := testbedOptions("h:1", true)
	require.NoError(t, err)
	require.Equal(t, []string{"-D", "howdah.mrcluster.manager.address=h:1"}, got)
	_, err = testbedOptions("nowhere", false)
	require.ErrorContains(t, err, "neither it nor "+filepath.Join(home, "howdah", "testbeds", "nowhere")+" is a directory")
}
