package daemon

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// logsOf returns the log directory of map 0 of job 1, and a function that cuts the logs there.
func logsOf(t *testing.T, node, own int64) (dir string, cut func()) {
	d := &Daemon{cfg: Config{LogDir: t.TempDir(), LogLimit: node}, log: slog.New(slog.DiscardHandler)}
	j := &localJob{id: "job_202611210000_0001", seq: 1, logLimit: own}
	dir = attemptLogs(d.cfg.LogDir, j.id, "attempt_202611210000_0001_m_000000_0")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	logs := childLogs{job: j, home: filepath.Base(dir)}
	return dir, func() { logs.cut(d) }
}

func TestRunningLogsAreCut(t *testing.T) {
	line := strings.Repeat("x", 99) + "\n"
	for _, x := range []struct{ node, own, lines, left int64 }{
		{1000, 1000, 20, 20}, {1000, 1000, 30, 9}, {1000, 0, 30, 9}, {0, 1000, 30, 9}, {1000, 500, 30, 4},
		{500, 1000, 30, 4}, {0, 0, 30, 30},
	} {
		dir, cut := logsOf(t, x.node, x.own)
		name := filepath.Join(dir, "stderr")
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
		require.NoError(t, err)
		defer f.Close()
		_, err = f.WriteString(strings.Repeat(line, int(x.lines)))
		require.NoError(t, err)
		cut()
		_, err = f.WriteString("the process writes on\n")
		require.NoError(t, err)
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, strings.Repeat(line, int(x.left))+"the process writes on\n", string(b), "%+v", x)
	}
}

// TestLogsOfOthersAreNotCut checks that a task cannot make the TaskTracker cut other files.
func TestLogsOfOthersAreNotCut(t *testing.T) {
	dir, cut := logsOf(t, 1, 1)
	other := filepath.Join(t.TempDir(), "other")
	require.NoError(t, os.WriteFile(other, []byte("precious"), 0o600))
	require.NoError(t, os.Symlink(other, filepath.Join(dir, "stdout")))
	require.NoError(t, os.Link(other, filepath.Join(dir, "stderr")))
	cut()
	b, err := os.ReadFile(other)
	require.NoError(t, err)
	require.Equal(t, "precious", string(b))
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, os.Symlink(filepath.Dir(other), dir))
	require.NoError(t, os.Rename(other, filepath.Join(filepath.Dir(other), "syslog")))
	cut()
	b, err = os.ReadFile(filepath.Join(filepath.Dir(other), "syslog"))
	require.NoError(t, err)
	require.Equal(t, "precious", string(b))
}

// TestEarlyOutputIsLimited checks that a child's early output has no hole after it was emptied.
func TestEarlyOutputIsLimited(t *testing.T) {
	output, err := unnamedOutput(t.TempDir())
	require.NoError(t, err)
	defer output.Close()
	c := &child{output: output}
	for _, x := range []struct{ text, want string }{{"12345", "12345"}, {"678901", ""}, {"again", "again"}} {
		_, err = output.WriteString(x.text)
		require.NoError(t, err)
		c.limitOutput(10)
		b, err := tail(output, 100)
		require.NoError(t, err)
		require.Equal(t, x.want, string(b))
	}
}
