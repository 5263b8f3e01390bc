package main

import (
	"io"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/dfstest"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

func newStore(t *testing.T) dfs.FileSystem {
	s := httptest.NewServer(newServer())
	t.Cleanup(s.Close)
	fs, err := open(nil, strings.TrimPrefix(s.URL, "http://"))
	require.NoError(t, err)
	return fs
}

// TestConformance runs the conformance suite of file systems.
func TestConformance(t *testing.T) {
	dfstest.Run(t, func(t *testing.T) (dfs.FileSystem, string) {
		fs := newStore(t)
		require.NoError(t, fs.Mkdir(t.Context(), "/test"))
		return fs, "/test"
	})
}

func TestUnreachable(t *testing.T) {
	_, err := open(nil, "")
	require.True(t, failure.Is(err, failure.Usage), "%v", err)
	fs, err := open(conf.New(), "127.0.0.1:1")
	require.NoError(t, err, "open does not connect")
	_, err = fs.Stat(t.Context(), "/")
	require.True(t, failure.Is(err, failure.Unreachable), "%v", err)
}

// TestJob runs a job whose input and output are in the store. docs/howto/file-system.md runs one on a
// cluster.
func TestJob(t *testing.T) {
	howdah.WithFileSystem(scheme, open)
	require.PanicsWithError(t, "add file system store: the program has already added this scheme",
		func() { howdah.WithFileSystem(scheme, open) })
	fs := newStore(t)
	w, err := fs.Create(t.Context(), "/in/text", dfs.CreateOptions{})
	require.NoError(t, err)
	_, err = io.WriteString(w, "b\na\n")
	require.NoError(t, err)
	require.NoError(t, w.Close())
	sorted := &mapreduce.Job{Name: "sorted", Input: mapreduce.KeyValueTextInput{}}
	err = howdah.Run(t.Context(), []string{"-D", "hadoop.tmp.dir=" + filepath.Join(t.TempDir(), "tmp"),
		fs.URI() + "/in", fs.URI() + "/out"}, io.Discard, io.Discard, sorted)
	require.NoError(t, err)
	f, err := fs.Open(t.Context(), "/out/part-r-00000")
	require.NoError(t, err)
	defer f.Close()
	text, err := io.ReadAll(f)
	require.NoError(t, err)
	require.Equal(t, "a\t\nb\t\n", string(text))
}
