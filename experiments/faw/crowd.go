package faw

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/simulator/fawkes"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/asleep"
)

// dueEvery is the real time between two checks for jobs that are due to be submitted. lookEvery is
// the real time between two requests for the pool's status.
const (
	dueEvery  = 20 * time.Millisecond
	lookEvery = 250 * time.Millisecond
)

// crowd simulates the users of a pool. It runs a separate command for each job, which submits the
// job and waits for it.
type crowd struct {
	Real
	on     *lab.Pool
	work   []fawkes.Workload
	began  time.Time
	all    sync.WaitGroup // the commands
	ended  chan ending
	queued []int // unfinished jobs that are due, by workload
	due    []int // number of jobs that have become due, by workload
	done   [][]trace.JobResult
}

// ending is the result of a job.
type ending struct {
	cluster int
	result  trace.JobResult
	err     error
}

func newCrowd(x Real, on *lab.Pool, work []fawkes.Workload) *crowd {
	n := 0
	for _, w := range work {
		n += len(w.Jobs)
	}
	return &crowd{Real: x, on: on, work: work, ended: make(chan ending, n), queued: make([]int, len(work)),
		due: make([]int, len(work)), done: make([][]trace.JobResult, len(work))}
}

// deploy runs short jobs on every MR-cluster until all MR-clusters have run one. It does not stop
// before, because the manager removes MR-clusters that are idle.
func (c *crowd) deploy(ctx context.Context) error {
	var first sync.WaitGroup
	first.Add(len(c.work))
	all := make(chan struct{})
	go func() { first.Wait(); close(all) }()
	return lab.Parallel(ctx, len(c.work), len(c.work), func(ctx context.Context, i int) error {
		deployed := sync.OnceFunc(first.Done)
		defer deployed()
		for {
			if _, err := c.on.RunJob(ctx, c.work[i].Spec.Name, "sleep", "-D", conf.SleepInTracker.Name+"=true", "-m", "1",
				"-r", "0", "-mt", "10"); err != nil {
				return err
			}
			deployed()
			select {
			case <-all:
				return nil
			default:
			}
		}
	})
}

// now returns the time since the start, in ms on the paper's time scale.
func (c *crowd) now() int64 { return time.Since(c.began).Milliseconds() * c.Speed }

// run submits every job when it is due and watches the pool. After the last job, if Idle is 0, run
// also waits until the pool has removed all MR-clusters, but for at most 5 T.
func (c *crowd) run(ctx context.Context) (*fawkes.Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer c.all.Wait()
	defer cancel()
	c.began = time.Now()
	due, look := time.NewTicker(dueEvery), time.NewTicker(lookEvery)
	defer due.Stop()
	defer look.Stop()
	out := &fawkes.Result{}
	over := int64(0) // end of the last job
	for left := cap(c.ended); ; {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-due.C:
			c.submit(ctx)
		case e := <-c.ended:
			if e.err != nil {
				return nil, e.err
			}
			c.queued[e.cluster]--
			c.done[e.cluster] = append(c.done[e.cluster], e.result)
			left--
			over = c.now()
		case <-look.C:
			v, err := c.view(ctx)
			if err != nil {
				return nil, err
			}
			if left > 0 {
				out.Reconfigurations = v.Reconfigurations
			} else if c.Idle > 0 || !anybody(v) || c.now() > over+5*c.Interval {
				return c.results(out), nil
			}
		}
	}
}

func (c *crowd) submit(ctx context.Context) {
	for i := range c.work {
		for jobs := c.work[i].Jobs; c.due[i] < len(jobs) && jobs[c.due[i]].Submit <= c.now(); {
			j := jobs[c.due[i]]
			c.due[i]++
			c.queued[i]++
			c.all.Go(func() {
				r, err := c.job(ctx, i, j)
				c.ended <- ending{i, r, err}
			})
		}
	}
}

// job runs one job to its end, as a user would. The times in the result are on the paper's time
// scale.
func (c *crowd) job(ctx context.Context, cluster int, j *trace.Job) (r trace.JobResult, err error) {
	got, err := c.on.RunJob(ctx, c.work[cluster].Spec.Name, c.command(j)...)
	if err != nil {
		return r, err
	}
	if got.State != "SUCCEEDED" {
		return r, failure.New(failure.Failed, "run job", j.ID, errors.New(got.State+": "+got.Diagnostic))
	}
	return trace.JobResult{ID: j.ID, Name: j.Name, Submit: j.Submit, Finish: (got.Finish - c.began.UnixMilli()) * c.Speed,
		Maps: int32(len(j.Maps)), Reduces: int32(len(j.Reduces))}, nil
}

// command returns the arguments of the command that runs a job.
func (c *crowd) command(j *trace.Job) []string {
	if c.Inputs != nil {
		return c.Inputs.command(c.on, j)
	}
	args := []string{"sleep", "-D", "mapreduce.job.name=" + j.ID}
	for _, p := range (asleep.Options{Speed: float64(c.Speed), InTracker: true}).Settings(j) {
		args = append(args, "-D", p.Name+"="+p.Value)
	}
	return append(args, asleep.Arguments(j)...)
}

// view gets the pool's state, passes it to Watch, and returns it.
func (c *crowd) view(ctx context.Context) (v mrcluster.View, err error) {
	at := c.now()
	s, err := c.on.Status(ctx)
	if err != nil {
		return v, err
	}
	v.Now, v.Reconfigurations, v.Global = s.NowMs, s.Reconfigurations, s.Global
	for _, x := range s.Clusters {
		v.Clusters = append(v.Clusters, x.ClusterView)
	}
	if c.Watch != nil {
		c.Watch(fawkes.Moment{At: at, View: v, Queue: slices.Clone(c.queued)})
	}
	return v, nil
}

// anybody reports whether an MR-cluster is deployed or waiting to be deployed.
func anybody(v mrcluster.View) bool {
	return slices.ContainsFunc(v.Clusters, func(c mrcluster.ClusterView) bool { return c.State != mrcluster.Defined })
}

func (c *crowd) results(out *fawkes.Result) *fawkes.Result {
	for i, w := range c.work {
		slices.SortFunc(c.done[i], func(a, b trace.JobResult) int { return cmp.Compare(a.Finish, b.Finish) })
		out.Clusters = append(out.Clusters, fawkes.Done{Name: w.Spec.Name, Jobs: c.done[i],
			Makespan: trace.Makespan(c.done[i])})
	}
	return out
}
