//go:build integration && linux

package growshrink

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/integration/apachehadoop"
	"github.com/howdah/howdah/integration/leftovers"
	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/integration/testhdfs"
	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/internal/rpc/rpctest"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/daemon"
	"github.com/howdah/howdah/mrcluster/daemon/managertest"
	"github.com/howdah/howdah/mrcluster/provision"
	"github.com/howdah/howdah/mrcluster/provision/netns"
)

// cores is the number of core nodes.
const cores = 3

// The nodes of a schedule: the core, four transient nodes, and four transient-core nodes.
var (
	coreNodes = []string{"node-1", "node-2", "node-3"}
	transient = []string{"tr-1", "tr-2", "tr-3", "tr-4"}
	storing   = []string{"tc-1", "tc-2", "tc-3", "tc-4"}
)

// site is a pool of slow nodes with an MR-cluster on its core.
type site struct {
	*testing.T
	*managertest.Director
	*testhdfs.HDFS
	dir   string            // of the pool
	files map[string]string // digests by directory
}

// wanted skips a test that is not requested, or that this machine cannot run.
func wanted(t *testing.T, runs int) {
	if runs == 0 {
		t.Skip("takes many minutes; run make growshrink")
	}
	if os.Geteuid() != 0 {
		t.Skip("network namespaces need root")
	}
	if err := apachehadoop.Available(); err != nil {
		t.Skip(err)
	}
}

// build starts the pool and the MR-cluster's core.
func build(t *testing.T) *site {
	leftovers.Check(t)
	ctx := t.Context()
	jars, err := apachehadoop.Jars(ctx)
	require.NoError(t, err)
	agent := &provision.Agent{Program: minicluster.Binary(t)}
	dir := t.TempDir()
	b, err := netns.New(provision.Options{Dir: dir, Agent: agent},
		netns.Config{Mbit: 80, Cores: nodeCores, Mount: cgroup.DefaultMount})
	require.NoError(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			keepLogs(t, dir)
		}
		require.NoError(t, provision.StopAll(context.Background(), b))
	})
	// A TaskTracker on a slow node may not have time to deregister, so the JobTracker expires it
	// after a minute instead of ten. New blocks stay on the nodes that write them. By default the
	// NameNode would place the blocks of busy nodes elsewhere.
	d, addr := managertest.Direct(t, b.Host(), &mrcluster.Spec{Name: "g", Core: cores, HDFS: true, Conf: []string{
		"dfs.replication=1", "dfs.namenode.redundancy.considerLoad=false", "dfs.namenode.fs-limits.min-block-size=65536",
		"mapred.tasktracker.map.tasks.maximum=2", "mapred.tasktracker.reduce.tasks.maximum=2",
		"mapreduce.map.memory.mb=200", "mapreduce.reduce.memory.mb=200", "howdah.tasktracker.warm.children=0",
		"mapreduce.jobtracker.expire.trackers.interval=60000"}}, coreNodes[0])
	agent.Args = []string{"mrcluster", "agent"}
	for _, kv := range []string{conf.MRClusterAgentName.Name + "={name}", conf.MRClusterAgentHost.Name + "={host}",
		conf.MRClusterAgentDir.Name + "={dir}/agent", daemon.KeyAddr + "=" + addr,
		conf.SecuritySecretFile.Name + "=" + rpctest.Options(t).Secret.File(), "howdah.tasktracker.run-as=tracker",
		"howdah.mrcluster.hdfs.jars=" + jars, "howdah.mrcluster.hdfs.heap.mb=160",
		"howdah.mrcluster.hdfs.java.options=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions " +
			"-XX:-BytecodeVerificationRemote"} {
		agent.Args = append(agent.Args, "-D", kv)
	}
	s := &site{T: t, Director: d, dir: dir, files: map[string]string{}}
	for _, names := range [][]string{coreNodes, transient, storing} {
		for _, name := range names {
			require.NoError(t, b.Start(ctx, name))
		}
	}
	began := time.Now()
	s.hasten(coreNodes...)
	s.Add(mrcluster.Core, coreNodes...)
	s.awaitUp(coreNodes...)
	s.slow(coreNodes...)
	s.Logf("the core is up after %v", time.Since(began).Round(time.Second))
	s.HDFS = testhdfs.Open(t, s.Endpoints().NameNode, s.Endpoints().NameNodeWeb)
	return s
}

