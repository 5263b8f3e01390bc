//go:build integration

// Package trust tests the mechanisms that protect a cluster's users from each other.
package trust

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/integration/leftovers"
	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/integration/testuser"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/program"
)

// tasks is a cluster whose daemons run as root, with two users.
type tasks struct {
	*minicluster.Cluster
	t          *testing.T
	alice, bob *testuser.User
	shared     string // directory that every user can write
	howdah     string // program that every user can run
	cluster    *auth.Secret
	secret     []byte            // the text of the cluster's secret
	tokens     map[string][]byte // of users who present a token instead of the secret, by name
}

const (
	aliceName = "hwd-test-alice"
	bobName   = "hwd-test-bob"
)

func startTasks(t *testing.T, set ...string) *tasks {
	leftovers.Check(t)
	x := &tasks{t: t, alice: testuser.New(t, aliceName), bob: testuser.New(t, bobName), shared: t.TempDir()}
	require.NoError(t, os.Chmod(filepath.Dir(x.shared), 0o711))
	require.NoError(t, os.Chmod(x.shared, 0o777|os.ModeSticky))
	// t.TempDir keeps other users out.
	prepare := func(dir string) {
		staging := filepath.Join(dir, "staging") // every user stages jobs there
		require.NoError(t, os.MkdirAll(staging, 0o755))
		require.NoError(t, os.Chmod(staging, 0o777|os.ModeSticky))
		for _, u := range []*testuser.User{x.alice, x.bob} {
			home := filepath.Join(staging, u.Name)
			require.NoError(t, os.Mkdir(home, 0o700))
			require.NoError(t, os.Lchown(home, u.UID, u.GID))
		}
		require.NoError(t, os.Chmod(filepath.Dir(filepath.Dir(dir)), 0o711))
	}
	b, err := os.ReadFile(minicluster.Binary(t))
	require.NoError(t, err)
	x.howdah = x.file("howdah", string(b))
	x.Cluster = minicluster.Start(t, minicluster.Options{Prepare: prepare, Set: append([]string{
		"howdah.tasktracker.warm.children=1"}, set...)})
	options, _, err := conf.ParseGeneric([]string{"--config", x.Conf})
	require.NoError(t, err)
	c, err := options.Load()
	require.NoError(t, err)
	x.cluster, err = auth.Load(c)
	require.NoError(t, err)
	x.secret, err = os.ReadFile(x.cluster.File())
	require.NoError(t, err)
	return x
}

// as runs a command against the cluster as a user of this machine.
func (x *tasks) as(u *testuser.User, words ...string) minicluster.Result {
	x.t.Helper()
	cmd := x.command(u, words...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	_ = cmd.Run()
	return minicluster.Result{Code: cmd.ProcessState.ExitCode(), Out: out.String(), Err: errOut.String()}
}

// command returns a command that runs as a user, who has a token or the cluster's secret.
func (x *tasks) command(u *testuser.User, words ...string) *exec.Cmd {
	home := filepath.Join(x.shared, "home-"+u.Name)
	proof, key, text := filepath.Join(home, "secret"), conf.SecuritySecretFile.Name, x.secret
	if token := x.tokens[u.Name]; token != nil {
		proof, key, text = filepath.Join(home, "token"), conf.SecurityTokenFile.Name, token
	}
	require.NoError(x.t, os.MkdirAll(home, 0o700))
	require.NoError(x.t, os.WriteFile(proof, text, 0o600))
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	x.t.Cleanup(cancel)
	words = append([]string{words[0], "-D", key + "=" + proof}, words[1:]...)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Env = []string{"HOWDAH_CONF_DIR=" + x.Conf, "HOME=" + home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + home}
	cmd.Dir = x.shared
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: u.Credential()}
	for _, name := range []string{proof, home} {
		require.NoError(x.t, os.Lchown(name, u.UID, u.GID))
	}
	return cmd
}

// file writes a file that every user can read.
func (x *tasks) file(name, text string) string {
	path := filepath.Join(x.shared, name)
	require.NoError(x.t, os.WriteFile(path, []byte(text), 0o755))
	require.NoError(x.t, os.Chmod(path, 0o755))
	return path
}

