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
	wire "github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/mapreduce"
)

// The JobTracker is killed at each stage, also with a torn record at the end of its journal: running attempts are adopted, what
// was finished is not run again, and the client does not notice.
func TestJobTrackerDiesAndAttemptsAreAdopted(t *testing.T) {
	bin := trouble(t)
	for name, x := range map[string]struct {
		set  []string
		when func(*troubled) bool
	}{
		"before the first map":       {[]string{"trouble.map=wait", "trouble.at=setup"}, nil},
		"in the map phase":           {[]string{"trouble.map=wait", "trouble.at=record"}, func(j *troubled) bool { return j.count("MAP", "SUCCEEDED") == 3 }},
		"while a reduce shuffles":    {[]string{"trouble.map=wait", "trouble.at=cleanup", "mapreduce.job.reduce.slowstart.completedmaps=0"}, func(j *troubled) bool { return j.count("REDUCE", "RUNNING") == 2 }},
		"in the reduce phase":        {[]string{"trouble.reduce=wait", "trouble.at=record"}, func(j *troubled) bool { return j.count("REDUCE", "SUCCEEDED") == 1 }},
		"before a reduce's last act": {[]string{"trouble.reduce=wait", "trouble.at=cleanup"}, func(j *troubled) bool { return j.count("REDUCE", "SUCCEEDED") == 1 }},
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

// states gives the state of each attempt.
func states(t testing.TB, x *client.Client) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, a := range attempts(t, x, "", "") {
		out[a.Id] = a.State
	}
	return out
}

// tear leaves half a record at the end of the journal, as a crash in the middle of a write does.
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

// manyFiles makes a job whose commit takes a while.
const manyFiles = "trouble.files=1000"

// published counts the additional files of the reduces.
func published(t testing.TB, out string) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(out, "more-*"))
	require.NoError(t, err)
	return len(files)
}

// commits waits until the job's commit is under way, and reports whether it still was when it looked last.
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

// The JobTracker dies in the middle of a job's commit: the next one goes on with it, and every file is there once.
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
	require.Positive(t, hit, "no commit was hit in its middle")
}

// A job that is killed while it commits is published as a whole or not at all.
func TestKillInCommit(t *testing.T) {
	bin := trouble(t)
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2})
	j := begin(t, c, bin, manyFiles)
	j.commits()
	id := jobs(t, j.x)[0].Id
	c.Howdah("job", "-kill", id)
	r := j.wait()
	state := jobs(t, j.x)[0].State
	if r.Code == 0 {
		require.Equal(t, "SUCCEEDED", state)
		require.Equal(t, j.want, counts(t, j.out))
		require.Equal(t, 2000, published(t, j.out))
	} else {
		require.Equal(t, 1, r.Code, r.Err)
		require.Equal(t, "KILLED", state)
		require.Zero(t, published(t, j.out))
		require.NoFileExists(t, filepath.Join(j.out, "_SUCCESS"))
	}
	nothingLeft(t, c, j.out)
}

// A JobTracker that was stopped for longer than TaskTrackers may be silent does not take them for lost when it goes on, also if
// it goes on a little before they do, as after the pause of a whole machine.
func TestFrozenJobTracker(t *testing.T) {
	bin := trouble(t)
	for name, others := range map[string][]string{"alone": nil, "with the TaskTrackers": {"tasktracker-1", "tasktracker-2"}} {
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

// However often and through whichever JobTracker a submission is repeated, one job comes of it.
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
		p, err := programOf(t)
		require.NoError(t, err)
		s, err := x.Submit(context.Background(), client.Job{Name: "wordcount", Conf: cfg, Program: p, Key: key, Splits: []mapreduce.Split{
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
		return list[0].State == "SUCCEEDED"
	})
	require.Equal(t, want, counts(t, out))
	_, err = submit("another key")
	require.ErrorContains(t, err, "exists", "another submission is another job")
	_, err = x.Jobs().Status(context.Background(), &wire.StatusRequest{Id: "job_1_1"})
	require.Error(t, err)
	nothingLeft(t, c, out)
}

func size(t testing.TB, name string) int64 {
	t.Helper()
	info, err := os.Stat(name)
	require.NoError(t, err)
	return info.Size()
}
