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

var turns = flag.Int("turns", 0, "number of times that nodes with data move from one MR-cluster to the other and back")

// Two MR-clusters, each with its own HDFS of one replica, alternate between work and idleness. The
// busy MR-cluster gets all nodes except the other's core and stores data on these nodes. The nodes
// leave again while both MR-clusters run jobs, and no data is lost.
func TestNothingIsLostWhenNodesMove(t *testing.T) {
	if *turns == 0 {
		t.Skip("takes many minutes; run make mrcluster-moves")
	}
	if err := apachehadoop.Available(); err != nil {
		t.Skip(err)
	}
	jars, err := apachehadoop.Jars(t.Context())
	require.NoError(t, err)
	p := testpool.Start(t, testpool.Options{Nodes: movers, Set: []string{"howdah.mrcluster.hdfs.jars=" + jars,
		"howdah.mrcluster.hdfs.heap.mb=160",
		"howdah.mrcluster.idle.ms=3600000", "howdah.mrcluster.start.timeout.ms=300000", "howdah.mrcluster.expiry.ms=60000",
		"howdah.mrcluster.grow=transient-core"}})
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
	p.Eventually("all nodes to be given back", func() bool {
		s, ok := p.Status()
		return ok && len(s.Clusters) == 0 && p.Free() == movers
	})
}

// movers is the number of nodes: one core node for each MR-cluster, and three nodes that move.
const movers = 5

// mover is one of the two MR-clusters between which nodes move.
type mover struct {
	testing.TB
	pool *testpool.Pool
	*testhdfs.HDFS
	name string
	dirs map[string]string // digests by directory
	load sync.WaitGroup    // the job that requests nodes
}

// begin submits the job that creates the input. The submission deploys the MR-cluster.
func (m *mover) begin() { m.run("teragen", "-D", "mapreduce.job.maps=4", "100000", "/in") }

// run runs a job to completion. It may run outside the test's goroutine, so it reports a failure
// without ending the test.
func (m *mover) run(args ...string) {
	if r := m.pool.Howdah(append([]string{"run", "--mrcluster", m.name, "-D", "dfs.replication=1",
		"-D", "dfs.blocksize=1m"}, args...)...); r.Code != 0 {
		m.Errorf("%s: %v: %s", m.name, args, r.Err)
	}
}

// open opens the MR-cluster's HDFS.
func (m *mover) open() {
	c := m.pool.Cluster(m.name)
	m.HDFS = testhdfs.Open(m, c.NameNode, c.NameNodeWeb)
	m.dirs = map[string]string{"/in": m.MustDigest(m, "/in")}
}

// grow requests nodes until the MR-cluster has all nodes except the core of the other MR-cluster.
func (m *mover) grow(other *mover) {
	m.Helper()
	m.load.Go(func() { m.pool.Howdah("run", "--mrcluster", m.name, "sleep", "-m", "5000", "-r", "0", "-mt", "300") })
	m.pool.Eventually(m.name+" to grow and "+other.name+" to shrink", func() bool {
		s, ok := m.pool.Status()
		up := 0
		for _, n := range s.Nodes {
			if n.Cluster == m.name && n.State == "UP" {
				up++
			}
		}
		return ok && up == movers-1
	})
}

// sort sorts the input on all of the MR-cluster's nodes, including those that can leave.
func (m *mover) sort(out string) {
	m.Helper()
	m.calm()
	m.run("terasort", "-D", "mapreduce.job.reduces=16", "/in", out)
	m.dirs[out] = m.MustDigest(m, out)
	on, all, err := m.Blocks(m.Context())
	require.NoError(m, err)
	m.Logf("%s: blocks %v", m.name, on)
	require.Len(m, on, movers-1)
	require.Less(m, on[m.pool.Cluster(m.name).Master], all, "nodes that may leave store some blocks")
}

var jobID = regexp.MustCompile(`job_\d+_\d+`)

// calm ends the job that requests nodes.
func (m *mover) calm() {
	m.Helper()
	at := "mapreduce.jobtracker.address=" + m.pool.Cluster(m.name).JobTracker
	for _, id := range jobID.FindAllString(m.pool.Must("job", "-D", at, "list"), -1) {
		m.pool.Must("job", "-D", at, "kill", id)
	}
	m.load.Wait()
}

// yield releases nodes to the other MR-cluster while this MR-cluster runs a job. It checks that no
// data is lost.
func (m *mover) yield(out string, other *mover) {
	m.Helper()
	var job sync.WaitGroup
	job.Go(func() { m.run("teravalidate", out, out+"-report") })
	other.grow(m)
	job.Wait()
	m.check()
}

// check waits until HDFS is healthy and compares the input and the sorted outputs with the digests
// recorded at their creation.
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
