//go:build integration

package trust

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/integration/testuser"
)

// gatedArgs returns the arguments of a streaming job whose reducer waits until the gate file
// exists.
func gatedArgs(in, out, gate string) []string {
	return []string{"streaming", "-D", "mapreduce.job.reduces=1", "-input", in, "-output", out, "-mapper", "cat",
		"-reducer", "sh -c 'while [ ! -e " + gate + " ]; do sleep 0.05; done; cat'"}
}

// A JobTracker that runs as root publishes a user's output in the user's home, which nobody else
// can enter. The user owns all output files. Only the user can read the staged files.
func TestMasterCommitsAsUser(t *testing.T) {
	c := newMasterCluster(t)
	alice := testuser.New(t, "hm-alice")
	c.startJobTracker(testuser.Root)
	c.startTaskTracker(alice)
	in := alice.File(t, filepath.Join(alice.Home, "in"), "a b a\n", 0o600)
	out, gate := filepath.Join(alice.Home, "out"), filepath.Join(alice.Home, "gate")
	cmd, log := c.command(alice, gatedArgs(in, out, gate)...), &masterLog{}
	cmd.Stdout, cmd.Stderr = log, log
	require.NoError(t, cmd.Start())
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill() })

	staging := c.staging(testuser.Root, alice)
	masterEventually(t, "the job to be staged", func() bool {
		jobs, _ := filepath.Glob(filepath.Join(staging, "job_*", "job.xml"))
		return len(jobs) == 1
	})
	root, err := os.Stat(filepath.Dir(filepath.Dir(staging)))
	require.NoError(t, err)
	require.Equal(t, os.ModeDir|os.ModeSticky|0o733, root.Mode(), "everybody may make a directory, nobody may list them")
	for name, f := range masterFiles(t, filepath.Dir(staging)) {
		want := [3]int{alice.UID, alice.GID, 0o700}
		if strings.HasPrefix(filepath.Base(name), "job.") {
			want[2] = 0o600
		}
		require.Equal(t, want, f, name)
	}
	require.NoError(t, os.WriteFile(gate, nil, 0o644))
	require.NoError(t, <-done, "%s", log)
	files := masterFiles(t, out)
	require.Equal(t, map[string][3]int{".": {alice.UID, alice.GID, 0o755}, "_SUCCESS": {alice.UID, alice.GID, 0o644},
		"part-00000": {alice.UID, alice.GID, 0o644}}, files)
	masterEventually(t, "the staged files to be removed", func() bool {
		jobs, _ := filepath.Glob(filepath.Join(staging, "job_*"))
		return len(jobs) == 0
	})
}

// Root may submit a job in the name of a user. The user owns the staged files, because the user
// could not read root's files. A submission in the name of a user without an account fails, and
// nothing runs as root for that user.
func TestMasterNamedUsers(t *testing.T) {
	c := newMasterCluster(t)
	alice := testuser.New(t, "hm-alice")
	c.startJobTracker(testuser.Root)
	c.startTaskTracker(alice)
	in := alice.File(t, filepath.Join(alice.Home, "in"), "a b a\n", 0o600)
	out := filepath.Join(alice.Home, "out")
	run := func(user string) (string, error) {
		cmd := c.command(testuser.Root, "streaming", "-input", in, "-output", out, "-mapper", "cat", "-numReduceTasks", "0")
		cmd.Env = append(cmd.Env, "HADOOP_USER_NAME="+user)
		text, err := cmd.CombinedOutput()
		return string(text), err
	}
	text, err := run("hm-nobody-here")
	require.Error(t, err)
	require.Contains(t, text, "this machine has no account for the user")
	require.NoDirExists(t, out)
	text, err = run(alice.Name)
	require.NoError(t, err, text)
	for name, f := range masterFiles(t, out) {
		require.Equal(t, [2]int{alice.UID, alice.GID}, [2]int(f[:2]), name)
	}
}

// Row 2: a link replaces the output directory of root's job before the job ends. The JobTracker
// must not write through the link.
func TestMasterRefusesSwappedOutput(t *testing.T) {
	c := newMasterCluster(t)
	c.set = append(c.set, conf.Property{Name: "howdah.tasktracker.run-as", Value: "tracker"}) // root's job
	c.startJobTracker(testuser.Root)
	c.startTaskTracker(testuser.Root)
	in, out, gate, victim := c.dir+"/in", c.dir+"/out", c.dir+"/gate", c.dir+"/victim"
	require.NoError(t, os.WriteFile(in, []byte("a b\n"), 0o644))
	require.NoError(t, os.Mkdir(victim, 0o755))
	require.NoError(t, os.WriteFile(victim+"/precious", nil, 0o644))
	cmd, log := c.command(testuser.Root, gatedArgs(in, out, gate)...), &masterLog{}
	cmd.Stdout, cmd.Stderr = log, log
	require.NoError(t, cmd.Start())
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	masterEventually(t, "the reducer to run", func() bool {
		attempts, _ := filepath.Glob(out + "/_temporary/0/attempt_*_r_*/part-00000")
		return len(attempts) == 1
	})
	require.NoError(t, os.Rename(out+"/_temporary", victim+"/_temporary"))
	require.NoError(t, os.Remove(out))
	require.NoError(t, os.Symlink(victim, out))
	require.NoError(t, os.WriteFile(gate, nil, 0o644))
	var err error
	select {
	case err = <-done:
	case <-time.After(2 * time.Minute):
		t.Fatalf("the job does not end: %s", log)
	}
	require.FileExists(t, victim+"/precious")
	require.NoFileExists(t, victim+"/_SUCCESS")
	require.NoFileExists(t, victim+"/part-00000")
	require.Error(t, err, "%s", log)
	require.Contains(t, log.String(), "symbolic link")
}
