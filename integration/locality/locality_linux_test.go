//go:build integration

package locality

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/integration/apachehadoop"
	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/internal/daemonrun"
	"github.com/howdah/howdah/internal/rpc/rpctest"
)

const (
	nodes     = 4
	blockSize = 128 << 10
	blocks    = 160
)

// cluster is a howdah cluster on the nodes of a real HDFS.
type cluster struct {
	t    *testing.T
	ctx  context.Context
	bin  string
	dir  string
	conf string
	hdfs *apachehadoop.Cluster
}

// Maps run on the nodes that have their blocks. The test uses FIFO without delay scheduling, and
// two replicas of each block on four nodes in two racks. In at least one of three jobs, 95 of 100
// maps must be node-local.
func TestMapsRunBesideTheirBlocks(t *testing.T) {
	for _, err := range []error{apachehadoop.Available(), apachehadoop.NamespacesAvailable()} {
		if err != nil {
			t.Skip(err)
		}
	}
	c := start(t)
	live, err := c.hdfs.LiveNodes()
	require.NoError(t, err)
	racks := map[string]string{}
	for _, n := range live {
		racks[n.Transfer] = n.Rack
	}
	require.Len(t, racks, nodes)
	require.Equal(t, "/rack1", racks[c.hdfs.Addr("datanode1")])
	require.Equal(t, "/rack2", racks[c.hdfs.Addr("datanode2")])

	input := filepath.Join(c.dir, "input")
	line := strings.Repeat("some words and some more words ", 4) + "\n"
	require.NoError(t, os.WriteFile(input, bytes.Repeat([]byte(line), blocks*blockSize/len(line)), 0o644))
	c.run("fs", "-D", fmt.Sprint("dfs.blocksize=", blockSize), "-put", input, "/input")
	for try := 1; ; try++ {
		local, rack, maps := c.wordcount(try)
		t.Logf("%d maps: %d on a node of their block, %d in its rack", maps, local, rack)
		require.GreaterOrEqual(t, maps, int64(blocks)-1)
		if local*100 >= maps*95 {
			return
		}
		// The scheduler does not wait for a TaskTracker whose heartbeats are late because the
		// machine is busy.
		require.Less(t, try, 3, "too few local maps")
	}
}

// wordcount runs a job and counts its maps by locality.
func (c *cluster) wordcount(n int) (local, rack, maps int64) {
	c.run("run", "-q", "wordcount", "-D", "mapreduce.job.reduces=1", "/input", fmt.Sprint("/output", n))
	var jobs []struct{ ID string }
	require.NoError(c.t, json.Unmarshal(c.run("job", "--json", "-list", "all"), &jobs))
	require.Len(c.t, jobs, n)
	last := slices.MaxFunc(jobs, func(a, b struct{ ID string }) int { return cmp.Compare(a.ID, b.ID) })
	var status struct {
		Counters map[string]map[string]int64
	}
	require.NoError(c.t, json.Unmarshal(c.run("job", "--json", "-status", last.ID), &status))
	counts := map[string]int64{}
	for _, group := range status.Counters {
		for name, v := range group {
			counts[name] += v
		}
	}
	return counts["DATA_LOCAL_MAPS"], counts["RACK_LOCAL_MAPS"], counts["TOTAL_LAUNCHED_MAPS"]
}

