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
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/provision/netns"
)

// Nodes of a site: network namespaces with a part of the CPU and slow links, which stand for the disks and networks of the paper's.
const (
	SiteNodes = 6
	siteCores = 0.2
	siteMbit  = 80
)

// Site is a pool of slow nodes on this machine: a manager with agents, and one MR-cluster that runs jobs on an HDFS of its own with one
// replica. What it shall not have is held by MR-clusters of one core node each that do nothing.
type Site struct {
	*lab.Pool
	core    int // nodes of the MR-cluster that runs jobs
	holders int
	taken   int // nodes that another MR-cluster has as its core
}

const (
	worker   = "worker"
	patience = 4 * time.Minute // for the pool to become what it shall be: daemons in Java start on it
)

// needed refuses a machine on which there can be no site, and gives the folder with Hadoop's jars.
func needed(ctx context.Context) (jars string, err error) {
	const op = "build a site of slow nodes"
	if os.Geteuid() != 0 {
		return "", failure.New(failure.Permission, op, "", errors.New("nodes with addresses and links of their own take root")).Fix("run the experiment as root")
	}
	for _, tool := range []string{"ip", "tc", "nsenter", "unshare"} {
		if _, err := exec.LookPath(tool); err != nil {
			return "", failure.New(failure.NotFound, op, tool, err).Fix("install iproute2 and util-linux")
		}
	}
	if err := apachehadoop.Available(); err != nil {
		return "", failure.New(failure.NotFound, op, "", err).Fix("install Java and Maven, which fetches Hadoop's jars once")
	}
	return apachehadoop.Jars(ctx)
}

// OnSite puts up a site and calls f, after which nothing of it is left. The site's manager looks every so many ms whether it should move
// nodes. After an error the logs of the daemons are kept with the results.
func OnSite(ctx context.Context, r *lab.Run, interval int64, f func(*Site) error) error {
	r.Knob("nodes", fmt.Sprintf("%d network namespaces, each of %g of a core, with a link of %d Mbit/s and 1 + 1 slots", SiteNodes, siteCores, siteMbit))
	r.Knob("HDFS", "Apache Hadoop's, one replica; while it starts and while input is made, nodes may use all of the CPU")
	return OnLinks(ctx, r, interval, siteMbit, f)
}

// OnLinks is OnSite with links of so many Mbit/s, for a run that isolates what links do.
func OnLinks(ctx context.Context, r *lab.Run, interval, mbit int64, f func(*Site) error) error {
	jars, err := needed(ctx)
	if err != nil {
		return err
	}
	p, err := r.StartPool(ctx, lab.PoolOptions{Nodes: SiteNodes, Set: siteSettings(jars, interval), Namespaces: &netns.Config{Mbit: mbit, Cores: siteCores, Mount: cgroup.DefaultMount}})
	if err != nil {
		return err
	}
	defer p.Stop()
	s := &Site{Pool: p}
	if err = s.await(ctx, "all nodes are there", func(x *pool.PoolStatus) bool { return free(x) == SiteNodes }); err == nil {
		err = f(s)
	}
	if err != nil && r.Dir != "" {
		err = errors.Join(err, p.KeepLogs(filepath.Join(r.Dir, "logs")))
	}
	return err
}

// siteSettings are those of the manager, its nodes and what they run. The weight is what was written, so that an MR-cluster with data has
// whatever its cores leave, whether it runs jobs or not.
func siteSettings(jars string, interval int64) []string {
	return []string{"howdah.mrcluster.weights=DU", fmt.Sprintf("howdah.mrcluster.interval.ms=%d", interval), "howdah.mrcluster.threshold=0.001", "howdah.mrcluster.idle.ms=36000000",
		"howdah.mrcluster.sample.ms=100", "howdah.mrcluster.heartbeat.ms=200", "howdah.mrcluster.retry.ms=1000",
		"howdah.mrcluster.hdfs.jars=" + jars, "howdah.mrcluster.hdfs.heap.mb=160",
		"howdah.mrcluster.hdfs.java.options=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote",
		"mapreduce.tasktracker.map.tasks.maximum=1", "mapreduce.tasktracker.reduce.tasks.maximum=1", "mapreduce.map.memory.mb=200", "mapreduce.reduce.memory.mb=200",
		"howdah.tasktracker.warm.children=0", "mapreduce.jobtracker.expire.trackers.interval=60000", "mapreduce.jobtracker.taskscheduler=fifo",
		"mapreduce.job.reduce.slowstart.completedmaps=1", "mapreduce.map.speculative=false", "mapreduce.reduce.speculative=false", "dfs.replication=1", "dfs.blocksize=16m"}
}

