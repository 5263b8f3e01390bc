package lab

import (
	"context"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/simulator/tasklevel"
	"github.com/howdah/howdah/simulator/trace"
)

// Policy is a scheduler's name and its settings.
type Policy struct {
	Name string   // of the scheduler
	Set  []string // settings: alternating keys and values
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

// Settings returns the policy's settings as "key=value", for a cluster.
func (p Policy) Settings() (set []string) {
	for i := 0; i+1 < len(p.Set); i += 2 {
		set = append(set, p.Set[i]+"="+p.Set[i+1])
	}
	return set
}

// Title returns the policy's name followed by the values of its settings.
func (p Policy) Title() string {
	t := p.Name
	for i := 1; i < len(p.Set); i += 2 {
		t += " " + p.Set[i]
	}
	return t
}

// RunTasks simulates the jobs in src under p with the task-level engine.
func RunTasks(ctx context.Context, p Policy, slots [2]int32, seed uint64, src trace.Source) (*trace.Result, error) {
	policy, err := p.New()
	if err != nil {
		return nil, err
	}
	return tasklevel.Run(ctx, tasklevel.Config{Slots: slots, Scheduler: p.Name, Policy: policy, Seed: seed}, src)
}

// Alone returns the simulated time, in ms, of a job that has all slots to itself. SimMR §V-B calls
// this time T_J.
func Alone(ctx context.Context, j *trace.Job, slots [2]int32) (int64, error) {
	one := *j
	one.Submit, one.Deadline = 0, 0
	r, err := RunTasks(ctx, Policy{Name: "fifo"}, slots, 1, (&trace.Trace{Jobs: []*trace.Job{&one}}).Source())
	if err != nil {
		return 0, err
	}
	return r.Jobs[0].Finish - r.Jobs[0].Submit, nil
}

// Exceeded returns the sum of (T_J - D_J)/D_J over the jobs that end after their deadlines (SimMR
// §V-A), and the fraction of jobs that do so. T_J and D_J are the job's end and deadline, both
// relative to its submission.
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
