//go:build integration

package integration

import (
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
)

// The files rows_*_test.go cover the faults that the runtime must survive, with real processes.
// Each test ends with the correct output or a clear error, and leaves nothing behind.

// hasty holds settings with which a cluster quickly detects losses and kills processes.
var hasty = []string{
	"mapreduce.jobtracker.expire.trackers.interval=1500", "mapreduce.tasktracker.tasks.sleeptimebeforesigkill=200",
}

// trouble builds the program in testdata/trouble.
func trouble(t testing.TB) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "trouble")
	out, err := exec.Command("go", "build", "-o", bin, "./testdata/trouble").CombinedOutput()
	require.NoError(t, err, string(out))
	return bin
}

// troubled is a job of the program in testdata/trouble on a cluster.
type troubled struct {
	t    *testing.T
	c    *minicluster.Cluster
	x    *client.Client
	out  string
	gate string
	want map[string]int
	wait func() minicluster.Result
}

// begin starts the job in the background, with four input files and two reduces.
func begin(t *testing.T, c *minicluster.Cluster, program string, set ...string) *troubled {
	t.Helper()
	in, want := text(t, 4, 30)
	j := &troubled{t: t, c: c, x: dial(t, c), out: filepath.Join(t.TempDir(), "out"),
		gate: filepath.Join(t.TempDir(), "gate"), want: want}
	args := append(defines(append([]string{"mapreduce.job.reduces=2", "mapreduce.job.name=" + t.Name(),
		"trouble.gate=" + j.gate}, set...)), in, j.out)
	j.wait, _ = c.BackgroundCommand(program, args...)
	return j
}

// until waits until the job satisfies a condition.
func (j *troubled) until(what string, ok func() bool) {
	j.t.Helper()
	minicluster.Eventually(j.t, time.Minute, what, ok)
}

// count returns the number of the test's attempts with the given type and state, where "" matches
// any value.
func (j *troubled) count(typ, state string) int {
	j.t.Helper()
	n := 0
	for _, s := range jobs(j.t, j.x) {
		if s.Name != j.t.Name() {
			continue
		}
		for _, a := range s.Attempts {
			if (typ == "" || typ == a.ID.Type.String()) && (state == "" || state == a.State.String()) {
				n++
			}
		}
	}
	return n
}

// lastMap waits until three of the four maps have ended and the fourth is running. It returns the
// attempt of the fourth map.
func (j *troubled) lastMap() *status.Attempt {
	j.t.Helper()
	var last []*status.Attempt
	j.until("three maps to end and one to run", func() bool {
		last = attempts(j.t, j.x, "map", "RUNNING")
		return j.count("MAP", "SUCCEEDED") == 3 && len(last) == 1 && child(j.c, last[0].ID) != 0
	})
	return last[0]
}

// kill kills the process of task 0 of a type. It first waits until three maps have succeeded and, for
// a reduce, at most three attempts run.
func (j *troubled) kill(typ string) {
	j.t.Helper()
	j.until("the last task", func() bool {
		return j.count("MAP", "SUCCEEDED") >= 3 && (typ == "MAP" || j.count("", "RUNNING") <= 3)
	})
	j.until("its process to be killed", func() bool {
		for _, s := range jobs(j.t, j.x) {
			for _, a := range s.Attempts {
				if s.Name == j.t.Name() && a.ID.Type.String() == typ && a.State == job.AttemptRunning && a.ID.Index == 0 {
					pid := child(j.c, a.ID)
					return pid != 0 && syscall.Kill(pid, syscall.SIGKILL) == nil
				}
			}
		}
		return false
	})
}

// open releases the tasks that wait.
func (j *troubled) open() {
	j.t.Helper()
	open(j.t, filepath.Dir(j.gate), filepath.Base(j.gate))
}

// succeeds waits until the job has ended, and checks its output and leftovers.
func (j *troubled) succeeds() minicluster.Result {
	j.t.Helper()
	r := ok(j.t, j.wait())
	require.Equal(j.t, j.want, counts(j.t, j.out))
	require.Empty(j.t, minicluster.Temporary(j.out))
	return r
}
