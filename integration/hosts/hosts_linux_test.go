//go:build integration

// Package hosts tests howdah cluster on network namespaces with an sshd each.
package hosts

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/leftovers"
	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/mrcluster/provision"
	"github.com/howdah/howdah/mrcluster/provision/netns"
)

// sshd turns a namespace into a host: it has its own /opt, /run, and process IDs.
const sshd = `mkdir -p "$2/opt" && mount --bind "$2/opt" /opt && mount -t tmpfs tmpfs /run && mkdir /run/sshd &&
exec unshare --pid --fork --kill-child --mount-proc /usr/sbin/sshd -D -e -f "$3" -o ListenAddress="$1"`

// hosts are namespaces with an sshd each.
type hosts struct {
	t      *testing.T
	dir    string // contains ssh.conf, HOSTS.txt, and shared
	nodes  []provision.Node
	binary string
}

func startHosts(t *testing.T, n int) *hosts {
	if os.Geteuid() != 0 {
		t.Skip("network namespaces need root")
	}
	for _, p := range []string{"/usr/sbin/sshd", "ssh", "ssh-keygen", "nsenter", "ip"} {
		if _, err := exec.LookPath(p); err != nil {
			t.Skip("no ", p)
		}
	}
	leftovers.Check(t)
	dir := t.TempDir()
	h := &hosts{t: t, dir: dir, binary: minicluster.Binary(t)}
	for _, key := range []string{"host", "user"} {
		out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", dir+"/"+key).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	public, err := os.ReadFile(filepath.Join(dir, "host.pub"))
	require.NoError(t, err)
	h.write("known", "* "+string(public))
	h.write("sshd.conf", fmt.Sprintf("HostKey %[1]s/host\nAuthorizedKeysFile %[1]s/user.pub\nStrictModes no\n"+
		"PidFile none\nPermitRootLogin yes\nPasswordAuthentication no\n", dir))
	h.write("ssh.conf", fmt.Sprintf("User root\nIdentityFile %[1]s/user\nIdentitiesOnly yes\n"+
		"UserKnownHostsFile %[1]s/known\nStrictHostKeyChecking yes\n", dir))
	backend, err := netns.New(provision.Options{Dir: filepath.Join(dir, "net"), Agent: &provision.Agent{Program: "/bin/sh",
		Args: []string{"-c", sshd, "sshd", "{host}", "{dir}", filepath.Join(dir, "sshd.conf")}}}, netns.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, provision.StopAll(t.Context(), backend)) })
	for i := range n {
		require.NoError(t, backend.Start(t.Context(), fmt.Sprint("host-", i)))
	}
	h.nodes, err = backend.List(t.Context())
	require.NoError(t, err)
	list := "# the first host runs the JobTracker, too\n"
	for _, n := range h.nodes {
		list += n.Host + "\n"
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
			out, err := h.ssh(n, "true")
			if err == nil {
				break
			}
			require.True(t, time.Now().Before(deadline), "no sshd on %s: %s", n.Host, out)
		}
	}
	h.write("HOSTS.txt", list)
	return h
}

func (h *hosts) write(name, text string) {
	require.NoError(h.t, os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o600))
}

func (h *hosts) ssh(n provision.Node, command string) (string, error) {
	out, err := exec.Command("ssh", "-F", filepath.Join(h.dir, "ssh.conf"), n.Host, command).CombinedOutput()
	return string(out), err
}