// streaming returns the arguments of a map-only Streaming job with one map.
func (x *tasks) streaming(script, out string, options ...string) []string {
	in := x.file("input", "line\n")
	words := []string{x.howdah, "streaming", "-D", "mapreduce.map.maxattempts=1", "-D", "mapreduce.job.maps=1"}
	words = append(words, options...)
	return append(words, "-input", in, "-output", out, "-mapper", x.file(filepath.Base(out)+".sh", "#!/bin/sh\n"+script),
		"-numReduceTasks", "0")
}

// run runs a job from streaming as a user and returns the lines of its output.
func (x *tasks) run(u *testuser.User, name, script string, options ...string) []string {
	x.t.Helper()
	out := filepath.Join(x.shared, name)
	r := x.as(u, x.streaming(script, out, options...)...)
	require.Equal(x.t, 0, r.Code, "%s", r.Err)
	text, err := os.ReadFile(filepath.Join(out, "part-00000"))
	require.NoError(x.t, err)
	var lines []string
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		lines = append(lines, strings.TrimRight(line, "\t"))
	}
	return lines
}

// tell is like run, but the script writes to a file instead of the output. It returns the lines of
// the file even if the job fails.
func (x *tasks) tell(u *testuser.User, name, script string, options ...string) ([]string, minicluster.Result) {
	x.t.Helper()
	told := filepath.Join(x.shared, name+".told")
	r := x.as(u, x.streaming("exec > "+told+"\n"+script, filepath.Join(x.shared, name), options...)...)
	text, _ := os.ReadFile(told) // if the file is missing, tell returns a single empty line
	return strings.Split(strings.TrimSpace(string(text)), "\n"), r
}

// uid returns the owner of a file.
func uid(t *testing.T, name string) int {
	info, err := os.Lstat(name)
	require.NoError(t, err)
	return int(info.Sys().(*syscall.Stat_t).Uid)
}

