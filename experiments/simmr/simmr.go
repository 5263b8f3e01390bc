// Package simmr has what the experiments of SimMR share: the paper's testbed in the simulator, runs under a scheduler, repetitions
// on all cores, and intervals of confidence.
package simmr

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/simulator/tasklevel"
	"github.com/howdah/howdah/simulator/trace"
)

// Paper names the paper.
const Paper = "SimMR (CLUSTER 2011)"

// BibTeX cites it.
const BibTeX = `@inproceedings{verma2011simmr,
  author    = {Abhishek Verma and Ludmila Cherkasova and Roy H. Campbell},
  title     = {Play It Again, {SimMR}!},
  booktitle = {Proc. of the IEEE International Conference on Cluster Computing (CLUSTER)},
  pages     = {253--261},
  address   = {Austin, Texas, USA},
  month     = sep,
  year      = {2011}
}
`

// Testbed is the paper's cluster: 64 workers with one map slot and one reduce slot each (section IV-B).
var Testbed = [2]int32{64, 64}

// Policy names a scheduler with its settings.
type Policy struct {
	Name string   // of the scheduler
	Set  []string // key, value, key, value...
}

// New builds the policy.
func (p Policy) New() (scheduler.Policy, error) {
	c := conf.New()
	for i := 0; i+1 < len(p.Set); i += 2 {
		c.Set(p.Set[i], p.Set[i+1], "experiment")
	}
	policy, _, err := catalog.Builtin().Make(p.Name, scheduler.Setup{Conf: c})
	return policy, err
}

// Run simulates a trace at the level of tasks.
func Run(ctx context.Context, p Policy, slots [2]int32, seed uint64, src trace.Source) (*trace.Result, error) {
	policy, err := p.New()
	if err != nil {
		return nil, err
	}
	return tasklevel.Run(ctx, tasklevel.Config{Slots: slots, Scheduler: p.Name, Policy: policy, Seed: seed}, src)
}

// Alone gives how long a job takes with all slots to itself, in ms: T_J of section V-B.
func Alone(ctx context.Context, j *trace.Job, slots [2]int32) (int64, error) {
	one := *j
	one.Submit, one.Deadline = 0, 0
	r, err := Run(ctx, Policy{Name: "fifo"}, slots, 1, (&trace.Trace{Jobs: []*trace.Job{&one}}).Source())
	if err != nil {
		return 0, err
	}
	return r.Jobs[0].Finish - r.Jobs[0].Submit, nil
}

// Exceeded is the paper's utility: the sum of relative deadlines exceeded, (T_J - D_J)/D_J over the jobs that end after their
// deadlines, with T and D counted from the submission (section V-A). late is the share of those jobs.
func Exceeded(r *trace.Result) (sum, late float64) {
	n := 0
	for i := range r.Jobs {
		if j := &r.Jobs[i]; j.Missed() {
			n++
			sum += float64(j.Finish-j.Deadline) / float64(max(1, j.Deadline-j.Submit))
		}
	}
	return sum, float64(n) / float64(max(1, len(r.Jobs)))
}

// Parallel calls f for 0 to n-1 on so many goroutines and gives the first error.
func Parallel(ctx context.Context, workers, n int, f func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(max(1, workers), n) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := f(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}
