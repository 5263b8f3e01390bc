package lab

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// Options say how to execute experiments.
type Options struct {
	Quick    bool
	Real     bool   // on a minicluster instead of in the simulator
	Seed     uint64 // 0 = 1
	Workers  int
	Dir      string // results go to Dir/ID; "" = keep none
	Binary   string // howdah, for real runs
	Revision string // of the program, for the record
}

// ResultDir is where the results of an experiment go, "" = nowhere.
func (o *Options) ResultDir(e *Experiment) string {
	switch {
	case o.Dir == "":
		return ""
	case o.Real:
		return filepath.Join(o.Dir, fileName(e.ID)+"-real")
	}
	return filepath.Join(o.Dir, fileName(e.ID))
}

// ErrNoSuchRun says that an experiment has no run of the wanted sort.
var ErrNoSuchRun = errors.New("there is no real run of this experiment")

// Execute runs an experiment and writes what came out. The error says that results could not be written, or that there is no
// such run; what went wrong in the experiment itself is in the report.
func Execute(ctx context.Context, e *Experiment, o Options) (*Report, error) {
	f := e.Sim
	if o.Real {
		f = e.Real
	}
	if f == nil {
		return nil, failure.New(failure.Usage, "run experiment", e.ID, ErrNoSuchRun)
	}
	r := &Run{Quick: o.Quick, Real: o.Real, Seed: max(1, o.Seed), Workers: max(1, o.Workers), Binary: o.Binary, Revision: o.Revision}
	r.Dir = o.ResultDir(e)
	start := time.Now()
	err := protect(func() error { return f(ctx, r) })
	if ctx.Err() != nil {
		return nil, failure.New(failure.Killed, "run experiment", e.ID, ctx.Err())
	}
	rep := r.report(e, time.Since(start), err)
	if r.Dir != "" {
		if err := r.Write(r.Dir, e, rep); err != nil {
			return rep, err
		}
	}
	return rep, nil
}

// protect turns a panic of an experiment into an error, so that the others still run.
func protect(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = failure.New(failure.Internal, "run experiment", "", fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	return f()
}
