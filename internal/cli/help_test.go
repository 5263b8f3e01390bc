package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/cli/dfsadmin"
	"github.com/howdah/howdah/internal/cli/fs"
)

// --help prints help on standard output and returns 0, for every command and sub-command.
func TestHelp(t *testing.T) {
	help := func(want string, args ...string) {
		t.Helper()
		code, out, said := call(t, args...)
		require.Zero(t, code, "%v: %s", args, said)
		require.Contains(t, out, want, "%v", args)
		require.Empty(t, said, "%v", args)
	}
	for _, c := range (&session{}).app().Commands {
		if slices.Contains(laboratory, c.Name) { // those start another program
			continue
		}
		help("howdah "+c.Name, c.Name, "--help")
		for _, sub := range c.Subcommands {
			help("howdah "+c.Name+" "+sub.Name, c.Name, sub.Name, "--help")
			help("howdah "+c.Name+" "+sub.Name, c.Name, "-"+sub.Name, "--help")
		}
	}
	for _, verb := range fs.Verbs() {
		help(verb, "fs", verb, "--help")
	}
	for _, verb := range dfsadmin.Verbs() {
		help(verb, "dfsadmin", verb, "--help")
	}
	help("wordcount", "jar", "x-examples.jar", "--help")
	help("usage: howdah run sleep", "jar", "x-examples.jar", "sleep", "--help")
	help("usage: howdah run sleep", "run", "sleep", "--help")
}

func TestSuggestions(t *testing.T) {
	for args, want := range map[string]string{
		"fs -lss /":                 "Did you mean -ls? howdah fs --help lists all commands.",
		"fs ct /":                   "Did you mean -cat?",
		"dfsadmin -reprot":          "Did you mean -report? howdah dfsadmin --help lists all commands.",
		"job -stauts job_1_0001":    "did you mean -status?",
		"job -set-priority a HIHG":  "did you mean HIGH?",
		"job --set-priority a HIHG": "did you mean HIGH?",
	} {
		code, _, said := call(t, strings.Fields("-jt 127.0.0.1:1 "+args)...)
		require.NotZero(t, code, args)
		require.Contains(t, said, want, args)
	}
	_, _, said := call(t, "fs", "-ls", "/none")
	require.NotContains(t, said, "Did you mean")
}
