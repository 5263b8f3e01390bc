package node

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/proctree"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
)

// pids returns the IDs of the processes that a Node has started.
func pids(n *Node) []int { return proctree.Marked(mark(n.cfg.Dir)) }

func TestMasterAndAnotherNode(t *testing.T) {
	t.Parallel()
	a, b := newNode(t, t.TempDir(), "a"), newNode(t, t.TempDir(), "b")
	require.Empty(t, a.Runs())
	require.Equal(t, Endpoints{}, a.Endpoints())
	want := master("c", 7, "howdah.tasktracker.vcores=3")
	a.Apply(want)
	e := awaitUp(t, a)
	require.Equal(t, "c", e.Cluster)
	require.Equal(t, int64(7), e.Deployment)
	require.NotEmpty(t, e.JobTracker)
	require.NotEmpty(t, e.JobTrackerHTTP)
	require.NotEmpty(t, e.TaskTracker)
	require.Empty(t, e.NameNode)
	require.Len(t, pids(a), 2)
	for _, name := range []string{"jobtracker", "tasktracker"} { // they contain the names of jobs and users
		info, err := os.Stat(filepath.Join(a.cfg.Dir, "deployments", "c-7", "logs", name+".log"))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode())
	}

	b.cfg.Master = func(_ context.Context, d mrcluster.Desired) (Endpoints, error) {
		require.Equal(t, "there:1", d.MasterAddr)
		return a.Endpoints(), nil
	}
	other := want
	other.Master, other.Kind, other.MasterAddr = false, mrcluster.Transient, "there:1"
	b.Apply(other)
	require.Empty(t, awaitUp(t, b).JobTracker)
	require.Len(t, pids(b), 1)
	c := conf.New()
	require.NoError(t, c.LoadFile(filepath.Join(b.cfg.Dir, "deployments", "c-7", "conf", "tasktracker",
		"mapred-site.xml")))
	for key, value := range map[string]string{"mapreduce.jobtracker.address": e.JobTracker,
		"mapreduce.tasktracker.host.name": "b", "howdah.tasktracker.vcores": "3"} {
		require.Equal(t, value, c.Get(key), key)
	}
	b.Apply(mrcluster.Desired{})
	await(t, "nothing runs", func() bool { return len(b.Runs()) == 0 })
	require.Empty(t, pids(b))
	require.Empty(t, deployments(t, b))
}

func deployments(t *testing.T, n *Node) []string {
	list, err := filepath.Glob(filepath.Join(n.cfg.Dir, "deployments", "*"))
	require.NoError(t, err)
	return list
}

// TestServicesComeBack checks that repeating an Apply changes nothing. It also checks that a killed
// service restarts at its old address.
func TestServicesComeBack(t *testing.T) {
	t.Parallel()
	n := newNode(t, t.TempDir(), "a")
	n.cfg.Conf.Set(conf.MRClusterHistoryDir.Name, "file:/kept/", "test")
	d := master("c", 1)
	d.Spec.User = "ann"
	n.Apply(d)
	e, before := awaitUp(t, n), pids(n)
	c := conf.New()
	require.NoError(t, c.LoadFile(filepath.Join(n.cfg.Dir, "deployments", "c-1", "conf", "jobtracker", "mapred-site.xml")))
	require.Equal(t, "file:/kept/ann/c", c.Get(conf.JobHistoryDoneDir.Name),
		"histories outlive the deployment and stay the owner's")
	require.Equal(t, "ann,", c.Get(conf.SecurityJobClientProtocolACL.Name), "only the owner may use it")
	n.Apply(d)
	n.Apply(d)
	require.Equal(t, e, awaitUp(t, n))
	require.Equal(t, before, pids(n))
	for _, pid := range before {
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	}
	await(t, "others run", func() bool {
		now := pids(n)
		return len(now) == 2 && !slices.ContainsFunc(now, func(pid int) bool { return slices.Contains(before, pid) })
	})
	require.Equal(t, e, awaitUp(t, n))
}

func TestAnotherDeployment(t *testing.T) {
	t.Parallel()
	n := newNode(t, t.TempDir(), "a")
	n.Apply(master("c", 1))
	awaitUp(t, n)
	n.Apply(master("c", 2)) // the next deployment starts after this one is gone and Apply is repeated
	for _, r := range n.Runs() {
		require.Equal(t, int64(1), r.Deployment)
	}
	await(t, "the next one", func() bool {
		n.Apply(master("c", 2))
		runs := n.Runs()
		return len(runs) == 1 && runs[0].Deployment == 2 && runs[0].Phase == mrcluster.PhaseUp
	})
	require.Len(t, deployments(t, n), 1)
	require.Len(t, pids(n), 2)
}

// TestStopAndGoOn checks that files outlive a Node, and that the next Node removes files of other
// deployments.
func TestStopAndGoOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	n := newNode(t, dir, "a")
	n.Apply(master("c", 1))
	e := awaitUp(t, n)
	kept := filepath.Join(dir, "deployments", "c-1", "kept")
	require.NoError(t, os.WriteFile(kept, nil, 0o644))
	n.Stop()
	require.Empty(t, pids(n))

	n = newNode(t, dir, "a")
	require.Equal(t, []mrcluster.Running{{Cluster: "c", Deployment: 1}}, n.Runs())
	n.Apply(master("c", 1))
	require.Equal(t, e, awaitUp(t, n))
	require.FileExists(t, kept)
	n.Stop()

	n = newNode(t, dir, "a")
	n.Apply(mrcluster.Desired{})
	await(t, "nothing is left", func() bool { return len(n.Runs()) == 0 })
	require.Empty(t, deployments(t, n))
}

