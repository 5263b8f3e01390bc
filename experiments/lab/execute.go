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
	Logs     string // parent of the directories with files such as the logs of a failed real run; "" = discard them
	Binary   string // path of the howdah executable, for real runs
	Revision string // version of the program
}

// command returns the command that repeats the execution.
func (o *Options) command(e *Experiment) string {
	s := "howdah experiment run " + e.ID
	if o.Quick {
		s += " --quick"
	}
	if o.Real {
		s += " --real"
	}
	if o.Seed > 1 {
		s += fmt.Sprintf(" --seed %d", o.Seed)
	}
	return s
}

// ErrNoSuchRun means that an experiment has no run of the requested kind.
var ErrNoSuchRun = errors.New("the experiment has no such run")

// Execute runs an experiment and compares its effects with the registered relations. It returns
// ErrNoSuchRun if the experiment has no run of the requested kind, and an error of kind Killed if
// ctx ends. If the experiment itself fails, or if the evaluated relations differ from the registered
// ones, the result contains the error.
func Execute(ctx context.Context, e *Experiment, g *Registration, o Options) (*Result, error) {
	f := e.Sim
	if o.Real {
		f = e.Real
	}
	plan := g.Plan(o.Real)
	if f == nil || plan == nil {
		return nil, failure.New(failure.Usage, "run experiment", e.ID, ErrNoSuchRun)
	}
	o.Seed, o.Workers = max(1, o.Seed), max(1, o.Workers)
	r := &Run{Plan: plan, Quick: o.Quick, Real: o.Real, Seed: o.Seed, Workers: o.Workers, Binary: o.Binary}
	if o.Logs != "" {
		r.Dir = filepath.Join(o.Logs, fileName(runName(e.ID, o.Real)))
	}
	began := time.Now()
	err := protect(func() error { return f(ctx, r) })
	if ctx.Err() != nil {
		return nil, failure.New(failure.Killed, "run experiment", e.ID, ctx.Err())
	}
	return r.result(e, g, &o, began, err), nil
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
