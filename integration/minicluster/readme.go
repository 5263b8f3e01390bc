package minicluster

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/daemonrun"
)

// Transcript runs what README.md shows: the lines behind "$ " of all blocks that begin with ```FENCE, in one shell at the root of
// the checkout with more variables. They must print what stands below them, where ... matches anything.
func Transcript(t testing.TB, fence string, env ...string) {
	t.Helper()
	root := checkout(t)
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	var script, want strings.Builder
	script.WriteString("set -m\n")
	blocks := regexp.MustCompile("(?s)```"+regexp.QuoteMeta(fence)+"\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	require.NotEmpty(t, blocks, "README.md has no block ```%s", fence)
	for _, block := range blocks {
		for _, line := range strings.SplitAfter(block[1], "\n") {
			if cmd, ok := strings.CutPrefix(line, "$ "); ok {
				script.WriteString(cmd)
				continue
			}
			want.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), `\.\.\.`, ".+"))
		}
	}
	cmd := exec.Command("bash", "-c", script.String())
	cmd.Dir = root
	cmd.Env = append(daemonrun.Environ(), env...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	// Job control of the shell tells of the background job; make tells what it builds.
	got := regexp.MustCompile(`(?m)^(make\[.*|\[\d+\].*)\n`).ReplaceAllString(string(out), "")
	require.Regexp(t, "^"+want.String()+"$", got)
}