// A TaskTracker that runs as root runs each task as its job's user, without the means to become
// root, and keeps users apart.
func TestTasksRunAsUsers(t *testing.T) {
	t.Setenv("HWD_TEST_SECRET", "of-the-tasktracker")
	t.Setenv("LANG", "C.UTF-8")
	x := startTasks(t)

	t.Run("rights", func(t *testing.T) {
		suid := x.file("suid-id", "")
		b, err := os.ReadFile("/usr/bin/id")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(suid, b, 0o755))
		require.NoError(t, os.Chmod(suid, 0o755|os.ModeSetuid))
		for n := range 2 { // with the warm child and with another child
			lines, r := x.tell(x.alice, fmt.Sprint("rights", n), `cat > /dev/null
echo "uid $(id -u) $(id -g) $(id -G)"
grep -E '^(NoNewPrivs|CapEff|CapPrm|CapAmb|Uid):' /proc/self/status | tr '\t' ' '
while read k v; do [ "$k" = PPid: ] && parent=$v; done < /proc/self/status
grep -E '^(NoNewPrivs|CapEff|CapPrm|Uid):' /proc/$parent/status | tr '\t' ' ' | sed 's/^/parent /'
cat /etc/shadow > /dev/null 2>&1 && echo "read shadow"
cp /bin/sh `+x.shared+`/sh$$ && chmod 4755 `+x.shared+`/sh$$ && stat -c 'left %u' `+x.shared+`/sh$$
`+suid+` -u | sed 's/^/set-uid /'
echo "home $HOME user $USER $LOGNAME shell $SHELL lang $LANG secret $HWD_TEST_SECRET"
`)
			id := strconv.Itoa(x.alice.UID)
			gid := strconv.Itoa(x.alice.GID)
			uids := fmt.Sprintf("%s %s %s %s", id, id, id, id)
			require.ElementsMatch(t, []string{"uid " + id + " " + gid + " " + gid,
				"Uid: " + uids, "CapPrm: 0000000000000000", "CapEff: 0000000000000000", "CapAmb: 0000000000000000",
				"NoNewPrivs: 1",
				"parent Uid: " + uids, "parent CapPrm: 0000000000000000", "parent CapEff: 0000000000000000",
				"parent NoNewPrivs: 1", "left " + id, "set-uid " + id,
				"home " + x.alice.Home + " user " + aliceName + " " + aliceName + " shell /bin/sh lang C.UTF-8 secret"}, lines)
			require.Zero(t, r.Code, "%s", r.Err)
		}
		require.Equal(t, x.alice.UID, uid(t, filepath.Join(x.shared, "rights0", "part-00000")))
	})

	t.Run("other users", func(t *testing.T) {
		started := filepath.Join(x.shared, "bob-started")
		private := x.file("private", "bob's cached text\n")
		require.NoError(t, os.Chmod(private, 0o600))
		require.NoError(t, os.Lchown(private, x.bob.UID, -1))
		out := filepath.Join(x.shared, "bob")
		words := x.streaming("cat private; echo more >&2; > "+started+"\n"+
			"while [ ! -e "+started+"-end ]; do sleep 0.1; done\n", out, "-files", private)
		bob := x.command(x.bob, words...)
		var said bytes.Buffer
		bob.Stderr = &said
		require.NoError(t, bob.Start())
		t.Cleanup(func() { _ = bob.Process.Kill() }) // if the test ends early
		minicluster.Eventually(t, time.Minute, "bob's task to run", func() bool {
			_, err := os.Stat(started)
			return err == nil
		})
		files := x.filesOf(bobName)
		for _, want := range []string{"/job.xml", "/stderr", "/private"} {
			require.Contains(t, strings.Join(files, "\n")+"\n", want+"\n")
		}
		list := x.file("list", strings.Join(files, "\n")+"\n")
		lines, r := x.tell(x.alice, "spy", "cat > /dev/null\n"+
			"for f in $(cat "+list+"); do cat $f > /dev/null 2>&1 && echo read $f\n"+
			"ls $(dirname $f) > /dev/null 2>&1 && echo list $(dirname $f); done\necho end\n")
		require.Equal(t, []string{"end"}, lines)
		require.Zero(t, r.Code, "%s", r.Err)
		x.file("bob-started-end", "")
		require.NoError(t, bob.Wait(), "%s", &said)
	})

	t.Run("a program of their own", func(t *testing.T) {
		own := x.ownProgram()
		out := filepath.Join(x.shared, "own")
		r := x.as(x.alice, own, "run", "wordcount", x.file("words", "a b a\n"), out)
		require.Equal(t, 0, r.Code, "%s", r.Err)
		text, err := os.ReadFile(filepath.Join(out, "part-r-00000"))
		require.NoError(t, err)
		require.Equal(t, "a\t2\nb\t1\n", string(text))
		require.Equal(t, x.alice.UID, uid(t, filepath.Join(out, "part-r-00000")))
	})

	t.Run("root", func(t *testing.T) {
		require.Equal(t, []string{"0"}, x.run(testuser.Root, "root", "cat > /dev/null; id -u\n"),
			"only root can submit jobs to this cluster")
	})

	t.Run("no account", func(t *testing.T) {
		words := x.streaming("cat\n", filepath.Join(x.shared, "none"))
		r := x.Command("env", append([]string{"HADOOP_USER_NAME=hwd-test-nobody"}, words...)...)
		require.NotEqual(t, 0, r.Code)
		require.Contains(t, r.Err, "no account for the user")
	})
	require.Contains(t, x.Log("tasktracker-1"), "the job's user; root's as root")
}

// filesOf returns the files that a TaskTracker keeps for a user's jobs.
func (x *tasks) filesOf(user string) (files []string) {
	jobs := map[string]bool{}
	for _, private := range []bool{true, false} {
		require.NoError(x.t, filepath.WalkDir(x.Dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil // it no longer exists
			}
			_, below, ok := strings.Cut(name, "/taskTracker/"+user+"/jobcache/")
			if ok {
				job, _, _ := strings.Cut(below, "/")
				jobs[job] = true
			}
			if private {
				if ok {
					files = append(files, name)
				}
				return nil
			}
			_, below, ok = strings.Cut(name, "/userlogs/")
			job, _, _ := strings.Cut(below, "/")
			if ok && jobs[job] || strings.Contains(name, "/distfiles/") {
				files = append(files, name)
			}
			return nil
		}))
	}
	return files
}

