//go:build integration

package integration

import (
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/internal/program"
	wire "github.com/howdah/howdah/internal/wire/client"
)

// The files rows_*_test.go hold the faults that the runtime must survive, with real processes: each ends in a job whose output is
// what it must be, or in a clear error, and nothing is left over.

// hasty settings make what is lost known soon, and end processes at once.
var hasty = []string{
	"mapreduce.jobtracker.expire.trackers.interval=1500", "mapreduce.tasktracker.tasks.sleeptimebeforesigkill=200",
}

// trouble builds the program of testdata/trouble.
func trouble(t testing.TB) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "trouble")
	out, err := exec.Command("go", "build", "-o", bin, "./testdata/trouble").CombinedOutput()
	require.NoError(t, err, string(out))
	return bin
}

// troubled is a job of testdata/trouble on a cluster.
type troubled struct {
	t    *testing.T
	c    *minicluster.Cluster
	x    *client.Client
	out  string
	gate string
	want map[string]int
	wait func() minicluster.Result
}

// begin starts the job in the background: four files of input, two reduces.
func begin(t *testing.T, c *minicluster.Cluster, program string, set ...string) *troubled {
	t.Helper()
	in, want := text(t, 4, 30)
	j := &troubled{t: t, c: c, x: dial(t, c), out: filepath.Join(t.TempDir(), "out"), gate: filepath.Join(t.TempDir(), "gate"), want: want}
	args := append(defines(append([]string{"mapreduce.job.reduces=2", "mapreduce.job.name=" + t.Name(), "trouble.gate=" + j.gate}, set...)), in, j.out)
	j.wait, _ = c.BackgroundCommand(program, args...)
	return j
}

// until waits for a moment of the job.
func (j *troubled) until(what string, ok func() bool) {
	j.t.Helper()
	minicluster.Eventually(j.t, time.Minute, what, ok)
}

// count gives the number of attempts of a type and a state, "" is any.
func (j *troubled) count(typ, state string) int {
	j.t.Helper()
	n := 0
	for _, s := range jobs(j.t, j.x) {
		if s.Name != j.t.Name() {
			continue
		}
		for _, a := range s.Attempt {
			if (typ == "" || typ == a.Type) && (state == "" || state == a.State) {
				n++
			}
		}
	}
	return n
}

// lastMap waits until three of the four maps have ended and the process of the other one is at work, and gives its attempt.
func (j *troubled) lastMap() *wire.AttemptStatus {
	j.t.Helper()
	var last []*wire.AttemptStatus
	j.until("three maps to end and one to run", func() bool {
		last = attempts(j.t, j.x, "map", "RUNNING")
		return j.count("MAP", "SUCCEEDED") == 3 && len(last) == 1 && child(j.c, last[0].Id) != 0
	})
	return last[0]
}

// kill kills the process of task 0 of a type when it is the last one that the job waits for.
func (j *troubled) kill(typ string) {
	j.t.Helper()
	j.until("the last task", func() bool { return j.count("MAP", "SUCCEEDED") >= 3 && (typ == "MAP" || j.count("", "RUNNING") <= 3) })
	j.until("its process to be killed", func() bool {
		for _, s := range jobs(j.t, j.x) {
			for _, a := range s.Attempt {
				if s.Name == j.t.Name() && a.Type == typ && a.State == "RUNNING" && strings.Contains(a.Id, "_000000_") {
					pid := child(j.c, a.Id)
					return pid != 0 && syscall.Kill(pid, syscall.SIGKILL) == nil
				}
			}
		}
		return false
	})
}

// open lets waiting tasks go on.
func (j *troubled) open() {
	j.t.Helper()
	open(j.t, filepath.Dir(j.gate), filepath.Base(j.gate))
}

// succeeds waits for the end of the job and checks what it leaves.
func (j *troubled) succeeds() minicluster.Result {
	j.t.Helper()
	r := ok(j.t, j.wait())
	require.Equal(j.t, j.want, counts(j.t, j.out))
	require.Empty(j.t, temporary([]string{j.out}))
	return r
}

// programOf names the bundled program.
func programOf(t testing.TB) (program.Program, error) { return program.Of(minicluster.Binary(t)) }
