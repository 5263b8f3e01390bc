package node

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
)

const (
	keySystemDir  = "mapreduce.jobtracker.system.dir"
	keyStagingDir = "mapreduce.jobtracker.staging.root.dir"
)

// jobTracker is the role of the JobTracker.
func (s *services) jobTracker(want mrcluster.Desired) (role, bool) {
	const name = "jobtracker"
	return role{name: name, ports: 2, depends: s.master.NameNode,
		prepare: func(_ context.Context, addrs []string) ([]string, error) {
			c := s.settings(want, name)
			system, staging := s.sharedDirs(want)
			set(c, "mapreduce.jobtracker.address", addrs[0])
			set(c, "mapreduce.jobtracker.http.address", addrs[1])
			set(c, keySystemDir, system)
			set(c, keyStagingDir, staging)
			set(c, "howdah.jobtracker.dir", s.path(name))
			return s.howdah(want, name, c)
		},
		ready: func(ctx context.Context, addrs []string) error { return servesMetrics(ctx, addrs[1]) },
		publish: func(e *Endpoints, addrs []string) {
			e.JobTracker, e.JobTrackerHTTP = addrs[0], addrs[1]
		},
	}, true
}

// taskTracker is the role of the TaskTracker. It waits until the JobTracker is known.
func (s *services) taskTracker(want mrcluster.Desired) (role, bool) {
	const name = "tasktracker"
	return role{name: name, ports: 1, depends: s.master.JobTracker + " " + s.master.NameNode,
		prepare: func(_ context.Context, addrs []string) ([]string, error) {
			c := s.settings(want, name)
			set(c, "mapreduce.jobtracker.address", s.master.JobTracker)
			set(c, "mapreduce.tasktracker.http.address", addrs[0])
			set(c, "mapreduce.tasktracker.host.name", s.node.cfg.Name)
			set(c, "mapreduce.cluster.local.dir", s.path("local"))
			return s.howdah(want, name, c)
		},
		ready:   func(ctx context.Context, addrs []string) error { return servesMetrics(ctx, addrs[0]) },
		publish: func(e *Endpoints, addrs []string) { e.TaskTracker = addrs[0] },
	}, s.master.JobTracker != "" && (!want.Spec.HDFS || s.master.NameNode != "")
}

// settings are what a daemon of howdah is to be told: what the agent was told, on top of that what the request says, and on top of
// that what is decided here.
func (s *services) settings(want mrcluster.Desired, service string) *conf.Config {
	c := conf.New()
	for _, p := range s.node.cfg.Conf.Properties(true) {
		if !ownKey(p.Name) {
			c.Set(p.Name, p.Value, p.Source)
		}
	}
	for _, kv := range want.Spec.Conf {
		k, v, _ := strings.Cut(kv, "=")
		c.Set(k, v, "MR-cluster "+want.Spec.Name)
	}
	set(c, "mapreduce.framework.name", "classic")
	set(c, "hadoop.tmp.dir", s.path("tmp"))
	set(c, "hadoop.log.dir", s.path("logs", service))
	if want.Spec.HDFS {
		set(c, "fs.defaultFS", s.master.NameNode)
	}
	return c
}

// ownKey reports whether a setting is about the agent itself: daemons of an MR-cluster would find others of the pool by its gossip.
func ownKey(key string) bool {
	return strings.HasPrefix(key, "howdah.mrcluster.") || strings.HasPrefix(key, "howdah.gossip.")
}

func set(c *conf.Config, key, value string) { c.Set(key, value, "agent") }

// sharedDirs are the directories that all nodes see. They lie in the MR-cluster's own HDFS; without one where a setting says, each
// deployment by itself, else in the file system of the pool's machine.
func (s *services) sharedDirs(want mrcluster.Desired) (system, staging string) {
	if want.Spec.HDFS {
		return "/tmp/howdah/mapred/system", "/tmp/howdah/mapred/staging"
	}
	shared := func(key, name string) string {
		if v, source, _ := s.settings(want, "jobtracker").Lookup(key); v != "" && !strings.HasSuffix(source, "-default.xml") {
			return strings.TrimSuffix(v, "/") + "/" + s.deployment.String()
		}
		return "file:" + s.path("shared", name)
	}
	return shared(keySystemDir, "system"), shared(keyStagingDir, "staging")
}

// howdah writes a daemon's configuration and gives its command line.
func (s *services) howdah(want mrcluster.Desired, command string, c *conf.Config) ([]string, error) {
	var b bytes.Buffer
	dir := s.conf(command)
	file := filepath.Join(dir, "mapred-site.xml")
	err := c.WriteXML(&b, true)
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		err = writeWhole(file, b.Bytes())
	}
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "write configuration", file, err)
	}
	return []string{cmp.Or(want.Spec.Binary, s.node.cfg.Program), command, "--config", dir}, nil
}

var metricsClient = &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

// servesMetrics is nil as soon as a daemon of howdah answers.
func servesMetrics(ctx context.Context, addr string) error {
	r, err := get(ctx, "http://"+addr+"/metrics")
	if err != nil {
		return err
	}
	defer r.Body.Close()
	_, _ = io.CopyN(io.Discard, r.Body, 1<<20)
	if r.StatusCode != http.StatusOK {
		return fmt.Errorf("%w: %s", errNotReady, r.Status)
	}
	return nil
}

func get(ctx context.Context, url string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	return metricsClient.Do(req)
}

func executable(file string) bool {
	i, err := os.Stat(file)
	return err == nil && i.Mode().IsRegular() && i.Mode().Perm()&0o111 != 0
}
