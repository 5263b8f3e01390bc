package lab

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job/failure"
)

// howdah experiment run keeps a result but does not overwrite one, and the other commands read it.
func TestResults(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	execute := func(args ...string) (int, string, string) {
		var o, e bytes.Buffer
		code := run(t.Context(), append([]string{"experiment"}, args...), &o, &e)
		return code, o.String(), e.String()
	}
	code, said, _ := execute("run", "--out", dir, "DHF-4")
	require.Zero(t, code)
	require.Contains(t, said, "[HOLDS]")
	files, err := filepath.Glob(filepath.Join(dir, "DHF-4", "v*.json"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	code, _, said = execute("run", "--out", dir, "DHF-4")
	require.Equal(t, 4, code)
	require.Equal(t, "howdah: write result "+files[0]+": it exists; use --replace\n", said)
	code, _, _ = execute("run", "--out", dir, "--replace", "DHF-4")
	require.Zero(t, code)

	t.Chdir(out)
	code, said, _ = execute("run", "--quick", "DHF-4", "--paper")
	require.Zero(t, code)
	require.Contains(t, said, "figures beside the paper's: DHF-4.html\n")
	page, err := os.ReadFile("DHF-4.html")
	require.NoError(t, err)
	require.Contains(t, string(page), "<b>in words</b> Under PI-DHFS")

	code, said, _ = execute("diff", "--results", dir, revision(), revision())
	require.Zero(t, code)
	require.Empty(t, said)
	code, _, said = execute("diff", "--results", dir, revision(), "none")
	require.Equal(t, 2, code)
	require.Contains(t, said, "compare revisions none: it has no results")
	code, _, _ = execute("page", "--results", dir, "--out", out)
	require.Zero(t, code)
	page, err = os.ReadFile(filepath.Join(out, "experiments", "DHF-4.md"))
	require.NoError(t, err)
	require.Contains(t, string(page), "**HOLDS** Under PI-DHFS")
	for _, args := range []string{"run --quick --out " + dir + " DHF-4", "run --quick --real DHF-4", "diff a", "page a"} {
		code, _, _ := execute(strings.Fields(args)...)
		require.Equal(t, failure.Usage.ExitCode(), code, args)
	}
}

// An experiment fails if a relation has the verdict FAILS or if its run is invalid, but not if a relation
// fails as expected. The other experiments still run. An invalid result is not kept.
func TestFailsIsAnError(t *testing.T) {
	for _, c := range []struct {
		effect   float64
		expected string
		invalid  bool
		code     int
	}{{1, "holds", false, 0}, {-1, "holds", false, 1}, {-1, "fails\n      reason: it does", false, 0},
		{1, "fails\n      reason: it does", false, 0}, {1, "holds", true, 1}} {
		registration := func(id string) (*lab.Registration, error) {
			return lab.ParseRegistration(id, []byte("id: "+id+"\nitem: Figure 1\nclaim: x\nsimulated:\n  version: 1\n"+
				"  relations:\n    - id: x\n      claim: x\n      test: above\n      minimum: 0\n      by: exact\n      expected: "+
				c.expected+"\n"))
		}
		experiment := func(id string, effect float64) *lab.Experiment {
			return &lab.Experiment{ID: id, Sim: func(_ context.Context, r *lab.Run) error {
				if effect != c.effect || !c.invalid {
					r.Compare("x", lab.Exact(effect), "")
				}
				return nil
			}}
		}
		s, kept := &session{}, 0
		results, err := s.execute(t.Context(), io.Discard, []*lab.Experiment{experiment("A", c.effect), experiment("B", 2)},
			registration, lab.Options{}, func(*lab.Result) error { kept++; return errors.New("full") })
		require.ErrorContains(t, err, "full")
		require.Len(t, results, 2)
		require.Equal(t, c.code, s.code, "%v", c)
		require.Equal(t, c.invalid, kept == 1, "%v", c)
	}
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
