package main

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/howdah/howdah/integration/apachehadoop"
	"github.com/howdah/howdah/internal/daemonrun"
)

// howdahPeer is a minicluster with two TaskTrackers.
type howdahPeer struct {
	b    *bench
	set  []string // -D options of the cluster
	runs *daemonrun.Minicluster
}

const stopTimeout = time.Minute

func (p *howdahPeer) name() string { return "howdah, 2 TaskTrackers" }

func (p *howdahPeer) start() (err error) {
	args := append([]string{"--tasktrackers", "2", "--dir", filepath.Join(p.b.dir, "howdah")}, p.set...)
	p.runs, err = daemonrun.StartMinicluster(p.b.ctx, daemonrun.Command{Program: p.b.howdah, Args: args, Log: os.Stderr})
	return err
}

func (p *howdahPeer) stop() {
	p.runs.Stop(stopTimeout)
	_ = os.RemoveAll(filepath.Join(p.b.dir, "howdah"))
}

func (p *howdahPeer) run(job, in, out string) (time.Duration, error) {
	args := append([]string{"run", "-q", job, "--config", p.runs.Conf}, settings...)
	return timed(p.b.command(p.b.howdah, append(args, in, out)...))
}

// hdfsPeer is a minicluster that reads from HDFS and writes to it.
type hdfsPeer struct {
	b     *bench
	c     *apachehadoop.Cluster
	inner *howdahPeer
}

func (p *hdfsPeer) name() string { return "howdah, 2 TaskTrackers, HDFS" }

func (p *hdfsPeer) dir() string { return filepath.Join(p.b.dir, "hdfs") }

func (p *hdfsPeer) start() error {
	if err := os.RemoveAll(p.dir()); err != nil {
		return err
	}
	var err error
	if p.c, err = apachehadoop.Start(p.b.ctx, p.dir(), apachehadoop.Options{Benchmark: true}); err != nil {
		return err
	}
	p.inner = &howdahPeer{b: p.b, set: []string{"-D", "fs.defaultFS=" + p.c.URI(), "-D", "dfs.replication=1"}}
	if err := p.inner.start(); err != nil {
		p.c.Stop()
		return err
	}
	for _, job := range jobs {
		if err := p.fs("-put", "file:"+p.b.input(job), "/"+job); err != nil {
			p.stop()
			return err
		}
	}
	return nil
}

func (p *hdfsPeer) fs(args ...string) error {
	_, err := timed(p.b.command(p.b.howdah, append([]string{"--config", p.inner.runs.Conf, "fs"}, args...)...))
	return err
}

func (p *hdfsPeer) stop() {
	p.inner.stop()
	p.c.Stop()
	_ = os.RemoveAll(p.dir())
}

func (p *hdfsPeer) run(job, _, out string) (time.Duration, error) {
	remote := path.Join("/out", job)
	if err := p.fs("-rm", "-r", "-f", remote); err != nil {
		return 0, err
	}
	took, err := p.inner.run(job, "/"+job, remote)
	if err != nil {
		return 0, err
	}
	return took, p.fs("-get", remote, "file:"+out)
}

// localPeer is Hadoop's local runner.
type localPeer struct{ b *bench }

func (p *localPeer) name() string { return "Hadoop " + apachehadoop.Version + ", local runner" }

func (p *localPeer) start() error {
	_, err := apachehadoop.Jars(p.b.ctx) // fetched before the measurement
	return err
}

func (p *localPeer) stop() {}

func (p *localPeer) run(job, in, out string) (time.Duration, error) {
	dir := filepath.Join(p.b.dir, "local")
	defer os.RemoveAll(dir)
	start := time.Now()
	_, err := apachehadoop.RunLocal(p.b.ctx, dir, job, append(settings[:len(settings):len(settings)], in, out)...)
	return time.Since(start), err
}

// yarnPeer is Hadoop on YARN and HDFS.
type yarnPeer struct {
	b *bench
	c *apachehadoop.Cluster
}

func (p *yarnPeer) name() string { return "Hadoop " + apachehadoop.Version + ", YARN" }

func (p *yarnPeer) dir() string { return filepath.Join(p.b.dir, "yarn") }

func (p *yarnPeer) start() error {
	if err := os.RemoveAll(p.dir()); err != nil {
		return err
	}
	var err error
	if p.c, err = apachehadoop.Start(p.b.ctx, p.dir(), apachehadoop.Options{YARN: true, Benchmark: true}); err != nil {
		return err
	}
	for _, job := range jobs {
		if _, err := p.c.Run(p.b.ctx, apachehadoop.Shell, "-put", p.b.input(job), "/"+job); err != nil {
			p.stop()
			return err
		}
	}
	return nil
}

func (p *yarnPeer) stop() {
	p.c.Stop()
	_ = os.RemoveAll(p.dir())
}

func (p *yarnPeer) run(job, _, out string) (time.Duration, error) {
	remote := path.Join("/out", job)
	if _, err := p.c.Run(p.b.ctx, apachehadoop.Shell, "-rm", "-r", "-f", remote); err != nil {
		return 0, err
	}
	args := append(append([]string{job}, settings...), "/"+job, remote)
	start := time.Now()
	if log, err := p.c.Run(p.b.ctx, apachehadoop.Examples, args...); err != nil {
		return 0, fmt.Errorf("%w: %s", err, bytes.TrimSpace(log))
	}
	took := time.Since(start)
	_, err := p.c.Run(p.b.ctx, apachehadoop.Shell, "-get", remote, out)
	return took, err
}
