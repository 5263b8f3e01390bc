//go:build integration

package mrcluster

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/integration/testpool"
	"github.com/howdah/howdah/mrcluster"
)

// campaign kills processes of a pool while its MR-clusters run jobs.
type campaign struct {
	t     *testing.T
	p     *testpool.Pool
	r     *rand.Rand
	names []string      // names of the MR-clusters
	roles []string      // roles of the processes to kill
	pause time.Duration // upper limit of the random delay before a kill
	files files
	want  string // expected output of a job

	killed map[string]int // number of killed processes, by role
	calm   atomic.Bool    // set when the pool has recovered from the last kill
	over   atomic.Bool    // set when all jobs have ended
	mu     sync.Mutex
	good   map[string][]string // outputs of successful jobs, by MR-cluster
	bad    int                 // jobs that failed
	away   int                 // jobs that failed because their files were unavailable
}

// files is the file system that jobs use.
type files interface {
	in() string
	out(name string, job int) string
	// read returns the output of a successful job.
	read(name, out string) (string, error)
	// away reports whether a job failed because its input or output was unavailable for longer than
	// a job waits.
	away(said string) bool
}

// run kills processes the given number of times while jobs run. It then waits until each MR-cluster
// has finished a job that started after the pool recovered from the last kill.
func (c *campaign) run(kills int) {
	c.killed, c.good = map[string]int{}, map[string][]string{}
	var all sync.WaitGroup
	watched := make(chan struct{})
	for _, name := range c.names {
		all.Go(func() { c.work(name) })
	}
	go func() { defer close(watched); c.watch() }()
	for range kills {
		time.Sleep(100*time.Millisecond + time.Duration(c.r.Int64N(int64(c.pause))))
		c.kill()
	}
	c.p.Eventually("what was killed to be back", c.p.Settled)
	c.calm.Store(true)
	all.Wait()
	c.over.Store(true)
	<-watched
	done := 0
	for _, outs := range c.good {
		done += len(outs)
	}
	c.t.Logf("%d kills %v, %d jobs ended well, %d were given up, %d could not reach their files", kills, c.killed, done,
		c.bad, c.away)
}

// end removes the MR-clusters and waits until all nodes of the pool are free. It then checks for
// leftovers and checks the manager's decisions.
func (c *campaign) end(nodes int) {
	for _, name := range c.names {
		c.p.Must("mrcluster", "remove", name)
	}
	c.p.Eventually("all nodes to be given back", func() bool {
		s, ok := c.p.Status()
		return ok && len(s.Clusters) == 0 && c.p.Free() == nodes
	})
	for _, x := range c.p.Processes() {
		require.Empty(c.t, x.Deployment, "%+v", x)
	}
	left, _ := filepath.Glob(c.p.NodeDir("*") + "/agent/deployments/*")
	require.Empty(c.t, left)
	facts := c.p.Facts()
	require.Empty(c.t, testpool.Audit(facts))
	anew := 0
	for _, f := range facts {
		if f.Kind == mrcluster.ClusterRetried {
			anew++
		}
	}
	c.t.Logf("%d facts, %d deployments started again", len(facts), anew)
	require.LessOrEqual(c.t, c.bad, anew, "a job may fail only with the deployment that it runs on")
}

// work runs jobs on an MR-cluster until a job that started after the pool recovered from the last kill
// has ended. It fails the test if that job fails, or if the output of a successful job is wrong.
func (c *campaign) work(name string) {
	for i := 0; ; i++ {
		last := c.calm.Load()
		out := c.files.out(name, i)
		began := time.Now()
		if r := c.p.Howdah("run", "--mrcluster", name, "wordcount", c.files.in(), out); r.Code != 0 {
			if c.failed(name, i, began, r); last {
				c.t.Errorf("%s: no job runs, and nobody is killed", name)
				return
			}
			continue
		}
		if got, err := c.files.read(name, out); err != nil || got != c.want {
			c.t.Errorf("the output in %s is wrong: %v", out, err)
			return
		}
		c.mu.Lock()
		c.good[name] = append(c.good[name], out)
		c.mu.Unlock()
		if last {
			return
		}
	}
}

// failed records a failed job. It fails the test if the job was never submitted even though its
// files were available, because howdah run must wait in that case.
func (c *campaign) failed(name string, i int, began time.Time, r minicluster.Result) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.files.away(r.Err) {
		c.away++
		return
	}
	c.bad++
	c.t.Logf("job %s-%d, after %v: exit code %d: %s", name, i, time.Since(began), r.Code, ends(r.Err))
	for _, f := range c.p.Facts() {
		if f.Cluster == name && f.Time >= began.UnixMilli() {
			c.t.Logf("    %s %s %d %s %s", time.UnixMilli(f.Time).Format("15:04:05.000"), f.Kind, f.Deployment, f.Node, f.Reason)
		}
	}
	if !strings.Contains(r.Err, "Running job") {
		c.t.Errorf("job %s-%d was not submitted", name, i)
	}
}

// ends returns the last three lines of a text as one line.
func ends(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-3):], " | ")
}

// kill kills a random process of the pool with a random role, if there is one. If the process is the
// manager, kill restarts it after at most 1.5 s.
func (c *campaign) kill() {
	role := c.roles[c.r.IntN(len(c.roles))]
	pick := c.r.IntN(1 << 20)
	if role == "manager" {
		c.killed[role]++
		c.p.KillManager()
		time.Sleep(time.Duration(pick%1500) * time.Millisecond)
		c.p.StartManager()
		return
	}
	var victims []testpool.Process
	for _, x := range c.p.Processes() {
		if x.Role == role {
			victims = append(victims, x)
		}
	}
	if len(victims) > 0 && syscall.Kill(victims[pick%len(victims)].PID, syscall.SIGKILL) == nil {
		c.killed[role]++
	}
}

// watch fails the test if a node runs daemons of two deployments in two consecutive checks. A single
// check is not reliable, because /proc can change while the test reads it.
func (c *campaign) watch() {
	before := map[string]bool{}
	for !c.over.Load() {
		time.Sleep(200 * time.Millisecond)
		now, of := map[string]bool{}, map[string]map[string]bool{}
		for _, x := range c.p.Processes() {
			if x.Deployment == "" || x.Role == "other" {
				continue
			}
			if of[x.Node] == nil {
				of[x.Node] = map[string]bool{}
			}
			of[x.Node][x.Deployment] = true
			if len(of[x.Node]) > 1 {
				key := fmt.Sprint(x.Node, of[x.Node])
				if now[key] = true; before[key] {
					c.t.Errorf("a node in two MR-clusters: %s", key)
				}
			}
		}
		before = now
	}
}
