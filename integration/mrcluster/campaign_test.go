//go:build integration

package mrcluster

import (
	"flag"
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

var (
	kills = flag.Int("kills", 8, "how many processes are killed")
	seed  = flag.Uint64("seed", 0, "of the moments and the victims; 0 = any")
)

// Manager, agents, JobTrackers and TaskTrackers are killed at random moments while MR-clusters run jobs. All comes back: jobs end with
// the right output, no node is ever in two MR-clusters or lost to the pool, and nothing is left.
func TestKilledAtAnyMoment(t *testing.T) {
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	t.Logf("again with: make mrcluster-campaign SEED=%d KILLS=%d", *seed, *kills)
	p := testpool.Start(t, testpool.Options{Nodes: 6, Set: []string{"howdah.mrcluster.expiry.ms=10000", "howdah.mrcluster.expiry.master.ms=60000",
		"mapreduce.jobtracker.expire.trackers.interval=15000", "howdah.client.reconnect.timeout=60000",
		"howdah.mrcluster.start.timeout.ms=60000"}})
	in := filepath.Join(t.TempDir(), "in")
	want := words(t, in, 10, 1000)
	p.Must("mrcluster", "create", "a", "--core", "2", "--grow", "transient")
	p.Must("mrcluster", "create", "b", "--core", "1")
	p.Must("mrcluster", "create", "c", "--core", "1", "--grow", "transient")

	c := &campaign{t: t, p: p, in: in, want: want, r: rand.New(rand.NewPCG(*seed, 0))}
	var all sync.WaitGroup
	watched := make(chan struct{})
	for _, name := range []string{"a", "b", "c"} {
		all.Go(func() { c.work(name) })
	}
	go func() { defer close(watched); c.watch() }()
	for n := range *kills {
		time.Sleep(time.Duration(100+c.r.IntN(1400)) * time.Millisecond)
		c.kill(n)
	}
	c.calm.Store(true)
	all.Wait()
	c.over.Store(true)
	<-watched
	t.Logf("%d kills %v, %d jobs ended well, %d were given up", *kills, c.killed, c.good.Load(), c.bad.Load())

	for _, name := range []string{"a", "b", "c"} {
		p.Must("mrcluster", "remove", name)
	}
	p.Eventually("all nodes to be given back", func() bool { s, ok := p.Status(); return ok && len(s.Clusters) == 0 && p.Free() == 6 })
	for _, x := range p.Processes() {
		require.Empty(t, x.Deployment, "%+v", x)
	}
	left, _ := filepath.Glob(p.NodeDir("*") + "/agent/deployments/*")
	require.Empty(t, left)
	facts := p.Facts()
	require.Empty(t, testpool.Audit(facts))
	anew := 0
	for _, f := range facts {
		if f.Kind == mrcluster.ClusterRetried {
			anew++
		}
	}
	t.Logf("%d facts, %d deployments begun anew", len(facts), anew)
	require.LessOrEqual(t, int(c.bad.Load()), anew, "a job is given up only with the deployment that it runs on")
}

// campaign is what the parts of the test share.
type campaign struct {
	t      *testing.T
	p      *testpool.Pool
	in     string
	want   string
	r      *rand.Rand
	killed map[string]int
	calm   atomic.Bool // nobody is killed any more
	over   atomic.Bool // no job runs any more
	good   atomic.Int32
	bad    atomic.Int32
}

// work runs jobs on an MR-cluster until one that began after the last kill has ended.
func (c *campaign) work(name string) {
	for i := 0; ; i++ {
		last := c.calm.Load()
		out := filepath.Join(c.t.TempDir(), fmt.Sprintf("%s-%d", name, i))
		began := time.Now()
		switch r := c.p.Howdah("run", "--mrcluster", name, "wordcount", c.in, out); {
		case r.Code != 0:
			c.failed(name, i, began, r)
			if last {
				c.t.Errorf("%s: no job runs, and nobody is killed", name)
				return
			}
		case output(c.t, out) != c.want:
			c.t.Errorf("the output in %s is wrong", out)
			return
		default:
			c.good.Add(1)
			if last {
				return
			}
		}
	}
}

// failed notes a job that did not end well. One that never began may be run again: its JobTracker was killed when it had answered and
// before the job was there.
func (c *campaign) failed(name string, i int, began time.Time, r minicluster.Result) {
	submitted := strings.Contains(r.Err, "Running job")
	if submitted {
		c.bad.Add(1)
	}
	c.t.Logf("job %s-%d, submitted: %v, after %v: exit code %d: %s", name, i, submitted, time.Since(began), r.Code, ends(r.Err))
	for _, f := range c.p.Facts() {
		if f.Cluster == name && f.Time >= began.UnixMilli() {
			c.t.Logf("    %s %s %d %s %s", time.UnixMilli(f.Time).Format("15:04:05.000"), f.Kind, f.Deployment, f.Node, f.Reason)
		}
	}
}

// ends gives the last lines of a text.
func ends(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-3):], " | ")
}

// kill ends a process that belongs to the pool; a manager is started again.
func (c *campaign) kill(n int) {
	if c.killed == nil {
		c.killed = map[string]int{}
	}
	role := []string{"manager", "agent", "jobtracker", "tasktracker"}[c.r.IntN(4)]
	var victims []testpool.Process
	for _, x := range c.p.Processes() {
		if x.Role == role {
			victims = append(victims, x)
		}
	}
	pick := c.r.IntN(1 << 20)
	if role == "manager" {
		c.killed[role]++
		c.p.KillManager()
		time.Sleep(time.Duration(pick%1500) * time.Millisecond)
		c.p.StartManager()
		return
	}
	if len(victims) == 0 {
		return
	}
	x := victims[pick%len(victims)]
	if syscall.Kill(x.PID, syscall.SIGKILL) == nil {
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
			if x.Role != "jobtracker" && x.Role != "tasktracker" {
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
