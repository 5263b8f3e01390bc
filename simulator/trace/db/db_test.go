package db

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
)

func open(t *testing.T, path string) *DB {
	t.Helper()
	d, err := Open(t.Context(), path, true)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

func TestStoredTraceIsTheSame(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "a b?#%.db"))
	jobs := generate.Testbed(3)[:4]
	jobs[1].Maps[7].Hosts, jobs[1].Maps[7].Failed = []string{"a", "b"}, []int64{5, 6}
	jobs[2].Deadline, jobs[2].Skewed, jobs[2].State = 77, true, job.Failed
	jobs[3].Submit = 9000
	from := &trace.Trace{Jobs: jobs}
	nodes := []trace.Node{{Host: "a", Rack: "/r"}}
	now := time.UnixMilli(1700000000000)
	put, err := d.Put(t.Context(), Trace{Name: "x", Origin: "generated", Imported: now, Slots: [2]int32{4, 2},
		Nodes: nodes}, from.Source(), false)
	require.NoError(t, err)
	require.NoError(t, d.SetDamaged(t.Context(), put, 3))

	got, err := d.Find(t.Context(), "x")
	require.NoError(t, err)
	require.Equal(t, Trace{Name: "x", Origin: "generated", Imported: now, Slots: [2]int32{4, 2}, Nodes: nodes, Damaged: 3,
		Jobs: 4, Maps: 512 + 640 + 688 + 720, Reduces: 4 * 64, Last: 9000, id: put.id}, got)
	again, err := generate.Collect("", d.Jobs(t.Context(), got))
	require.NoError(t, err)
	require.Equal(t, jobs, again.Jobs)

	_, err = d.Put(t.Context(), Trace{Name: "x"}, from.Source(), false)
	require.Equal(t, failure.Exists, failure.KindOf(err))
	_, err = d.Put(t.Context(), Trace{Name: "x"}, (&trace.Trace{Jobs: jobs[:1]}).Source(), true)
	require.NoError(t, err)
	list, err := d.List(t.Context())
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, 1, list[0].Jobs)
	for table, want := range map[string]int{"jobs": 1, "tasks": 1, "profiles": 3} {
		n := 0
		require.NoError(t, d.sql.QueryRow("SELECT count(*) FROM "+table).Scan(&n))
		require.Equal(t, want, n, table)
	}
	_, err = d.Jobs(t.Context(), got).Next()
	require.Equal(t, failure.Stale, failure.KindOf(err))

	require.NoError(t, d.Delete(t.Context(), "x"))
	_, err = d.Find(t.Context(), "x")
	require.Equal(t, failure.NotFound, failure.KindOf(err))
}

// TestInterrupted checks that the database does not contain a trace whose Put was interrupted.
func TestInterrupted(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "db"))
	why := errors.New("why")
	ctx, cancel := context.WithCancelCause(t.Context())
	n := 0
	src := generate.Deadlines((&trace.Trace{Jobs: generate.Testbed(1)}).Source(), 1, 1, 1, func(*trace.Job) int64 {
		if n++; n == 5 {
			cancel(why)
		}
		return 0
	})
	_, err := d.Put(ctx, Trace{Name: "x"}, src, false)
	require.ErrorIs(t, err, why)
	list, err := d.List(t.Context())
	require.NoError(t, err)
	require.Empty(t, list)
}

func TestRuns(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "db"))
	r := &trace.Result{Model: "task", Scheduler: "fifo", Nodes: 3, Seed: 1<<64 - 1, Makespan: 500,
		Jobs: []trace.JobResult{{ID: "a", Finish: 10, Deadline: 5}, {ID: "b", Finish: 4, Deadline: 5}}}
	now := time.UnixMilli(1700000000000)
	require.NoError(t, d.AddRun(t.Context(), "x", now, time.Second, r))
	require.NoError(t, d.AddRun(t.Context(), "y", now, time.Second, r))
	list, err := d.Runs(t.Context(), "x")
	require.NoError(t, err)
	require.Equal(t, []Run{{ID: 1, Trace: "x", Started: now, Model: "task", Scheduler: "fifo", Nodes: 3,
		Seed: "18446744073709551615", Makespan: 500, Jobs: 2, Missed: 1}}, list)
	all, err := d.Runs(t.Context(), "")
	require.NoError(t, err)
	require.Len(t, all, 2)
}

// TestConcurrentProcesses checks that processes that simultaneously store traces in a new file wait
// for each other and that no trace is lost.
func TestConcurrentProcesses(t *testing.T) {
	if path := os.Getenv("TRACE_DB"); path != "" {
		d, err := Open(context.Background(), path, true)
		require.NoError(t, err)
		for i := range 5 {
			_, err := d.Put(context.Background(), Trace{Name: fmt.Sprint(os.Getenv("TRACE_NAME"), i)},
				(&trace.Trace{Jobs: generate.Testbed(1)[:1]}).Source(), false)
			require.NoError(t, err)
		}
		require.NoError(t, d.Close())
		return
	}
	path := filepath.Join(t.TempDir(), "db")
	var g errgroup.Group
	for i := range 3 {
		g.Go(func() error {
			c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=TestConcurrentProcesses")
			c.Env = append(os.Environ(), "TRACE_DB="+path, fmt.Sprintf("TRACE_NAME=%c", 'a'+i))
			out, err := c.CombinedOutput()
			if err != nil {
				return fmt.Errorf("%w: %s", err, out)
			}
			return nil
		})
	}
	require.NoError(t, g.Wait())
	list, err := open(t, path).List(t.Context())
	require.NoError(t, err)
	require.Len(t, list, 15)
}

func TestBadFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	_, err := Open(t.Context(), path, false)
	require.Equal(t, failure.NotFound, failure.KindOf(err))
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("not a database ", 1000)), 0o600))
	_, err = Open(t.Context(), path, true)
	require.Equal(t, failure.Corrupt, failure.KindOf(err), "%v", err)

	newer := filepath.Join(t.TempDir(), "newer")
	d := open(t, newer)
	_, err = d.sql.Exec("PRAGMA user_version = 99")
	require.NoError(t, err)
	_, err = Open(t.Context(), newer, true)
	require.Equal(t, failure.Config, failure.KindOf(err))
	_, err = Open(t.Context(), filepath.Join(t.TempDir(), "no", "such", "dir"), true)
	require.Error(t, err)
}
