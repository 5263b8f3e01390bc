//go:build integration

package integration

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/mapreduce"
)

// The test kills the JobTracker at each stage and leaves a torn record at the end of its journal. The
// new JobTracker adopts running attempts and does not repeat finished ones. The client's command
// succeeds.
func TestJobTrackerDiesAndAttemptsAreAdopted(t *testing.T) {
	bin := trouble(t)
	for name, x := range map[string]struct {
		set  []string
		when func(*troubled) bool
	}{
		"before the first map": {[]string{"trouble.map=wait", "trouble.at=setup"}, nil},
		"in the map phase": {[]string{"trouble.map=wait", "trouble.at=record"},
			func(j *troubled) bool { return j.count("MAP", "SUCCEEDED") == 3 }},
		"while a reduce shuffles": {[]string{"trouble.map=wait", "trouble.at=cleanup",
			"mapreduce.job.reduce.slowstart.completedmaps=0"},
			func(j *troubled) bool { return j.count("REDUCE", "RUNNING") == 2 }},
		"in the reduce phase": {[]string{"trouble.reduce=wait", "trouble.at=record"},
			func(j *troubled) bool { return j.count("REDUCE", "SUCCEEDED") == 1 }},
		"before a reduce's last act": {[]string{"trouble.reduce=wait", "trouble.at=cleanup"},
			func(j *troubled) bool { return j.count("REDUCE", "SUCCEEDED") == 1 }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2})
			if x.when == nil {
				c.Signal("tasktracker-1", syscall.SIGSTOP)
				c.Signal("tasktracker-2", syscall.SIGSTOP)
			}
			j := begin(t, c, bin, x.set...)
			j.until("the moment", func() bool {
				if x.when == nil {
					return len(jobs(t, j.x)) == 1
				}
				return x.when(j)
			})
			before := states(t, j.x)
			c.Kill("jobtracker")
			tear(t, c)
			if x.when == nil {
				c.Signal("tasktracker-1", syscall.SIGCONT)
				c.Signal("tasktracker-2", syscall.SIGCONT)
			}
			c.StartAgain("jobtracker")
			j.until("the JobTracker to know what it knew", func() bool {
				now := states(t, j.x)
				for id, state := range before {
					if now[id] != state && state == "SUCCEEDED" {
						return false
					}
				}
				return true
			})
			j.open()
			j.succeeds()
			require.Equal(t, 4, j.count("MAP", ""), "each map ran once")
			require.Equal(t, 2, j.count("REDUCE", ""), "each reduce ran once")
			nothingLeft(t, c, j.out)
		})
	}
}

// states returns the state of each attempt.
func states(t testing.TB, x *client.Client) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, a := range attempts(t, x, "", "") {
		out[a.ID.String()] = a.State.String()
	}
	return out
}

// tear leaves half a record at the end of the journal, like a crash during a write.
func tear(t testing.TB, c *minicluster.Cluster) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(c.Dir, "jobtracker", "*"))
	require.NoError(t, err)
	newest := ""
	for _, f := range files {
		if name := filepath.Base(f); strings.Contains(name, "journal") || strings.HasSuffix(name, ".log") {
			newest = f
		}
	}
	require.NotEmpty(t, newest, "%v", files)
	f, err := os.OpenFile(newest, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.Write([]byte{40, 0, 0, 0, 1, 2, 3})
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// manyFiles makes each reduce write 1,000 additional files, so that the commit takes some time.
const manyFiles = "trouble.files=1000"

// published returns the number of additional files that the reduces have published.
func published(t testing.TB, out string) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(out, "more-*"))
	require.NoError(t, err)
	return len(files)
}

// commits waits until the job's commit has started. It reports whether the commit was still running
// at that time.
func (j *troubled) commits() bool {
	j.t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if published(j.t, j.out) > 0 {
			_, err := os.Stat(filepath.Join(j.out, "_SUCCESS"))
			return err != nil
		}
	}
	j.t.Fatal("no commit begins")
	return false
}

// The JobTracker dies during a job's commit. The next JobTracker continues the commit, and every
// file exists exactly once.
func TestJobTrackerDiesInCommit(t *testing.T) {
	bin := trouble(t)
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2})
	hit := 0
	for i := range 3 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			j := begin(t, c, bin, manyFiles)
			amid := j.commits()
			c.Kill("jobtracker")
			if _, err := os.Stat(filepath.Join(j.out, "_SUCCESS")); amid && err != nil {
				hit++
			}
			c.StartAgain("jobtracker")
			j.succeeds()
			require.Equal(t, 2000, published(t, j.out))
			require.Equal(t, 6, j.count("", ""), "no task ran twice")
			nothingLeft(t, c, j.out)
		})
	}
	require.Positive(t, hit, "no kill hit the middle of a commit")
}

