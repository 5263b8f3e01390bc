// Package ra holds what the experiments of the Reverse-Adaptive scheduler's paper (RA, CCGrid 2014) share: the shared cluster
// of its section V-A in the simulator, its metrics, and the means over seeds.
package ra

import (
	"context"
	"math"
	"strconv"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/adaptive"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/simulator/tasklevel"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
)

const hour = 3_600_000

// Case is a workload with the settings of the policies that run it.
type Case struct {
	Workload generate.Shared
	Settings map[string]string // of the policies
	Blind    bool              // the policy is not told f(t): it takes the nodes that there are to stay
}

// Outcome is what one simulation came to, over the middle 5 of 7 days (RA section V-A).
type Outcome struct {
	Jobs     int     // that started or finished in them
	Missed   float64 // percent of them that ended after their deadline
	Beyond   float64 // mean hours beyond the deadline of those
	Distance float64 // mean hours from the end to the deadline of the others
}

// Simulate runs a case under a policy. Nodes are slots here and nothing else: the paper's simulator knows no beats, no data and
// no reduces, so the task-level engine runs it.
func Simulate(ctx context.Context, c Case, policy string, seed uint64) (Outcome, error) {
	w := c.Workload
	w.Seed = seed
	foretold := w.F
	if c.Blind {
		foretold = generate.Availability{}
	}
	result, err := Replay(ctx, w.Source(), policy, c.Settings, foretold, Changes(w.F, Nodes(w), Days(w)), Nodes(w))
	if err != nil {
		return Outcome{}, err
	}
	return measure(result.Jobs, Days(w)), nil
}

// Nodes is the size of the cluster; Days how long jobs come.
func Nodes(w generate.Shared) int {
	if w.Nodes == 0 {
		return 100
	}
	return w.Nodes
}

// Days is how long jobs come.
func Days(w generate.Shared) int {
	if w.Days == 0 {
		return 7
	}
	return w.Days
}

// Replay runs jobs on nodes whose number changes, under a policy that is told f(t).
func Replay(ctx context.Context, src trace.Source, policy string, set map[string]string, f generate.Availability, changes []tasklevel.Capacity, nodes int) (*trace.Result, error) {
	p, err := Policy(policy, set, f)
	if err != nil {
		return nil, err
	}
	return tasklevel.Run(ctx, tasklevel.Config{Slots: [2]int32{int32(nodes), 1}, Scheduler: policy, Policy: p, Capacity: changes}, src)
}

// Policy builds a policy by name. It is told f(t), and that trackers have fewer slots as f(t) falls.
func Policy(name string, set map[string]string, f generate.Availability) (scheduler.Policy, error) {
	c := conf.New()
	for k, v := range set {
		c.Set(k, v, "experiment")
	}
	c.Set(adaptive.LimitKey, adaptive.ByTrackers, "experiment")
	s := scheduler.Setup{Conf: c, Files: []scheduler.File{{Key: adaptive.FileKey, Path: "f(t)", Data: []byte(f.Points())}}}
	p, _, err := catalog.Builtin().Make(name, s)
	return p, err
}

// Changes lists the cluster's slots over time, every minute that they change. The transactional workload takes precedence, but
// a task that runs is let finish. After the days that jobs come in, f(t) goes on until the last of them has long ended.
func Changes(f generate.Availability, nodes, days int) []tasklevel.Capacity {
	var list []tasklevel.Capacity
	last := int32(nodes)
	for t := int64(0); t < int64(4*max(1, days))*24*hour; t += 60_000 {
		if n := int32(math.Round(float64(nodes) * f.At(t))); n != last {
			list = append(list, tasklevel.Capacity{At: t, Slots: [2]int32{job.Map: n, job.Reduce: 1}})
			last = n
		}
	}
	return list
}

// measure takes the paper's metrics, leaving out the first and the last day.
func measure(jobs []trace.JobResult, days int) (o Outcome) {
	from, to := int64(24*hour), int64(days-1)*24*hour
	within := func(t int64) bool { return t >= from && t < to }
	missed := 0
	for i := range jobs {
		j := &jobs[i]
		if !within(j.Start) && !within(j.Finish) {
			continue
		}
		o.Jobs++
		late := float64(j.Finish-j.Deadline) / hour
		if j.Missed() {
			missed++
			o.Beyond += late
		} else {
			o.Distance -= late
		}
	}
	if o.Jobs > 0 {
		o.Missed = 100 * float64(missed) / float64(o.Jobs)
	}
	o.Beyond /= math.Max(1, float64(missed))
	o.Distance /= math.Max(1, float64(o.Jobs-missed))
	return o
}

// Percent formats a value.
func Percent(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }
