package streaming_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	dfslocal "github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce/local"
	"github.com/howdah/howdah/mapreduce/streaming"
)

// stream is a Streaming job that runs in this process, with its own files.
type stream struct {
	t   *testing.T
	dir string
	set map[string]string

	err      error
	counters *job.Counters
	parts    map[string]string // content of the output's part files, by name
}

func newStream(t *testing.T, input string) *stream {
	t.Helper()
	s := &stream{t: t, dir: t.TempDir(), set: map[string]string{}}
	s.file("in", input)
	s.set["hadoop.tmp.dir"] = filepath.Join(s.dir, "tmp")
	s.set["mapreduce.map.memory.mb"] = "160"
	s.set["mapreduce.reduce.memory.mb"] = "160"
	s.set["mapreduce.task.io.sort.mb"] = "10"
	return s
}

// file creates an input file for the job.
func (s *stream) file(name, text string) string {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	require.NoError(s.t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// with sets a configuration key.
func (s *stream) with(key, value string) *stream {
	s.set[key] = value
	return s
}

// run runs the job with the given options. It adds the input and the output, but an input in args
// replaces the default.
func (s *stream) run(args ...string) *stream {
	s.t.Helper()
	if !slices.Contains(args, "-input") {
		args = append([]string{"-input", filepath.Join(s.dir, "in")}, args...)
	}
	out := filepath.Join(s.dir, "out")
	require.NoError(s.t, os.RemoveAll(out))
	s.counters, s.parts, s.err = nil, map[string]string{}, nil
	o, err := streaming.Parse(append(args, "-output", out))
	require.NoError(s.t, err)
	c := conf.New()
	c.Set(conf.JobMaps.Name, "1", "test") // by default a single command reads the whole input
	for k, v := range s.set {
		c.Set(k, v, "test")
	}
	if s.err = o.Configure(c, new(bytes.Buffer)); s.err != nil {
		return s
	}
	fs, err := dfslocal.Resolver(c)
	require.NoError(s.t, err)
	res, err := local.Run(context.Background(), local.Options{FS: fs}, streaming.Job(), c)
	if s.err = err; err != nil {
		return s
	}
	s.counters = res.Counters
	names, err := filepath.Glob(out + "/part-*")
	require.NoError(s.t, err)
	for _, n := range names {
		b, err := os.ReadFile(n)
		require.NoError(s.t, err)
		s.parts[filepath.Base(n)] = string(b)
	}
	return s
}

// gives checks the job's output, which is the concatenation of all parts.
func (s *stream) gives(want string) *stream {
	s.t.Helper()
	require.NoError(s.t, s.err)
	var all strings.Builder
	for _, name := range slices.Sorted(keysOf(s.parts)) {
		all.WriteString(s.parts[name])
	}
	require.Equal(s.t, want, all.String())
	return s
}

func keysOf(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// fails checks that the job failed with an error that contains why.
func (s *stream) fails(why string) *stream {
	s.t.Helper()
	require.ErrorContains(s.t, s.err, why)
	require.NoDirExists(s.t, filepath.Join(s.dir, "out"), "nothing is half-published")
	return s
}

// counts checks the value of a counter of the job.
func (s *stream) counts(group, name string, want int64) *stream {
	s.t.Helper()
	n, ok := s.counters.Get(group, name)
	require.True(s.t, ok, "%s %s is there", group, name)
	require.Equal(s.t, want, n)
	return s
}
