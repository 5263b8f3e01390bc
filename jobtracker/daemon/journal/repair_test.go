package journal

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/factlog"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker/history"
)

// written returns a directory with a journal of four writes, its file, and the offset of the third
// fact.
func written(t *testing.T) (dir, file string, third int) {
	b := history.AppendSyncedHeader(nil)
	for i, write := range [][]event.Event{
		{{Type: event.Started, Time: 1, Name: "2026"},
			{Type: event.JobSubmitted, Time: 2, Job: 1, Spec: &job.Spec{Name: "kept"}}},
		{{Type: event.JobStarted, Time: 3, Job: 1, Text: "the bit flips here"}},
		{{Type: event.JobFinished, Time: 4, Job: 1, JobState: job.Succeeded}},
		{{Type: event.JobSubmitted, Time: 5, Job: 3, Spec: &job.Spec{Name: "lost", OutputDir: "file:/out"}}},
	} {
		b = history.AppendMark(b, history.Sum(0, b))
		if i == 1 {
			third = len(b)
		}
		for j := range write {
			var err error
			b, err = history.AppendRecord(b, &write[j])
			require.NoError(t, err)
		}
	}
	dir = t.TempDir()
	file = filepath.Join(dir, "journal-00000001.facts")
	require.NoError(t, os.WriteFile(file, b, 0o600))
	return dir, file, third
}

func flip(t *testing.T, file string, at int) {
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	b[at] ^= 1
	require.NoError(t, os.WriteFile(file, b, 0o600))
}

// A JobTracker refuses to start with a damaged journal and leaves the file as it is. The error names
// the file, the offset, and the remedy.
func TestDamagedJournalIsRefused(t *testing.T) {
	dir, file, third := written(t)
	flip(t, file, third+20)
	before, err := os.ReadFile(file)
	require.NoError(t, err)
	_, _, err = Open(dir, nil, func(*event.Event) error { return nil })
	require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
	require.ErrorContains(t, err, file)
	require.ErrorContains(t, err, "at byte ")
	require.ErrorContains(t, err, "--repair")
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, before, after)
}

func TestExamine(t *testing.T) {
	dir, file, third := written(t)
	d, err := Examine(dir)
	require.NoError(t, err)
	require.Nil(t, d, "the journal is intact")
	flip(t, file, third+20)
	d, err = Examine(dir)
	require.NoError(t, err)
	require.ErrorContains(t, d.Reason, "its checksum is wrong, and a later write follows")
	require.EqualValues(t, third, d.Offset)
	require.Equal(t, 2, d.Facts)
	require.EqualValues(t, 2, d.Time)
	require.Equal(t, []factlog.Lost{
		{Name: "job_2026_0001", Facts: 1, Notes: []string{"ended as SUCCEEDED"}},
		{Name: "job_2026_0003", Facts: 1, Notes: []string{"submitted with the output directory file:/out"}},
	}, d.Lost)
	_, err = Examine(t.TempDir())
	require.True(t, failure.Is(err, failure.NotFound), "%v", err)

	flip(t, file, len(format.Header)+20)
	d, err = Examine(dir)
	require.NoError(t, err)
	require.Equal(t, []string{"submitted without an output directory", "ended as SUCCEEDED"}, d.Lost[0].Notes)
}

// Nothing says that a journal without an intact header is intact or can be cut.
func TestExamineDamagedHeader(t *testing.T) {
	for name, spoil := range map[string]func(file string){
		"cut":  func(file string) { require.NoError(t, os.Truncate(file, int64(len(history.MagicSynced)))) },
		"flip": func(file string) { flip(t, file, len(history.MagicSynced)+1) },
	} {
		dir, file, _ := written(t)
		spoil(file)
		_, err := Examine(dir)
		require.ErrorContains(t, err, "the header at byte 0 is damaged", name)
		_, cut := Cut(dir)
		require.Equal(t, err.Error(), cut.Error(), name)
	}
}

// Cut keeps the facts before the damage and moves the other bytes to a file. The number of the lost
// job stays in use.
func TestCut(t *testing.T) {
	dir, file, third := written(t)
	flip(t, file, third+20)
	original, err := os.ReadFile(file)
	require.NoError(t, err)
	d, err := Cut(dir)
	require.NoError(t, err)
	kept, err := os.ReadFile(d.Kept)
	require.NoError(t, err)
	require.Equal(t, original[third:], kept)
	left, err := os.ReadFile(file)
	require.NoError(t, err)
	require.True(t, bytes.HasPrefix(left, original[:third]))

	var facts []event.Event
	j, torn, err := Open(dir, nil, func(e *event.Event) error {
		facts = append(facts, *e)
		return nil
	})
	require.NoError(t, err)
	require.Zero(t, torn)
	require.Len(t, facts, 3)
	require.Equal(t, event.Event{Type: event.JobRetired, Time: 2, Job: 3, N: 3}, facts[2])

	_, err = Cut(dir)
	require.True(t, failure.Is(err, failure.Exists), "a JobTracker uses the journal: %v", err)
	require.NoError(t, j.Close())
	d, err = Cut(dir)
	require.NoError(t, err)
	require.Nil(t, d)
}

// If a whole write is missing, the cut keeps only what the marks before it prove. Jobs after the cut are
// lost, even if their facts were in front of the place where the write is missing.
func TestCutAtMissingWrite(t *testing.T) {
	dir := t.TempDir()
	j, _, _ := open(t, dir)
	write := func(e event.Event) int64 {
		b, err := history.AppendRecord(nil, &e)
		require.NoError(t, err)
		require.NoError(t, j.Append(b))
		info, err := os.Stat(filepath.Join(dir, "journal-00000001.facts"))
		require.NoError(t, err)
		return info.Size()
	}
	write(event.Event{Type: event.Started, Time: 1, Name: "2026"})
	kept := write(event.Event{Type: event.JobSubmitted, Time: 2, Job: 1, Spec: &job.Spec{Name: "kept"}})
	from := write(event.Event{Type: event.JobSubmitted, Time: 3, Job: 2, Spec: &job.Spec{Name: "lost"}})
	to := write(event.Event{Type: event.JobStarted, Time: 4, Job: 2})
	write(event.Event{Type: event.JobFinished, Time: 5, Job: 2, JobState: job.Succeeded})
	require.NoError(t, j.Close())
	file := filepath.Join(dir, "journal-00000001.facts")
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, slices.Delete(b, int(from), int(to)), 0o600))

	_, _, err = Open(dir, nil, func(*event.Event) error { return nil })
	require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
	require.ErrorContains(t, err, fmt.Sprintf("and byte %d, a record is missing", from))
	d, err := Cut(dir)
	require.NoError(t, err)
	require.Less(t, d.Offset, from)
	require.LessOrEqual(t, kept, d.Offset)
	require.Equal(t, []factlog.Lost{{Name: "job_2026_0002", Facts: 2,
		Notes: []string{"submitted without an output directory", "ended as SUCCEEDED"}}}, d.Lost)
	_, got, _ := open(t, dir)
	require.Equal(t, []int64{0, 0, 2}, got, "the number of the lost job is in use")
}

// A file of another kind is not a damaged journal, so Cut does not touch it.
func TestForeignFileIsNotCut(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "journal-00000001.facts")
	require.NoError(t, os.WriteFile(file, []byte("something else entirely"), 0o600))
	_, err := Cut(dir)
	require.Error(t, err)
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "something else entirely", string(b))
}
