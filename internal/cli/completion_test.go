package cli

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/arguments"
)

func TestCompletion(t *testing.T) {
	old := os.Args
	defer func() { os.Args = old }()
	for args, want := range map[string]string{
		"":           "minicluster",
		"job":        "list-attempt-ids",
		"job -li":    "-list\n-list-attempt-ids\n-list-active-trackers\n-list-blacklisted-trackers\n",
		"job --j":    "--json",
		"run":        "wordcount",
		"queue -sho": "-showacls\n",
	} {
		words := append(strings.Fields(args), arguments.CompletionFlag)
		os.Args = append([]string{"howdah"}, words...) // urfave/cli looks there
		code, out, _ := call(t, words...)
		require.Zero(t, code, args)
		require.Contains(t, out, want, args)
	}
}

func TestCompletionScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		code, out, _ := call(t, "completion", shell)
		require.Zero(t, code)
		require.Contains(t, out, "howdah")
		if path, err := exec.LookPath(shell); err == nil {
			cmd := exec.Command(path, "-n")
			cmd.Stdin = strings.NewReader(out)
			text, err := cmd.CombinedOutput()
			require.NoError(t, err, string(text))
		}
	}
	code, _, errOut := call(t, "completion")
	require.Equal(t, 2, code)
	require.Contains(t, errOut, "bash|zsh|fish")
}
