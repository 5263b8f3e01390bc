package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/factlog"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker/history"
)

func facts(t *testing.T, numbers ...int64) []byte {
	var b []byte
	for _, n := range numbers {
		var err error
		b, err = history.AppendRecord(b, &event.Event{Type: event.Started, N: n, Name: "cluster"})
		require.NoError(t, err)
	}
	return b
}

// open returns the journal and the numbers of its facts.
func open(t *testing.T, dir string) (*Journal, []int64, Torn) {
	t.Helper()
	var got []int64
	j, torn, err := Open(dir, nil, func(e *event.Event) error {
		got = append(got, e.N)
		return nil
	})
	require.NoError(t, err)
	t.Cleanup(func() { j.Close() })
	return j, got, torn
}

func TestFactsComeBackInOrder(t *testing.T) {
	dir := t.TempDir()
	j, got, _ := open(t, dir)
	require.Empty(t, got)
	require.NoError(t, j.Append(facts(t, 1, 2)))
	require.NoError(t, j.Append(facts(t, 3)))
	require.NoError(t, j.Close())
	j, got, torn := open(t, dir)
	require.Equal(t, []int64{1, 2, 3}, got)
	require.Zero(t, torn)
	require.NoError(t, j.Append(facts(t, 4)))
	require.NoError(t, j.Close())
	_, got, _ = open(t, dir)
	require.Equal(t, []int64{1, 2, 3, 4}, got)
}

// Wherever the last record is cut, Open keeps the earlier records and moves the rest to another
// file. The journal then continues.
// The journal does not keep the buffer for the facts of a large job.
func TestLargeFactsAreForgotten(t *testing.T) {
	j, _, _ := open(t, t.TempDir())
	require.NoError(t, j.Append(bytes.Repeat(facts(t, 1), maxBuf/10)))
	require.Nil(t, j.buf)
	require.NoError(t, j.Append(facts(t, 1)))
	require.NotNil(t, j.buf)
}

func TestTornTail(t *testing.T) {
	whole, last := facts(t, 1, 2), facts(t, 3)
	for cut := range last {
		dir := t.TempDir()
		j, _, _ := open(t, dir)
		require.NoError(t, j.Append(append(bytes.Clone(whole), last[:cut]...)))
		require.NoError(t, j.Close())

		j, got, torn := open(t, dir)
		require.Equal(t, []int64{1, 2}, got, "cut at %d", cut)
		require.EqualValues(t, cut, torn.Bytes)
		if cut > 0 {
			kept, err := os.ReadFile(torn.File)
			require.NoError(t, err)
			require.Equal(t, last[:cut], kept)
			rest, err := os.Stat(torn.Journal)
			require.NoError(t, err)
			require.Equal(t, rest.Size(), torn.At)
		}
		require.NoError(t, j.Append(facts(t, 4)))
		require.NoError(t, j.Close())
		_, got, torn = open(t, dir)
		require.Equal(t, []int64{1, 2, 4}, got)
		require.Zero(t, torn)
	}
}

// A crash can leave zeros at the start of the first write after a snapshot, but not in the snapshot.
func TestHolesAroundTheSnapshot(t *testing.T) {
	long := func(n int64) []byte {
		b, err := history.AppendRecord(nil, &event.Event{Type: event.Started, N: n, Name: strings.Repeat("x", 1500)})
		require.NoError(t, err)
		return b
	}
	for name, hole := range map[string]struct {
		from func(snapshot int) int
		good bool
	}{
		"first write": {func(snapshot int) int { return snapshot }, true},
		"snapshot":    {func(snapshot int) int { return snapshot - 1200 }, false},
	} {
		for _, appended := range []bool{true, false} {
			dir := t.TempDir()
			j, _, _ := open(t, dir)
			require.NoError(t, j.Rotate(long(1)))
			file, err := factlog.Newest(dir)
			require.NoError(t, err)
			info, err := os.Stat(file)
			require.NoError(t, err)
			if appended {
				require.NoError(t, j.Append(slices.Concat(long(2), long(3))))
			}
			require.NoError(t, j.Close())
			b, err := os.ReadFile(file)
			require.NoError(t, err)
			from := hole.from(int(info.Size()))
			clear(b[from:min(len(b), (from/512+2)*512)])
			require.NoError(t, os.WriteFile(file, b, 0o600))
			var got []int64
			j, _, err = Open(dir, nil, func(e *event.Event) error {
				got = append(got, e.N)
				return nil
			})
			if hole.good {
				require.NoError(t, err, name)
				require.Equal(t, []int64{1}, got, name)
				require.NoError(t, j.Close())
			} else {
				require.True(t, failure.Is(err, failure.Corrupt), "%s, appended %v: %v", name, appended, err)
			}
		}
	}
}

