//go:build integration

package mrcluster

import (
	"flag"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/apachehadoop"
	"github.com/howdah/howdah/integration/testhdfs"
	"github.com/howdah/howdah/integration/testpool"
	"github.com/howdah/howdah/mrcluster"
)

var turns = flag.Int("turns", 0, "how often nodes with data move from one MR-cluster to the other and back")

// Two MR-clusters, each with an HDFS of its own that keeps one replica, take turns at having work. Whoever has work gets all nodes but the
// other's core, and writes on them; when they leave again, while jobs of both run, nothing that lies there is lost.
func TestNothingIsLostWhenNodesMove(t *testing.T) {
	if *turns == 0 {
		t.Skip("it takes many minutes: make mrcluster-moves")
	}
	if err := apachehadoop.Available(); err != nil {
		t.Skip(err)
	}
	jars, err := apachehadoop.Jars(t.Context())
	require.NoError(t, err)
	p := testpool.Start(t, testpool.Options{Nodes: movers, Set: []string{"howdah.mrcluster.hdfs.jars=" + jars, "howdah.mrcluster.hdfs.heap.mb=160",
		"howdah.mrcluster.idle.ms=3600000", "howdah.mrcluster.start.timeout.ms=300000", "howdah.mrcluster.expiry.ms=60000", "howdah.mrcluster.grow=transient-core"}})
	both := []*mover{{TB: t, pool: p, name: "a"}, {TB: t, pool: p, name: "b"}}
	var begin sync.WaitGroup
	for _, m := range both {
		p.Must("mrcluster", "create", m.name, "--hdfs")
		begin.Go(m.begin)
	}
	begin.Wait()
	if t.Failed() {
		return
	}
	for _, m := range both {
		m.open()
	}
	both[0].grow(both[1])
	for turn := range *turns {
		out := fmt.Sprint("/out-", turn)
		both[0].sort(out)
		both[0].yield(out, both[1])
		both[1].sort(out)
		both[1].yield(out, both[0])
	}
	facts := p.Facts()
	require.Empty(t, testpool.Audit(facts))
	drained := 0
	for _, f := range facts {
		if f.Kind == mrcluster.NodeDraining && strings.Contains(f.Reason, "shrinks") {
			drained++
		}
	}
	t.Logf("%d drains", drained)
	require.GreaterOrEqual(t, drained, 2**turns*(movers-2))
	for _, m := range both {
		m.calm()
		m.check()
		p.Must("mrcluster", "remove", "--discard", m.name)
	}
	p.Eventually("all nodes to be given back", func() bool { s, ok := p.Status(); return ok && len(s.Clusters) == 0 && p.Free() == movers })
}

// movers is how many nodes there are: a core of one each, and three that move.
const movers = 5

// mover is one of the two MR-clusters.
type mover struct {
	testing.TB
	pool *testpool.Pool
	*testhdfs.HDFS
	name string
	dirs map[string]string // digests by directory
	load sync.WaitGroup    // the job that demands nodes
}

// begin has the MR-cluster deployed by the job that makes its input.
func (m *mover) begin() { m.run("teragen", "-D", "mapreduce.job.maps=4", "100000", "/in") }

// run runs a job to its end. It says so if that fails: it need not be the test's goroutine.
func (m *mover) run(args ...string) {
	if r := m.pool.Howdah(append([]string{"run", "--mrcluster", m.name, "-D", "dfs.replication=1", "-D", "dfs.blocksize=1m"}, args...)...); r.Code != 0 {
		m.Errorf("%s: %v: %s", m.name, args, r.Err)
	}
}

// open opens its HDFS.
func (m *mover) open() {
	c := m.pool.Cluster(m.name)
	m.HDFS = testhdfs.Open(m, c.NameNode, c.NameNodeWeb)
	m.dirs = map[string]string{"/in": m.MustDigest(m, "/in")}
}

// grow demands nodes until it has all that the other, who demands nothing, may give.
func (m *mover) grow(other *mover) {
	m.Helper()
	m.load.Go(func() { m.pool.Howdah("run", "--mrcluster", m.name, "sleep", "-m", "5000", "-r", "0", "-mt", "300") })
	m.pool.Eventually(m.name+" to grow and "+other.name+" to shrink", func() bool {
		s, ok := m.pool.Status()
		up := 0
		for _, n := range s.Nodes {
			if n.Cluster == m.name && n.State == "up" {
				up++
			}
		}
		return ok && up == movers-1
	})
}

// sort sorts the input on all nodes, those that may leave too.
func (m *mover) sort(out string) {
	m.Helper()
	m.calm()
	m.run("terasort", "-D", "mapreduce.job.reduces=16", "/in", out)
	m.dirs[out] = m.MustDigest(m, out)
	on, all, err := m.Blocks(m.Context())
	require.NoError(m, err)
	m.Logf("%s: blocks %v", m.name, on)
	require.Len(m, on, movers-1)
	require.Less(m, on[m.pool.Cluster(m.name).Master], all, "nodes that may leave store a part")
}

var jobID = regexp.MustCompile(`job_\d+_\d+`)

// calm ends the demand.
func (m *mover) calm() {
	m.Helper()
	at := "mapreduce.jobtracker.address=" + m.pool.Cluster(m.name).JobTracker
	for _, id := range jobID.FindAllString(m.pool.Must("job", "-D", at, "list"), -1) {
		m.pool.Must("job", "-D", at, "kill", id)
	}
	m.load.Wait()
}

// yield gives nodes up to another one while it works itself, and looks whether all is there.
func (m *mover) yield(out string, other *mover) {
	m.Helper()
	var job sync.WaitGroup
	job.Go(func() { m.run("teravalidate", out, out+"-report") })
	other.grow(m)
	job.Wait()
	m.check()
}

// check compares all files with what they were.
func (m *mover) check() {
	m.Helper()
	report := ""
	m.pool.Eventually("HDFS of "+m.name+" to be healthy", func() (ok bool) {
		ok, report = m.Fsck(m.Context())
		return ok
	})
	for dir, want := range m.dirs {
		require.Equal(m, want, m.MustDigest(m, dir), "%s %s: %s", m.name, dir, report)
	}
}
