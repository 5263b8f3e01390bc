package faw

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/weight"
	"github.com/howdah/howdah/simulator/fawkes"
)

// Fifth is the part of the testbed that a pool of real nodes has, and RealNodes is how many those are.
const (
	Fifth     = 5
	RealNodes = 12
)

// Real is a pool of nodes on this machine: a manager with agents, JobTrackers and TaskTrackers, all processes of their own. Tasks sleep inside
// the TaskTrackers, as long as the model says that they take on core nodes. Time runs faster than in the paper, but all times here are
// the paper's: what is measured counts Speed times.
type Real struct {
	Pool
	Speed int64
	// Deployed lets the clock start when all MR-clusters are deployed.
	Deployed bool
}

// Periods of the daemons in real ms, by which decisions and news are late.
const (
	beatEvery = 200
	shortest  = 100
)

// settings are those of the manager, its nodes and what they run.
func (x Real) settings() []string {
	kind, _ := x.Grow.MarshalText() // never fails
	shrink := "kind"
	if x.Shrink == mrcluster.Delayed {
		shrink = "delayed"
	}
	queue := map[weight.Queue]string{weight.InQueue: "in-queue", weight.Waiting: "waiting", weight.Unfinished: "unfinished"}[x.Queue]
	set := []string{"howdah.mrcluster.weights.queue=" + queue, "howdah.mrcluster.weights=" + x.Policy, "howdah.mrcluster.grow=" + string(kind), "howdah.mrcluster.shrink=" + shrink,
		fmt.Sprintf("howdah.mrcluster.threshold=%g", cmp.Or(x.Tau, mrcluster.DefaultConfig().Threshold)/float64(x.Speed*x.Speed)),
		"mapreduce.jobtracker.taskscheduler=fifo", "mapreduce.jobtracker.heartbeats.in.second=1000", "distcp.map.bandwidth.mb=1"}
	for key, n := range map[string]int64{
		"howdah.mrcluster.interval.ms":                  x.Interval / x.Speed,
		"howdah.mrcluster.idle.ms":                      x.Idle / x.Speed,
		"howdah.mrcluster.outputs.wait.ms":              cmp.Or(x.OutputsWait, 60_000) / x.Speed,
		"howdah.mrcluster.sample.ms":                    max(shortest, 5000/x.Speed),
		"howdah.mrcluster.retry.ms":                     1000,
		"howdah.mrcluster.heartbeat.ms":                 beatEvery,
		"howdah.jobtracker.heartbeat.interval.min":      max(shortest, Heartbeat/x.Speed),
		"mapreduce.tasktracker.map.tasks.maximum":       int64(Slots[job.Map]),
		"mapreduce.tasktracker.reduce.tasks.maximum":    int64(Slots[job.Reduce]),
		"mapreduce.jobtracker.expire.trackers.interval": 60_000,
	} {
		set = append(set, fmt.Sprintf("%s=%d", key, n))
	}
	return set
}

// Run runs workloads until all jobs are over and, if MR-clusters are removed when they are idle for T, until all are. After an error the logs
// of the daemons are kept with the results.
func (x Real) Run(ctx context.Context, r *lab.Run, work []fawkes.Workload) (*fawkes.Result, error) {
	on, err := r.StartPool(ctx, lab.PoolOptions{Nodes: x.Nodes, Set: x.settings()})
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
	c := newCrowd(x, on, work)
	if x.Deployed {
		if err := c.deploy(ctx); err != nil {
			return nil, err
		}
	}
	return c.run(ctx)
}

// Knobs notes what such a run leaves open.
func (x Real) Knobs(r *lab.Run) {
	r.Knob("time", fmt.Sprintf("runs %d times as fast as in the paper; all times here are the paper's, so that measured ones count %d times", x.Speed, x.Speed))
	r.Knob("part of the testbed", fmt.Sprintf("1/%d: %d nodes of %d + %d slots, MR-clusters of %d core nodes; a %dth of the small jobs, a %dth of the tasks of others", Fifth, x.Nodes,
		Slots[job.Map], Slots[job.Reduce], CoreNodes/Fifth, Fifth, Fifth))
	r.Knob("tasks", "sleep inside the TaskTrackers, as long as the model says for core nodes alone")
	r.Knob("spread of task times", fmt.Sprintf("lognormal, sigma %g", x.Model.Sigma))
	r.Knob("T (ms)", x.Interval)
	r.Knob("simulated", "the same jobs in the same pool in the simulator, whose nodes start in 10 s")
}

// Simulated runs the same in the simulator, which watch is told of; nil = nobody watches.
func (x Real) Simulated(ctx context.Context, work []fawkes.Workload, watch func(fawkes.Moment)) (*fawkes.Result, error) {
	p := x.Pool
	p.Watch = watch
	p.Model.Apps, p.Model.FreeMoves, p.Model.Disk = nil, true, 1e6 // tasks sleep as on core nodes, and there is no data to move
	return p.Run(ctx, work)
}

// create asks for the MR-clusters. External storage is a file that takes the time to load.
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
