package daemon

import (
	"bytes"
	"context"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/disk/disktest"
	"github.com/howdah/howdah/internal/factlog"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/jobtracker/daemon/journal"
	"github.com/howdah/howdah/jobtracker/history"
)

// manyStates runs 50 jobs and stops the JobTracker while they are in all states. It returns the
// directories of the outputs whose success a client has seen, with their files.
func manyStates(t *testing.T, c *cluster) map[string][]string {
	c.start()
	f := newFakeTracker(t, c, "t1")
	f.run()
	x := c.client()
	done := map[string][]string{}
	submit := func(name string, reduces int) job.ID {
		s, err := x.Submit(c.ctx(), c.job(name, 1+len(name)%3, reduces))
		require.NoError(t, err)
		return s.ID
	}
	for i := range 20 {
		name := "done" + itoa(i)
		r, err := x.Wait(c.ctx(), submit(name, i%3), nil)
		require.NoError(t, err)
		require.Equal(t, job.Succeeded, r.State)
		done[c.out(name)] = names(t, c.out(name))
	}
	for i := range 5 {
		f.hold("m")
		id := submit("killed"+itoa(i), 1)
		require.NoError(t, x.Kill(c.ctx(), id, ""))
		_, _ = x.Wait(c.ctx(), id, nil)
		f.release("m")
	}
	f.hold("r") // these wait for their reduces
	for i := range 10 {
		submit("reducing"+itoa(i), 1+i%2)
	}
	f.hold("m")
	for i := range 15 {
		submit("mapping"+itoa(i), 1)
	}
	require.NoError(t, c.stop())
	return done
}

var places = flag.Int("places", 100, "number of places at which TestRandomDamage damages a journal")

// The journal is damaged at 500 random places while it has jobs in all states. The JobTracker
// refuses it, or the end of the journal looks torn. After a repair, no output of a job whose
// success a client has seen has lost a file, and the JobTracker runs a new job under a new ID.
func TestRandomDamage(t *testing.T) {
	c := newCluster(t)
	c.conf.Set("mapred.jobtracker.completeuserjobs.maximum", "100", "test")
	done := manyStates(t, c)
	saved := t.TempDir()
	require.NoError(t, os.CopyFS(saved, os.DirFS(c.root)))
	dir := filepath.Join(c.root, "mapred/jobtracker")
	file, err := factlog.Newest(dir)
	require.NoError(t, err)
	whole, err := os.ReadFile(file)
	require.NoError(t, err)

	seed := disktest.Seed(t)
	refused := 0
	for i := range uint64(*places) {
		require.NoError(t, os.RemoveAll(c.root))
		require.NoError(t, os.CopyFS(c.root, os.DirFS(saved)))
		what, bad := disktest.Damage(rand.New(rand.NewPCG(seed, i)), whole)
		require.NoError(t, os.WriteFile(file, bad, 0o600))
		if err := c.tryStart(); err != nil {
			refused++
			require.True(t, failure.Is(err, failure.Corrupt), "%d: %s: %v", i, what, err)
			require.ErrorContains(t, err, file)
			if _, err := journal.Cut(dir); err != nil { // nothing before the damage is left
				require.NoError(t, os.Rename(file, file+".damaged"), "%d: %s", i, what)
			}
			require.NoError(t, c.tryStart(), "%d: %s", i, what)
		}
		c.settle()
		for out, want := range done {
			require.Equal(t, want, names(t, out), "%d: %s", i, what)
		}
		require.NoError(t, c.stop())
	}
	t.Logf("%d of %d refused", refused, *places)
	require.Greater(t, refused, *places/2)
}

// settle waits until no job's output is being published or cleaned up.
func (c *cluster) settle() {
	require.Eventually(c.t, func() bool {
		settled, err := look(context.Background(), c.owner, func(m *jobtracker.Machine) (bool, error) {
			for _, seq := range m.AllJobs() {
				if s := m.Job(seq).State; s == job.Committing || s == job.Aborting {
					return false, nil
				}
			}
			return true, nil
		})
		require.NoError(c.t, err)
		return settled
	}, time.Minute, time.Millisecond)
}

