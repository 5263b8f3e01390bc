package faw

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/integration/apachehadoop"
	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/provision/netns"
	"github.com/howdah/howdah/mrcluster/status"
)

// The nodes of a site are network namespaces with a share of the CPU, a link, and a slow disk. As in
// the testbed, the link is several times as fast as the disk.
const (
	SiteNodes = 6
	siteCores = 0.2 // CPU limit of a node, in cores
	siteMbit  = 400
	siteDisk  = 10 // MB/s
)

// Site is a pool of slow nodes on this machine. It consists of a manager, its agents, and one
// MR-cluster that runs jobs. This MR-cluster has its own HDFS with one replica. To keep it from
// using other nodes, an idle MR-cluster with a single core node holds each of them.
type Site struct {
	*lab.Pool
	core    int // core nodes of the MR-cluster that runs jobs
	holders int // number of idle MR-clusters that hold a node
	taken   int // nodes that another MR-cluster took from the one that runs jobs
}

const (
	worker   = "worker"
	patience = 4 * time.Minute // maximum time for the pool to reach a state, which may include the start of Java daemons
)

// needed returns the folder that contains Hadoop's jars. If a site cannot run on this machine, it
// returns an error with a remedy.
func needed(ctx context.Context) (jars string, err error) {
	const op = "build a site of slow nodes"
	if os.Geteuid() != 0 {
		return "", failure.New(failure.Permission, op, "",
			errors.New("network namespaces need root")).Fix("run the experiment as root")
	}
	for _, tool := range []string{"ip", "tc", "nsenter", "unshare", "losetup", "mkfs.ext4"} {
		if _, err := exec.LookPath(tool); err != nil {
			return "", failure.New(failure.NotFound, op, tool, err).Fix("install iproute2, util-linux, and e2fsprogs")
		}
	}
	if err := apachehadoop.Available(); err != nil {
		return "", failure.New(failure.NotFound, op, "", err).Fix("install Java and Maven, which fetches Hadoop's jars once")
	}
	return apachehadoop.Jars(ctx)
}

// OnSite starts a site, calls f, and removes the site. The site's manager decides every interval ms
// whether to move nodes. After an error, OnSite copies the daemons' logs to the results.
func OnSite(ctx context.Context, r *lab.Run, interval int64, f func(*Site) error) error {
	r.Knob("nodes", fmt.Sprintf("%d network namespaces, each with %g of a core, a link of %d Mbit/s, and 1 + 1 slots",
		SiteNodes, siteCores, siteMbit))
	r.Knob("disks", fmt.Sprintf("%d MB/s for each node and direction; writes wait for the disk, and jobs read their "+
		"input from it", siteDisk))
	r.Knob("buffers", fmt.Sprintf("%d MB for a map's output and %g%% of 200 MB for a reduce's input, so that neither fits",
		sortBuffer, 100*shuffleBuffer))
	r.Knob("HDFS", "Apache Hadoop's, with one replica; nodes may use the entire CPU while HDFS starts and while jobs "+
		"create the input")
	jars, err := needed(ctx)
	if err != nil {
		return err
	}
	p, err := r.StartPool(ctx, lab.PoolOptions{Nodes: SiteNodes, Set: siteSettings(jars, interval),
		Namespaces: &netns.Config{Mbit: siteMbit, Cores: siteCores, Mount: cgroup.DefaultMount}})
	if err != nil {
		return err
	}
	defer p.Stop()
	s := &Site{Pool: p}
	if err = s.await(ctx, "all nodes are up", func(x *status.Pool) bool { return free(x) == SiteNodes }); err == nil {
		err = p.AddDisks(ctx, siteDisk)
	}
	if err == nil {
		err = f(s)
	}
	if err != nil && r.Dir != "" {
		err = errors.Join(err, p.KeepLogs(filepath.Join(r.Dir, "logs")))
	}
	return err
}

