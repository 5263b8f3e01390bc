//go:build integration

package mrcluster

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/integration/testpool"
	"github.com/howdah/howdah/internal/passwd"
)

// words writes files with the given number of words each, and returns the expected output of
// wordcount.
func words(t testing.TB, dir string, files, each int) (want string) {
	require.NoError(t, os.MkdirAll(dir, 0o755))
	for i := range files {
		var b strings.Builder
		for j := range each {
			fmt.Fprintf(&b, "w%03d\n", (i*31+j*7)%100)
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%02d", i)), []byte(b.String()), 0o644))
	}
	counts := [100]int{}
	for i := range files {
		for j := range each {
			counts[(i*31+j*7)%100]++
		}
	}
	for w, n := range counts {
		if n > 0 {
			want += fmt.Sprintf("w%03d\t%d\n", w, n)
		}
	}
	return want
}

// output returns the output of a successful job.
func output(t testing.TB, dir string) string {
	require.FileExists(t, filepath.Join(dir, "_SUCCESS"))
	out, err := parts(dir)
	require.NoError(t, err)
	return out
}

// parts returns the concatenated files of an output.
func parts(dir string) (string, error) {
	names, err := filepath.Glob(filepath.Join(dir, "part-*"))
	var out strings.Builder
	for _, name := range names {
		b, e := os.ReadFile(name)
		err = errors.Join(err, e)
		out.Write(b)
	}
	return out.String(), err
}

// Two MR-clusters share a pool. Each has its own JobTracker. At least one of them grows while it has
// work, and both release all nodes afterward.
func TestTwoClustersShareAPool(t *testing.T) {
	p := testpool.Start(t, testpool.Options{Nodes: 5})
	in := filepath.Join(t.TempDir(), "in")
	want := words(t, in, 12, 2000)
	p.Must("mrcluster", "create", "a", "--core", "2", "--grow", "transient")
	p.Must("mrcluster", "create", "b", "--core", "1")
	grown := 0
	var jobs sync.WaitGroup
	outs := map[string]string{"a": filepath.Join(t.TempDir(), "a"), "b": filepath.Join(t.TempDir(), "b")}
	trackers := map[string]bool{}
	run := func(name string, args ...string) {
		r := p.Howdah(append([]string{"run", "--mrcluster", name}, args...)...)
		if r.Code != 0 {
			t.Errorf("%s: %s", name, r.Err)
		}
	}
	for name, out := range outs {
		jobs.Go(func() { run(name, "wordcount", in, out) })
	}
	// This job lasts for several intervals, so that an MR-cluster must grow even on a fast machine.
	jobs.Go(func() { run("a", "sleep", "-m", "40", "-r", "0", "-mt", "1000") })
	ended := make(chan struct{})
	go func() { jobs.Wait(); close(ended) }()
	p.Eventually("the jobs to end", func() bool {
		s, _ := p.Status()
		for _, c := range s.Clusters {
			grown = max(grown, c.Nodes-c.Core)
			if c.JobTracker != "" {
				trackers[c.JobTracker] = true
			}
		}
		select {
		case <-ended:
			return true
		default:
			return false
		}
	})
	for _, out := range outs {
		require.Equal(t, want, output(t, out))
	}
	require.GreaterOrEqual(t, len(trackers), 2, "a JobTracker each")
	require.Positive(t, grown, "one has grown")

	page, err := http.Get(p.Web)
	require.NoError(t, err)
	text, err := io.ReadAll(page.Body)
	require.NoError(t, err)
	require.NoError(t, page.Body.Close())
	require.Contains(t, string(text), "reconfigured")
	require.Contains(t, p.Must("mrcluster", "list"), "a ")
	require.Contains(t, p.Must("mrcluster", "status", "a"), "node-assigned")

	p.Eventually("all nodes to be given back", func() bool { return p.Free() == 5 })
	for _, x := range p.Processes() {
		require.Empty(t, x.Deployment, "%+v", x)
	}
	p.Must("mrcluster", "remove", "a")
	p.Must("mrcluster", "remove", "b")
	p.Eventually("both to be forgotten", func() bool { s, ok := p.Status(); return ok && len(s.Clusters) == 0 })
}

// The manager loads data before the first job and saves data before it releases the nodes. The
// daemons run a different program.
func TestLoadSaveAndOwnBinary(t *testing.T) {
	p := testpool.Start(t, testpool.Options{Nodes: 2})
	dir := t.TempDir()
	want := words(t, filepath.Join(dir, "external"), 2, 100)
	binary := filepath.Join(dir, "other-howdah")
	b, err := os.ReadFile(minicluster.Binary(t))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(binary, b, 0o755))
	p.Must("mrcluster", "create", "a", "--binary", binary, "--set", "mapreduce.jobtracker.system.dir=file:"+dir+"/system",
		"--load", "file:"+dir+"/external=file:"+dir+"/in", "--save", "file:"+dir+"/out=file:"+dir+"/saved")
	p.Must("run", "--mrcluster", "a", "wordcount", "file:"+dir+"/in", "file:"+dir+"/out")
	roles := map[string]bool{}
	for _, x := range p.Processes() {
		if x.Deployment != "" {
			program, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", x.PID))
			require.Contains(t, []string{binary, ""}, program, "%+v", x) // "" = the process has exited
			roles[x.Role] = true
		}
	}
	require.Subset(t, roles, map[string]bool{"jobtracker": true, "tasktracker": true})
	p.Must("mrcluster", "remove", "a")
	p.Eventually("it to be saved and forgotten", func() bool { s, ok := p.Status(); return ok && len(s.Clusters) == 0 })
	require.Equal(t, want, output(t, filepath.Join(dir, "saved")))
	kept, err := filepath.Glob(filepath.Join(p.Dir, "manager", "history", passwd.Me(), "a", "*", "*", "*", "*", "*.jhist"))
	require.NoError(t, err)
	require.Len(t, kept, 1, "the history of its job")
	p.Eventually("what its JobTracker left there to go with it", func() bool {
		system, err := os.ReadDir(filepath.Join(dir, "system"))
		return err == nil && len(system) == 0
	})
}

// A removed MR-cluster finishes its jobs. It rejects new jobs, even from clients that have the
// JobTracker's address.
func TestRemovedUnderItsJobs(t *testing.T) {
	p := testpool.Start(t, testpool.Options{Nodes: 1})
	p.Must("mrcluster", "create", "a")
	p.Must("run", "--mrcluster", "a", "sleep", "-m", "1", "-r", "0", "-mt", "1")
	at := "mapreduce.jobtracker.address=" + p.Cluster("a").JobTracker
	started, ended := make(chan struct{}), make(chan minicluster.Result, 1)
	go func() {
		close(started)
		// One slot stays free for jobs that arrive until the MR-cluster rejects new jobs.
		ended <- p.Howdah("run", "-D", at, "sleep", "-m", "1", "-r", "0", "-mt", "25000")
	}()
	<-started
	jobs := func() string { return p.Howdah("job", "-D", at, "-list").Out }
	p.Eventually("the job to run", func() bool { return strings.Contains(jobs(), "job_") })
	p.Must("mrcluster", "remove", "a")
	p.Eventually("the JobTracker to take no jobs", func() bool {
		r := p.Howdah("run", "-D", at, "-D", "howdah.client.reconnect.timeout=1000", "sleep", "-m", "1", "-r", "0",
			"-mt", "1")
		return r.Code == 5 && strings.Contains(r.Err, "about to be given up")
	})
	r := <-ended
	require.Zero(t, r.Code, r.Err)
	p.Eventually("it to be forgotten", func() bool {
		s, ok := p.Status()
		return ok && len(s.Clusters) == 0 && p.Free() == 1
	})
}

func TestBadInput(t *testing.T) {
	p := testpool.Start(t, testpool.Options{Nodes: 2})
	fails := func(code int, text string, args ...string) {
		t.Helper()
		r := p.Howdah(args...)
		require.Equal(t, code, r.Code, r.Err)
		require.Contains(t, r.Err, text)
	}
	fails(1, "3 core nodes, but the pool has only 2", "mrcluster", "create", "big", "--core", "3")
	fails(2, "want FROM=TO", "mrcluster", "create", "a", "--load", "x")
	fails(2, "is not a kind of node", "mrcluster", "create", "a", "--grow", "fast")
	fails(2, "no such file", "mrcluster", "create", "a", "--binary", "/nowhere/howdah")
	fails(2, "no such MR-cluster", "run", "--mrcluster", "nobody", "wordcount", "in", "out")
	fails(2, "no such MR-cluster", "mrcluster", "remove", "nobody")
	p.Must("mrcluster", "create", "a")
	fails(4, "the name is taken", "mrcluster", "create", "a")
	fails(4, "howdah.mrcluster.manager.dir", "mrcluster", "manager") // uses the same directory
	fails(3, "want one of", "mrcluster", "manager", "-D", "howdah.mrcluster.weights=heavy")
	fails(3, "no manager and no gossip member is configured", "mrcluster", "agent",
		"-D", "howdah.mrcluster.manager.address=")

	// A manager of another pool exits if it uses this pool's gossip. The nodes stay in their pool.
	r := p.Howdah("mrcluster", "manager", "-D", "howdah.mrcluster.manager.address=127.0.0.1:0",
		"-D", "howdah.mrcluster.nodes=0",
		"-D", "howdah.mrcluster.manager.dir="+t.TempDir(), "-D", "howdah.gossip.join="+p.Gossip)
	require.Equal(t, 4, r.Code, r.Err)
	require.Contains(t, r.Err, "have a manager at "+p.Manager)
	p.Eventually("both nodes to be there", func() bool { return p.Free() == 2 })
}

// A node with a different secret cannot join, and both sides log the reason.
func TestWrongGossipKey(t *testing.T) {
	dir := t.TempDir()
	keys := map[string]string{"right": "0123456789abcdef", "wrong": "fedcba9876543210"}
	for name, key := range keys {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(key), 0o600))
	}
	p := testpool.Start(t, testpool.Options{Nodes: 1,
		Set: []string{"howdah.gossip.key.file=" + filepath.Join(dir, "right")}})
	p.Eventually("the node with the right key", func() bool { return p.Free() == 1 })
	said := p.Agent("stranger", "-D", "howdah.gossip.key.file="+filepath.Join(dir, "wrong"))
	p.Eventually("the stranger to say why",
		func() bool { return strings.Contains(said(), "use the manager's secret") })
	p.Eventually("the manager to say why",
		func() bool { return strings.Contains(p.Log(), "members have different keys") })
	s, ok := p.Status()
	require.True(t, ok)
	require.Len(t, s.Nodes, 1)
}