// TestKilled checks that no processes of a killed Node remain after New, and that the next Node
// finds its deployment.
func TestKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	agent := exec.Command(self(t), "agent", dir)
	require.NoError(t, agent.Start())
	await(t, "its services run", func() bool { return len(proctree.Marked(mark(dir))) == 2 })
	require.NoError(t, agent.Process.Kill())
	_ = agent.Wait()
	n := newNode(t, dir, "a")
	require.Empty(t, pids(n))
	require.Equal(t, []mrcluster.Running{{Cluster: "c", Deployment: 1}}, n.Runs())
	n.Apply(mrcluster.Desired{})
	await(t, "nothing is left", func() bool { return len(n.Runs()) == 0 })
	require.Empty(t, deployments(t, n))
}

func TestServiceThatFails(t *testing.T) {
	t.Parallel()
	n := newNode(t, t.TempDir(), "a")
	n.Apply(master("c", 1, "howdah.job.profile.from=fail"))
	await(t, "the reason", func() bool { return strings.Contains(n.Runs()[0].Err, "the reason") })
	require.Equal(t, mrcluster.PhaseStarting, n.Runs()[0].Phase)
	want := master("c", 2)
	want.Spec.Binary = "/nowhere/howdah"
	await(t, "the node to report the missing program", func() bool {
		n.Apply(want)
		return slices.ContainsFunc(n.Runs(),
			func(r mrcluster.Running) bool { return strings.Contains(r.Err, want.Spec.Binary) })
	})
}

func TestOneNodeForADirectory(t *testing.T) {
	dir := t.TempDir()
	newNode(t, dir, "a")
	var err error
	synctest.Test(t, func(*testing.T) { // the fake clock skips the wait for the lock
		_, err = New(Config{Dir: dir})
	})
	require.True(t, failure.Is(err, failure.Exists), "%v", err)
}

// TestNodeAfterAnotherThatDies checks that an agent can start while its predecessor is still being
// killed. The agent gets the directory when the predecessor is gone.
func TestNodeAfterAnotherThatDies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		_, unlock, err := takeDir(dir)
		require.NoError(t, err)
		go func() {
			time.Sleep(time.Second)
			unlock()
		}()
		_, unlock, err = takeDir(dir)
		require.NoError(t, err)
		unlock()
	})
}

// TestHalfDirectories checks that a Node does not treat a directory as a deployment if it has no
// identity or is half removed.
func TestHalfDirectories(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"c-1", "c-2.removed"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "deployments", name), 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "deployments", "c-2.removed", identityFile),
		[]byte(`{"cluster":"c","deployment":2}`), 0o644))
	n := newNode(t, dir, "a")
	require.Empty(t, n.Runs())
	require.Empty(t, deployments(t, n))
}

func TestRemoveAfterATryThatFailed(t *testing.T) {
	l := layout{filepath.Join(t.TempDir(), "c-1")}
	for _, dir := range []string{l.dir, l.dir + ".removed"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "x"), 0o755))
	}
	require.NoError(t, l.remove())
	require.NoDirExists(t, l.dir)
	require.NoDirExists(t, l.dir+".removed")
	require.NoError(t, l.remove(), "nothing is left to remove")
}

func TestSettings(t *testing.T) {
	c := conf.New()
	c.Set("howdah.gossip.join", "x:1", "test")
	c.Set("howdah.tasktracker.vcores", "2", "test")
	c.Set(conf.JobTrackerSystemDir.Name, "hdfs://other/system/", "test")
	n, err := New(Config{Dir: t.TempDir(), Name: "a", Conf: c})
	require.NoError(t, err)
	defer n.Stop()
	s := newDeployment(n, identity{"c", 3}).services
	want := master("c", 3, "howdah.tasktracker.vcores=5")
	got := s.settings(want, "tasktracker")
	require.Equal(t, "5", got.Get("howdah.tasktracker.vcores"))
	require.NotEqual(t, "x:1", got.Get("howdah.gossip.join"), "daemons have nothing to do with the gossip of the pool")
	system, staging, outside := s.sharedDirs(want)
	require.Equal(t, []string{system}, outside)
	require.Equal(t, "hdfs://other/system/c-3", system, "where a setting says, each deployment by itself")
	require.Equal(t, "file:"+s.path("shared", "staging"), staging)
}

// TestForetellsNodes checks that a JobTracker that wants to know the coming number of its nodes gets a
// file with it, which changes only with the numbers.
func TestForetellsNodes(t *testing.T) {
	t.Parallel()
	n := newNode(t, t.TempDir(), "a")
	want := master("c", 1, "howdah.adaptive.capacity.source=manager")
	want.Coming = mrcluster.Coming{Now: 1, Then: 2, After: 5000}
	n.Apply(want)
	awaitUp(t, n)
	dir := filepath.Join(n.cfg.Dir, "deployments", "c-1", "conf", "jobtracker")
	file := filepath.Join(dir, "coming")
	c := conf.New()
	require.NoError(t, c.LoadFile(filepath.Join(dir, "mapred-site.xml")))
	require.Equal(t, file, c.Get(conf.AdaptiveCapacityFile.Name))
	read := func() string {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		return string(text)
	}
	first := read()
	require.Contains(t, first, "\n5000ms 0.5")
	want.Coming.After = 3000
	n.Apply(want)
	want.Coming = mrcluster.Coming{Now: 2, Then: 2}
	n.Apply(want)
	await(t, "another file", func() bool { return read() != first })
	require.Contains(t, read(), "\n0 1.0")

	other := newNode(t, t.TempDir(), "b")
	other.Apply(master("d", 1))
	awaitUp(t, other)
	require.NoFileExists(t, filepath.Join(other.cfg.Dir, "deployments", "d-1", "conf", "jobtracker", "coming"))
}