// ownProgram returns a program whose identity differs from the TaskTracker's.
func (x *tasks) ownProgram() string {
	p, err := program.Of(minicluster.Binary(x.t))
	require.NoError(x.t, err)
	id := []byte(strings.TrimPrefix(p.ID, "go:"))
	b, err := os.ReadFile(p.Path)
	require.NoError(x.t, err)
	other := bytes.Clone(id)
	other[0] ^= 1
	own := x.file("own-program", "")
	require.NoError(x.t, os.WriteFile(own, bytes.ReplaceAll(b, id, other), 0o755))
	q, err := program.Of(own)
	require.NoError(x.t, err)
	require.NotEqual(x.t, p.ID, q.ID)
	return own
}

// On a cluster where other users can submit jobs, no job runs as root.
func TestRootsJobsAreRefused(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, bytes.Repeat([]byte("s"), 64), 0o600))
	x := startTasks(t, "howdah.security.secret.file="+secret)
	r := x.as(testuser.Root, x.streaming("cat\n", filepath.Join(x.shared, "root"))...)
	require.NotEqual(t, 0, r.Code)
	require.Contains(t, r.Err, "no job runs as root")
	require.Equal(t, []string{strconv.Itoa(x.alice.UID)}, x.run(x.alice, "alice", "cat > /dev/null; id -u\n"))
	require.Contains(t, x.Log("tasktracker-1"), "root's jobs are refused")
}

// A TaskTracker that does not run as root rejects other users' jobs.
func TestTaskTrackerOfAnOrdinaryUser(t *testing.T) {
	x := startTasks(t)
	dir := filepath.Join(x.shared, "home-"+aliceName)
	words := []string{x.howdah}
	for _, kv := range []string{"mapreduce.cluster.local.dir=" + dir + "/local", "hadoop.log.dir=" + dir + "/logs",
		"hadoop.tmp.dir=" + dir + "/tmp", "mapreduce.tasktracker.http.address=127.0.0.1:0"} {
		words = append(words, "-D", kv)
	}
	tracker := x.command(x.alice, append(words, "tasktracker")...)
	require.NoError(t, tracker.Start())
	t.Cleanup(func() {
		_ = tracker.Process.Signal(os.Interrupt)
		_ = tracker.Wait()
	})
	trackers := func() int { return strings.Count(x.Howdah("job", "-list-active-trackers").Out, "tracker_") }
	minicluster.Eventually(t, time.Minute, "both TaskTrackers", func() bool { return trackers() == 2 })
	x.Signal("tasktracker-1", syscall.SIGTERM)
	minicluster.Eventually(t, time.Minute, "root's TaskTracker to leave", func() bool { return trackers() == 1 })
	require.Equal(t, []string{strconv.Itoa(x.alice.UID)}, x.run(x.alice, "own", "cat > /dev/null; id -u\n"))
	for _, other := range []*testuser.User{x.bob, testuser.Root} {
		r := x.as(other, x.streaming("cat\n", filepath.Join(x.shared, "others"))...)
		require.NotEqual(t, 0, r.Code)
		require.Contains(t, r.Err, "cannot change to another user")
	}
}

// A task has a limited number of processes, with control groups and without.
func TestProcessesOfATask(t *testing.T) {
	const script = `cat > /dev/null
( i=0; while [ $i -lt 600 ]; do sleep 30 > /dev/null 2>&1 & i=$((i+1)); echo $i > n; done ) 2> /dev/null
read n < n
echo $n
`
	for _, groups := range []string{"auto", "off"} {
		t.Run(groups, func(t *testing.T) {
			x := startTasks(t, "howdah.tasktracker.cgroups="+groups, "howdah.tasktracker.task.processes=60",
				"mapreduce.tasktracker.map.tasks.maximum=2", "mapreduce.tasktracker.reduce.tasks.maximum=2")
			most := 60
			if groups == "off" || !strings.Contains(x.Log("tasktracker-1"), "attempts run in control groups") {
				most *= 4
			}
			lines, r := x.tell(x.alice, "fork", script)
			n, err := strconv.Atoi(lines[0])
			require.NoError(t, err)
			require.Less(t, n, most)
			require.Greater(t, n, most/4)
			require.Zero(t, r.Code, "%s", r.Err)
		})
	}
}
