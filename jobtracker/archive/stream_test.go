package archive

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
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