// Wherever the journal has lost its end, a job whose success a client has seen succeeds again, without its
// staged files, and keeps its output.
func TestLostEndOfAJob(t *testing.T) {
	c := newCluster(t)
	require.NoError(t, c.tryStart())
	newFakeTracker(t, c, "t1").run()
	told, err := c.client().Submit(c.ctx(), c.job("a", 2, 2))
	require.NoError(t, err)
	r, err := c.client().Wait(c.ctx(), told.ID, nil)
	require.NoError(t, err)
	require.Equal(t, job.Succeeded, r.State)
	require.NoError(t, c.stop())
	want := names(t, c.out("a"))
	saved := t.TempDir()
	require.NoError(t, os.CopyFS(saved, os.DirFS(c.root)))
	file, err := factlog.Newest(filepath.Join(c.root, "mapred/jobtracker"))
	require.NoError(t, err)
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	var ends []int64
	d := history.NewDecoder(bytes.NewReader(b))
	for running := false; ; {
		var e event.Event
		if err := d.Next(&e); err == io.EOF || e.Type == event.JobFinished {
			break
		}
		if running = running || e.Type == event.JobStarted; running {
			ends = append(ends, d.Offset())
		}
	}
	require.Greater(t, len(ends), 8)
	for _, end := range ends {
		require.NoError(t, os.RemoveAll(c.root))
		require.NoError(t, os.CopyFS(c.root, os.DirFS(saved)))
		require.NoError(t, os.Truncate(file, end))
		require.NoError(t, c.tryStart())
		stop := newFakeTracker(t, c, "t1").run()
		again, err := c.client().Wait(c.ctx(), told.ID, nil)
		require.NoError(t, err)
		require.Equal(t, job.Succeeded, again.State, "cut at %d of %d: %s", end, len(b), again.Diagnostics)
		require.Equal(t, want, names(t, c.out("a")), "cut at %d of %d", end, len(b))
		stop()
		require.NoError(t, c.stop())
	}
}

// What is damaged in the JobTracker's directory besides the journal is said, and the rest continues.
func TestDamagedFiles(t *testing.T) {
	c := newCluster(t)
	done := manyStates(t, c)
	require.NotEmpty(t, done)
	saved := t.TempDir()
	require.NoError(t, os.CopyFS(saved, os.DirFS(c.root)))
	dir := filepath.Join(c.root, "mapred/jobtracker")
	find := func(pattern string) string {
		list, err := filepath.Glob(filepath.Join(dir, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, list, pattern)
		return list[0]
	}
	damages := map[string]func(b []byte) []byte{
		"flip":     func(b []byte) []byte { b[len(b)/2] ^= 4; return b },
		"cut":      func(b []byte) []byte { return b[:len(b)/2] },
		"emptied":  func([]byte) []byte { return nil },
		"doubled":  func(b []byte) []byte { return append(b, b...) },
		"replaced": func([]byte) []byte { return []byte("another version 9\n") },
	}
	id := func(file string) job.ID {
		id, err := job.ParseID(strings.TrimSuffix(filepath.Base(file), ".facts"))
		require.NoError(t, err)
		return id
	}
	t.Run("no journal", func(t *testing.T) {
		require.NoError(t, os.Remove(find("journal-*.facts")))
		err := c.tryStart()
		require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
		require.ErrorContains(t, err, "but no journal")
	})
	for name, damage := range damages {
		restore := func(pattern string) string {
			require.NoError(t, os.RemoveAll(c.root))
			require.NoError(t, os.CopyFS(c.root, os.DirFS(saved)))
			file := find(pattern)
			b, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(file, damage(b), 0o600))
			return file
		}
		t.Run("journal "+name, func(t *testing.T) {
			file := restore("journal-*.facts")
			err := c.tryStart()
			if name == "cut" && err == nil {
				require.NoError(t, c.stop()) // nothing shows that more was there
				return
			}
			require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
			require.ErrorContains(t, err, file)
		})
		t.Run("counter "+name, func(t *testing.T) {
			file := restore("jobs/last")
			err := c.tryStart()
			require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
			require.ErrorContains(t, err, file)
		})
		t.Run("job "+name, func(t *testing.T) {
			file := restore("jobs/*.info")
			c.start()
			defer c.stop()
			seq, _ := infoNumber(filepath.Base(file))
			id := job.ID{Cluster: c.cluster, Seq: seq}
			newFakeTracker(t, c, "t2").run()
			require.Eventually(t, func() bool {
				j, err := c.Jobs().Status(c.ctx(), id, status.Query{})
				require.NoError(t, err)
				return j.State == job.Killed && strings.Contains(j.Diagnostics, file)
			}, time.Minute, time.Millisecond, "the job ends, and the file is named")
		})
		t.Run("history "+name, func(t *testing.T) {
			file := restore("history/000000/*.facts")
			_, err := c.archive.Load(id(file), c.policies.Present().Policy)
			require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
			require.ErrorContains(t, err, file)
			c.start()
			defer c.stop()
			list, err := c.Jobs().List(c.ctx(), status.Filter{All: true})
			require.NoError(t, err)
			require.Len(t, list, 50)
		})
		t.Run("peers "+name, func(t *testing.T) {
			peers := filepath.Join(dir, "peers")
			require.NoError(t, os.WriteFile(peers, damage([]byte("127.0.0.1:7946\n127.0.0.1:7947\n")), 0o600))
			c.start()
			require.NoError(t, c.stop())
		})
	}
}
