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

// attempt is what maps and reduces have in common while one runs.
type attempt struct {
	ctx  context.Context
	spec *Spec
	env  *Env
	conf *conf.Config // the job's, with what is set per task
	live *Live
	c    *mapreduce.Context
	out  *output
	undo []func() // what removes the traces of an attempt that fails, besides its output
	ends []func() // Close of the user's mapper, reducer, combiner
}

// run prepares an attempt, lets body do the work and collects what it leaves. After an error nothing of its output stays.
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

// watch runs body with the attempt visible to others. Context errors are told as what ended the attempt.
func (a *attempt) watch(body func(*attempt) error) error {
	if u := a.env.Usage; u != nil {
		a.live.usage.Store(&u)
	}
	a.live.ctx.Store(a.c)
	// User code is also called where no user error is told apart: comparators, formats, partitioners.
	err := guard(a.env.Log, "task", func() error { return body(a) })
	if err != nil && a.ctx.Err() != nil {
		return stopped(a.ctx)
	}
	return err
}

// closeAll lets user code give back what it holds, the last one first.
func (a *attempt) closeAll() {
	for _, f := range slices.Backward(a.ends) {
		if err := guard(a.env.Log, "close", func() error { f(); return nil }); err != nil && a.env.Note != nil {
			a.env.Note("%v", err)
		}
	}
}

// remove takes back what a failed attempt did.
func (a *attempt) remove() {
	for _, f := range a.undo {
		f()
	}
	a.out.discard()
}

func (a *attempt) newContext() error {
	s := a.spec
	a.conf = taskConf(s, a.out.dir)
	cache, err := cacheFiles(a.conf, s.WorkDir)
	if err != nil {
		return err
	}
	name := s.JobName
	if name == "" {
		name = s.Job.Name
	}
	info := mapreduce.TaskInfo{Attempt: s.Attempt, JobName: name, Reduces: s.Reduces, Split: s.Split, WorkDir: s.WorkDir, Cache: cache,
		CreateOutput: a.out.create}
	if err := counterLimits(s.Conf, &info); err != nil {
		return err
	}
	a.c = mapreduce.NewContext(a.ctx, mapreduce.Env{Conf: a.conf, FS: a.env.FS}, info)
	return nil
}

// budget gives the bytes that buffers may take.
func (a *attempt) budget() (int64, error) {
	if a.spec.Memory > 0 {
		return a.spec.Memory, nil
	}
	mb, err := MemoryMB(a.conf, a.spec.Attempt.Type)
	return BufferBytes(mb), err
}

// setup and cleanup call the user's optional methods.
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

// user calls the user's code once.
func (a *attempt) user(what string, f func() error) error {
	return userError(a.ctx, what, guard(a.env.Log, what, f))
}
