//go:build integration

package integration

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The quick start of README.md works as printed: its commands run in one shell and print what stands below them, where ...
// matches anything.
func TestQuickStart(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	var script, want strings.Builder
	script.WriteString("set -m; cd ..\n")
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		for _, line := range strings.SplitAfter(block[1], "\n") {
			if cmd, ok := strings.CutPrefix(line, "$ "); ok {
				script.WriteString(cmd)
				continue
			}
			want.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), `\.\.\.`, ".+"))
		}
	}
	require.Contains(t, script.String(), "minicluster")
	require.NoError(t, os.RemoveAll("/tmp/howdah")) // where the quick start works
	cmd := exec.Command("bash", "-c", script.String())
	cmd.Env = append(os.Environ(), "HOWDAH_CONF_DIR=", "HADOOP_CONF_DIR=")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	// Job control of the shell tells of the background job; make tells what it builds.
	got := regexp.MustCompile(`(?m)^(make\[.*|\[\d+\].*)\n`).ReplaceAllString(string(out), "")
	require.Regexp(t, "^"+want.String()+"$", got)
}
