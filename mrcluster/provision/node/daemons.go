package node

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/internal/owndir"
	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
)

// jobTrackerName is the name of the JobTracker's role and of the command that starts it.
const jobTrackerName = "jobtracker"

// jobTracker returns the role of the JobTracker and reports whether the JobTracker can start now. A
// JobTracker checks that it can write to the file system before it serves. In an MR-cluster with
// its own HDFS, this node's NameNode and DataNode must therefore be up first.
func (s *services) jobTracker(want mrcluster.Desired) (role, bool) {
	const name = jobTrackerName
	return role{name: name, ports: 2, depends: s.master.NameNode,
		prepare: func(_ context.Context, addrs []string) ([]string, error) {
			c := s.settings(want, name)
			system, staging, outside := s.sharedDirs(want)
			if err := s.keepOutside(outside); err != nil {
				return nil, err
			}
			dir := conf.MRClusterHistoryDir.Get(s.node.cfg.Conf)
			if dir != "" && dir != "none" && !isSet(c, conf.JobHistoryDoneDir.Name) {
				owner := cmp.Or(want.Spec.User, passwd.Me()) // the name may later belong to another user
				set(c, conf.JobHistoryDoneDir.Name, strings.TrimSuffix(dir, "/")+"/"+owner+"/"+want.Cluster)
			}
			set(c, conf.JobTrackerAddress.Name, addrs[0])
			set(c, conf.JobTrackerHTTPAddress.Name, addrs[1])
			set(c, conf.JobTrackerSystemDir.Name, system)
			set(c, conf.JobTrackerStagingRootDir.Name, staging)
			set(c, conf.JobTrackerDir.Name, s.path(name))
			set(c, conf.SecurityJobClientProtocolACL.Name, want.Spec.Users(passwd.Me()))
			if foretells(c) {
				set(c, conf.AdaptiveCapacityFile.Name, s.comingFile())
				if err := s.foretell(want); err != nil {
					return nil, err
				}
			}
			return s.howdah(want, name, c)
		},
		ready: func(ctx context.Context, addrs []string) error { return s.healthy(ctx, certs.JobTracker, addrs[1]) },
		publish: func(e *Endpoints, addrs []string) {
			e.JobTracker, e.JobTrackerHTTP = addrs[0], addrs[1]
		},
	}, !want.Spec.HDFS || s.serves(nameNodeName) && s.serves(dataNodeName)
}

// foretells reports whether a JobTracker wants to know the coming number of its nodes.
func foretells(c *conf.Config) bool {
	r := conf.Reader{Conf: c}
	return conf.AdaptiveCapacitySource.From(&r) == "manager"
}

func (s *services) comingFile() string { return filepath.Join(s.conf(jobTrackerName), "coming") }

// foretell writes the coming change of the number of nodes to a file that the JobTracker reads. It
// rewrites the file only if the change is a different one, because the JobTracker then replaces its
// scheduler.
func (s *services) foretell(want mrcluster.Desired) error {
	file, change := s.comingFile(), [2]int{want.Coming.Now, want.Coming.Then}
	if change == s.foretold {
		return nil
	}
	err := os.MkdirAll(filepath.Dir(file), owndir.Private)
	if err == nil {
		err = disk.Replace(disk.OS, file, []byte(want.Coming.Curve(time.Now().UnixMilli())), 0o600)
	}
	if err != nil {
		return failure.New(failure.KindOf(err), "write the coming number of nodes", file, err)
	}
	s.foretold = change
	return nil
}

