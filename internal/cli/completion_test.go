package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/arguments"
)

// completed returns the words that complete a command line.
func completed(t *testing.T, line string) (words []string) {
	t.Helper()
	code, out, said := call(t, append(strings.Split(line, " "), arguments.CompletionFlag)...)
	require.Zero(t, code, line)
	require.Empty(t, said, line)
	for l := range strings.Lines(out) {
		word, _, _ := strings.Cut(strings.TrimSuffix(l, "\n"), "\t")
		words = append(words, word)
	}
	return words
}

func TestCompletion(t *testing.T) {
	jt, _ := startFake(t)
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "data"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "dates"), nil, 0o600))
	const id = "job_202611210753_0001"
	verbs := strings.Fields("-list -list-attempt-ids -list-active-trackers -list-blacklisted-trackers")
	attempts := []string{"attempt_202611210753_0001_m_000000_0", "attempt_202611210753_0001_m_000001_0",
		"attempt_202611210753_0001_m_000001_1"}
	for line, want := range map[string][]string{
		"minic":                                 {"minicluster"},
		"job lo":                                {"logs"},
		"job -li":                               verbs,
		"job --j":                               {"--json", "--jhist"},
		"job -list --h":                         {"--human"},
		"run wordco":                            {"wordcount"},
		"queue -sho":                            {"-showacls"},
		"queue -info ":                          {"default"},
		"job -status ":                          {id, "job_202611210753_0002"},
		"job --json -status job_":               {id, "job_202611210753_0002"},
		"job -set-deadline " + id + " n":        {"none"},
		"job -set-priority " + id + " V":        {"VERY_HIGH", "VERY_LOW"},
		"job -move " + id + " d":                {"default"},
		"job -list-attempt-ids " + id + " map ": {"running", "completed", "succeeded", "failed", "killed"},
		"job -logs " + id + " ":                 attempts,
		"job -logs " + id + " attempt_202611210753_0": attempts,
		"job -kill-task ":               {"attempt_202611210753_0001_m_000001_1"},
		"doctor ":                       {id, "job_202611210753_0002"},
		"admin -setScheduler fair":      {"fair", "fair-deficit"},
		"jobtracker --scheduler minedf": {"minedf", "minedf-wc"},
		"admin -drainTracker t":         {"t1", "t2", "t3", "t4"},
		"admin -drainTracker t1 d":      {"delayed"},
		"fs -copyF":                     {"-copyFromLocal"},
		"fs -ls " + dir + "/da":         {dir + "/data/", dir + "/dates"},
		"fs -ls file://" + dir + "/dat": {"file://" + dir + "/data/", "file://" + dir + "/dates"},
		"fs -put " + dir + "/da":        nil, // the shell completes these
		"dfsadmin -rep":                 {"-report"},
		"nonsense ":                     nil,
	} {
		got := completed(t, "-jt "+jt+" "+line)
		slices.Sort(got)
		slices.Sort(want)
		require.Equal(t, want, got, line)
		before, after, _ := strings.Cut(line, " ")
		if after != "" { // generic options may follow the command
			got = completed(t, before+" -jt "+jt+" "+after)
			slices.Sort(got)
			require.Equal(t, want, got, line)
		}
	}
	require.Empty(t, completed(t, "job -jt 127.0.0.1:1 -status "), "no JobTracker")
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

// The script for bash completes a URI, which bash splits at its colons, and offers no space after a
// directory.
func TestCompletionInBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	dir := t.TempDir()
	program := "#!/bin/sh\n[ \"$*\" = 'fs -ls hdfs://h:1/d --generate-bash-completion' ] && " +
		"printf 'hdfs://h:1/data/\\tdirectory\\nhdfs://h:1/dates\\n'\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "howdah"), []byte(program), 0o700))
	cmd := exec.Command(bash, "-c", bashCompletion+`
compopt() { echo "compopt $*"; }
COMP_LINE='howdah fs -ls hdfs://h:1/d' COMP_POINT=26
_howdah_complete
printf '%s\n' "${COMPREPLY[@]}"`)
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Equal(t, "compopt -o nospace\n1/data/\n1/dates\n", string(out))
}
