// Package local runs a whole job inside this process, with the same code for tasks, shuffle and commit as a cluster: the
// results are the same bytes. There are no attempts beyond the first, except of jobs that skip bad records.
package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/commit"
	"github.com/howdah/howdah/internal/distcache"
	"github.com/howdah/howdah/internal/notify"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/shuffle"
	"github.com/howdah/howdah/task"
)

// Options are what surrounds a job. FS is required.
type Options struct {
	FS  dfs.Resolver
	Log io.Writer // stacks of panics and the like; nil = nowhere
	// Started is called once, when the job is about to run its first task.
	Started func(id job.ID, p *Progress)
}

// lastJob counts the jobs of this process.
var lastJob atomic.Int32

// Run runs a job and cleans up behind it, also when ctx ends. A job that failed gives its Result together with the error.
func Run(ctx context.Context, o Options, j *mapreduce.Job, c *conf.Config) (*mapreduce.Result, error) {
	r, err := plan(ctx, o, j, c)
	if err != nil {
		return nil, err
	}
	defer func() { r.scratch.remove() }()
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	if o.Started != nil {
		o.Started(r.id, &r.progress)
	}
	before := task.ProcessUsage()
	err = r.run(ctx)
	r.count(task.ProcessUsage().Since(before))
	res, err := r.finish(ctx, err)
	if err := r.notify.Call(ctx, r.id, res.State); err != nil {
		fmt.Fprintln(r.Log, err)
	}
	return res, err
}

// run is one job.
type run struct {
	Options
	job     *mapreduce.Job
	conf    *conf.Config
	id      job.ID
	scratch *scratch // nil until it is made
	splits  []mapreduce.Split
	reduces int
	out     *output // nil: the job writes no files
	limits  [2]int  // tasks at once, by type
	cache   *distcache.Lease
	skips   [2]skipping
	notify  notify.Plan
	setUp   bool   // the job's committer has set it up, or begun to
	mayFail [2]int // percent of the tasks that the job does without, by type
	// mayCount is how many counters, and groups of them, the job may have of its own.
	mayCount [2]int32

	progress Progress
	counters job.Counters
	winners  []commit.Winner
	// mapAttempts has the number of the attempt that won, of each map; -1 = the job does without its output.
	mapAttempts []int32
}

// plan checks everything that can be checked before anything is made.
func plan(ctx context.Context, o Options, j *mapreduce.Job, c *conf.Config) (*run, error) {
	j, err := j.Shaped(c)
	if err != nil {
		return nil, err
	}
	c = j.Configure(c)
	r := &run{Options: o, job: j, conf: c, id: newID()}
	if r.Log == nil {
		r.Log = io.Discard
	}
	if err := j.Validate(c); err != nil {
		return nil, err
	}
	if r.reduces, err = mapreduce.Reduces(c); err != nil {
		return nil, err
	}
	if err := task.CheckSettings(c, r.reduces); err != nil {
		return nil, err
	}
	for t, key := range map[job.TaskType]string{job.Map: "mapreduce.local.map.tasks.maximum", job.Reduce: "mapreduce.local.reduce.tasks.maximum"} {
		n, err := c.Int(key, int64(runtime.GOMAXPROCS(0)), 1, 1024)
		if err != nil {
			return nil, err
		}
		r.limits[t] = int(n)
		percent, err := c.Int([2]string{"mapreduce.map.failures.maxpercent", "mapreduce.reduce.failures.maxpercent"}[t], 0, 0, 100)
		if err != nil {
			return nil, err
		}
		r.mayFail[t] = int(percent)
		if r.skips[t], err = readSkipping(c, t); err != nil {
			return nil, err
		}
	}
	for i, key := range []string{"mapreduce.job.counters.max", "mapreduce.job.counters.groups.max"} {
		n, err := c.Int(key, [...]int64{120, 50}[i], 1, [...]int64{4096, 10_000}[i])
		if err != nil {
			return nil, err
		}
		r.mayCount[i] = int32(n)
	}
	if r.notify, err = notify.Read(c); err != nil {
		return nil, err
	}
	env := &mapreduce.Env{Conf: c, FS: o.FS}
	if err := j.OutputFormat().Check(ctx, env); err != nil {
		return nil, err
	}
	if r.out, err = findOutput(env); err != nil {
		return nil, err
	}
	if r.splits, err = j.PlanSplits(ctx, env); err != nil {
		return nil, err
	}
	if err := distcache.Plan(ctx, o.FS, c, nil); err != nil {
		return nil, err
	}
	r.mapAttempts = make([]int32, len(r.splits))
	r.progress.init(len(r.splits), r.reduces)
	return r, nil
}

