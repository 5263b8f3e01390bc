//go:build integration && linux

package growshrink

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs"
	"github.com/howdah/howdah/dfs/hdfs/admin"
	"github.com/howdah/howdah/dfs/hdfs/namenode"
	"github.com/howdah/howdah/integration/apachehadoop"
	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/daemon"
	"github.com/howdah/howdah/mrcluster/provision"
	"github.com/howdah/howdah/mrcluster/provision/netns"
)

// The nodes of a schedule: a core, four transient and four transient-core nodes.
const cores = 3

var (
	coreNodes = []string{"node-1", "node-2", "node-3"}
	transient = []string{"tr-1", "tr-2", "tr-3", "tr-4"}
	storing   = []string{"tc-1", "tc-2", "tc-3", "tc-4"}
)

// site is a pool of slow nodes with an MR-cluster on its core.
type site struct {
	*testing.T
	*director
	fs    *hdfs.FS
	nn    *admin.Client
	began time.Time
}

// build starts the pool and the core.
func build(t *testing.T) *site {
	ctx := t.Context()
	jars, err := apachehadoop.Jars(ctx)
	require.NoError(t, err)
	agent := &provision.Agent{Program: minicluster.Binary(t)}
	b, err := netns.New(provision.Options{Dir: t.TempDir(), Agent: agent}, netns.Config{Mbit: 80, Cores: 0.2, Mount: cgroup.DefaultMount})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, provision.StopAll(context.Background(), b)) })
	d, addr := direct(t, b.Host(), &mrcluster.Spec{Name: "g", Core: cores, HDFS: true, Conf: []string{
		"dfs.replication=1", "mapred.tasktracker.map.tasks.maximum=2", "mapred.tasktracker.reduce.tasks.maximum=2", "mapreduce.map.memory.mb=200",
		"mapreduce.reduce.memory.mb=200", "howdah.tasktracker.warm.children=0"}})
	agent.Args = []string{"mrcluster", "agent"}
	for _, kv := range []string{daemon.KeyAgentName + "={name}", daemon.KeyAgentHost + "={host}", daemon.KeyAgentDir + "={dir}/agent", daemon.KeyAddr + "=" + addr,
		"howdah.mrcluster.hdfs.jars=" + jars, "howdah.mrcluster.hdfs.heap.mb=160", "howdah.mrcluster.hdfs.java.options=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto"} {
		agent.Args = append(agent.Args, "-D", kv)
	}
	s := &site{T: t, director: d, began: time.Now()}
	for _, names := range [][]string{coreNodes, transient, storing} {
		for _, name := range names {
			require.NoError(t, b.Start(ctx, name))
		}
	}
	s.add(mrcluster.Core, coreNodes...)
	s.awaitUp(coreNodes...)
	at := strings.TrimPrefix(s.endpoints().NameNode, "hdfs://")
	s.fs = hdfs.New(hdfs.Options{Authority: at, NameNode: namenode.Options{Addrs: []string{at}, User: passwd.Me()}})
	t.Cleanup(func() { s.fs.Close() })
	s.nn = admin.New(s.fs.NameNode())
	return s
}

// patience bounds every wait: Java on a fifth of a core is slow.
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
	for _, name := range names {
		s.await(name+" is up", func() bool {
			ok, why := s.up(name)
			if why != "" {
				s.Log(name, why)
			}
			return ok
		})
	}
}

// leave waits until nodes that were released have removed everything.
func (s *site) leave(names ...string) {
	s.Helper()
	since := time.Now()
	s.release(names...)
	for _, name := range names {
		s.await(name+" is empty", func() bool { return s.idle(name, since) })
	}
}

// job is a run of an application.
type job struct {
	cmd   *exec.Cmd
	err   bytes.Buffer
	began time.Time
	done  chan error
	took  time.Duration
}

func (s *site) start(app string, args ...string) *job {
	at := s.endpoints()
	j := &job{cmd: exec.CommandContext(s.Context(), minicluster.Binary(s.T), append([]string{"run", "-q", "-D", "mapreduce.framework.name=classic",
		"-D", "mapreduce.jobtracker.address=" + at.JobTracker, "-D", "fs.defaultFS=" + at.NameNode, "-D", "dfs.replication=1", "-D", "dfs.blocksize=" + *block,
		"-D", "mapreduce.job.reduce.slowstart.completedmaps=1", "-D", "mapreduce.map.speculative=false", "-D", "mapreduce.reduce.speculative=false", app}, args...)...),
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

// over reports whether a job has ended.
func (j *job) over() bool { return len(j.done) > 0 }

// healthy asks the NameNode to check all files.
func (s *site) healthy() {
	s.Helper()
	text := ""
	s.await("HDFS is healthy", func() bool {
		r, err := http.Get("http://" + s.endpoints().NameNodeWeb + "/fsck?ugi=" + passwd.Me() + "&path=" + url.QueryEscape("/"))
		if err != nil {
			text = err.Error()
			return false
		}
		defer r.Body.Close()
		b, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		text = string(b)
		return strings.Contains(text, "is HEALTHY") && !strings.Contains(text, "CORRUPT")
	})
	require.Contains(s, text, "is HEALTHY")
}

// digest reads all files of a directory, some at a time, with whatever checks a reader makes.
func (s *site) digest(dir string) string {
	s.Helper()
	all, err := s.fs.List(s.Context(), dir)
	require.NoError(s, err)
	sums := make([]string, len(all))
	var g errgroup.Group
	g.SetLimit(8)
	for i, f := range all {
		if !f.Dir {
			g.Go(func() (err error) { sums[i], err = s.sum(f); return err })
		}
	}
	require.NoError(s, g.Wait())
	return strings.Join(sums, "\n")
}

func (s *site) sum(f dfs.Info) (string, error) {
	r, err := s.fs.Open(s.Context(), f.Path)
	if err != nil {
		return "", err
	}
	defer r.Close()
	h := sha256.New()
	n, err := io.Copy(h, r)
	if err == nil && n != f.Size {
		err = fmt.Errorf("%s has %d bytes, not %d", f.Path, n, f.Size)
	}
	return fmt.Sprintf("%s %x", f.Path, h.Sum(nil)), err
}

// blocks counts the replicas on live DataNodes, by node.
func (s *site) blocks() (on map[string]int, all int) {
	s.Helper()
	report, err := s.nn.Report(s.Context())
	require.NoError(s, err)
	on = map[string]int{}
	for _, d := range report {
		if d.Live {
			on[d.Host] += d.Blocks
			all += d.Blocks
		}
	}
	return on, all
}