// cluster runs howdah cluster VERB and returns its standard output.
func (h *hosts) cluster(verb string, args ...string) string {
	h.t.Helper()
	cmd := h.command(verb, args...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	require.NoError(h.t, cmd.Run(), "%s\n%s", out.String(), said.String())
	h.t.Logf("%s\n%s%s", verb, said.String(), out.String())
	return out.String()
}

// command returns howdah cluster VERB.
func (h *hosts) command(verb string, args ...string) *exec.Cmd {
	words := append([]string{"cluster", verb, "--ssh-config", filepath.Join(h.dir, "ssh.conf")}, args...)
	return exec.Command(h.binary, append(words, filepath.Join(h.dir, "HOSTS.txt"))...)
}

// howdah returns a command with the configuration that init has written.
func (h *hosts) howdah(args ...string) *exec.Cmd {
	return exec.Command(h.binary, append(args[:1:1], append([]string{"--config", filepath.Join(h.dir, "HOSTS.conf")},
		args[1:]...)...)...)
}

// processes lists the processes on a host, except sshd's.
func (h *hosts) processes(n provision.Node) (list []string) {
	out, err := h.ssh(n, `for p in /proc/[0-9]*; do tr '\0' ' ' <$p/cmdline; echo; done`)
	require.NoError(h.t, err, out)
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.Contains(line, "sshd") && !strings.Contains(line, "/proc/[0-9]*") {
			list = append(list, line)
		}
	}
	return list
}

// stop stops the cluster, and checks that it leaves neither a process nor a file.
func (h *hosts) stop() {
	for _, n := range h.nodes {
		require.NotEmpty(h.t, h.processes(n))
	}
	h.cluster("stop")
	for _, n := range h.nodes {
		require.Empty(h.t, h.processes(n))
		left, err := h.ssh(n, "find /opt -mindepth 1")
		require.NoError(h.t, err)
		require.Empty(h.t, left, n.Host)
	}
	require.NoDirExists(h.t, filepath.Join(h.dir, "HOSTS.conf"))
}

// version returns the versions in the output of cluster status.
func version(status string) map[string]bool {
	found := map[string]bool{}
	for _, m := range regexp.MustCompile(` running ([0-9a-f]{16})`).FindAllStringSubmatch(status, -1) {
		found[m[1]] = true
	}
	return found
}

// lines returns the sorted lines of an output.
func lines(t *testing.T, out string) []string {
	t.Helper()
	require.FileExists(t, filepath.Join(out, "_SUCCESS"))
	require.NoDirExists(t, filepath.Join(out, "_temporary"))
	parts, err := filepath.Glob(filepath.Join(out, "part-*"))
	require.NoError(t, err)
	var list []string
	for _, part := range parts {
		text, err := os.ReadFile(part)
		require.NoError(t, err)
		list = slices.AppendSeq(list, strings.Lines(string(text)))
	}
	slices.Sort(list)
	return list
}

