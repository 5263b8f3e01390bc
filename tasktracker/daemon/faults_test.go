package daemon

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/internal/program"
	"github.com/howdah/howdah/internal/staging"
	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// TestNothingSurvivesKillOfTheTracker checks that no process survives a killed TaskTracker if the
// kernel has namespaces. Without namespaces, it checks only the TaskTracker's children.
func TestNothingSurvivesKillOfTheTracker(t *testing.T) {
	c := &cluster{jt: newFakeJobTracker(), dir: t.TempDir()}
	c.serve(t)
	defer func() { c.stopRPC(); <-c.rpcDone }()
	c.addJob(t, 1, "stubborn:orphan", nil)
	a := mapAttempt(1, 0, 0)
	c.jt.want([]*wire.Attempt{a}, 1)

	exe, err := os.Executable()
	require.NoError(t, err)
	mark := "HOWDAH_TEST_ALL=" + c.dir // other runs of this test have their own
	tracker := exec.Command(exe)
	tracker.Env = append(os.Environ(), "TRACKER_HELPER=daemon", "TRACKER_DIR="+c.dir, "TRACKER_JT="+c.addr.addr,
		mark)
	require.NoError(t, tracker.Start())
	c.jt.await(t, "start", func() bool { r := c.jt.last[attemptName(a)]; return r != nil && r.Status == "stubborn" })
	require.Eventually(t, func() bool { return marked(t, mark) == 4 }, patience, 5*time.Millisecond,
		"tracker, warm child, child and its descendant")
	require.NoError(t, tracker.Process.Kill())
	_ = tracker.Wait()
	require.Eventually(t, func() bool { return marked(t, mark) == 0 }, patience, 5*time.Millisecond)
}

func TestResultsWaitForTheJobTracker(t *testing.T) {
	t.Parallel()
	c := startCluster(t, nil)
	file := filepath.Join(c.dir, "go")
	c.addJob(t, 1, "wait:"+file, nil)
	a := mapAttempt(1, 0, 0)
	c.jt.want([]*wire.Attempt{a}, 1)
	c.jt.await(t, "start", func() bool { return c.jt.state(a) == job.AttemptRunning })
	c.stopRPC()
	<-c.rpcDone
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	require.Eventually(t, func() bool {
		s, ok := c.d.Status()
		return ok && len(s.Attempts) == 1 && s.Attempts[0].State == job.AttemptSucceeded
	}, patience, 5*time.Millisecond)
	c.jt.mu.Lock()
	c.jt.desired.Epoch++ // the JobTracker restarted
	before := len(c.jt.reports)
	c.jt.mu.Unlock()
	c.serve(t)
	c.jt.await(t, "the result", func() bool { return c.jt.state(a) == job.AttemptSucceeded })
	c.jt.await(t, "a full report", func() bool {
		return slices.ContainsFunc(c.jt.reports[before:],
			func(r *wire.Report) bool { return r.Full && r.Addr == c.d.Addr() })
	})
}

// TestLocalizationIsTriedAgain checks that after a failure the next attempt localizes the job
// again, and that no files remain from the failure.
func TestLocalizationIsTriedAgain(t *testing.T) {
	c := startCluster(t, nil)
	c.addJob(t, 1, "ok", nil)
	xml := filepath.Join(c.dir, "staging", "1", "job.xml")
	require.NoError(t, os.Rename(xml, xml+".away"))
	first, second := mapAttempt(1, 0, 0), mapAttempt(1, 0, 1)
	c.jt.want([]*wire.Attempt{first}, 1)
	c.jt.await(t, "failure", func() bool { return c.jt.state(first) == job.AttemptFailed })
	require.Equal(t, uint32(failure.NotFound), c.report(first).Kind)
	left, _ := filepath.Glob(filepath.Join(c.dir, "local?", trackerDir, "*", jobCache, "*"))
	require.Empty(t, left)
	require.NoError(t, os.Rename(xml+".away", xml))
	c.jt.want([]*wire.Attempt{second}, 1)
	c.jt.await(t, "success", func() bool { return c.jt.state(second) == job.AttemptSucceeded })
	c.jt.want(nil)
	require.Eventually(t, func() bool {
		left, _ := filepath.Glob(filepath.Join(c.dir, "local?", trackerDir, "*", jobCache, "*"))
		return len(left) == 0
	}, patience, time.Millisecond)
}

