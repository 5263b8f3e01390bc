// Package dfstest is the conformance suite for implementations of dfs.FileSystem. It tests the
// behavior that all of them share. Start with Run.
package dfstest

import (
	"context"
	"io"
	"path"
	"strings"
	"testing"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
	"github.com/stretchr/testify/require"
)

// Run runs the suite. It calls open once for each part of the suite. open must return a file system
// and the path of an empty directory on it. The part may create files in the directory.
func Run(t *testing.T, open func(t *testing.T) (fs dfs.FileSystem, dir string)) {
	parts := []struct {
		name string
		run  func(s *suite)
	}{
		{"Identity", (*suite).identity},
		{"CreateAndRead", (*suite).createAndRead},
		{"CreateIsExclusive", (*suite).createIsExclusive},
		{"OverwriteKeepsTheOldUntilClose", (*suite).overwrite},
		{"Append", (*suite).append},
		{"Abort", (*suite).abort},
		{"ReadAtAndSeek", (*suite).readAtAndSeek},
		{"BigFile", (*suite).bigFile},
		{"Stat", (*suite).stat},
		{"ListIsSorted", (*suite).list},
		{"Mkdir", (*suite).mkdir},
		{"Rename", (*suite).rename},
		{"RenameNeverReplaces", (*suite).renameNeverReplaces},
		{"RenameOnce", (*suite).renameOnce},
		{"Delete", (*suite).delete},
		{"OddNames", (*suite).oddNames},
		{"BadNames", (*suite).badNames},
		{"SetMeta", (*suite).setMeta},
		{"Locations", (*suite).locations},
		{"Cancel", (*suite).cancel},
		{"CreateRace", (*suite).createRace},
		{"RenameRace", (*suite).renameRace},
		{"ConcurrentUse", (*suite).concurrentUse},
		{"Glob", (*suite).glob},
	}
	for _, p := range parts {
		t.Run(p.name, func(t *testing.T) {
			fs, dir := open(t)
			p.run(&suite{t, t.Context(), fs, dir})
		})
	}
}

type suite struct {
	t   *testing.T
	ctx context.Context
	fs  dfs.FileSystem
	dir string
}

func (s *suite) path(name string) string { return path.Join(s.dir, name) }

func (s *suite) ok(err error) {
	s.t.Helper()
	require.NoError(s.t, err)
}

func (s *suite) kind(want failure.Kind, err error) {
	s.t.Helper()
	require.Error(s.t, err)
	require.Equal(s.t, want.String(), failure.KindOf(err).String(), "%v", err)
	var f *failure.Error
	require.ErrorAs(s.t, err, &f, "errors are *failure.Error")
}

func (s *suite) create(name string, o dfs.CreateOptions) dfs.Writer {
	s.t.Helper()
	w, err := s.fs.Create(s.ctx, s.path(name), o)
	s.ok(err)
	return w
}

func (s *suite) write(name, content string) {
	s.t.Helper()
	w := s.create(name, dfs.CreateOptions{})
	_, err := io.WriteString(w, content)
	s.ok(err)
	s.ok(w.Close())
}

func (s *suite) read(name string) string {
	s.t.Helper()
	f, err := s.fs.Open(s.ctx, s.path(name))
	s.ok(err)
	b, err := io.ReadAll(f)
	s.ok(err)
	s.ok(f.Close())
	return string(b)
}

func (s *suite) exists(name string) bool {
	s.t.Helper()
	there, err := dfs.Exists(s.ctx, s.fs, s.path(name))
	s.ok(err)
	return there
}

// names returns the paths of a directory's entries. name, which is the directory's path, and the
// results are relative to the suite's directory.
func (s *suite) names(name string) []string {
	s.t.Helper()
	l, err := s.fs.List(s.ctx, s.path(name))
	s.ok(err)
	out := []string{}
	for _, i := range l {
		out = append(out, strings.TrimPrefix(i.Path, s.dir+"/"))
	}
	return out
}