// Begin deploys the MR-cluster on its core alone; whatever it grows by is of a kind.
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
	if err := s.deploy(ctx, worker, "--core", fmt.Sprint(core), "--hdfs", "--grow", string(kind), "--set", "dfs.replication=1"); err != nil {
		return err
	}
	s.core = core
	return s.settle(ctx)
}

// End gives the MR-cluster up with its data.
func (s *Site) End(ctx context.Context) error {
	if err := s.remove(ctx, worker); err != nil {
		return err
	}
	return s.await(ctx, "the MR-cluster is gone", func(x *pool.PoolStatus) bool { return find(x) == nil })
}

// hold takes a node from everybody else.
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

// Others lets the MR-cluster have so many nodes beside its core, and waits until it has.
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

// settle waits until every node is where it shall be, and slows them all.
func (s *Site) settle(ctx context.Context) error {
	what := fmt.Sprintf("%d core nodes and %d others are up", s.core, s.others())
	if err := s.await(ctx, what, s.settled); err != nil {
		return err
	}
	return s.SetCores(ctx, siteCores)
}

func (s *Site) settled(x *pool.PoolStatus) bool {
	return up(x) == SiteNodes && held(x) == s.core+s.others()
}

// await waits until the pool is as it shall be.
func (s *Site) await(ctx context.Context, what string, is func(*pool.PoolStatus) bool) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		x, err := s.Status(ctx)
		if err == nil && is(x) {
			return nil
		}
		select {
		case <-ctx.Done():
			return failure.New(failure.KindOf(ctx.Err()), "wait until", what, fmt.Errorf("%w: %s", errors.Join(ctx.Err(), err), told(x)))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func find(x *pool.PoolStatus) *pool.Cluster {
	for _, c := range x.Cluster {
		if c.GetSpec().GetName() == worker {
			return c
		}
	}
	return nil
}

// held counts the nodes of the MR-cluster that runs jobs, if it is active and none is leaving.
func held(x *pool.PoolStatus) int {
	if c := find(x); c.GetState() == "active" && c.Leaving == 0 {
		return int(c.Held)
	}
	return 0
}

func free(x *pool.PoolStatus) int { return count(x, "free") }
func up(x *pool.PoolStatus) int   { return count(x, "up") }

func count(x *pool.PoolStatus, state string) (n int) {
	for _, node := range x.Node {
		if node.State == state && node.Problem == "" {
			n++
		}
	}
	return n
}

// told says what nodes are doing.
func told(x *pool.PoolStatus) string {
	var out []string
	for _, n := range x.GetNode() {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %s %s %s %s", n.Name, n.Cluster, n.Kind, n.State, n.Doing, n.Problem)))
	}
	return strings.Join(out, ", ")
}

// Time runs an application on the MR-cluster and tells how long its job took, in s.
func (s *Site) Time(ctx context.Context, args ...string) (float64, error) {
	j, err := s.RunJob(ctx, worker, args...)
	if err != nil {
		return 0, err
	}
	if j.State != "SUCCEEDED" {
		return 0, failure.New(failure.Failed, "run job", args[0], errors.New(j.State+": "+j.Diagnostic))
	}
	return float64(j.Finish-j.Submit) / 1000, nil
}

// Forget removes a directory of the MR-cluster's HDFS.
func (s *Site) Forget(ctx context.Context, dir string) error {
	_, err := s.Howdah(ctx, "fs", "--mrcluster", worker, "-rm", "-r", "-f", "-skipTrash", dir)
	return err
}

// Stored gives the bytes that each node stores.
func (s *Site) Stored(ctx context.Context) (out []int64, err error) {
	x, err := s.Status(ctx)
	for _, n := range x.GetNode() {
		if n.Cluster == worker && n.Kind != mrcluster.Transient.String() {
			out = append(out, n.Stored)
		}
	}
	return out, err
}
