//go:build integration

package main

import (
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/howdah/howdah/integration/apachehadoop"
	"github.com/howdah/howdah/integration/bench/measure"
	"github.com/howdah/howdah/internal/daemonrun"
)

// runtimes contains the methods that all MapReduce runtimes share.
type runtimes struct{}

func (runtimes) runs(*job) bool  { return true }
func (runtimes) mapReduce() bool { return true }

// inProcess is howdah running jobs in one process, without a cluster.
type inProcess struct {
	runtimes
	b *bench
}

func (p *inProcess) name() string     { return "howdah, in-process" }
func (p *inProcess) available() error { return nil }
func (p *inProcess) start() error     { return nil }
func (p *inProcess) stop()            {}

func (p *inProcess) run(j *job, in, out string) (time.Duration, error) {
	return p.b.runHowdah(nil, j, in, out)
}

// runHowdah runs an example with howdah. env contains additional environment variables, and config
// the options for a cluster.
func (b *bench) runHowdah(env []string, j *job, in, out string, config ...string) (time.Duration, error) {
	args := append([]string{"run", "-q", j.example}, config...)
	cmd := b.command(b.howdah, append(args, j.mapReduceArgs(in, out)...)...)
	cmd.Env = append(daemonrun.Environ(), env...)
	c, messages, err := measure.Run(cmd)
	if err != nil {
		return 0, err
	}
	return c.Wall, j.keepPi(messages, out)
}

// minicluster is a minicluster with two TaskTrackers.
type minicluster struct {
	runtimes
	b        *bench
	dir      string
	settings []string // -D options of the cluster
	cluster  *daemonrun.Minicluster
}

const stopTimeout = time.Minute

func (p *minicluster) name() string     { return "howdah, 2 TaskTrackers" }
func (p *minicluster) available() error { return nil }

func (p *minicluster) start() (err error) {
	args := append([]string{"--tasktrackers", "2", "--dir", filepath.Join(p.b.dir, p.dir)}, p.settings...)
	p.cluster, err = daemonrun.StartMinicluster(p.b.ctx,
		daemonrun.Command{Program: p.b.howdah, Args: args, Log: os.Stderr})
	return err
}

func (p *minicluster) stop() {
	p.cluster.Stop(stopTimeout)
	_ = os.RemoveAll(filepath.Join(p.b.dir, p.dir))
}

func (p *minicluster) run(j *job, in, out string) (time.Duration, error) {
	return p.b.runHowdah(nil, j, in, out, "--config", p.cluster.Conf)
}

// hdfsPeer is a minicluster that reads from HDFS and writes to it.
type hdfsPeer struct {
	runtimes
	b     *bench
	c     *apachehadoop.Cluster
	inner *minicluster
}

func (p *hdfsPeer) name() string     { return "howdah, 2 TaskTrackers, HDFS" }
func (p *hdfsPeer) available() error { return hadoopAvailable(p.b.ctx) }
func (p *hdfsPeer) dir() string      { return filepath.Join(p.b.dir, "hdfs") }

func (p *hdfsPeer) start() error {
	if err := os.RemoveAll(p.dir()); err != nil {
		return err
	}
	var err error
	if p.c, err = apachehadoop.Start(p.b.ctx, p.dir(), apachehadoop.Options{Benchmark: true}); err != nil {
		return err
	}
	p.inner = &minicluster{b: p.b, dir: "minicluster-hdfs",
		settings: []string{"-D", "fs.defaultFS=" + p.c.URI(), "-D", "dfs.replication=1"}}
	if err := p.inner.start(); err != nil {
		p.c.Stop()
		return err
	}
	for _, kind := range []string{text, rows, small} {
		if err := p.fs("-put", "file:"+p.b.input(kind), "/"+kind); err != nil {
			p.stop()
			return err
		}
	}
	return nil
}

func (p *hdfsPeer) fs(args ...string) error {
	_, _, err := measure.Run(p.b.command(p.b.howdah, append([]string{"--config", p.inner.cluster.Conf, "fs"}, args...)...))
	return err
}

func (p *hdfsPeer) stop() {
	p.inner.stop()
	p.c.Stop()
	_ = os.RemoveAll(p.dir())
}

