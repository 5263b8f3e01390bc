package task

import (
	"context"
	"io"
	"slices"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
)

// attempt is the state that running map, reduce, setup, and cleanup attempts have in common.
type attempt struct {
	ctx  context.Context
	spec *Spec
	env  *Env
	conf *conf.Config // the job's configuration plus the task's settings
	live *Live
	c    *mapreduce.Context
	out  *output
	undo []func() // called after a failed attempt, before its output files are removed
	ends []func() // Close methods of the user's mapper, reducer, and combiner
}

// run prepares an attempt, runs body, and collects the results. If the attempt fails, run removes
// its output.
func run(ctx context.Context, s *Spec, e *Env, body func(*attempt) error) (*Outcome, error) {
	own := *e
	a := &attempt{ctx: ctx, spec: s, env: &own, live: e.Live}
	if a.live == nil {
		a.live = &Live{}
	}
	if own.Log == nil {
		own.Log = io.Discard
	}
	counted := dfs.NewCountingResolver(e.FS)
	own.FS = counted
	a.live.files.Store(counted)
	var err error
	if a.out, err = newOutput(ctx, own.FS, s); err != nil {
		return nil, err
	}
	if err := a.newContext(); err != nil {
		return nil, err
	}
	err = a.watch(a.committed(body))
	a.closeAll()
	var files []job.OutputFile
	if err == nil {
		files, err = a.out.manifest()
	}
	if err != nil {
		a.remove()
		return nil, err
	}
	a.live.enter(job.PhaseCleanup, nothing)
	return &Outcome{Counters: a.live.View().Counters, Files: files}, nil
}

// watch runs body and makes the attempt's state visible to observers (see Live). If body fails
// after the attempt's context has ended, watch returns the reason why the context ended.
func (a *attempt) watch(body func(*attempt) error) error {
	if u := a.env.Usage; u != nil {
		a.live.usage.Store(&u)
	}
	a.live.ctx.Store(a.c)
	// Comparators, formats, and partitioners are also user code, but their errors are not marked as
	// user errors.
	err := guard(a.env, "task", func() error { return body(a) })
	if err != nil && a.ctx.Err() != nil {
		return stopped(a.ctx)
	}
	return err
}

// closeAll closes the user's objects in reverse order.
func (a *attempt) closeAll() {
	for _, f := range slices.Backward(a.ends) {
		if err := guard(a.env, "close", func() error { f(); return nil }); err != nil && a.env.Note != nil {
			a.env.Note("%v", err)
		}
	}
}

// remove undoes the work of a failed attempt.
func (a *attempt) remove() {
	for _, f := range a.undo {
		f()
	}
	a.out.discard()
}

func (a *attempt) newContext() error {
	s := a.spec
	name := s.JobName
	if name == "" {
		name = s.Job.Name
	}
	info := mapreduce.TaskInfo{Attempt: s.Attempt, JobName: name, Reduces: s.Reduces, Split: s.Split, WorkDir: s.WorkDir,
		CreateOutput: a.out.create}
	a.conf = taskConf(s, info, a.out.dir)
	var err error
	if info.Cache, err = cacheFiles(a.conf, s.WorkDir); err != nil {
		return err
	}
	if err := counterLimits(s.Conf, &info); err != nil {
		return err
	}
	a.c = mapreduce.NewContext(a.ctx, mapreduce.Env{Conf: a.conf, FS: a.env.FS}, info)
	return nil
}

// budget returns the number of bytes that the attempt may use for buffers.
func (a *attempt) budget() (int64, error) {
	if a.spec.Memory > 0 {
		return a.spec.Memory, nil
	}
	mb, err := MemoryMB(a.conf, a.spec.Attempt.Type)
	return BufferBytes(mb), err
}

// setup calls the optional Setup method of the user's object and registers its optional Close
// method for closeAll.
func (a *attempt) setup(user any, what string) error {
	if x, ok := user.(mapreduce.Closer); ok {
		a.ends = append(a.ends, x.Close)
	}
	s, ok := user.(mapreduce.Setupper)
	if !ok {
		return nil
	}
	return a.user("setup of the "+what, func() error { return s.Setup(a.c) })
}

func (a *attempt) cleanup(user any, what string, out mapreduce.Emitter) error {
	s, ok := user.(mapreduce.Cleanuper)
	if !ok {
		return nil
	}
	return a.user("cleanup of the "+what, func() error { return s.Cleanup(a.c, out) })
}

// user runs f, which calls the user's code. It turns a panic into an error and classifies the
// errors of the code (see userError). Error messages use what as the name of the code.
func (a *attempt) user(what string, f func() error) error {
	return userError(a.ctx, what, guard(a.env, what, f))
}