func TestFullDisk(t *testing.T) {
	c := startCluster(t, func(cfg *Config) { cfg.MinSpaceStart = 1 << 60 })
	c.addJob(t, 1, "ok", nil)
	c.jt.await(t, "ill health", func() bool { return strings.Contains(c.jt.unhealthy, "minspacestart") })
	a := mapAttempt(1, 0, 0)
	c.jt.want([]*wire.Attempt{a}, 1)
	c.jt.await(t, "failure", func() bool { return c.jt.state(a) == job.AttemptFailed })
	require.Equal(t, uint32(failure.DiskFull), c.report(a).Kind)
}

func TestTroubleWithDisksIsLookedInto(t *testing.T) {
	c := startCluster(t, func(cfg *Config) { cfg.DiskCheck = time.Hour; cfg.LocalDirs = cfg.LocalDirs[:1] })
	c.addJob(t, 1, "diskfull:"+filepath.Join(c.dir, "local1"), nil)
	c.jt.want([]*wire.Attempt{mapAttempt(1, 0, 0)}, 1)
	c.jt.await(t, "ill health", func() bool { return strings.Contains(c.jt.unhealthy, "no local directory can be used") })
}

func TestAttemptsAreGivenUpForSpace(t *testing.T) {
	c := startCluster(t, func(cfg *Config) { cfg.MinSpaceKill, cfg.DiskCheck = 1<<60, 100*time.Millisecond })
	c.addJob(t, 1, "wait:/nonexistent", nil)
	a := mapAttempt(1, 0, 0)
	c.jt.want([]*wire.Attempt{a}, 1)
	c.jt.await(t, "the end", func() bool { return c.jt.state(a) == job.AttemptKilled })
	require.Contains(t, c.report(a).Text, "minspacekill")
}

func TestBrokenDirectoryIsLeftOut(t *testing.T) {
	c := startCluster(t, func(cfg *Config) {
		require.NoError(t, os.WriteFile(cfg.LocalDirs[0], []byte("not a directory"), 0o644))
	})
	c.addJob(t, 1, "ok", nil)
	a := mapAttempt(1, 0, 0)
	c.jt.want([]*wire.Attempt{a}, 1)
	c.jt.await(t, "success", func() bool { return c.jt.state(a) == job.AttemptSucceeded })
}

// shipped stages a program that differs from the TaskTracker's program: a script that runs the
// test's child.
func shipped(t *testing.T, c *cluster, j *wire.JobInfo) {
	exe, err := os.Executable()
	require.NoError(t, err)
	script := filepath.Join(c.dir, "program")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\nexec "+exe+"\n"), 0o644))
	p, err := program.Of(script)
	require.NoError(t, err)
	j.Program, j.ProgramPath = p.ID, script
}

func TestShippedProgram(t *testing.T) {
	c := startCluster(t, nil)
	for seq := int32(1); seq <= 2; seq++ {
		c.addJob(t, seq, "ok", func(j *wire.JobInfo) {
			shipped(t, c, j)
			if seq == 2 {
				j.ProgramPath = "/nonexistent" // the TaskTracker does not fetch the program again
			}
		})
		a := mapAttempt(seq, 0, 0)
		c.jt.want([]*wire.Attempt{a}, seq)
		c.jt.await(t, "success", func() bool { return c.jt.state(a) == job.AttemptSucceeded })
	}
	kept, _ := filepath.Glob(filepath.Join(c.dir, "local?", trackerDir, distCache, "me", "*"))
	require.Len(t, kept, 1)
	info, err := os.Stat(kept[0])
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
}

func TestBadPrograms(t *testing.T) {
	c := startCluster(t, nil)
	c.addJob(t, 1, "ok", func(j *wire.JobInfo) { shipped(t, c, j); j.Program = "sha256:" + fmt.Sprintf("%064d", 0) })
	c.addJob(t, 2, "ok", func(j *wire.JobInfo) { j.Program = "go:another" })
	changed, missing := mapAttempt(1, 0, 0), mapAttempt(2, 0, 0)
	c.jt.want([]*wire.Attempt{changed, missing}, 1, 2)
	c.jt.await(t, "failure", func() bool { return c.jt.state(changed) == job.AttemptFailed })
	c.jt.await(t, "refusal", func() bool { return c.jt.state(missing) == job.AttemptKilled })
	c.jt.mu.Lock()
	defer c.jt.mu.Unlock()
	require.Equal(t, uint32(failure.Corrupt), c.jt.last[attemptName(changed)].Kind)
	require.Contains(t, c.jt.refused[0].Text, "same version")
	kept, _ := filepath.Glob(filepath.Join(c.dir, "local?", trackerDir, distCache, "*"))
	require.Empty(t, kept)
}

