package mro

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/job"
)

// Testbed is a cluster of TaskTrackers on this machine. Tasks run in control groups, and each
// node's CPU is capped. Tasks, epochs, and sampling intervals are a tenth as long as in the paper.
type Testbed struct {
	Nodes int
	Slots [2]int32
	CPU   int64 // limit of each node, in thousandths of a core
	Slot  int64 // memory of a slot, in MiB
	Jobs  []Work
	About string // the jobs in words
	// Files writes the jobs' input to the folder dir before each run; nil = there is none.
	Files func(dir string) error
}

// Work is a job. Args returns its arguments for howdah run. dir is the folder that contains the
// job's files.
type Work struct {
	Name string
	Args func(dir string) []string
}

// Mode selects how the testbed moves shares of resources between tasks.
type Mode struct {
	Name      string
	Estimator string // "" = as in Hadoop: groups of equal weight that only measure, and a heap of the slot's size
	Control   string // the resources to move; "" = CPU and memory
	Watch     bool   // make decisions but change nothing
}

// Run runs all jobs at the same time on a new cluster and measures them from the start of the first
// task.
func (b *Testbed) Run(ctx context.Context, r *lab.Run, m Mode) (*Outcome, error) {
	tree, remove, err := lab.OpenGroups("")
	if err != nil {
		return nil, err
	}
	defer remove()
	c, err := r.StartCluster(ctx, lab.ClusterOptions{TaskTrackers: b.Nodes, Slots: b.Slots,
		Set: append(b.settings(m), "howdah.tasktracker.cgroups.hierarchy="+tree.Path())})
	if err != nil {
		return nil, err
	}
	defer c.Stop()
	nodes, err := lab.LimitTrackers(tree, b.Nodes, b.CPU)
	if err != nil {
		return nil, err
	}
	all, _, err := cgroup.Below(cgroup.Config{Parent: lab.GroupsHome})
	if err == nil {
		err = all.Set(cgroup.Limits{Weight: testbedWeight})
	}
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "howdah-testbed-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if b.Files != nil {
		if err := b.Files(dir); err != nil {
			return nil, err
		}
	}
	return b.measure(ctx, c, nodes, dir)
}

// testbedWeight is the CPU weight of the testbed. It is the maximum, so that other processes on the
// machine take little CPU time from the testbed.
const testbedWeight = cgroup.MaxWeight

// Knobs records the choices of the testbed.
func (b *Testbed) Knobs(r *lab.Run) {
	r.Knob("cluster", fmt.Sprintf("%d TaskTrackers, each with %d millicores and %d+%d slots of %d MiB", b.Nodes, b.CPU,
		b.Slots[0], b.Slots[1], b.Slot))
	r.Knob("base", "control groups of equal weight without limits; -Xmx keeps a task's heap within its slot's memory; "+
		"the scheduler is fair")
	r.Knob("epoch", "2 s with samples every 0.5 s, because tasks take a tenth as long as in the paper")
	r.Knob("jobs", b.About)
	r.Knob("time", "the interval from the start of the first task to the end of the job; nodes accept no tasks "+
		"while the jobs are submitted, so that each node begins with the same tasks in every run")
}

// The orchestrator's intervals on the testbed, in ms.
const (
	bedEpoch  = 2000
	bedSample = 500
)

func (b *Testbed) settings(m Mode) []string {
	set := []string{conf.JobTrackerTaskScheduler.Name + "=fair", "howdah.jobtracker.heartbeat.interval.min=300",
		"howdah.tasktracker.cgroups=required",
		fmt.Sprintf("howdah.tasktracker.memory.mb=%d", b.Slot*int64(b.Slots[0]+b.Slots[1])),
		fmt.Sprintf("mapreduce.map.memory.mb=%d", b.Slot), fmt.Sprintf("mapreduce.reduce.memory.mb=%d", b.Slot),
		"mapreduce.map.speculative=false", "mapreduce.reduce.speculative=false",
		"mapreduce.job.reduce.slowstart.completedmaps=1"}
	if m.Estimator == "" {
		return append(set, "howdah.tasktracker.cgroups.memory=false")
	}
	mode := "on"
	if m.Watch {
		mode = "watch"
	}
	return append(set, "howdah.orchestrator="+mode, "howdah.orchestrator.estimator="+m.Estimator,
		fmt.Sprintf("howdah.orchestrator.epoch.ms=%d", bedEpoch), fmt.Sprintf("howdah.orchestrator.sample.ms=%d", bedSample),
		fmt.Sprintf("howdah.orchestrator.node.cpu=%d", b.CPU), "howdah.orchestrator.control="+cmp.Or(m.Control, "cpu+memory"))
}

// measure runs the jobs. It closes all nodes to new tasks while it submits the jobs one after
// another, so that each node starts with the same tasks in every run. Otherwise, the random
// placement of tasks would have a larger effect than the way in which shares move.
func (b *Testbed) measure(ctx context.Context, c *lab.Cluster, nodes []*cgroup.Group, dir string) (*Outcome, error) {
	trackers, err := c.Trackers(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.Drain(ctx, "immediate", trackers...); err != nil {
		return nil, err
	}
	jobs, errs := make([]*lab.Job, len(b.Jobs)), make([]error, len(b.Jobs))
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var all sync.WaitGroup
	for i, w := range b.Jobs {
		all.Go(func() { jobs[i], errs[i] = c.RunJob(ctx, w.Args(dir)...) })
		if err := c.AwaitJobs(ctx, i+1); err != nil {
			stop()
			all.Wait()
			return nil, errors.Join(append(errs, err)...)
		}
	}
	done := make(chan struct{})
	var u sampled
	var sampling sync.WaitGroup
	sampling.Go(func() { u.follow(nodes, done) })
	err = c.Drain(ctx, "off", trackers...)
	if err != nil {
		stop()
	}
	all.Wait()
	close(done)
	sampling.Wait()
	if err := errors.Join(append(errs, err, u.err)...); err != nil {
		return nil, err
	}
	return b.outcome(jobs, &u)
}

// outcome returns the outcome of the jobs, measured from the start of their first task.
func (b *Testbed) outcome(jobs []*lab.Job, u *sampled) (*Outcome, error) {
	o := &Outcome{}
	open := jobs[0].Finish
	for _, j := range jobs {
		for _, a := range j.Attempts {
			open = min(open, a.Start)
		}
	}
	for _, j := range jobs {
		if j.State != job.Succeeded.String() {
			return nil, fmt.Errorf("%s %s: %s", j.ID, j.State, j.Diagnostic)
		}
		t := float64(j.Finish-open) / 1000
		o.JCT = append(o.JCT, t)
		o.Makespan = max(o.Makespan, t)
		o.Spread = append(o.Spread, spreadOf(mapTimes(j)))
	}
	used, memory := u.between(open, open+int64(1000*o.Makespan))
	o.CPU = used.Seconds()
	capacity := float64(b.Nodes)
	o.Util[0] = o.CPU / (o.Makespan * capacity * float64(b.CPU) / 1000)
	o.Util[1] = memory / (capacity * float64(b.Slot*int64(b.Slots[0]+b.Slots[1])<<20))
	return o, nil
}

// mapTimes returns the times of a job's successful map attempts, in ms.
func mapTimes(j *lab.Job) (times []int64) {
	for _, a := range j.Attempts {
		if a.Type == job.Map.String() && a.State == job.AttemptSucceeded.String() {
			times = append(times, a.Finish-a.Start)
		}
	}
	return times
}