func TestRotate(t *testing.T) {
	dir := t.TempDir()
	j, _, _ := open(t, dir)
	require.NoError(t, j.Append(facts(t, 1, 2, 3)))
	require.NoError(t, j.Rotate(facts(t, 100)))
	require.NoError(t, j.Append(facts(t, 4)))
	require.NoError(t, j.Close())
	_, got, _ := open(t, dir)
	require.Equal(t, []int64{100, 4}, got)
	files, err := filepath.Glob(filepath.Join(dir, "journal*"))
	require.NoError(t, err)
	require.Len(t, files, 1, "the old file is gone")
}

func TestOneJobTrackerADirectory(t *testing.T) {
	dir := t.TempDir()
	j, _, _ := open(t, dir)
	var err error
	synctest.Test(t, func(*testing.T) { // fake clock for the lock's retries
		_, _, err = Open(dir, nil, nil)
	})
	require.True(t, failure.Is(err, failure.Exists), "%v", err)
	require.ErrorContains(t, err, fmt.Sprint(os.Getpid()))
	require.NoError(t, j.Close())
	open(t, dir)
}

func TestForeignFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "journal-00000001.facts")
	require.NoError(t, os.WriteFile(name, []byte("something else entirely"), 0o600))
	_, _, err := Open(dir, nil, nil)
	require.Error(t, err)
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, "something else entirely", string(b), "nothing of it is touched")
}

// If the machine rejects a fact, the start fails. Open does not cut anything off an intact journal.
func TestRefusedFact(t *testing.T) {
	dir := t.TempDir()
	j, _, _ := open(t, dir)
	require.NoError(t, j.Append(facts(t, 1, 2)))
	require.NoError(t, j.Close())
	_, _, err := Open(dir, nil, func(*event.Event) error { return errors.New("no") })
	require.ErrorContains(t, err, "no")
	_, got, _ := open(t, dir)
	require.Equal(t, []int64{1, 2}, got)
}

// A journal grows across restarts.
func TestGrown(t *testing.T) {
	dir := t.TempDir()
	j, _, _ := open(t, dir)
	million := bytes.Repeat(facts(t, 1), (1<<20)/len(facts(t, 1)))
	for range 4 {
		require.False(t, j.Grown())
		require.NoError(t, j.Append(million))
		require.NoError(t, j.Close())
		j, _, _ = open(t, dir)
	}
	require.NoError(t, j.Append(million))
	require.True(t, j.Grown())
	require.NoError(t, j.Rotate(bytes.Repeat(million, 3)))
	for range 6 {
		require.False(t, j.Grown())
		require.NoError(t, j.Append(million))
		require.NoError(t, j.Close())
		j, _, _ = open(t, dir)
	}
	require.NoError(t, j.Append(million))
	require.True(t, j.Grown())
}

// A journal of an earlier version, whose marks have no checksums, is read, continues, and is then
// replaced.
func TestOldJournal(t *testing.T) {
	dir := t.TempDir()
	old := slices.Concat([]byte(history.Magic), history.Mark, facts(t, 1), history.Mark, history.Mark, facts(t, 2))
	file := filepath.Join(dir, "journal-00000001.facts")
	require.NoError(t, os.WriteFile(file, old, 0o600))
	j, got, _ := open(t, dir)
	require.Equal(t, []int64{1, 2}, got)
	require.NoError(t, j.Append(facts(t, 3)))
	require.True(t, j.Grown())
	require.NoError(t, j.Close())
	j, got, _ = open(t, dir)
	require.Equal(t, []int64{1, 2, 3}, got)
	require.NoError(t, j.Rotate(facts(t, 4)))
	require.False(t, j.Grown())
	require.NoError(t, j.Append(facts(t, 5)))
	require.NoError(t, j.Close())
	file, err := factlog.Newest(dir)
	require.NoError(t, err)
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	require.True(t, bytes.HasPrefix(b, []byte(history.MagicSynced)))
	_, got, _ = open(t, dir)
	require.Equal(t, []int64{4, 5}, got)
}

func BenchmarkAppend(b *testing.B) {
	j, _, err := Open(b.TempDir(), nil, nil)
	require.NoError(b, err)
	defer j.Close()
	var batch []byte
	for range 10 {
		batch, _ = history.AppendRecord(batch, &event.Event{Type: event.AttemptStarted, Job: 1, Tracker: 1})
	}
	for b.Loop() {
		if err := j.Append(batch); err != nil {
			b.Fatal(err)
		}
	}
}