// TestDamagedProgram checks that a job never runs a damaged program. The TaskTracker fetches it again, or
// the job fails with the names of the file and of the source.
func TestDamagedProgram(t *testing.T) {
	c := startCluster(t, nil)
	damages := []struct {
		name string
		do   func(b []byte) []byte
	}{
		{"intact", func(b []byte) []byte { return b }},
		{"flip", func(b []byte) []byte { b[len(b)-2] ^= 1; return b }},
		{"cut", func(b []byte) []byte { return b[:len(b)-3] }},
		{"doubled", func(b []byte) []byte { return append(b, b...) }},
		{"emptied", func([]byte) []byte { return nil }},
		{"without source", func([]byte) []byte { return nil }},
	}
	for i, damage := range damages {
		seq := int32(i + 1)
		c.addJob(t, seq, "ok", func(j *wire.JobInfo) {
			shipped(t, c, j)
			// A program with a build ID near its start.
			text, err := os.ReadFile(j.ProgramPath)
			require.NoError(t, err)
			text = append(text, "# \xff Go build ID: \"same\"\n \xff\n# the end"...)
			require.NoError(t, os.WriteFile(j.ProgramPath, text, 0o644))
			if j.Program = "go:same"; damage.name == "without source" {
				j.ProgramPath = "/nonexistent"
			}
		})
		kept, _ := filepath.Glob(filepath.Join(c.dir, "local?", trackerDir, distCache, "me", "*"))
		for _, file := range kept {
			b, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(file, damage.do(b), 0o700))
		}
		a := mapAttempt(seq, 0, 0)
		c.jt.want([]*wire.Attempt{a}, seq)
		c.jt.await(t, "the end", func() bool { return c.jt.state(a).Terminal() })
		kept, _ = filepath.Glob(filepath.Join(c.dir, "local?", trackerDir, distCache, "me", "*"))
		if damage.name == "without source" {
			require.Equal(t, job.AttemptFailed, c.jt.state(a))
			require.Contains(t, c.report(a).Text, "/nonexistent")
			require.Contains(t, c.report(a).Text, filepath.Join(distCache, "me"))
			require.Empty(t, kept)
			break
		}
		require.Equal(t, job.AttemptSucceeded, c.jt.state(a), damage.name)
		require.Len(t, kept, 1, damage.name)
		require.NoError(t, checkProgram(&disk.Checker{}, kept[0]), damage.name)
	}
}

// TestBadProgramTouchesNoOther checks that a program with a wrong digest is never visible to other
// jobs.
func TestBadProgramTouchesNoOther(t *testing.T) {
	c := startCluster(t, nil)
	c.addJob(t, 1, "ok", func(j *wire.JobInfo) { shipped(t, c, j); j.Program = "sha256:of another" })
	content := disk.NewSummer()
	_, _ = content.Write([]byte("another job's"))
	var others []string
	for _, dir := range c.d.dirs.all {
		other := programFile(dir, "me", "sha256:of another", content.Sum())
		require.NoError(t, os.Mkdir(filepath.Dir(other), 0o700))
		require.NoError(t, os.WriteFile(other, []byte("another job's"), 0o755))
		others = append(others, other)
	}
	a := mapAttempt(1, 0, 0)
	c.jt.want([]*wire.Attempt{a}, 1)
	c.jt.await(t, "failure", func() bool { return c.jt.state(a) == job.AttemptFailed })
	for _, other := range others {
		b, err := os.ReadFile(other)
		require.NoError(t, err)
		require.Equal(t, "another job's", string(b))
	}
}

// TestProgramWithAnothersIdentity checks that a user's script that contains the build ID of another
// user's program does not replace that program.
func TestProgramWithAnothersIdentity(t *testing.T) {
	c := startCluster(t, nil)
	exe, err := os.Executable()
	require.NoError(t, err)
	run := func(seq int32, user, command string) *wire.Attempt {
		c.addJob(t, seq, "ok", func(j *wire.JobInfo) {
			script := filepath.Join(c.dir, user)
			text := "#!/bin/sh\n" + command + "\n# \xff Go build ID: \"same\"\n \xff"
			require.NoError(t, os.WriteFile(script, []byte(text), 0o644))
			p, err := program.Of(script)
			require.NoError(t, err)
			require.Equal(t, "go:same", p.ID)
			j.User, j.Program, j.ProgramPath = user, p.ID, script
		})
		a := mapAttempt(seq, 0, 0)
		c.jt.want([]*wire.Attempt{a}, seq)
		c.jt.await(t, "end", func() bool { return c.jt.state(a).Terminal() })
		return a
	}
	mallory, alice := run(1, "mallory", "exit 9"), run(2, "alice", "exec "+exe)
	require.Contains(t, c.report(mallory).Text, "nonzero status of 9")
	require.Equal(t, job.AttemptSucceeded, c.jt.state(alice), "%s", c.report(alice).Text)
}

