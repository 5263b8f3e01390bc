package child

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/hdfs/token"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/staging"
	"github.com/howdah/howdah/internal/wire/umbilical"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/skip"
	"github.com/howdah/howdah/task"
)

// attempt runs one attempt and reports its result to the TaskTracker. It returns false if the
// attempt failed. The process must then not run another one.
func (s *server) attempt(ctx context.Context, a *launched) bool {
	defer a.outputs.close()
	rep := &reporter{}
	out, err := a.runLogged(ctx, rep)
	last := rep.next(a.live.View())
	if err != nil {
		s.send(&umbilical.FromChild{Failed: &umbilical.Failed{Last: last, Kind: uint32(failure.KindOf(err)),
			Text: cut(err.Error())}})
		return false
	}
	done := &umbilical.Done{Last: last}
	for _, f := range out.Files {
		done.File = append(done.File, &umbilical.OutputFile{Name: f.Name, Length: f.Length, Checksum: f.Checksum})
	}
	s.send(&umbilical.FromChild{Done: done})
	return true
}

// launched is an attempt that the TaskTracker started with a Launch message.
type launched struct {
	server   *server
	l        *umbilical.Launch
	outputs  *feed         // outputs of the maps, for a reducer
	granted  chan struct{} // receives one token when the JobTracker permits the commit
	live     task.Live
	log      *logs
	logLimit int64
	spec     task.Spec
	env      task.Env
}

// runLogged opens the log, prepares the attempt, runs it, and logs its result. If the attempt fails
// without being stopped, runLogged runs the job's debug script.
func (a *launched) runLogged(ctx context.Context, rep *reporter) (*task.Outcome, error) {
	var c *conf.Config
	var reading errgroup.Group // while openLogs creates files, which is slow on some file systems
	reading.Go(func() (err error) {
		c, err = a.server.config(a.l.ConfPath)
		return err
	})
	var err error
	a.log, err = openLogs(a.l.LogDir)
	confErr := reading.Wait()
	if err != nil {
		return nil, err
	}
	defer func() { a.log.close(a.logLimit) }()
	var out *task.Outcome
	if err = confErr; err == nil {
		err = a.prepare(ctx, c)
	}
	defer a.closeFS()
	if err == nil {
		a.log.print("INFO", "%s starts with %d MiB", a.l.Attempt, a.l.MemoryMb)
		stop := a.startProfile()
		out, err = a.runReporting(ctx, rep)
		stop()
	}
	if err != nil {
		a.log.print("ERROR", "%s failed: %v", a.l.Attempt, err)
		if ctx.Err() == nil {
			a.debugScript()
		}
		return nil, err
	}
	a.log.print("INFO", "%s is done", a.l.Attempt)
	return out, nil
}

// closeFS releases the resources of the attempt's file systems. The process may later serve other
// attempts.
func (a *launched) closeFS() {
	if c, ok := a.env.FS.(io.Closer); ok {
		_ = c.Close() // ignores errors because written files are already closed
	}
}

func (a *launched) runReporting(ctx context.Context, rep *reporter) (*task.Outcome, error) {
	reporting, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		a.server.report(reporting, &a.live, rep, time.Duration(max(a.l.BeatMillis, 10))*time.Millisecond)
	})
	defer wg.Wait()
	defer stop()
	return a.run(ctx)
}

// prepare sets up the attempt with the job's configuration, c.
func (a *launched) prepare(ctx context.Context, c *conf.Config) error {
	l := a.l
	var err error
	if a.spec.Attempt, err = job.ParseAttemptID(l.Attempt); err != nil {
		return failure.New(failure.Internal, "read launch", l.Attempt, err)
	}
	if a.spec.Job = a.server.Jobs(l.JobName); a.spec.Job == nil {
		return failure.New(failure.Config, "find job", l.JobName, errors.New("this program has no such job")).
			Fix("submit the job with the program that contains it")
	}
	if a.logLimit, err = task.LogLimit(c); err != nil {
		return err
	}
	setEnv(c, a.spec.Attempt.Type)
	if l.CredentialsPath != "" { // for the process's own file systems and the programs that it starts
		os.Setenv(token.FileEnv, l.CredentialsPath)
	}
	if l.WorkDir != "" {
		if err := os.Chdir(l.WorkDir); err != nil {
			return failure.New(failure.KindOf(err), "enter work directory", l.WorkDir, err)
		}
	}
	c.Set(conf.TaskAttemptID.Name, l.Attempt, "task") // tasks use longer storage timeouts
	if a.env.FS, err = a.server.FS(c); err != nil {
		return err
	}
	if a.spec.Job, err = a.spec.Job.Shaped(c); err != nil {
		return err
	}
	a.spec.Conf, a.spec.JobName = c, conf.JobName.Get(c)
	a.spec.Maps, a.spec.Reduces = int(l.Maps), int(l.Reduces)
	a.spec.WorkDir, a.spec.OutputDir, a.spec.MapOutputDir = l.WorkDir, l.OutputDir, l.MapOutputDir
	a.spec.Durable = true
	for _, text := range l.Unclean {
		id, err := job.ParseAttemptID(text)
		if err != nil {
			return failure.New(failure.Internal, "read launch", text, err)
		}
		a.spec.Unclean = append(a.spec.Unclean, id)
	}
	if l.Skips != nil {
		a.spec.Skips = fromSkips(l.Skips)
		a.env.InHand = func(r job.Range) {
			a.server.send(&umbilical.FromChild{InHand: &umbilical.Range{Start: r.Start, Length: r.Length}})
		}
	}
	a.env.Log = a.log.failed()
	a.env.Note = func(format string, args ...any) { a.log.print("WARN", format, args...) }
	a.limitMemory()
	if a.spec.Attempt.Type == job.Map {
		return a.readSplit(ctx)
	}
	return nil
}

