//go:build integration && linux

package pool

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/leftovers"
	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/mrcluster/provision"
	"github.com/howdah/howdah/mrcluster/provision/netns"
	"github.com/howdah/howdah/mrcluster/provision/process/processtest"
	"github.com/howdah/howdah/mrcluster/provision/provisiontest"
)

// TestMain runs the tests or, if the first argument is "agent" or "burn", an agent or a process that
// uses CPU.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "agent" {
		burnInGroup()
		send(os.Args[2])
	}
	if len(os.Args) > 1 && os.Args[1] == "burn" {
		for {
		}
	}
	os.Exit(m.Run())
}

// burnInGroup starts processes in groups below the agent's, like the attempts of a TaskTracker. The
// processes use CPU.
func burnInGroup() {
	hierarchy, _ := strings.CutPrefix(os.Args[len(os.Args)-1], "howdah.tasktracker.cgroups.hierarchy=")
	tree, err := cgroup.Open(cgroup.Config{Parent: hierarchy, Name: "tasktracker"})
	if err != nil {
		panic(err)
	}
	for i := range 2 {
		g, err := tree.Group(fmt.Sprint("child-", i), cgroup.Limits{})
		if err != nil {
			panic(err)
		}
		cmd := exec.Command(os.Args[0], "burn")
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		if err := g.Add(cmd.Process.Pid); err != nil {
			panic(err)
		}
	}
}

// megabytes is the number of MiB that the agent sends on each connection.
const megabytes = 4

func send(host string) {
	l, err := net.Listen("tcp", host+":7777")
	if err != nil {
		panic(err)
	}
	for {
		c, err := l.Accept()
		if err != nil {
			panic(err)
		}
		_, _ = c.Write(make([]byte, megabytes<<20))
		_ = c.Close()
	}
}

func openNetns(t *testing.T, o provision.Options, cfg netns.Config) *netns.Backend {
	cfg.Mount = cgroup.DefaultMount
	b, err := netns.New(o, cfg)
	require.NoError(t, err)
	return b
}

// bridge returns the name of a pool's bridge, which is the prefix of all names in the pool. It finds
// the bridge by its address, because other processes may have bridges on this machine.
func bridge(t *testing.T, b provision.Backend) string {
	devices, err := net.Interfaces()
	require.NoError(t, err)
	for _, d := range devices {
		addrs, _ := d.Addrs()
		for _, a := range addrs {
			if strings.HasPrefix(a.String(), b.Host()+"/") {
				return d.Name
			}
		}
	}
	t.Fatal("no bridge has the address ", b.Host())
	return ""
}

func needRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("network namespaces need root")
	}
}

func TestNetnsContract(t *testing.T) {
	needRoot(t)
	leftovers.Check(t)
	for name, cfg := range map[string]netns.Config{"plain": {}, "limited": {Mbit: 80, Cores: 0.5}} {
		t.Run(name, func(t *testing.T) {
			pools := map[string]bool{}
			provisiontest.Run(t, provisiontest.Suite{
				Open: func(t *testing.T, o provision.Options) provision.Backend {
					b := openNetns(t, o, cfg)
					pools[bridge(t, b)] = true
					return b
				},
				Read: processtest.Read, Kill: processtest.Kill,
				Left: func(t *testing.T, n provision.Node) []string {
					left := processtest.Left(t, n)
					number := n.Host[strings.LastIndexByte(n.Host, '.')+1:]
					for _, x := range traces(t, pools) {
						if strings.HasSuffix(x, "-"+number) || strings.HasSuffix(x, "v"+number) || strings.HasSuffix(x, "/"+n.Name) {
							left = append(left, x)
						}
					}
					return left
				},
			})
			require.Len(t, pools, 9)
			require.Empty(t, traces(t, pools))
		})
	}
}

// traces lists all objects that netns has created for the given pools: namespaces, network devices,
// control groups, and firewall rules.
func traces(t *testing.T, pools map[string]bool) []string {
	var out []string
	for pool := range pools {
		out = append(out, tracesOf(t, pool)...)
	}
	return out
}

func tracesOf(t *testing.T, pool string) []string {
	var out []string
	for _, pattern := range []string{"/run/netns/POOL*", "/sys/class/net/POOL*", "/sys/fs/cgroup/howdah-POOL",
		"/sys/fs/cgroup/howdah-POOL/*", "/sys/fs/cgroup/*/howdah-POOL", "/sys/fs/cgroup/*/howdah-POOL/*"} {
		pattern = strings.Replace(pattern, "POOL", pool, 1)
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, f := range found {
			if i, err := os.Lstat(f); err == nil && (i.IsDir() || !strings.HasPrefix(pattern, "/sys/fs/cgroup")) {
				out = append(out, f)
			}
		}
	}
	if rules, err := exec.Command("iptables", "-S", "FORWARD").Output(); err == nil &&
		strings.Contains(string(rules), pool) {
		out = append(out, "a rule of the firewall")
	}
	return out
}

// The processes of a node together use no more CPU and network than the node's limits.
func TestNetnsLimits(t *testing.T) {
	needRoot(t)
	leftovers.Check(t)
	program, err := os.Executable()
	require.NoError(t, err)
	o := provision.Options{Dir: t.TempDir(), Agent: &provision.Agent{Program: program, Args: []string{"agent", "{host}"}}}
	b := openNetns(t, o, netns.Config{Mbit: 80, Cores: 0.2})
	defer func() { require.NoError(t, provision.StopAll(t.Context(), b)) }()
	began := time.Now()
	require.NoError(t, b.Start(t.Context(), "one"))
	nodes, err := b.List(t.Context())
	require.NoError(t, err)

	var c net.Conn
	await(t, "the agent listens", func() bool {
		c, err = net.Dial("tcp", nodes[0].Host+":7777")
		return err == nil
	})
	defer c.Close()
	sent := time.Now()
	n, err := io.Copy(io.Discard, c)
	require.NoError(t, err)
	require.EqualValues(t, megabytes<<20, n)
	rate := float64(n) * 8 / 1e6 / time.Since(sent).Seconds()
	require.Less(t, rate, 90.0, "Mbit/s; what is sent at once in the beginning comes on top")

	used, err := cpuOf(bridge(t, b))
	require.NoError(t, err)
	cores := used.Seconds() / time.Since(began).Seconds()
	require.Less(t, cores, 0.3)
	require.Greater(t, cores, 0.01, "the attempts are counted")
	t.Logf("%.1f Mbit/s, %.2f cores", rate, cores)
}

// cpuOf returns the CPU time of node "one" in a pool.
func cpuOf(pool string) (time.Duration, error) {
	for _, pattern := range []string{"/sys/fs/cgroup/cpuacct/howdah-" + pool + "/one/cpuacct.usage",
		"/sys/fs/cgroup/howdah-" + pool + "/one/cpu.stat"} {
		files, _ := filepath.Glob(pattern)
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				return 0, err
			}
			words := strings.Fields(string(text))
			if words[0] == "usage_usec" {
				us, err := strconv.Atoi(words[1])
				return time.Duration(us) * time.Microsecond, err
			}
			ns, err := strconv.Atoi(words[0])
			return time.Duration(ns), err
		}
	}
	return 0, errors.New(fmt.Sprint("the node has no control group"))
}