// newID gives a name that no other process on this machine has at the same time.
func newID() job.ID { return job.ID{Cluster: "local" + strconv.Itoa(os.Getpid()), Seq: lastJob.Add(1)} }

// prepare makes the scratch directory and the output's temporary one.
func (r *run) prepare(ctx context.Context) error {
	var err error
	if r.scratch, err = newScratch(r.conf, r.id.String()); err != nil {
		return err
	}
	if err := r.localise(ctx); err != nil || r.out == nil {
		return err
	}
	return commit.Prepare(ctx, r.out.fs, r.out.dir)
}

// localise makes the job's distributed cache ready: as on a cluster tasks see copies.
func (r *run) localise(ctx context.Context) error {
	entries, err := distcache.Read(r.conf)
	if err != nil || len(entries) == 0 {
		return err
	}
	limit, err := r.conf.Size("mapreduce.tasktracker.cache.local.size", distcache.DefaultLimit, 1<<20, 1<<50)
	if err != nil {
		return err
	}
	dir := filepath.Join(r.scratch.dir, "cache")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return failure.New(failure.KindOf(err), "make cache directory", dir, err)
	}
	store := &distcache.Store{Dir: func() (string, error) { return dir, nil }, Limit: limit}
	r.cache, err = store.Acquire(ctx, r.FS, "", entries)
	return err
}

// run runs all maps, then all reducers.
func (r *run) run(ctx context.Context) error {
	r.setUp = true
	if err := r.chore(ctx, job.Setup, 0); err != nil {
		return err
	}
	if err := r.tasks(ctx, job.Map, len(r.splits)); err != nil {
		return err
	}
	return r.tasks(ctx, job.Reduce, r.reduces)
}

// finish publishes the output of a job that succeeded and removes that of any other.
func (r *run) finish(ctx context.Context, err error) (*mapreduce.Result, error) {
	res := &mapreduce.Result{ID: r.id, State: job.Succeeded, Counters: &r.counters}
	if err == nil {
		err = r.chore(ctx, job.Cleanup, job.CleanupCommit)
	}
	if err == nil {
		err = r.publish(ctx)
	}
	if err == nil {
		return res, nil
	}
	res.State, res.Diagnostics = job.Failed, err.Error()
	if ctx.Err() != nil {
		res.State = job.Killed
	}
	err = errors.Join(err, r.abort(ctx, res.State))
	if r.out != nil {
		err = errors.Join(err, commit.Abort(context.WithoutCancel(ctx), r.out.fs, r.out.dir, r.winners))
	}
	return res, err
}

func (r *run) publish(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if r.out == nil {
		return nil
	}
	mark, err := r.conf.Bool("mapreduce.fileoutputcommitter.marksuccessfuljobs", true)
	if err != nil {
		return err
	}
	return commit.Publish(ctx, r.out.fs, r.out.dir, r.winners, mark)
}

// output is where the job's files go.
type output struct {
	fs  dfs.FileSystem
	dir string
}

func findOutput(env *mapreduce.Env) (*output, error) {
	name := env.Conf.Get(mapreduce.KeyOutputDir)
	if name == "" {
		return nil, nil
	}
	fs, dir, err := env.FS.Resolve(name)
	return &output{fs, dir}, err
}

// uri gives the output directory as tasks want it; "" without output.
func (o *output) uri() string {
	if o == nil {
		return ""
	}
	return dfs.Qualify(o.fs, o.dir)
}

// mapRoot is the directory below which map outputs lie as a TaskTracker keeps them.
func (r *run) mapRoot() string { return filepath.Join(r.scratch.dir, "output") }

// attempt makes the spec of a task and its scratch directory.
func (r *run) attempt(id job.AttemptID) (*task.Spec, error) {
	s := &task.Spec{
		Attempt: id, Job: r.job, JobName: r.conf.Get("mapreduce.job.name"), Conf: r.conf, Maps: len(r.splits), Reduces: r.reduces,
		WorkDir: filepath.Join(r.scratch.dir, "work", id.String()), OutputDir: r.out.uri(),
	}
	made := []string{s.WorkDir}
	if id.Type == job.Map {
		s.Split = &r.splits[id.Index]
		if r.reduces > 0 {
			s.MapOutputDir = shuffle.OutputDir(r.mapRoot(), id)
			made = append(made, s.MapOutputDir)
		}
	}
	for _, d := range made {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, failure.New(failure.KindOf(err), "make scratch directory", d, err)
		}
	}
	return s, r.cache.Link(s.WorkDir)
}