// taskTracker returns the role of the TaskTracker and reports whether the TaskTracker can start
// now, which requires the addresses of the master's servers.
func (s *services) taskTracker(want mrcluster.Desired) (role, bool) {
	const name = "tasktracker"
	return role{name: name, ports: 1, depends: s.master.JobTracker + " " + s.master.NameNode,
		prepare: func(_ context.Context, addrs []string) ([]string, error) {
			c := s.settings(want, name)
			set(c, conf.JobTrackerAddress.Name, s.master.JobTracker)
			set(c, conf.TaskTrackerHTTPAddress.Name, addrs[0])
			set(c, conf.TaskTrackerHostName.Name, s.node.cfg.Name)
			set(c, conf.ClusterLocalDir.Name, s.path("local"))
			return s.howdah(want, name, c)
		},
		ready: func(ctx context.Context, addrs []string) error {
			return s.healthy(ctx, certs.TaskTracker(s.node.cfg.Name), addrs[0])
		},
		publish: func(e *Endpoints, addrs []string) { e.TaskTracker = addrs[0] },
	}, s.master.JobTracker != "" && (!want.Spec.HDFS || s.master.NameNode != "")
}

// wishes returns the users' settings. Settings in the request override the agent's.
func (s *services) wishes(want mrcluster.Desired) *conf.Config {
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
	return c
}

// settings returns the settings of a howdah daemon. The node's own decisions override the users'
// wishes.
func (s *services) settings(want mrcluster.Desired, service string) *conf.Config {
	c := s.wishes(want)
	set(c, conf.FrameworkName.Name, "classic")
	set(c, conf.HadoopTmpDir.Name, s.path("tmp"))
	set(c, conf.HadoopLogDir.Name, s.path("logs", service))
	if want.Spec.HDFS {
		set(c, conf.FSDefaultFS.Name, s.master.NameNode)
		if !isSet(c, conf.DFSReplication.Name) {
			set(c, conf.DFSReplication.Name, strconv.Itoa(want.Spec.Replicas()))
		}
	}
	return c
}

// isSet reports whether a user has set a key to a nonempty value.
func isSet(c *conf.Config, key string) bool {
	return c.Get(key) != "" && !c.IsDefault(key)
}

func set(c *conf.Config, key, value string) { c.Set(key, value, "agent") }

// sharedDirs returns the JobTracker's system and staging directories. If the MR-cluster has its own
// HDFS, they are in it. Otherwise, each is a subdirectory, named after the deployment, of the
// directory that a user has set. Such a directory is also in outside. Without a setting, the
// directory is below the deployment's directory on this node.
func (s *services) sharedDirs(want mrcluster.Desired) (system, staging string, outside []string) {
	if want.Spec.HDFS {
		return "/tmp/howdah/mapred/system", "/tmp/howdah/mapred/staging", nil
	}
	shared := func(key, name string) string {
		if c := s.wishes(want); isSet(c, key) {
			outside = append(outside, strings.TrimSuffix(c.Get(key), "/")+"/"+s.deployment.String())
			return outside[len(outside)-1]
		}
		return "file:" + s.path("shared", name)
	}
	system, staging = shared(conf.JobTrackerSystemDir.Name, "system"), shared(conf.JobTrackerStagingRootDir.Name,
		"staging")
	return system, staging, outside
}

// howdah writes a daemon's configuration and returns its command line.
func (s *services) howdah(want mrcluster.Desired, command string, c *conf.Config) ([]string, error) {
	var b bytes.Buffer
	dir := s.conf(command)
	file := filepath.Join(dir, "mapred-site.xml")
	err := c.WriteXML(&b, true)
	if err == nil {
		err = os.MkdirAll(dir, owndir.Private)
	}
	if err == nil {
		err = disk.Replace(disk.OS, file, b.Bytes(), 0o600)
	}
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "write configuration", file, err)
	}
	program, err := s.node.program(want.Spec, command)
	return []string{program, command, "--config", dir}, err
}

// healthTimeout is how long a daemon may take to answer a health check.
const healthTimeout = 5 * time.Second

// healthy returns nil once the howdah daemon at addr, which must have the given role, reports that
// it is healthy.
func (s *services) healthy(ctx context.Context, role certs.Role, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	secure := s.node.cfg.TLS
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, secure.Scheme()+"://"+addr+"/healthz", nil)
	if err != nil {
		return err
	}
	r, err := secure.HTTP(role).Do(req)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		return fmt.Errorf("%w: %s", errNotReady, r.Status)
	}
	return nil
}

// authority returns the host:port from the URI of an HDFS.
func authority(uri string) string { return strings.TrimPrefix(uri, "hdfs://") }
