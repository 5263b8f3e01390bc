// Package ra reproduces the figures of the Reverse-Adaptive paper (RA, CCGrid 2014). The experiments
// share the simulated cluster, the metrics from section V-A of the paper, and the means over seeds.
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

// Case is a workload and the settings of the policies that run it.
type Case struct {
	Workload generate.Shared
	Settings map[string]string // of the policies
	Blind    bool              // hide f(t) from the policy, which then assumes that the number of nodes stays constant
}

// Outcome is the result of one simulation, excluding its first and last days. By default, it covers
// the middle 5 of 7 days (RA section V-A).
type Outcome struct {
	Jobs     int     // jobs that started or finished in these days
	Missed   float64 // jobs that ended after their deadline, in percent
	Beyond   float64 // mean time from the deadline to the end of late jobs, in hours
	Distance float64 // mean time from the end to the deadline of the other jobs, in hours
}

// Simulate runs case c under the given policy. It uses the task-level engine and represents nodes
// as slots, because the paper's simulator has no heartbeats, data, or reduces.
func Simulate(ctx context.Context, c Case, policy string, seed uint64) (Outcome, error) {
	w := c.Workload.WithDefaults()
	w.Seed = seed
	foretold := w.F
	if c.Blind {
		foretold = generate.Availability{}
	}
	result, err := Replay(ctx, w.Source(), policy, c.Settings, foretold, Changes(w.F, w.Nodes, w.Days), w.Nodes)
	if err != nil {
		return Outcome{}, err
	}
	return measure(result.Jobs, w.Days), nil
}

// Replay runs jobs on a changing number of nodes under a policy that can read f(t).
func Replay(ctx context.Context, src trace.Source, policy string, set map[string]string, f generate.Availability,
	changes []tasklevel.Capacity, nodes int) (*trace.Result, error) {
	p, err := Policy(policy, set, f)
	if err != nil {
		return nil, err
	}
	return tasklevel.Run(ctx, tasklevel.Config{Slots: [2]int32{int32(nodes), 1}, Scheduler: policy, Policy: p,
		Capacity: changes}, src)
}

// Policy builds the named policy. The policy can read f(t), and assumes that trackers have fewer
// slots when f(t) is lower.
func Policy(name string, set map[string]string, f generate.Availability) (scheduler.Policy, error) {
	c := conf.New()
	for k, v := range set {
		c.Set(k, v, "experiment")
	}
	c.Set(conf.AdaptiveCapacityEnforcedBy.Name, adaptive.ByTrackers, "experiment")
	s := scheduler.Setup{Conf: c, Files: []scheduler.File{{Key: conf.AdaptiveCapacityFile.Name, Path: "f(t)",
		Data: []byte(f.Points())}}}
	p, _, err := catalog.Builtin().Make(name, s)
	return p, err
}

// Changes returns the changes of the cluster's slots over time, at one-minute resolution. The
// transactional workload has priority, but running tasks may finish. The changes cover a period
// four times as long as the days on which jobs arrive, so that f(t) also applies to jobs that end
// late.
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

// measure computes the paper's metrics over the jobs that started or finished between the first and
// the last day.
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

// Percent formats a percentage with one decimal and without a percent sign.
func Percent(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }
