//go:build integration

package mrcluster

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/apachehadoop"
	"github.com/howdah/howdah/integration/testpool"
	"github.com/howdah/howdah/internal/passwd"
)

var hdfsKills = flag.Int("hdfskills", 0, "number of processes to kill if MR-clusters have their own HDFS")

// The test also kills NameNodes and DataNodes. All files are on the MR-clusters' own HDFS, with one
// replica in one MR-cluster and two in the other. The daemons restart on their directories, so no
// deployment is abandoned. In the end, the output of every successful job is correct, and fsck finds
// no problem.
func TestKilledWithHDFS(t *testing.T) {
	if *hdfsKills == 0 {
		t.Skip("takes many minutes; run make mrcluster-hdfs-campaign")
	}
	if err := apachehadoop.Available(); err != nil {
		t.Skip(err)
	}
	jars, err := apachehadoop.Jars(t.Context())
	require.NoError(t, err)
	const nodes = 4
	p := testpool.Start(t, testpool.Options{Nodes: nodes,
		Set: append(slices.Clone(hasty), "howdah.mrcluster.hdfs.jars="+jars, "howdah.mrcluster.hdfs.heap.mb=128",
			"howdah.mrcluster.idle.ms=3600000", "mapreduce.map.maxattempts=10", "mapreduce.reduce.maxattempts=10",
			// A JobTracker waits for the NameNode and a DataNode, which start slowly because they
			// run in Java.
			"howdah.client.reconnect.timeout=300000")})
	dir := filepath.Join(t.TempDir(), "in")
	c := &campaign{t: t, p: p, r: random(t, "mrcluster-hdfs-campaign", *hdfsKills), names: []string{"one", "two"},
		roles: []string{"manager", "agent", "jobtracker", "tasktracker", "namenode", "datanode"}, pause: 10 * time.Second,
		files: ownHDFS{p}, want: words(t, dir, 6, 1000)}
	p.Must("mrcluster", "create", "one", "--core", "1", "--hdfs", "--load", "file:"+dir+"=/in")
	p.Must("mrcluster", "create", "two", "--core", "2", "--hdfs", "--load", "file:"+dir+"=/in")
	for _, name := range c.names {
		p.Must("run", "--mrcluster", name, "wordcount", "/in", "/first")
	}
	c.run(*hdfsKills)
	for _, name := range c.names {
		x := p.Cluster(name)
		require.Equal(t, "active", x.State)
		p.Eventually("HDFS to be healthy", func() bool { return healthy(x.NameNodeWeb) })
		for _, out := range append(slices.Clone(c.good[name]), "/first") {
			got, err := c.files.read(name, out)
			require.NoError(t, err)
			require.Equal(t, c.want, got, out)
		}
	}
	for _, f := range p.Facts() {
		require.NotContains(t, []string{"cluster-retried", "cluster-ended"}, f.Kind.String(), "%+v", f)
	}
	c.end(nodes)
}

// ownHDFS implements files with the MR-clusters' own file systems.
type ownHDFS struct{ p *testpool.Pool }

func (h ownHDFS) in() string { return "/in" }

func (h ownHDFS) out(_ string, job int) string { return fmt.Sprintf("/out-%d", job) }

// away implements files. While a DataNode restarts, files whose only replica is on that DataNode are
// not readable. If no other DataNode is running, files are not writable either.
func (h ownHDFS) away(said string) bool {
	return strings.Contains(said, "could not obtain block") || strings.Contains(said, "pipelines failed") ||
		strings.Contains(said, "could only be written to 0")
}

// read implements files. It waits up to 3 minutes for a NameNode or DataNode that has been killed.
func (h ownHDFS) read(name, out string) (string, error) {
	for began := time.Now(); ; time.Sleep(time.Second) {
		at := h.p.Cluster(name).NameNode
		if at == "" && time.Since(began) < 3*time.Minute {
			continue
		}
		if r := h.p.Howdah("fs", "-cat", at+out+"/_SUCCESS", at+out+"/part-*"); r.Code == 0 {
			return r.Out, nil
		} else if time.Since(began) > 3*time.Minute {
			return "", fmt.Errorf("%s: %s", at, r.Err)
		}
	}
}

// healthy reports whether the NameNode's fsck considers all files healthy. web is the NameNode's
// host:port.
func healthy(web string) bool {
	r, err := http.Get("http://" + web + "/fsck?ugi=" + passwd.Me() + "&path=" + url.QueryEscape("/"))
	if err != nil {
		return false
	}
	defer r.Body.Close()
	b, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	return strings.Contains(string(b), "is HEALTHY")
}
