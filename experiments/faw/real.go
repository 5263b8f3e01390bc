package faw

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/provision/netns"
	"github.com/howdah/howdah/mrcluster/weight"
	"github.com/howdah/howdah/simulator/fawkes"
)

// Fifth is the factor by which a pool of real nodes is smaller than the testbed. RealNodes is the
// number of nodes of that pool.
const (
	Fifth     = 5
	RealNodes = 12
)

// RealRuns is the number of repetitions of an experiment in such a pool. Each has its own seed.
const RealRuns = 3

// Real is a pool of nodes on this machine. The manager, the agents, the JobTrackers, and the
// TaskTrackers each have their own process. Tasks sleep inside the TaskTrackers for as long as they
// would take on core nodes according to the model. Time runs Speed times as fast as in the paper.
// The fields and the times of jobs are on the paper's time scale, so measured times are multiplied
// by Speed.
type Real struct {
	Pool
	Speed int64
	// Deployed makes the clock start when all MR-clusters are deployed.
	Deployed bool
	// Inputs, if not nil, makes jobs run real applications on slow nodes instead of sleeping.
	Inputs *Inputs
}

// Repeat calls f once for each repetition, with up to together calls at the same time. Each call has
// a Run of its own, because a Run is not safe for concurrent use. i counts from 0.
func Repeat(ctx context.Context, r *lab.Run, together int, f func(ctx context.Context, r *lab.Run, i int) error) error {
	var own [RealRuns]lab.Run
	err := lab.Parallel(ctx, together, RealRuns, func(ctx context.Context, i int) error {
		own[i] = lab.Run{Binary: r.Binary, Seed: r.Seed + uint64(i), Real: true}
		if r.Dir != "" {
			own[i].Dir = filepath.Join(r.Dir, fmt.Sprint("run-", i+1))
		}
		return f(ctx, &own[i], i)
	})
	for i := range own {
		r.Executions += own[i].Executions
	}
	return err
}

// beatEvery is the interval between an agent's heartbeats, and shortest is the minimum interval
// between samples and between TaskTrackers' heartbeats, in real ms. Both intervals delay decisions
// and reports.
const (
	beatEvery = 200
	shortest  = 100
)

// settings returns the settings of the manager, its nodes, and their daemons.
func (x Real) settings() []string {
	kind, _ := x.Grow.MarshalText() // never fails
	shrink := "kind"
	if x.Shrink == mrcluster.Delayed {
		shrink = "delayed"
	}
	queue := map[weight.Queue]string{weight.InQueue: "in-queue", weight.Waiting: "waiting",
		weight.Unfinished: "unfinished"}[x.Queue]
	set := []string{"howdah.mrcluster.weights.queue=" + queue, "howdah.mrcluster.weights=" + x.Policy,
		"howdah.mrcluster.grow=" + string(kind), "howdah.mrcluster.shrink=" + shrink,
		fmt.Sprintf("howdah.mrcluster.threshold=%g",
			cmp.Or(x.Tau, mrcluster.DefaultConfig().Threshold)/float64(x.Speed*x.Speed)),
		"mapreduce.jobtracker.taskscheduler=fifo", "mapreduce.jobtracker.heartbeats.in.second=1000",
		"distcp.map.bandwidth.mb=1"}
	for key, n := range map[string]int64{
		"howdah.mrcluster.interval.ms":                  x.Interval / x.Speed,
		"howdah.mrcluster.idle.ms":                      x.Idle / x.Speed,
		"howdah.mrcluster.outputs.wait.ms":              cmp.Or(x.OutputsWait, 60_000) / x.Speed,
		"howdah.mrcluster.sample.ms":                    max(shortest, 5000/x.Speed),
		"howdah.mrcluster.retry.ms":                     1000,
		"howdah.mrcluster.heartbeat.ms":                 beatEvery,
		"howdah.jobtracker.heartbeat.interval.min":      max(shortest, Heartbeat/x.Speed),
		"mapreduce.jobtracker.expire.trackers.interval": 60_000,
	} {
		set = append(set, fmt.Sprintf("%s=%d", key, n))
	}
	if x.Inputs != nil {
		return append(append(set, wholeFiles), slowTasks...)
	}
	return append(set, fmt.Sprintf("mapreduce.tasktracker.map.tasks.maximum=%d", Slots[job.Map]),
		fmt.Sprintf("mapreduce.tasktracker.reduce.tasks.maximum=%d", Slots[job.Reduce]))
}