// TestDamagedShippedProgram checks that a shipped program does not run if only its identity is intact.
func TestDamagedShippedProgram(t *testing.T) {
	c := startCluster(t, nil)
	text := "#!/bin/sh\nexit 9\n# \xff Go build ID: \"same\"\n \xff"
	file := filepath.Join(c.dir, "program")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	digest, err := staging.Digest(file)
	require.NoError(t, err)
	shipped := filepath.Join(c.dir, staging.ProgramDir, digest, "program")
	require.NoError(t, os.MkdirAll(filepath.Dir(shipped), 0o755))
	run := func(seq int32, text string) string {
		require.NoError(t, os.WriteFile(shipped, []byte(text), 0o644))
		c.addJob(t, seq, "ok", func(j *wire.JobInfo) { j.Program, j.ProgramPath = "go:same", shipped })
		a := mapAttempt(seq, 0, 0)
		c.jt.want([]*wire.Attempt{a}, seq)
		c.jt.await(t, "failure", func() bool { return c.jt.state(a) == job.AttemptFailed })
		return c.report(a).Text
	}
	report := run(1, strings.Replace(text, "9", "8", 1))
	require.Contains(t, report, "its content has changed")
	require.Contains(t, report, "remove "+filepath.Dir(shipped))
	require.Contains(t, run(2, text), "nonzero status of 9")
}

func TestProgramThatDoesNotStart(t *testing.T) {
	c := startCluster(t, nil)
	c.addJob(t, 1, "ok", func(j *wire.JobInfo) {
		file := filepath.Join(c.dir, "data")
		require.NoError(t, os.WriteFile(file, []byte("this is no program"), 0o644))
		p, err := program.Of(file)
		require.NoError(t, err)
		j.Program, j.ProgramPath = p.ID, file
	})
	a := mapAttempt(1, 0, 0)
	c.jt.want([]*wire.Attempt{a}, 1)
	c.jt.await(t, "failure", func() bool { return c.jt.state(a) == job.AttemptFailed })
	require.Contains(t, c.report(a).Text, "exec format error")
}

// TestProgramIsReplaced checks that new children run the TaskTracker's own program even after
// another file has replaced it on disk.
func TestProgramIsReplaced(t *testing.T) {
	c := &cluster{jt: newFakeJobTracker(), dir: t.TempDir()}
	c.serve(t)
	defer func() { c.stopRPC(); <-c.rpcDone }()
	exe, err := os.Executable()
	require.NoError(t, err)
	b, err := os.ReadFile(exe)
	require.NoError(t, err)
	program := filepath.Join(c.dir, "tracker")
	require.NoError(t, os.WriteFile(program, b, 0o755))
	tracker := exec.Command(program)
	tracker.Env = append(os.Environ(), "TRACKER_HELPER=daemon", "TRACKER_DIR="+c.dir, "TRACKER_JT="+c.addr.addr)
	require.NoError(t, tracker.Start())
	defer func() { _ = tracker.Process.Kill(); _ = tracker.Wait() }()
	c.jt.await(t, "registration", func() bool { return c.jt.registered == 1 })

	if ownImage == "" {
		t.Skip("this system cannot execute a file that has lost its name")
	}
	require.NoError(t, os.Remove(program))
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\nexit 9\n"), 0o755))
	c.addJob(t, 1, "ok", nil)
	var run []*wire.Attempt
	for i := range int32(4) { // more than there are warm children
		run = append(run, mapAttempt(1, i, 0))
	}
	c.jt.want(run, 1)
	c.jt.await(t, "success", func() bool { return c.jt.state(run[3]) == job.AttemptSucceeded })
}

func TestBadUser(t *testing.T) {
	c := startCluster(t, nil)
	c.addJob(t, 1, "ok", func(j *wire.JobInfo) { j.User = "../../etc" })
	a := mapAttempt(1, 0, 0)
	c.jt.want([]*wire.Attempt{a}, 1)
	c.jt.await(t, "failure", func() bool { return c.jt.state(a) == job.AttemptFailed })
	require.Equal(t, uint32(failure.Usage), c.report(a).Kind)
}

func TestWarmChildrenAreStartedAhead(t *testing.T) {
	c := startCluster(t, func(cfg *Config) { cfg.Warm = 2 })
	count := func() (n int) {
		s, _ := c.d.Status()
		for _, pid := range s.PIDs {
			if pid != 0 {
				n++
			}
		}
		return n
	}
	require.Eventually(t, func() bool { return count() == 2 }, patience, 5*time.Millisecond)
}
