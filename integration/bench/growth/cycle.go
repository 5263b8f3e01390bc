//go:build integration

package main

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/scheduler/fair"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/importer"
)

// simulated describes the simulation that a child process runs.
type simulated struct {
	policy   string
	trackers int
}

// args returns the arguments that make this program run the simulation and print the CPU time of
// the policy's cycles.
func (s simulated) args(in string) []string {
	return []string{"-simulate", s.policy, "-nodes", fmt.Sprint(s.trackers), in}
}

// run simulates the trace in a file and prints the CPU time of the policy's cycles in seconds.
func (s simulated) run(ctx context.Context, in string) error {
	watched := &cycles{}
	_, err := s.simulate(ctx, in, func(p scheduler.Policy) scheduler.Policy {
		watched.Policy = p
		_, watched.updates = p.(*fair.Deficit)
		return watched
	})
	if err == nil {
		fmt.Println(watched.total.Seconds())
	}
	return err
}

// simulate simulates the trace in a file like howdah sim run, with the policy that wrap returns.
func (s simulated) simulate(ctx context.Context, in string,
	wrap func(scheduler.Policy) scheduler.Policy) (*trace.Result, error) {
	t, err := importer.Read([]string{in}, importer.Options{})
	if err != nil {
		return nil, err
	}
	setup, err := catalog.Builtin().Load(s.policy, conf.New())
	if err != nil {
		return nil, err
	}
	n := int32(s.trackers)
	slots := [2]int32{int32(conf.TaskTrackerMapTasksMaximum.BuiltIn()),
		int32(conf.TaskTrackerReduceTasksMaximum.BuiltIn())}
	setup.Slots = [2]int32{n * slots[0], n * slots[1]}
	p, name, err := catalog.Builtin().Make(s.policy, setup)
	if err != nil {
		return nil, err
	}
	config := simulator.Config{Trackers: s.trackers, Slots: slots, Seed: 1, Scheduler: name, Policy: wrap(p)}
	if scheduler.UsesContainers(p) { // a slot corresponds to a container with Hadoop's default size
		size := slots[0] + slots[1]
		config.Memory, config.VCores = size*job.DefaultMemory, size*job.DefaultVCores
	}
	return simulator.Run(ctx, config, t.Source())
}

// cycles is a policy that measures the CPU time of the cycles of another policy. A cycle is work that
// the policy does at intervals instead of for a heartbeat, such as a placement of all jobs.
type cycles struct {
	scheduler.Policy
	updates bool // the policy also updates its shares in the first Assign after jobs have come or gone
	due     bool // the next Assign updates shares
	total   time.Duration
	plan    scheduler.Plan
}

// Observe implements scheduler.Policy.
func (c *cycles) Observe(v scheduler.View, e *event.Event) {
	switch e.Type {
	case event.JobStarted, event.JobPriorityChanged, event.JobCommitting, event.JobAborting:
		c.due = c.updates
	}
	c.Policy.Observe(v, e)
}

// Assign implements scheduler.Policy.
func (c *cycles) Assign(v scheduler.View, tracker int32, plan scheduler.Plan) {
	if !c.due {
		c.Policy.Assign(v, tracker, plan)
		return
	}
	c.due = false
	c.measure(plan, func() { c.Policy.Assign(v, tracker, c) })
}

// Tick implements scheduler.Policy.
func (c *cycles) Tick(v scheduler.View, plan scheduler.Plan) {
	c.measure(plan, func() { c.Policy.Tick(v, c) })
}

func (c *cycles) measure(plan scheduler.Plan, cycle func()) {
	c.plan = plan
	start := processTime()
	cycle()
	c.total += processTime() - start
}

// apart runs an order of the policy. Its time does not count, because the machine does the work.
func (c *cycles) apart(order func() bool) bool {
	start := processTime()
	ok := order()
	c.total -= processTime() - start
	return ok
}

// Launch implements scheduler.Plan.
func (c *cycles) Launch(t job.Task, tracker int32, slot job.TaskType) bool {
	return c.apart(func() bool { return c.plan.Launch(t, tracker, slot) })
}

// Kill implements scheduler.Plan.
func (c *cycles) Kill(a job.Attempt, why string) bool {
	return c.apart(func() bool { return c.plan.Kill(a, why) })
}

// UsesContainers implements scheduler.ContainerUser.
func (c *cycles) UsesContainers() bool { return scheduler.UsesContainers(c.Policy) }

// IgnoresProgress implements scheduler.ProgressIgnorer.
func (c *cycles) IgnoresProgress() bool {
	i, ok := c.Policy.(scheduler.ProgressIgnorer)
	return ok && i.IgnoresProgress()
}

// processTime returns the CPU time of this process so far.
func processTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
