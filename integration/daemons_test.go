//go:build integration

package integration

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/internal/freeport"
	"github.com/howdah/howdah/scheduler/catalog"
)

// daemon is a JobTracker or TaskTracker that a test starts without a minicluster.
type daemon struct {
	cmd *exec.Cmd
	log *bytes.Buffer
}

func start(t *testing.T, args ...string) *daemon {
	t.Helper()
	d := &daemon{exec.Command(minicluster.Binary(t), args...), &bytes.Buffer{}}
	d.cmd.Stderr = d.log
	require.NoError(t, d.cmd.Start())
	t.Cleanup(func() {
		d.stop(syscall.SIGKILL)
		if t.Failed() {
			t.Logf("%s said:\n%s", args[0], d.log)
		}
	})
	return d
}

func (d *daemon) stop(s syscall.Signal) {
	if d.cmd.ProcessState == nil {
		_ = d.cmd.Process.Signal(s)
		_ = d.cmd.Wait()
	}
}

// free returns a free TCP address on loopback.
func free(t *testing.T) string {
	t.Helper()
	addrs, err := freeport.Addrs(1)
	require.NoError(t, err)
	return addrs[0]
}

// jobTrackerArgs returns the arguments of a JobTracker that serves at rpc and keeps its state in dir.
func jobTrackerArgs(t *testing.T, dir, rpc string, more ...string) []string {
	return append([]string{"jobtracker", "-D", "hadoop.tmp.dir=" + dir, "-D", "mapreduce.jobtracker.address=" + rpc,
		"-D", "mapreduce.jobtracker.http.address=" + free(t), "-D", "howdah.jobtracker.dir=" + filepath.Join(dir, "journal")},
		more...)
}

// A TaskTracker that is configured only with the gossip address finds the JobTracker. After the
// JobTracker restarts on another port, the TaskTracker finds it within ten seconds.
func TestGossip(t *testing.T) {
	dir := t.TempDir()
	gossip, rpc := free(t), free(t)
	jt := start(t, jobTrackerArgs(t, dir, rpc, "-D", "howdah.gossip.address="+gossip)...)
	start(t, "tasktracker", "--join", gossip, "-D", "hadoop.tmp.dir="+filepath.Join(dir, "tt"),
		"-D", "mapreduce.tasktracker.http.address=127.0.0.1:0")
	joined := func() bool {
		return strings.Contains(minicluster.Alone(t, "job", "-jt", rpc, "-list-active-trackers").Out, "tracker_")
	}
	minicluster.Eventually(t, time.Minute, "the TaskTracker to join", joined)

	jt.stop(syscall.SIGKILL)
	rpc = free(t)
	start(t, jobTrackerArgs(t, dir, rpc, "-D", "howdah.gossip.address="+gossip)...)
	minicluster.Eventually(t, time.Minute, "the JobTracker to serve",
		func() bool { return minicluster.Alone(t, "queue", "-jt", rpc, "-list").Code == 0 })
	minicluster.Eventually(t, 10*time.Second, "the TaskTracker to find the JobTracker's new port", joined)

	in, want := text(t, 1, 20)
	out := filepath.Join(dir, "out")
	ok(t, minicluster.Alone(t, "run", "-q", "-jt", rpc, "wordcount", in, out))
	require.Equal(t, want, counts(t, out))
}

var hashLine = regexp.MustCompile(`hash[= ]+([0-9a-f]+)`)

// A replay of a JobTracker's recorded inputs yields the same decisions, under every policy and
// across a change of policy.
func TestReplayInputs(t *testing.T) {
	in, _ := text(t, 3, 20)
	for _, policy := range catalog.Builtin().Names() {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			dir, rpc := t.TempDir(), free(t)
			inputs := filepath.Join(dir, "inputs")
			jt := start(t, jobTrackerArgs(t, dir, rpc, "--record-inputs", inputs, "--scheduler", policy)...)
			for i := range 2 {
				start(t, "tasktracker", "-jt", rpc, "-D", "hadoop.tmp.dir="+filepath.Join(dir, fmt.Sprint("tt", i)),
					"-D", "mapreduce.tasktracker.http.address=127.0.0.1:0")
			}
			minicluster.Eventually(t, 90*time.Second, "the JobTracker to serve", func() bool {
				return minicluster.Alone(t, "queue", "-jt", rpc, "-list").Code == 0
			})
			var jobs sync.WaitGroup
			run := func(n int) {
				jobs.Go(func() {
					r := minicluster.Alone(t, "run", "-q", "-jt", rpc, "wordcount", "-D", "mapreduce.job.deadline=+1h", in,
						filepath.Join(dir, fmt.Sprint("out", n)))
					if r.Code != 0 {
						t.Errorf("exit code %d: %s", r.Code, r.Err)
					}
				})
			}
			run(1)
			run(2)
			jobs.Wait()
			ok(t, minicluster.Alone(t, "admin", "-jt", rpc, "-setScheduler", "minedf-wc"))
			run(3)
			run(4)
			jobs.Wait()
			jt.stop(syscall.SIGTERM)
			live := hashLine.FindStringSubmatch(jt.log.String())
			require.NotNil(t, live, jt.log.String())
			first := ok(t, minicluster.Alone(t, "jobtracker", "--replay-inputs", inputs)).Out
			require.Contains(t, first, "hash "+live[1])
			require.Equal(t, first, ok(t, minicluster.Alone(t, "jobtracker", "--replay-inputs", inputs)).Out)
			require.NoError(t, os.Truncate(inputs, 10))
			require.Equal(t, 5, minicluster.Alone(t, "jobtracker", "--replay-inputs", inputs).Code)
		})
	}
}
