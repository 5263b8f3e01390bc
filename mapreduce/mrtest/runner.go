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

// Runner is a mapreduce.Runner that runs jobs in memory. It can test drivers that run several jobs.
// It is for small input because it keeps all data of a job in memory. It does not recover panics in
// user code, so that the test shows them.
type Runner struct {
	conf *conf.Config
	fs   memory
	out  bytes.Buffer
	jobs int32
}

var _ mapreduce.Runner = (*Runner)(nil)

// NewRunner returns a Runner with default settings and no files.
func NewRunner() *Runner { return &Runner{conf: conf.New(), fs: newMemory()} }

// Conf returns the initial settings of all jobs, which a test can change.
func (r *Runner) Conf() *conf.Config { return r.conf }

// FS returns the in-memory file system.
func (r *Runner) FS() dfs.Resolver { return r.fs }

// Stdout returns the writer for the output of drivers; see Printed.
func (r *Runner) Stdout() io.Writer { return &r.out }

// Printed returns the text that drivers wrote to Stdout.
func (r *Runner) Printed() string { return r.out.String() }

// WriteFile creates or replaces a file.
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

// ReadFile returns a file's content as text.
func (r *Runner) ReadFile(name string) (string, error) {
	f, err := r.fs.fs.Open(context.Background(), path.Join("/", name))
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	return string(b), err
}

// Output returns the contents of the files in an output directory, concatenated in file name order.
// It omits files whose names start with _.
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

// Run runs a job with one map per split. It writes part files and _SUCCESS to the output directory.
// Unlike other Runners, it returns the error of the task that failed the job, without kind Failed, so
// that tests can check the task's error.
func (r *Runner) Run(ctx context.Context, j *mapreduce.Job, c *conf.Config) (*mapreduce.Result, error) {
	j, err := j.Shaped(c)
	if err != nil {
		return nil, err
	}
	r.jobs++
	run := &run{job: j, ctx: ctx, id: job.ID{Cluster: "test", Seq: r.jobs}, counters: &job.Counters{}}
	run.env = mapreduce.Env{Conf: j.Configure(c), FS: r.fs}
	splits, err := run.plan()
	if err != nil {
		return nil, err
	}
	res := &mapreduce.Result{ID: run.id, State: job.Succeeded, Counters: run.counters}
	if err := run.all(splits); err != nil {
		res.State, res.Diagnostics = job.Failed, err.Error()
		return res, err
	}
	return res, nil
}
