//go:build integration

package fsshell

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

// The commands of docs/howto/hdfs.md print the documented output, in which ... matches any text.
func (s *sides) readme(t *testing.T) {
	minicluster.Binary(t)
	text, err := os.ReadFile("../../docs/howto/hdfs.md")
	require.NoError(t, err)
	block := regexp.MustCompile("(?s)```sh hdfs\n(.*?)```").FindStringSubmatch(string(text))
	require.NotNil(t, block)
	var script, want strings.Builder
	script.WriteString("cd ../..\n")
	for _, line := range strings.SplitAfter(block[1], "\n") {
		if cmd, ok := strings.CutPrefix(line, "$ "); ok {
			script.WriteString(strings.ReplaceAll(cmd, "bin/howdah", "${HOWDAH_BIN:-bin/howdah}"))
			continue
		}
		want.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), `\.\.\.`, ".+"))
	}
	require.NoError(t, os.RemoveAll("/tmp/howdah-out2"))
	cmd := exec.CommandContext(s.ctx, "bash", "-c", script.String())
	cmd.Env = append(os.Environ(), "HOWDAH_CONF_DIR=", "HADOOP_CONF_DIR=", "NAMENODE="+s.cluster.URI())
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Regexp(t, "^"+want.String()+"$", string(out))
}