// The buffers of tasks, in relation to a task's data, are those of the testbed with Hadoop's defaults.
// There, a map's 128 MB does not fit into 100 MB, nor a reduce's 1 GB into 70% of 200 MB.
const (
	sortBuffer    = 6    // MB
	shuffleBuffer = 0.01 // of mapreduce.reduce.memory.mb
)

// siteSettings returns the settings of the manager, its nodes, and their daemons. The manager
// weighs MR-clusters by the data that they have written. An MR-cluster with data therefore receives
// all nodes that the cores do not need, even while it is idle.
func siteSettings(jars string, interval int64) []string {
	return append([]string{"howdah.mrcluster.weights=DU", fmt.Sprintf("howdah.mrcluster.interval.ms=%d", interval),
		"howdah.mrcluster.threshold=0.001", "howdah.mrcluster.idle.ms=36000000",
		"howdah.mrcluster.sample.ms=100", "howdah.mrcluster.heartbeat.ms=200", "howdah.mrcluster.retry.ms=1000",
		"howdah.mrcluster.hdfs.jars=" + jars, "howdah.mrcluster.hdfs.heap.mb=160",
		"howdah.mrcluster.hdfs.java.options=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions " +
			"-XX:-BytecodeVerificationRemote",
		"mapreduce.jobtracker.expire.trackers.interval=60000", "mapreduce.jobtracker.taskscheduler=fifo",
		fmt.Sprintf("mapreduce.task.io.sort.mb=%d", sortBuffer),
		fmt.Sprintf("mapreduce.reduce.shuffle.input.buffer.percent=%g", shuffleBuffer),
		"dfs.replication=1", "dfs.blocksize=16m"}, slowTasks...)
}

// slowTasks are the settings of TaskTrackers on slow nodes, and of their jobs.
var slowTasks = []string{"mapreduce.tasktracker.map.tasks.maximum=1", "mapreduce.tasktracker.reduce.tasks.maximum=1",
	"mapreduce.map.memory.mb=200", "mapreduce.reduce.memory.mb=200", "howdah.tasktracker.warm.children=0",
	"mapreduce.job.reduce.slowstart.completedmaps=1", "mapreduce.map.speculative=false",
	"mapreduce.reduce.speculative=false"}

// Begin deploys the MR-cluster that runs jobs. At first, it has only its core nodes. It grows by nodes
// of the given kind when Others permits it.
func (s *Site) Begin(ctx context.Context, core int, grow mrcluster.Kind) error {
	if err := s.SetCores(ctx, 0); err != nil {
		return err
	}
	for s.holders < SiteNodes-core {
		if err := s.hold(ctx); err != nil {
			return err
		}
	}
	kind, _ := grow.MarshalText() // never fails
	if err := s.deploy(ctx, worker, "--core", fmt.Sprint(core), "--hdfs", "--grow", string(kind),
		"--set", "dfs.replication=1"); err != nil {
		return err
	}
	s.core = core
	return s.settle(ctx)
}

// End removes the MR-cluster that runs jobs, together with its data.
func (s *Site) End(ctx context.Context) error {
	if err := s.remove(ctx, worker); err != nil {
		return err
	}
	return s.await(ctx, "the MR-cluster is gone", func(x *status.Pool) bool { return find(x) == nil })
}

// hold deploys an idle MR-cluster that holds one node, so that no other MR-cluster can use the
// node.
func (s *Site) hold(ctx context.Context) error {
	s.holders++
	return s.deploy(ctx, fmt.Sprint("holder-", s.holders), "--core", "1")
}

func (s *Site) deploy(ctx context.Context, name string, args ...string) error {
	if _, err := s.Howdah(ctx, append([]string{"mrcluster", "create", name}, args...)...); err != nil {
		return err
	}
	return s.Deploy(ctx, name)
}

func (s *Site) remove(ctx context.Context, name string) error {
	_, err := s.Howdah(ctx, "mrcluster", "remove", "--discard", name)
	return err
}

