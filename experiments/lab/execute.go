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

// Options selects how to execute experiments.
type Options struct {
	Quick    bool   // fewer repetitions
	Real     bool   // run on real nodes instead of in the simulator
	Seed     uint64 // 0 = 1
	Workers  int    // maximum number of simultaneous simulations; 0 = 1
	Dir      string // parent of the directories of results; "" = discard the results
	Binary   string // path of the howdah executable, for real runs
	Revision string // version of the program, for the report
}

// ResultDir returns the directory of an experiment's results, or "" if the results are discarded.
func (o *Options) ResultDir(e *Experiment) string {
	switch {
	case o.Dir == "":
		return ""
	case o.Real:
		return filepath.Join(o.Dir, fileName(e.ID)+"-real")
	}
	return filepath.Join(o.Dir, fileName(e.ID))
}

// ErrNoSuchRun means that an experiment has no run of the requested kind.
var ErrNoSuchRun = errors.New("the experiment has no such run")

// Execute runs an experiment and writes its results. It returns ErrNoSuchRun if the experiment has
// no run of the requested kind, and an error of kind Killed if ctx ends. It also returns an error if
// it cannot write the results. If the experiment itself fails, the report contains the error.
func Execute(ctx context.Context, e *Experiment, o Options) (*Report, error) {
	f := e.Sim
	if o.Real {
		f = e.Real
	}
	if f == nil {
		return nil, failure.New(failure.Usage, "run experiment", e.ID, ErrNoSuchRun)
	}
	r := &Run{Quick: o.Quick, Real: o.Real, Seed: max(1, o.Seed), Workers: max(1, o.Workers), Binary: o.Binary,
		Revision: o.Revision}
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

// protect turns a panic of an experiment into an error, so that the caller can run the next
// experiment.
func protect(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = failure.New(failure.Internal, "run experiment", "", fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	return f()
}
