package archive

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker/history"
)

func TestFewReadTheJournalAtOnce(t *testing.T) {
	a := New(t.TempDir(), slog.Default())
	for range maxStreams {
		a.streams <- struct{}{}
	}
	answer := httptest.NewRecorder()
	a.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/journal", nil))
	require.Equal(t, http.StatusServiceUnavailable, answer.Code)
}

// Split yields the jobs that end in a journal, each with the facts of its own file.
func TestSplit(t *testing.T) {
	first, second := lifeOf(7, 2), lifeOf(9, 3)
	var all []event.Event
	for i := range max(len(first), len(second)) { // both jobs run at the same time
		if i < len(first) {
			all = append(all, first[i])
		}
		if i < len(second) && second[i].Job != 0 {
			all = append(all, second[i])
		}
	}
	all = append(all, lifeOf(11, 1)[3:6]...) // does not end
	journal := history.AppendHeader(nil)
	for i := range all {
		var err error
		journal, err = history.AppendRecord(journal, &all[i])
		require.NoError(t, err)
	}
	split := func(b []byte) (got map[job.ID]int, err error) {
		got = map[job.ID]int{}
		err = Split(bytes.NewReader(b), func(id job.ID, facts []byte) error {
			return history.NewDecoder(bytes.NewReader(facts)).Each(func(e *event.Event) error {
				if require.Contains(t, []int32{0, id.Seq}, e.Job); e.Job == 0 {
					require.NotEqual(t, "idle", e.Name)
				}
				got[id]++
				return nil
			})
		})
		return got, err
	}
	got, err := split(journal)
	require.NoError(t, err)
	// A job's file lacks the idle TaskTracker.
	require.Equal(t, map[job.ID]int{{Cluster: "202611210753", Seq: 7}: len(first) - 1,
		{Cluster: "202611210753", Seq: 9}: len(second) - 1}, got)
	got, err = split(journal[:len(journal)-1])
	require.ErrorIs(t, err, history.ErrTorn)
	require.Len(t, got, 2)
}

func TestFoldersOfTheHistory(t *testing.T) {
	a := New(t.TempDir(), slog.Default())
	none, err := a.Newest(5)
	require.NoError(t, err)
	require.Empty(t, none)
	for _, seq := range []int32{1, 999, 1000, 12_345_678} {
		name := a.FactsFile(job.ID{Cluster: "202611210753", Seq: seq})
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, nil, 0o600))
		require.NoError(t, os.WriteFile(name+partial, nil, 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(a.dir, "note.txt"), nil, 0o600))
	folders, err := a.folders([]int32{2, 5500})
	require.NoError(t, err)
	require.Equal(t, []int32{0, 1, 5, 12_345}, folders)
	first, err := a.complete(0)
	require.NoError(t, err)
	require.Equal(t, []int32{1, 999}, first)
	last, err := a.Newest(3)
	require.NoError(t, err)
	require.Equal(t, []int32{999, 1000, 12_345_678}, last)
}
