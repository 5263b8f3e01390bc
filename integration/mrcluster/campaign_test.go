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

// campaign kills parts of a pool while its MR-clusters run jobs.
type campaign struct {
	t     *testing.T
	p     *testpool.Pool
	r     *rand.Rand
	names []string      // of the MR-clusters
	roles []string      // whose processes are killed
	pause time.Duration // between two kills, at most
	files files
	want  string // output of a job

	killed map[string]int
	calm   atomic.Bool // nobody is killed any more
	over   atomic.Bool // no job runs any more
	mu     sync.Mutex
	good   map[string][]string // outputs of jobs that ended well, by MR-cluster
	bad    int                 // jobs that failed
	away   int                 // jobs that failed since their files were away
}

// files are where jobs read and write.
type files interface {
	in() string
	out(name string, job int) string
	// read gives the output of a job that has ended well.
	read(name, out string) (string, error)
	// away tells that a job has failed since what it reads or writes was away for longer than it may wait.
	away(said string) bool
}

// run kills so many processes and waits until a job that began after the last kill has ended on each MR-cluster.
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
	c.t.Logf("%d kills %v, %d jobs ended well, %d were given up, %d could not reach their files", kills, c.killed, done, c.bad, c.away)
}

// end removes the MR-clusters, and looks at what is left of them and at what the manager has decided.
func (c *campaign) end(nodes int) {
	for _, name := range c.names {
		c.p.Must("mrcluster", "remove", name)
	}
	c.p.Eventually("all nodes to be given back", func() bool { s, ok := c.p.Status(); return ok && len(s.Clusters) == 0 && c.p.Free() == nodes })
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
	c.t.Logf("%d facts, %d deployments begun anew", len(facts), anew)
	require.LessOrEqual(c.t, c.bad, anew, "a job is given up only with the deployment that it runs on")
}

// work runs jobs on an MR-cluster until one that began after the last kill has ended.
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

// failed notes a job that did not end well. One that never began, though its files were there, is against what howdah run promises.
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

// ends gives the last lines of a text.
func ends(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-3):], " | ")
}

// kill ends a process that belongs to the pool; a manager is started again.
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

// watch looks for a node that runs daemons of two deployments, which must not last: a look at /proc is not one moment.
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
