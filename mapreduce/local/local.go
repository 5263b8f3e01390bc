// Package local runs a job inside this process. It uses the same code for tasks, shuffle, and
// commit as a cluster, so the output is identical. Map outputs stay in memory if they fit into the
// memory of the concurrent tasks. Unless GOMEMLIMIT is set, the garbage collector tries to keep the
// process within that memory. A task has a single attempt unless the job skips bad records. As in
// Hadoop's local runner, nothing waits until the output is on disk, so a power failure shortly
// after a job can damage the output.
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
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/commit"
	"github.com/howdah/howdah/internal/distcache"
	"github.com/howdah/howdah/internal/notify"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/task"
	"github.com/howdah/howdah/task/shuffle"
)

// Options is the environment of a job. FS is required.
type Options struct {
	FS  dfs.Resolver
	Log io.Writer // receives diagnostics such as stacks of panics; nil = discard
	// Started is called once, immediately before the first task runs.
	Started func(id job.ID, p *Progress)
}

// lastJob is the number of the process's most recent job.
var lastJob atomic.Int32

// Run runs a job and cleans up after it, even if ctx ends. If the job fails or is killed, Run returns
// both a Result and an error. If the job cannot start, the Result is nil.
func Run(ctx context.Context, o Options, j *mapreduce.Job, c *conf.Config) (*mapreduce.Result, error) {
	r, err := plan(ctx, o, j, c)
	if err != nil {
		return nil, err
	}
	unlimit, err := r.limitMemory()
	if err != nil {
		return nil, err
	}
	defer unlimit()
	defer func() { r.scratch.remove() }()
	defer r.files.Release()
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
	if err := r.notify.Call(ctx, notify.Anywhere, r.id, res.State); err != nil {
		fmt.Fprintln(r.Log, err)
	}
	return res, err
}

// run is the state of a running job.
type run struct {
	Options
	logPlace string // for task.Env
	job      *mapreduce.Job
	conf     *conf.Config
	id       job.ID
	scratch  *scratch // nil until created
	splits   []mapreduce.Split
	reduces  int
	out      *output // nil = the job writes no files
	limits   [2]int  // maximum number of concurrent tasks, by type
	cache    *distcache.Lease
	skips    [2]skipping
	outputs  *shuffle.Outputs // of the maps; nil without reducers
	files    *shuffle.Cache   // those of outputs that are open; nil without reducers
	notify   notify.Plan
	setUp    bool   // the setup of the job has started
	mayFail  [2]int // percentage of tasks that can fail without failing the job, by type
	// mayCount contains the maximum numbers of counters and counter groups.
	mayCount [2]int32

	progress Progress
	counters job.Counters
	winners  []commit.Winner
	// mapAttempts contains the number of each map's successful attempt; -1 = the map failed within
	// the job's tolerance and has no output.
	mapAttempts []int32
}