func (p *hdfsPeer) run(j *job, _, out string) (time.Duration, error) {
	if j.input == "" {
		return p.inner.run(j, "", out)
	}
	remote := path.Join("/out", j.name)
	if err := p.fs("-rm", "-r", "-f", remote); err != nil {
		return 0, err
	}
	took, err := p.inner.run(j, "/"+j.input, remote)
	if err != nil {
		return 0, err
	}
	return took, p.fs("-get", remote, "file:"+out)
}

// localPeer is Hadoop's local runner.
type localPeer struct {
	runtimes
	b *bench
}

func (p *localPeer) name() string     { return "Hadoop " + apachehadoop.Version + ", local runner" }
func (p *localPeer) available() error { return hadoopAvailable(p.b.ctx) }
func (p *localPeer) start() error     { return nil }
func (p *localPeer) stop()            {}

func (p *localPeer) run(j *job, in, out string) (time.Duration, error) {
	dir := filepath.Join(p.b.dir, "local")
	defer os.RemoveAll(dir)
	start := time.Now()
	messages, err := apachehadoop.RunLocal(p.b.ctx, dir, j.example, j.mapReduceArgs(in, out)...)
	took := time.Since(start)
	if err != nil {
		return 0, err
	}
	return took, j.keepPi(messages, out)
}

// yarnCluster is a YARN cluster with HDFS. All peers that run jobs on YARN share it.
type yarnCluster struct {
	runtimes
	b    *bench
	c    *apachehadoop.Cluster // nil = not running
	apps applications
}

func (y *yarnCluster) available() error { return hadoopAvailable(y.b.ctx) }
func (y *yarnCluster) dir() string      { return filepath.Join(y.b.dir, "yarn") }

func (y *yarnCluster) start() error {
	if y.c != nil {
		return nil
	}
	if err := os.RemoveAll(y.dir()); err != nil {
		return err
	}
	c, err := apachehadoop.Start(y.b.ctx, y.dir(), apachehadoop.Options{YARN: true, History: true, Benchmark: true})
	if err != nil {
		return err
	}
	y.c, y.apps = c, applications{c.Web("resourcemanager"), c.Web("historyserver"), map[string]bool{}}
	for _, kind := range []string{text, rows, small} {
		if _, err := y.c.Run(y.b.ctx, apachehadoop.Shell, "-put", y.b.input(kind), "/"+kind); err != nil {
			y.stop()
			return err
		}
	}
	return nil
}

func (y *yarnCluster) stop() {
	if y.c == nil {
		return
	}
	y.c.Stop()
	y.c = nil
	_ = os.RemoveAll(y.dir())
}

// on runs a job with submit, which gets the job's input and output on HDFS, and copies the output
// to the local directory out. If the job has no input, submit itself writes the result to out.
func (y *yarnCluster) on(j *job, out string,
	submit func(in, out string) (time.Duration, error)) (time.Duration, error) {
	if j.input == "" {
		return submit("", out)
	}
	remote := path.Join("/out", j.name)
	if _, err := y.c.Run(y.b.ctx, apachehadoop.Shell, "-rm", "-r", "-f", remote); err != nil {
		return 0, err
	}
	took, err := submit("/"+j.input, remote)
	if err != nil {
		return 0, err
	}
	_, err = y.c.Run(y.b.ctx, apachehadoop.Shell, "-get", remote, out)
	return took, err
}

func (y *yarnCluster) used() (use, error) { return y.apps.latest(y.b.ctx) }

// yarnPeer is Hadoop on YARN and HDFS.
type yarnPeer struct{ *yarnCluster }

func (p *yarnPeer) name() string { return "Hadoop " + apachehadoop.Version + ", YARN" }

func (p *yarnPeer) run(j *job, _, out string) (time.Duration, error) {
	return p.on(j, out, func(in, out string) (time.Duration, error) {
		start := time.Now()
		messages, err := p.c.Run(p.b.ctx, apachehadoop.Examples,
			append([]string{j.example}, j.mapReduceArgs(in, out)...)...)
		took := time.Since(start)
		if err != nil {
			return 0, err
		}
		return took, j.keepPi(messages, out)
	})
}

// howdahYARN is howdah running jobs on Hadoop's YARN and HDFS.
type howdahYARN struct{ *yarnCluster }

func (p *howdahYARN) name() string { return "howdah on Hadoop's YARN" }

func (p *howdahYARN) run(j *job, _, out string) (time.Duration, error) {
	return p.on(j, out, func(in, out string) (time.Duration, error) {
		return p.b.runHowdah(p.c.ClientEnv(), j, in, out)
	})
}
