// Package jobcontrol runs jobs that depend on each other, like Hadoop's JobControl. A job starts
// after all its dependencies have succeeded, subject to a limit on concurrent jobs. A job that
// depends on a failed job never starts; all other jobs continue.
//
//	g := jobcontrol.New(4)
//	clean := g.Add("clean", jobcontrol.Submit(r, cleanJob, c1))
//	count := g.Add("count", jobcontrol.Submit(r, countJob, c2), clean)
//	sort := g.Add("sort", jobcontrol.Submit(r, sortJob, c3), count)
//	err := g.Run(ctx)
package jobcontrol

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// State is the state of a job in a graph. Its String method returns Hadoop's name for the state.
type State int

// The states of a job.
const (
	Waiting         State = iota // Run has not started, or a dependency has not succeeded yet
	Ready                        // the job starts when the limit permits
	Running                      // the job has started and has not ended
	Success                      // the job succeeded
	Failed                       // the job failed; Err returns its error
	DependentFailed              // a dependency failed, so the job will not start
)

func (s State) String() string {
	return [...]string{"WAITING", "READY", "RUNNING", "SUCCESS", "FAILED", "DEPENDENT_FAILED"}[s]
}

// Ended reports whether the state is final.
func (s State) Ended() bool { return s >= Success }

// Graph is a set of jobs and their dependencies. A job can depend only on jobs added earlier, so a
// graph has no cycles. Add all jobs before Run. The methods that return states are safe for
// concurrent use.
type Graph struct {
	limit int
	mu    sync.Mutex // guards the states of the jobs
	jobs  []*Job
}

// Job is a job in a graph.
type Job struct {
	Name  string
	graph *Graph
	run   func(context.Context) error
	after []*Job
	state State
	err   error
}

// New returns an empty graph that runs at most limit jobs at a time; 0 = no limit.
func New(limit int) *Graph { return &Graph{limit: limit} }

// Add adds a job that starts after the given jobs have succeeded. run executes the whole job. run
// must return soon after its context ends, and it must not start other jobs of the graph.
func (g *Graph) Add(name string, run func(context.Context) error, after ...*Job) *Job {
	j := &Job{Name: name, graph: g, run: run, after: after}
	g.jobs = append(g.jobs, j)
	return j
}

// Submit returns a run function for Add that executes a MapReduce job. The caller must not change c
// afterward.
func Submit(r mapreduce.Runner, j *mapreduce.Job, c *conf.Config) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := r.Run(ctx, j, c)
		return err
	}
}

// Jobs returns the jobs in the order in which they were added.
func (g *Graph) Jobs() []*Job { return g.jobs }

// State returns the job's state.
func (j *Job) State() State {
	j.graph.mu.Lock()
	defer j.graph.mu.Unlock()
	return j.state
}

// Err returns the error of a failed job, or for DependentFailed an error that contains the name of
// the failed dependency. In other states, it returns nil.
func (j *Job) Err() error {
	j.graph.mu.Lock()
	defer j.graph.mu.Unlock()
	return j.err
}

// Run runs the graph and returns after all started jobs have ended. Call it once. If jobs fail, the
// error unwraps to their errors in the order in which the jobs were added, and has the kind of the
// first. When ctx ends, Run starts no more jobs and waits for the running jobs. If this leaves jobs
// that were never started, Run returns an error of kind Interrupted instead.
func (g *Graph) Run(ctx context.Context) error {
	ended := make(chan struct{})
	for running := g.start(ctx, ended, 0); running > 0; {
		<-ended
		running--
		running += g.start(ctx, ended, running)
	}
	if ctx.Err() != nil && g.left() {
		return failure.New(failure.Interrupted, "run", fmt.Sprintf("%d jobs", len(g.jobs)), context.Cause(ctx))
	}
	return g.failed()
}

// start starts jobs that are ready, in the order in which they were added, and returns the number
// of started jobs.
func (g *Graph) start(ctx context.Context, ended chan<- struct{}, running int) (n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, j := range g.jobs {
		if j.look(); j.state != Ready || ctx.Err() != nil || g.limit > 0 && running+n >= g.limit {
			continue
		}
		j.state = Running
		n++
		go func() {
			j.end(j.run(ctx))
			ended <- struct{}{}
		}()
	}
	return n
}

// look updates the state of j, if j is waiting, according to the states of its dependencies.
func (j *Job) look() {
	if j.state != Waiting {
		return
	}
	for _, d := range j.after {
		switch {
		case d.state == Failed || d.state == DependentFailed:
			j.state = DependentFailed
			j.err = failure.New(failure.Failed, "run", j.Name, fmt.Errorf("depending job %s failed", d.Name))
			return
		case d.state != Success:
			return
		}
	}
	j.state = Ready
}

func (j *Job) end(err error) {
	j.graph.mu.Lock()
	defer j.graph.mu.Unlock()
	if j.state, j.err = Success, err; err != nil {
		j.state = Failed
	}
}

// left reports whether any job has not ended.
func (g *Graph) left() bool {
	for _, j := range g.jobs {
		if !j.State().Ended() {
			return true
		}
	}
	return false
}

// failed returns an error that contains the errors of all failed jobs, or nil if no job failed.
func (g *Graph) failed() error {
	var all []error
	var first *Job
	lost := 0
	for _, j := range g.jobs {
		switch j.State() {
		case Failed:
			if all = append(all, fmt.Errorf("%s: %w", j.Name, j.Err())); first == nil {
				first = j
			}
		case DependentFailed:
			lost++
		}
	}
	if first == nil {
		return nil
	}
	return failure.New(failure.KindOf(first.Err()), "run",
		fmt.Sprintf("jobs (%d in total, %d failed, %d not started)", len(g.jobs), len(all), lost),
		errors.Join(all...))
}
