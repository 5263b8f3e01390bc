package lab

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/experiments"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job/failure"
)

// A run does not overwrite the results of another run. The error appears before any experiment
// runs.
func TestResultsAreNotOverwritten(t *testing.T) {
	dir := t.TempDir()
	e := experiments.Find("DHF-1")
	there := (&lab.Options{Dir: dir}).ResultDir(e)
	require.NoError(t, os.MkdirAll(there, 0o755))
	execute := func(args ...string) (int, string) {
		var o, e bytes.Buffer
		code := run(t.Context(), append([]string{"experiment", "run", "--out", dir}, args...), &o, &e)
		return code, e.String()
	}
	file := filepath.Join(there, "report.json")
	require.NoError(t, os.WriteFile(file, []byte("precious"), 0o644))
	code, said := execute("all")
	require.Equal(t, 4, code)
	require.Equal(t, "howdah: write results "+there+": the directory already has results; choose another directory, or "+
		"use --replace\n", said)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "precious", string(text))
	require.NoError(t, keepsResults([]*lab.Experiment{e}, &lab.Options{Dir: dir}, true))
	require.NoError(t, keepsResults([]*lab.Experiment{e}, &lab.Options{Dir: dir, Real: true}, false),
		"a real run has a directory of its own")
	require.NoError(t, keepsResults([]*lab.Experiment{e}, &lab.Options{}, false))
}

// The revision comes from the build settings or, if they contain none, from the version that the
// Makefile links.
func TestRevision(t *testing.T) {
	require.Equal(t, "v1.2", revisionOf([]debug.BuildSetting{{Key: "GOOS", Value: "linux"},
		{Key: "vcs.modified", Value: "true"}}, "v1.2"))
	require.Equal(t, "abc-dirty", revisionOf([]debug.BuildSetting{{Key: "vcs.revision", Value: "abc"},
		{Key: "vcs.modified", Value: "true"}}, "v1.2"))
	makefile, err := os.ReadFile("../../../Makefile")
	require.NoError(t, err)
	require.Contains(t, string(makefile), "-X github.com/howdah/howdah/internal/version.linked=$(VERSION)")
}

// The error for a wrong option contains the command's full name.
func TestUsageErrorsNameTheWholeCommand(t *testing.T) {
	for args, want := range map[string]string{
		"experiment run --quik": "howdah experiment run has no such option; did you mean --quick? (howdah experiment run " +
			"--help lists all options)",
		"sim run --seed":     "howdah sim run --help explains the option",
		"sim run --seed x t": `howdah sim run: invalid value "x"`,
	} {
		var o, e bytes.Buffer
		require.Equal(t, failure.Usage.ExitCode(), run(t.Context(), strings.Fields(args), &o, &e), args)
		require.Contains(t, e.String(), want, args)
	}
}

// The help of an option names at most one default, and not Go's zero value as well.
func TestOneDefaultPerOption(t *testing.T) {
	var check func(name string, cmds []*urfave.Command)
	check = func(name string, cmds []*urfave.Command) {
		for _, c := range cmds {
			for _, f := range c.Flags {
				require.LessOrEqual(t, strings.Count(f.String(), "(default: "), 1, "%s %s %v", name, c.Name, f)
			}
			check(name+" "+c.Name, c.Subcommands)
		}
	}
	check("howdah", (&session{}).app().Commands)
}