// Others sets the number of nodes that the MR-cluster may have in addition to its core, and waits
// until it has them.
func (s *Site) Others(ctx context.Context, n int) error {
	if err := s.SetCores(ctx, 0); err != nil {
		return err
	}
	for s.others() < n {
		if err := s.remove(ctx, fmt.Sprint("holder-", s.holders)); err != nil {
			return err
		}
		s.holders--
	}
	for s.others() > n {
		if err := s.hold(ctx); err != nil {
			return err
		}
	}
	return s.settle(ctx)
}

func (s *Site) others() int { return SiteNodes - s.core - s.holders - s.taken }

// settle waits until the MR-cluster has its nodes and every node is up. Then it limits the CPU of
// all nodes.
func (s *Site) settle(ctx context.Context) error {
	what := fmt.Sprintf("%d core nodes and %d others are up", s.core, s.others())
	if err := s.await(ctx, what, s.settled); err != nil {
		return err
	}
	return s.SetCores(ctx, siteCores)
}

func (s *Site) settled(x *status.Pool) bool {
	return up(x) == SiteNodes && held(x) == s.core+s.others()
}

// await calls is with the pool's status until is returns true, but for at most patience. what
// describes this condition in error messages.
func (s *Site) await(ctx context.Context, what string, is func(*status.Pool) bool) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		x, err := s.Status(ctx)
		if err == nil && is(x) {
			return nil
		}
		select {
		case <-ctx.Done():
			return failure.New(failure.KindOf(ctx.Err()), "wait until", what,
				fmt.Errorf("%w: %s", errors.Join(ctx.Err(), err), told(x)))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func find(x *status.Pool) *status.Cluster {
	for _, c := range x.Clusters {
		if c.Spec.Name == worker {
			return c
		}
	}
	return nil
}

// held returns the number of nodes of the MR-cluster that runs jobs. It returns 0 if that
// MR-cluster is not active or a node is leaving it.
func held(x *status.Pool) int {
	if c := find(x); c != nil && c.State == mrcluster.Active && c.Leaving == 0 {
		return c.Held
	}
	return 0
}

func free(x *status.Pool) int { return count(x, mrcluster.Free) }
func up(x *status.Pool) int   { return count(x, mrcluster.Up) }

func count(x *status.Pool, state mrcluster.NodeState) (n int) {
	for _, node := range x.Nodes {
		if node.State == state && node.Problem == "" {
			n++
		}
	}
	return n
}

// told returns a description of each node's state, for an error message.
func told(x *status.Pool) string {
	if x == nil {
		return ""
	}
	var out []string
	for _, n := range x.Nodes {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %s %s %s %s", n.Name, n.Cluster, n.Kind, n.State, n.Doing,
			n.Problem)))
	}
	return strings.Join(out, ", ")
}

// Time runs an application on the MR-cluster and returns the time from the submission of its first
// job to the end of its last, in s.
func (s *Site) Time(ctx context.Context, args ...string) (float64, error) {
	all, err := s.RunJobs(ctx, worker, args...)
	if err != nil {
		return 0, err
	}
	var first, last int64
	for i, j := range all {
		if j.State != "SUCCEEDED" {
			return 0, failure.New(failure.Failed, "run job", j.Name, errors.New(j.State+": "+j.Diagnostic))
		}
		if i == 0 || j.Submit < first {
			first = j.Submit
		}
		last = max(last, j.Finish)
	}
	return float64(last-first) / 1000, nil
}

// Forget removes a directory of the MR-cluster's HDFS.
func (s *Site) Forget(ctx context.Context, dir string) error {
	_, err := s.Howdah(ctx, "fs", "--mrcluster", worker, "-rm", "-r", "-f", "-skipTrash", dir)
	return err
}

// Stored returns the number of bytes on each core and transient-core node of the MR-cluster that runs
// jobs.
func (s *Site) Stored(ctx context.Context) (out []int64, err error) {
	x, err := s.Status(ctx)
	if err != nil {
		return nil, err
	}
	for _, n := range x.Nodes {
		if n.Cluster == worker && n.Kind != mrcluster.Transient {
			out = append(out, n.Stored)
		}
	}
	return out, nil
}