// Four hosts run a job within a minute of cluster init, a rolling upgrade loses nothing of a running
// job, and cluster stop leaves neither a process nor a file.
func TestClusterOfHosts(t *testing.T) {
	h := startHosts(t, 4)
	shared := filepath.Join(h.dir, "shared")
	in, program := filepath.Join(h.dir, "in"), filepath.Join(h.dir, "slowcount")
	require.NoError(t, os.Mkdir(in, 0o755))
	for n := range 8 {
		lines := strings.Repeat(fmt.Sprintf("some words %d\n", n), 60)
		require.NoError(t, os.WriteFile(filepath.Join(in, fmt.Sprint("f", n)), []byte(lines), 0o644))
	}
	out, err := exec.Command("go", "build", "-o", program, "../testdata/slowcount").CombinedOutput()
	require.NoError(t, err, string(out))
	alone := minicluster.RunAlone(t, program, in, filepath.Join(h.dir, "alone"))
	require.Zero(t, alone.Code, alone.Err)
	want := lines(t, filepath.Join(h.dir, "alone"))
	require.Len(t, want, 10)

	began := time.Now()
	h.cluster("init", "--shared", shared, "-D", "howdah.tasktracker.run-as=tracker", "-D",
		"howdah.tasktracker.cgroups=off")
	first := h.howdah("run", program, in, filepath.Join(h.dir, "first"))
	out, err = first.CombinedOutput()
	require.NoError(t, err, string(out))
	t.Logf("init to the end of the first job: %v", time.Since(began))
	require.Equal(t, want, lines(t, filepath.Join(h.dir, "first")))
	require.Equal(t, 5, strings.Count(h.cluster("status"), " running "))
	require.Contains(t, h.cluster("logs"), h.nodes[3].Host+": == tasktracker")
	mode, err := h.ssh(h.nodes[1], "stat -c %a /opt/howdah/conf/secret")
	require.NoError(t, err)
	require.Equal(t, "600\n", mode)

	newer := filepath.Join(h.dir, "newer") // bytes after its end do not change what a program does
	require.NoError(t, exec.Command("cp", h.binary, newer).Run())
	f, err := os.OpenFile(newer, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString("newer")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	stop := make(chan struct{})
	outs := make(chan []string)
	go func() { // runs one job after another until the upgrade has ended
		var list []string
		defer func() { outs <- list }()
		for n := 0; ; n++ {
			out := filepath.Join(h.dir, fmt.Sprint("out-", n))
			cmd := h.howdah("run", program, "-D", "slowcount.map.millis=100", "-D", "mapreduce.job.reduces=4",
				"-D", "mapreduce.map.maxattempts=1", "-D", "mapreduce.reduce.maxattempts=1", in, out)
			said, err := cmd.CombinedOutput()
			if !assert.NoError(t, err, string(said)) || !assert.NotContains(t, string(said), "FAILED") {
				return
			}
			list = append(list, out)
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		out, err := h.howdah("job", "-list", "--json").Output()
		if err == nil && strings.Contains(string(out), "slowcount") {
			break
		}
		require.True(t, time.Now().Before(deadline), "the job does not start: %s", out)
	}
	before := h.cluster("status")
	h.cluster("upgrade", "--program", newer)
	after := h.cluster("status")
	close(stop)
	require.Equal(t, 5, strings.Count(before, " running "))
	require.Equal(t, 5, strings.Count(after, " running "))
	old := version(before)
	require.Len(t, old, 1)
	require.Len(t, version(after), 1)
	require.NotEqual(t, old, version(after))
	list := <-outs
	require.NotEmpty(t, list)
	t.Logf("%d jobs during the upgrade", len(list))
	for _, out := range list {
		require.Equal(t, want, lines(t, out))
	}

	// A daemon that was killed runs again. stop also ends a daemon whose supervisor was killed.
	const killed = "/opt/howdah/bin/tasktracker"
	said, err := h.ssh(h.nodes[2], "pkill -9 -f ^"+killed)
	require.NoError(t, err, said)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if slices.ContainsFunc(h.processes(h.nodes[2]), func(p string) bool { return strings.HasPrefix(p, killed) }) {
			break
		}
		require.True(t, time.Now().Before(deadline), "the daemon is down")
	}
	said, err = h.ssh(h.nodes[3], "kill -9 $(cat /opt/howdah/run/tasktracker.pid)")
	require.NoError(t, err, said)
	h.stop()
	for _, name := range []string{"shared/system", "shared/staging"} {
		require.NoDirExists(t, filepath.Join(h.dir, name))
	}
}

// The nodes of a pool are agents on other hosts. A host that does not answer is named before
// anything starts.
func TestPoolOfHosts(t *testing.T) {
	h := startHosts(t, 2)
	list := h.nodes[0].Host + " manager\n" + h.nodes[1].Host + "\n"
	h.write("HOSTS.txt", list+"localhost agent\n")
	cmd := h.command("init")
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Regexp(t, `localhost +failed +.*`, string(out))
	for _, n := range h.nodes {
		require.Empty(t, h.processes(n))
	}
	h.write("HOSTS.txt", list)
	h.cluster("init")
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		out, err := h.howdah("mrcluster", "status", "--json").Output()
		if err == nil && strings.Contains(string(out), h.nodes[1].Host) {
			break
		}
		require.True(t, time.Now().Before(deadline), "the node does not join: %s\n%s", out, h.cluster("logs"))
	}
	h.cluster("stop", "--keep")
	h.cluster("start")
	h.stop()
}