// config returns a copy of the configuration in file, which it reads only once for each job. It also
// restores the environment that the child's first attempt found. For another job, it closes the map
// outputs of the last one. A child without work exits soon, which closes them as well.
func (s *server) config(file string) (*conf.Config, error) {
	if s.environ == nil {
		s.environ = os.Environ()
	} else {
		restoreEnv(s.environ)
	}
	if s.conf == nil || s.confPath != file {
		c := conf.New()
		if err := c.LoadFile(file); err != nil {
			return nil, err
		}
		s.conf, s.confPath = c, file
		s.files.Release()
	}
	return s.conf.Clone(), nil
}

func fromSkips(s *umbilical.Skips) *skip.Plan {
	p := &skip.Plan{Test: s.Test}
	for _, r := range s.Range {
		p.Skip = append(p.Skip, job.Range{Start: r.GetStart(), Length: r.GetLength()})
	}
	return p
}

// canCommit asks the JobTracker for permission to commit, through the TaskTracker, and waits for
// it.
func (a *launched) canCommit(ctx context.Context) error {
	a.server.send(&umbilical.FromChild{CommitPending: true})
	select {
	case <-a.granted:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// limitMemory applies the TaskTracker's memory limit to the process and computes the attempt's
// memory for buffers from it.
func (a *launched) limitMemory() {
	if mb := int64(a.l.MemoryMb); mb > 0 {
		a.spec.Memory = max(task.BufferBytes(mb), 1)
	}
	a.server.memory.begin(a.l.Attempt, a.l.MemoryMb)
}

func (a *launched) readSplit(ctx context.Context) error {
	fs, name, err := a.env.FS.Resolve(a.l.SplitPath)
	if err != nil {
		return err
	}
	a.spec.Split, err = staging.ReadSplit(ctx, fs, name, a.l.SplitOffset)
	if err == nil {
		a.log.print("INFO", "input split: %v", a.spec.Split)
	}
	return err
}

// run runs the attempt with package task. It turns a panic in howdah's own code into an error.
func (a *launched) run(ctx context.Context) (out *task.Outcome, err error) {
	// A panic in howdah's own code must be reported as a bug. The process ends afterward.
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(a.env.Log, "internal error: %v\n%s", p, debug.Stack())
			err = failure.New(failure.Internal, "run attempt", a.l.Attempt, fmt.Errorf("panic: %v", p))
		}
	}()
	a.env.Live = &a.live
	before := task.ProcessUsage()
	a.env.Usage = func() task.Usage { return task.ProcessUsage().Since(before) }
	a.env.CanCommit = a.canCommit
	switch a.spec.Attempt.Type {
	case job.Setup:
		return task.RunSetup(ctx, &a.spec, &a.env)
	case job.Cleanup:
		return task.RunCleanup(ctx, &a.spec, &a.env)
	case job.Map:
		return task.RunMap(ctx, &a.spec, &a.env)
	}
	secure, err := certs.Trust(a.l.Ca)
	if err != nil {
		return nil, err
	}
	a.env.MapOutputs = task.MapOutputs{TLS: secure,
		Events: a.outputs.out, Token: a.l.Token, LocalAddr: a.l.LocalAddr, LocalRoot: a.l.LocalRoot,
		Cache: a.server.files,
		FetchFailed: func(mapIndex, attempt int32) {
			a.server.send(&umbilical.FromChild{FetchFailed: &umbilical.FetchFailed{Map: mapIndex, Attempt: attempt}})
		},
	}
	return task.RunReduce(ctx, &a.spec, &a.env)
}