// If a job is killed during its commit, all or none of its output is published.
func TestKillInCommit(t *testing.T) {
	bin := trouble(t)
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2})
	j := begin(t, c, bin, manyFiles)
	j.commits()
	id := jobs(t, j.x)[0].ID.String()
	c.Howdah("job", "-kill", id)
	r := j.wait()
	state := jobs(t, j.x)[0].State
	if r.Code == 0 {
		require.Equal(t, job.Succeeded, state)
		require.Equal(t, j.want, counts(t, j.out))
		require.Equal(t, 2000, published(t, j.out))
	} else {
		require.Equal(t, 1, r.Code, r.Err)
		require.Equal(t, job.Killed, state)
		require.Zero(t, published(t, j.out))
		require.NoFileExists(t, filepath.Join(j.out, "_SUCCESS"))
	}
	nothingLeft(t, c, j.out)
}

// A JobTracker is suspended for longer than the TaskTrackers' expiry. When the JobTracker resumes,
// it does not expire the TaskTrackers. The same is true if it resumes slightly earlier than they
// do, as after a suspension of the whole machine.
func TestFrozenJobTracker(t *testing.T) {
	bin := trouble(t)
	for name, others := range map[string][]string{"alone": nil,
		"with the TaskTrackers": {"tasktracker-1", "tasktracker-2"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2, Set: hasty})
			j := begin(t, c, bin, "trouble.map=wait", "trouble.at=record")
			j.until("three maps to end", func() bool { return j.count("MAP", "SUCCEEDED") == 3 })
			for _, p := range append(others, "jobtracker") {
				c.Signal(p, syscall.SIGSTOP)
			}
			time.Sleep(3 * time.Second)
			c.Signal("jobtracker", syscall.SIGCONT)
			time.Sleep(300 * time.Millisecond)
			for _, p := range others {
				c.Signal(p, syscall.SIGCONT)
			}
			time.Sleep(500 * time.Millisecond)
			j.open()
			j.succeeds()
			require.Equal(t, 6, j.count("", ""), "nothing ran twice")
			require.NotContains(t, c.Log("jobtracker"), "lost")
		})
	}
}

// Submissions with the same key result in a single job, even if they are concurrent or follow a
// restart of the JobTracker.
func TestRepeatedSubmission(t *testing.T) {
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 1})
	in, want := text(t, 1, 10)
	out := filepath.Join(t.TempDir(), "out")
	submit := func(key string) (string, error) {
		x := dial(t, c)
		cfg := conf.New()
		require.NoError(t, cfg.LoadFile(filepath.Join(c.Conf, "mapred-site.xml")))
		mapreduce.AddInputPaths(cfg, in)
		mapreduce.SetOutputPath(cfg, out)
		s, err := x.Submit(context.Background(),
			client.Job{Name: "wordcount", Conf: cfg, Program: minicluster.Binary(t), Key: key, Splits: []mapreduce.Split{
				{Chunks: []mapreduce.Chunk{{Path: "file:" + in + "/f00", Length: size(t, in+"/f00")}}, Length: 1}}})
		if err != nil {
			return "", err
		}
		return s.ID.String(), nil
	}
	type answer struct {
		id  string
		err error
	}
	answers := make(chan answer, 8)
	for range cap(answers) {
		go func() {
			id, err := submit("a key")
			answers <- answer{id, err}
		}()
	}
	first := <-answers
	require.NoError(t, first.err)
	for range cap(answers) - 1 {
		require.Equal(t, first, <-answers)
	}
	c.Kill("jobtracker")
	c.StartAgain("jobtracker")
	minicluster.Eventually(t, time.Minute, "the JobTracker", func() bool { return c.Howdah("job", "-list").Code == 0 })
	id, err := submit("a key")
	require.NoError(t, err)
	require.Equal(t, first.id, id)
	x := dial(t, c)
	minicluster.Eventually(t, 60*time.Second, "the job to end", func() bool {
		list := jobs(t, x)
		require.Len(t, list, 1)
		return list[0].State == job.Succeeded
	})
	require.Equal(t, want, counts(t, out))
	_, err = submit("another key")
	require.ErrorContains(t, err, "exists", "another submission is another job")
	_, err = x.Status(context.Background(), job.ID{Cluster: "1", Seq: 1}, status.Query{})
	require.Error(t, err)
	nothingLeft(t, c, out)
}

func size(t testing.TB, name string) int64 {
	t.Helper()
	info, err := os.Stat(name)
	require.NoError(t, err)
	return info.Size()
}
