// Package jobcontrol runs jobs that depend on each other, as Hadoop's JobControl: a job starts when all that it depends on have
// succeeded, as many at a time as a limit allows; what depends on a job that failed never starts, and everything else goes on.
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

// State is where a job of a graph stands. Its text is Hadoop's.
type State int

// The states of a job.
const (
	Waiting         State = iota // something that it depends on has not succeeded yet
	Ready                        // it will start when the limit allows
	Running                      //
	Success                      //
	Failed                       // its own error is Err
	DependentFailed              // a job that it depends on failed: it will not start
)

func (s State) String() string {
	return [...]string{"WAITING", "READY", "RUNNING", "SUCCESS", "FAILED", "DEPENDENT_FAILED"}[s]
}

// Ended reports whether the state is a last one.
func (s State) Ended() bool { return s >= Success }

// Graph is jobs and what they depend on. As a job can only depend on jobs that were added before, there are no cycles. Jobs are
// added before Run; what tells of states may be called by any goroutine at any time.
type Graph struct {
	limit int
	mu    sync.Mutex // guards the states of jobs
	jobs  []*Job
}

// Job is one job of a graph.
type Job struct {
	Name  string
	graph *Graph
	run   func(context.Context) error
	after []*Job
	state State
	err   error
}

// New makes an empty graph that runs at most limit jobs at a time; 0 = as many as can run.
func New(limit int) *Graph { return &Graph{limit: limit} }

// Add adds a job that starts after others have succeeded. run does the whole of it and may start no job of the graph itself; it
// must end soon after its context.
func (g *Graph) Add(name string, run func(context.Context) error, after ...*Job) *Job {
	j := &Job{Name: name, graph: g, run: run, after: after}
	g.jobs = append(g.jobs, j)
	return j
}

// Submit gives what Add wants for a job of MapReduce: c must not be changed any more.
func Submit(r mapreduce.Runner, j *mapreduce.Job, c *conf.Config) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := r.Run(ctx, j, c)
		return err
	}
}

// Jobs gives the jobs in the order in which they were added.
func (g *Graph) Jobs() []*Job { return g.jobs }

// State gives where the job stands.
func (j *Job) State() State {
	j.graph.mu.Lock()
	defer j.graph.mu.Unlock()
	return j.state
}

// Err gives why a job Failed, or which failed that it depends on; nil in other states.
func (j *Job) Err() error {
	j.graph.mu.Lock()
	defer j.graph.mu.Unlock()
	return j.err
}

// Run runs the graph, once, and returns when nothing of it runs any more. The error has the kind of the first job that failed;
// it unwraps to the errors of all that did. When ctx ends, jobs that run are left to end, no more start, and the error is kind
// Interrupted.
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

// start starts what can start, in the order in which jobs were added, and gives how many it started.
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

// look finds out whether a waiting job is ready or will never be.
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

// left reports whether a job has not ended.
func (g *Graph) left() bool {
	for _, j := range g.jobs {
		if !j.State().Ended() {
			return true
		}
	}
	return false
}

// failed gives what went wrong.
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
	return failure.New(failure.KindOf(first.Err()), "run", fmt.Sprintf("%d jobs, of which %d failed and %d could not start", len(g.jobs), len(all), lost),
		errors.Join(all...))
}