// in returns the site for a subtest.
func (s *site) in(t *testing.T) *site {
	part := *s
	part.T = t
	return &part
}

// patience is the maximum time of a wait. The end of a job may take four times as long. patience is
// long because Java on a fifth of a core is slow.
const patience = 8 * time.Minute

func (s *site) await(what string, ok func() bool) {
	s.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.Fatal("not in time: ", what)
		}
	}
}

func (s *site) awaitUp(names ...string) {
	s.Helper()
	said := ""
	for _, name := range names {
		s.await(name+" is up", func() bool {
			ok, why := s.Up(name)
			if why != "" && why != said {
				said = why
				s.Log(name, why)
			}
			return ok
		})
	}
}

// leave releases nodes and waits until they have removed all of their files and processes.
func (s *site) leave(names ...string) {
	s.Helper()
	since := time.Now()
	s.Release(names...)
	for _, name := range names {
		s.await(name+" is empty", func() bool { return s.Idle(name, since) })
	}
}

// job is a running application.
type job struct {
	cmd   *exec.Cmd
	err   bytes.Buffer
	began time.Time
	done  chan error
	took  time.Duration
}

func (s *site) start(app string, args ...string) *job {
	at := s.Endpoints()
	j := &job{cmd: exec.CommandContext(s.Context(), minicluster.Binary(s.T),
		append([]string{"run", "-q", "-D", "mapreduce.framework.name=classic",
			"-D", "mapreduce.jobtracker.address=" + at.JobTracker, "-D", "fs.defaultFS=" + at.NameNode,
			"-D", "dfs.replication=1",
			"-D", "mapreduce.job.reduce.slowstart.completedmaps=1", "-D", "mapreduce.map.speculative=false",
			"-D", "mapreduce.reduce.speculative=false", app}, args...)...),
		began: time.Now(), done: make(chan error, 1)}
	j.cmd.Stderr = &j.err
	require.NoError(s, j.cmd.Start())
	go func() {
		err := j.cmd.Wait()
		j.took = time.Since(j.began)
		j.done <- err
	}()
	return j
}

func (s *site) end(j *job) time.Duration {
	s.Helper()
	select {
	case err := <-j.done:
		require.NoError(s, err, j.err.String())
	case <-time.After(4 * patience):
		s.Fatal("the job does not end: ", j.err.String())
	}
	return j.took
}

// healthy waits until the NameNode reports all files as healthy.
func (s *site) healthy() {
	s.Helper()
	report := ""
	s.await("HDFS is healthy", func() (ok bool) {
		ok, report = s.HDFS.Fsck(s.Context())
		return ok
	})
	require.Contains(s, report, "is HEALTHY")
}

func (s *site) digest(dir string) string {
	s.Helper()
	return s.MustDigest(s, dir)
}

var totalBlocks = regexp.MustCompile(`Total blocks \(validated\):\s+(\d+)`)

// blocks returns the number of replicas on each node and in total. It first waits until the replicas
// of deleted files, which disappear gradually, are gone.
func (s *site) blocks() (on map[string]int, all int) {
	s.Helper()
	_, report := s.HDFS.Fsck(s.Context())
	total := totalBlocks.FindStringSubmatch(report)
	require.Len(s, total, 2, report)
	s.await("what was deleted is gone", func() bool {
		var err error
		on, all, err = s.HDFS.Blocks(s.Context())
		require.NoError(s, err)
		return strconv.Itoa(all) == total[1]
	})
	return on, all
}
