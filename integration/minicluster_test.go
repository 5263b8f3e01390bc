//go:build integration

package integration

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

// No processes are left behind if Ctrl-C or a crash stops the supervisor while tasks are running.
func TestNothingStaysBehind(t *testing.T) {
	for name, end := range map[string]func(*minicluster.Cluster){"ctrl-c": (*minicluster.Cluster).Stop,
		"crash": (*minicluster.Cluster).Crash} {
		t.Run(name, func(t *testing.T) {
			c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2})
			_, cmd := c.Background("run", "-q", "sleep", "-m", "3", "-r", "1", "-mt", "60000", "-rt", "1")
			minicluster.Eventually(t, time.Minute, "children to run", func() bool {
				return strings.Contains(strings.Join(c.Processes(), "\n"), "(in "+c.Dir+"/local")
			})
			end(c)
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
	}
}

// A daemon that dies stays down until the test restarts it at the same address.
func TestPartsComeBackWhereTheyWere(t *testing.T) {
	in, want := text(t, 2, 10)
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 1})
	c.Kill("tasktracker-1")
	c.Kill("jobtracker")
	require.Equal(t, 5, c.Howdah("job", "-list").Code)
	c.StartAgain("jobtracker")
	c.StartAgain("tasktracker-1")
	out := filepath.Join(t.TempDir(), "out")
	// The daemon might not be listening yet.
	ok(t, c.Howdah("run", "-q", "wordcount", "-D", "howdah.client.connect.timeout=60000", in, out))
	require.Equal(t, want, counts(t, out))
	c.Stop()
}

func TestRestartOption(t *testing.T) {
	in, want := text(t, 2, 10)
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 1, Restart: true})
	old := c.PID("jobtracker")
	c.Signal("jobtracker", syscall.SIGKILL)
	minicluster.Eventually(t, time.Minute, "the JobTracker to be started again",
		func() bool { return c.PID("jobtracker") != old })
	out := filepath.Join(t.TempDir(), "out")
	ok(t, c.Howdah("run", "-q", "wordcount", in, out))
	require.Equal(t, want, counts(t, out))
}

// howdah minicluster with a command runs the command and returns the command's exit code. It cleans
// up, including its own temporary directory.
func TestCommand(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	r := minicluster.Alone(t, "minicluster", "--tasktrackers", "2", "--", "sh",
		"-c", `test -f "$HOWDAH_CONF_DIR/mapred-site.xml" && echo "$HOWDAH_CONF_DIR"; exit 7`)
	require.Equal(t, 7, r.Code, r.Err)
	require.Contains(t, r.Err, "minicluster ready: ")
	require.NoDirExists(t, strings.TrimSpace(r.Out))
	left, err := os.ReadDir(tmp)
	require.NoError(t, err)
	require.Empty(t, left)

	require.Equal(t, 2, minicluster.Alone(t, "minicluster", "--", "/no/such/command").Code)
	require.Equal(t, 128+9, minicluster.Alone(t, "minicluster", "--", "sh", "-c", "kill -9 $$").Code)
}

func TestOneClusterADirectory(t *testing.T) {
	c := minicluster.Start(t, minicluster.Options{})
	r := minicluster.Alone(t, "minicluster", "--dir", c.Dir)
	require.Equal(t, 4, r.Code)
	require.Contains(t, r.Err, "is already running in this directory")
}