// plan checks the job and returns its initial state. It creates no files.
func plan(ctx context.Context, o Options, j *mapreduce.Job, c *conf.Config) (*run, error) {
	j, err := j.Shaped(c)
	if err != nil {
		return nil, err
	}
	c = j.Configure(c)
	r := &run{Options: o, logPlace: "printed above", job: j, conf: c, id: newID()}
	if r.Log == nil {
		r.Log, r.logPlace = io.Discard, "lost, because local.Options.Log is not set"
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
	atOnce := [2]*conf.Int{job.Map: &conf.LocalMapTasksMaximum, job.Reduce: &conf.LocalReduceTasksMaximum}
	mayFail := [2]*conf.Int{job.Map: &conf.MapFailuresMaxPercent, job.Reduce: &conf.ReduceFailuresMaxPercent}
	for _, t := range []job.TaskType{job.Map, job.Reduce} {
		n, err := atOnce[t].GetOr(c, int64(runtime.GOMAXPROCS(0)))
		if err != nil {
			return nil, err
		}
		r.limits[t] = int(n)
		percent, err := mayFail[t].Get(c)
		if err != nil {
			return nil, err
		}
		r.mayFail[t] = int(percent)
		if r.skips[t], err = readSkipping(c, t); err != nil {
			return nil, err
		}
	}
	for i, key := range []*conf.Int{&conf.JobCountersMax, &conf.JobCountersGroupsMax} {
		n, err := key.Get(c)
		if err != nil {
			return nil, err
		}
		r.mayCount[i] = int32(n)
	}
	if _, err := status.ReadDeadline(c, time.Now()); err != nil { // only a cluster uses it
		return nil, err
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
	if r.reduces > 0 {
		room, err := task.OutputRoom(c, r.limits[job.Map], r.limits[job.Reduce])
		if err != nil {
			return nil, err
		}
		r.outputs = shuffle.NewOutputs(room, r.limits[job.Reduce])
		r.files = shuffle.NewCache(0) // outputs keeps the indexes
	}
	r.mapAttempts = make([]int32, len(r.splits))
	r.progress.init(r.splits, r.reduces)
	return r, nil
}

// newID returns an ID that is unique among the jobs of this machine's running processes.
func newID() job.ID { return job.ID{Cluster: "local" + strconv.Itoa(os.Getpid()), Seq: lastJob.Add(1)} }

// prepare creates the scratch directory, the distributed cache, and the temporary output directory.
func (r *run) prepare(ctx context.Context) error {
	var err error
	if r.scratch, err = newScratch(r.conf, r.id.String()); err != nil {
		return err
	}
	if err := r.localize(ctx); err != nil || r.out == nil {
		return err
	}
	return commit.Prepare(ctx, r.out.fs, r.out.dir)
}

// localize prepares the job's distributed cache. As on a cluster, tasks work on copies.
func (r *run) localize(ctx context.Context) error {
	entries, err := distcache.Read(r.conf)
	if err != nil || len(entries) == 0 {
		return err
	}
	limit, err := conf.TaskTrackerCacheLocalSize.Get(r.conf)
	if err != nil {
		return err
	}
	dir := filepath.Join(r.scratch.dir, "cache")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return failure.New(failure.KindOf(err), "make cache directory", dir, err)
	}
	store := &distcache.Store{Dir: func() (string, error) { return dir, nil }, Limit: limit}
	r.cache, err = store.Acquire(ctx, r.FS, distcache.User{}, entries)
	return err
}

// run runs the job's setup, then all maps, and then all reducers.
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

// finish publishes the output of a successful job and deletes the output of an unsuccessful one.
// err is the error that ended the job's tasks, or nil.
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
		err = errors.Join(err, commit.Abort(context.WithoutCancel(ctx), r.out.fs, r.out.dir, r.winners, r.out.mark))
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
	return commit.Publish(ctx, dfs.Volatile(r.out.fs), r.out.dir, r.winners, r.out.mark)
}

// output is the destination of the job's files.
type output struct {
	fs   dfs.FileSystem
	dir  string
	mark bool // write _SUCCESS
}

func findOutput(env *mapreduce.Env) (*output, error) {
	name := conf.OutputFileOutputFormatOutputDir.Get(env.Conf)
	if name == "" {
		return nil, nil
	}
	mark, err := conf.FileOutputCommitterMarkSuccessfulJobs.Get(env.Conf)
	if err != nil {
		return nil, err
	}
	fs, dir, err := env.FS.Resolve(name)
	return &output{fs, dir, mark}, err
}

// uri returns the URI of the output directory as tasks expect it. If o is nil, it returns "".
func (o *output) uri() string {
	if o == nil {
		return ""
	}
	return dfs.Qualify(o.fs, o.dir)
}

// attempt returns the spec of the attempt id. It creates the attempt's working directory called work,
// unless it exists and is empty, and links the distributed cache there.
func (r *run) attempt(id job.AttemptID, work string) (*task.Spec, error) {
	s := &task.Spec{
		Attempt: id, Job: r.job, JobName: conf.JobName.Get(r.conf), Conf: r.conf, Maps: len(r.splits),
		Reduces: r.reduces,
		WorkDir: filepath.Join(r.scratch.dir, "work", work), OutputDir: r.out.uri(),
	}
	if id.Type == job.Map {
		s.Split = &r.splits[id.Index]
		if r.reduces > 0 {
			s.MapOutputDir = filepath.Join(r.scratch.dir, id.String())
		}
	}
	if err := os.MkdirAll(s.WorkDir, 0o700); err != nil {
		return nil, failure.New(failure.KindOf(err), "make scratch directory", s.WorkDir, err)
	}
	return s, r.cache.Link(s.WorkDir)
}