// Run runs workloads until all jobs have ended. If Idle is 0, Run then waits until the pool has
// removed all MR-clusters, but for at most 5 T. After an error, Run keeps the daemons' logs with the
// results.
func (x Real) Run(ctx context.Context, r *lab.Run, work []fawkes.Workload) (*fawkes.Result, error) {
	o := lab.PoolOptions{Nodes: x.Nodes, Set: x.settings()}
	if x.Inputs != nil {
		o.Namespaces = &netns.Config{Cores: siteCores, Mount: cgroup.DefaultMount}
	}
	on, err := r.StartPool(ctx, o)
	if err != nil {
		return nil, err
	}
	defer on.Stop()
	res, err := x.on(ctx, on, work)
	if err != nil && r.Dir != "" {
		err = errors.Join(err, on.KeepLogs(filepath.Join(r.Dir, "logs")))
	}
	return res, err
}

func (x Real) on(ctx context.Context, on *lab.Pool, work []fawkes.Workload) (*fawkes.Result, error) {
	if err := x.create(ctx, on, work); err != nil {
		return nil, err
	}
	if x.Inputs != nil {
		if err := x.Inputs.prepare(ctx, on, work); err != nil {
			return nil, err
		}
	}
	c := newCrowd(x, on, work)
	if x.Deployed {
		if err := c.deploy(ctx); err != nil {
			return nil, err
		}
	}
	return c.run(ctx)
}

// Knobs records choices about a run of sleeping tasks on real nodes that the paper leaves open.
func (x Real) Knobs(r *lab.Run) {
	r.Knob("repetitions", fmt.Sprintf("%d, at the same time on the same machine", RealRuns))
	r.Knob("speed", fmt.Sprintf("%d times that in the paper; the reported times are the measured times multiplied by %d",
		x.Speed, x.Speed))
	r.Knob("part of the testbed", fmt.Sprintf("1/%d, with %d nodes of %d + %d slots each, MR-clusters with %d core "+
		"nodes, 1/%d of the small jobs, and 1/%d of the other jobs' tasks", Fifth, x.Nodes,
		Slots[job.Map], Slots[job.Reduce], CoreNodes/Fifth, Fifth, Fifth))
	r.Knob("tasks", "each task sleeps inside a TaskTracker for the time that the model predicts for core nodes")
	r.Knob("spread of task times", fmt.Sprintf("lognormal with sigma %g", x.Model.Sigma))
	r.Knob("T (ms)", x.Interval)
	r.Knob("simulation", "the same jobs in the same pool; nodes start in 10 s")
}

// Simulated runs the same workloads in the simulator and calls watch with each state, unless watch
// is nil.
func (x Real) Simulated(ctx context.Context, work []fawkes.Workload,
	watch func(fawkes.Moment)) (*fawkes.Result, error) {
	p := x.Pool
	p.Watch = watch
	// Tasks sleep as on core nodes, and there is no data to move.
	p.Model.Apps, p.Model.FreeMoves, p.Model.Disk = nil, true, 1e6
	return p.Run(ctx, work)
}

// create requests the MR-clusters. If an MR-cluster loads input, it loads a file at 1 MiB/s. create
// chooses the size of the file so that loading takes as long as in the workload.
func (x Real) create(ctx context.Context, on *lab.Pool, work []fawkes.Workload) error {
	for i := range work {
		w := &work[i]
		args := []string{"mrcluster", "create", w.Spec.Name, "--core", fmt.Sprint(w.Spec.Core)}
		if w.Load > 0 {
			from := filepath.Join(on.Dir, "external-"+w.Spec.Name)
			if err := os.WriteFile(from, make([]byte, (w.Load/x.Speed)*(1<<20)/1000), 0o644); err != nil {
				return failure.New(failure.IO, "fill external storage", from, err)
			}
			args = append(args, "--load", fmt.Sprintf("file:%s=file:%s/input-%s", from, on.Dir, w.Spec.Name))
		}
		if _, err := on.Howdah(ctx, args...); err != nil {
			return err
		}
	}
	return nil
}
