package mrtest

import (
	"bytes"
	"context"
	"io"
	"path"
	"sort"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
)

// Runner runs jobs in memory: a mapreduce.Runner, so that drivers of several jobs can be tested as well. It holds a job's
// whole data, sorts it the plain way and is meant for small input. A panic of user code is not caught: the test shows it.
type Runner struct {
	conf *conf.Config
	fs   memory
	out  bytes.Buffer
	jobs int32
}

var _ mapreduce.Runner = (*Runner)(nil)

// NewRunner makes a runner with no files and default settings.
func NewRunner() *Runner { return &Runner{conf: conf.New(), fs: newMemory()} }

// Conf gives the settings that jobs start from; a test may change them.
func (r *Runner) Conf() *conf.Config { return r.conf }

// FS gives the file system in memory.
func (r *Runner) FS() dfs.Resolver { return r.fs }

// Stdout is where a driver prints to; see Printed.
func (r *Runner) Stdout() io.Writer { return &r.out }

// Printed gives what drivers wrote to Stdout.
func (r *Runner) Printed() string { return r.out.String() }

// WriteFile makes a file, or replaces it.
func (r *Runner) WriteFile(name, text string) error {
	w, err := r.fs.fs.Create(context.Background(), path.Join("/", name), dfs.CreateOptions{Overwrite: true})
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, text); err != nil {
		w.Abort()
		return err
	}
	return w.Close()
}

// ReadFile gives a file's bytes as text.
func (r *Runner) ReadFile(name string) (string, error) {
	f, err := r.fs.fs.Open(context.Background(), path.Join("/", name))
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	return string(b), err
}

// Output gives the part files of an output directory, one after the other.
func (r *Runner) Output(dir string) (string, error) {
	dir = path.Join("/", dir)
	files, err := r.fs.fs.List(context.Background(), dir)
	if err != nil {
		return "", err
	}
	sort.Slice(files, func(i, j int) bool { return files[i].Path < files[j].Path })
	var all strings.Builder
	for _, f := range files {
		if strings.HasPrefix(f.Name(), "_") {
			continue
		}
		text, err := r.ReadFile(f.Path)
		if err != nil {
			return "", err
		}
		all.WriteString(text)
	}
	return all.String(), nil
}

// Run runs one job. Every split is one map; the output directory gets its part files and _SUCCESS.
func (r *Runner) Run(ctx context.Context, j *mapreduce.Job, c *conf.Config) (*mapreduce.Result, error) {
	j, err := j.Shaped(c)
	if err != nil {
		return nil, err
	}
	r.jobs++
	run := &run{job: j, ctx: ctx, id: job.ID{Cluster: "test", Seq: r.jobs}, counters: &job.Counters{}}
	run.env = mapreduce.Env{Conf: j.Configure(c), FS: r.fs}
	if err := run.all(); err != nil {
		return nil, err
	}
	return &mapreduce.Result{ID: run.id, State: job.Succeeded, Counters: run.counters}, nil
}