func start(t *testing.T) *cluster {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	t.Cleanup(cancel)
	c := &cluster{t: t, ctx: ctx, bin: minicluster.Binary(t), dir: t.TempDir()}
	var err error
	// A NameNode that considers load avoids busy nodes and distributes blocks unevenly, which
	// affects the result.
	c.hdfs, err = apachehadoop.Start(ctx, filepath.Join(c.dir, "hdfs"),
		apachehadoop.Options{DataNodes: nodes, Replication: 2, Namespaces: true,
			Racks: []string{"/rack1", "/rack2"},
			NameNode: []apachehadoop.Setting{{Name: "dfs.namenode.fs-limits.min-block-size", Value: "1024"},
				{Name: "dfs.namenode.redundancy.considerLoad", Value: "false"}}})
	require.NoError(t, err)
	t.Cleanup(c.hdfs.Stop)
	c.configure()
	c.daemon(exec.Command(c.bin, "jobtracker", "--config", c.conf,
		"-D", "hadoop.log.dir="+filepath.Join(c.dir, "logs", "jobtracker")))
	for i := 1; i <= nodes; i++ {
		name := fmt.Sprintf("datanode%d", i)
		cmd, err := c.hdfs.Beside(context.Background(), name, c.bin, "tasktracker", "--config", c.conf,
			"-D", "mapreduce.tasktracker.host.name="+name,
			"-D", "mapreduce.cluster.local.dir="+filepath.Join(c.dir, "local", name),
			"-D", "hadoop.log.dir="+filepath.Join(c.dir, "logs", name))
		require.NoError(t, err)
		c.daemon(cmd)
	}
	minicluster.Eventually(t, 2*time.Minute, "all TaskTrackers have joined", func() bool {
		out, err := c.command("job", "-list-active-trackers").Output()
		return err == nil && bytes.Count(out, []byte("datanode")) >= nodes
	})
	return c
}

// configure writes a configuration directory for howdah's daemons and clients, with the site files
// of Hadoop's HDFS.
func (c *cluster) configure() {
	c.conf = filepath.Join(c.dir, "conf")
	require.NoError(c.t, os.Mkdir(c.conf, 0o755))
	for _, name := range []string{"core-site.xml", "hdfs-site.xml"} {
		require.NoError(c.t, os.Symlink(filepath.Join(c.hdfs.ConfDir(), name), filepath.Join(c.conf, name)))
	}
	ports, err := apachehadoop.FreePorts(2)
	require.NoError(c.t, err)
	var b strings.Builder
	b.WriteString("<configuration>\n")
	for _, s := range [][2]string{
		{"mapreduce.framework.name", "classic"},
		{"mapreduce.jobtracker.address", net.JoinHostPort(c.hdfs.Host(), ports[0])},
		{"mapreduce.jobtracker.http.address", net.JoinHostPort(c.hdfs.Host(), ports[1])},
		{"mapreduce.tasktracker.http.address", "0.0.0.0:50060"},
		{"mapreduce.jobtracker.system.dir", "file:" + filepath.Join(c.dir, "system")},
		{conf.SecuritySecretFile.Name, rpctest.Options(c.t).Secret.File()},
		{"howdah.tasktracker.run-as", "tracker"}, // the test runs as root
		{"howdah.jobtracker.dir", filepath.Join(c.dir, "jobtracker")},
	} {
		fmt.Fprintf(&b, "<property><name>%s</name><value>%s</value></property>\n", s[0], s[1])
	}
	b.WriteString("</configuration>\n")
	require.NoError(c.t, os.WriteFile(filepath.Join(c.conf, "mapred-site.xml"), []byte(b.String()), 0o644))
}

// daemon starts a process and stops it at the end of the test.
func (c *cluster) daemon(cmd *exec.Cmd) {
	log, err := os.OpenFile(filepath.Join(c.dir, "daemons.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	require.NoError(c.t, err)
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	p, err := daemonrun.Start(cmd)
	require.NoError(c.t, err)
	c.t.Cleanup(func() { p.Stop(20 * time.Second) })
}

func (c *cluster) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(c.ctx, c.bin, args...)
	cmd.Env = append(os.Environ(), "HOWDAH_CONF_DIR="+c.conf)
	return cmd
}

func (c *cluster) run(args ...string) []byte {
	var out, errs bytes.Buffer
	cmd := c.command(args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	log, _ := os.ReadFile(filepath.Join(c.dir, "daemons.log"))
	require.NoError(c.t, err, "%v\n%s%s\n%s", args, out.String(), errs.String(), log[max(0, len(log)-3000):])
	return out.Bytes()
}
