// Command laboratory is a howdah-lab with parts of its own: a scheduler, a policy that weighs
// MR-clusters, a workload, and an estimator of MROrchestrator. Scenarios and howdah sim name them like
// the built-in ones:
//
//	laboratory scenario run mine.yaml
//	laboratory sim compare a=week b=day --scenario mine.yaml
//
// For real runs, it is also a manager that knows the policy, a JobTracker that knows the scheduler, and
// a TaskTracker that knows the estimator. main_test.go tests each part.
package main

import (
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/labmain"
	"github.com/howdah/howdah/experiments/scenario"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/weight"
	"github.com/howdah/howdah/orchestrator"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/scheduler/fifo"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
)

func main() { labmain.Main(parts()) }

// parts returns the program's parts. The scheduler is FIFO under another name; docs/examples/policy has
// one of its own.
func parts() scenario.Parts {
	return scenario.Parts{
		Schedulers: []catalog.Entry{{Name: "in-order", New: fifo.New}},
		Weights:    []weight.Entry{perSlot},
		Workloads:  []scenario.Workload{{Name: "waves", New: waves}},
		Estimators: []orchestrator.Entry{{Name: "peak", Estimate: peak}},
	}
}

// keyWaiting is the configuration key of the share of waiting tasks that counts, in percent.
const keyWaiting = "example.per-slot.waiting"

var perSlot = weight.Entry{Name: "PerSlot", New: func(c *conf.Config) (mrcluster.Weighting, error) {
	percent, err := c.Int(keyWaiting, 100, 0, 100)
	return waitingPerSlot{float64(percent) / 100}, err
}}

// waitingPerSlot weighs an MR-cluster by the number of its waiting tasks per slot. Unlike TD, it
// gives a small MR-cluster with a long queue more than a large one.
type waitingPerSlot struct{ share float64 }

// Weigh returns the number of waiting tasks per slot. An MR-cluster without slots counts as one slot.
func (w waitingPerSlot) Weigh(s *mrcluster.Sample) float64 {
	return w.share * float64(s.WaitingTasks) / float64(max(1, s.Slots))
}

// waves returns jobs whose number of maps rises from 1 to 8 and then starts again. They arrive
// with the given gaps, or every 10 s.
func waves(jobs int, gaps generate.Arrivals, seed uint64) trace.Source {
	if gaps == nil {
		gaps = generate.Poisson(10_000)
	}
	r, now := generate.Stream(seed, "waves", 0), 0.0
	t := &trace.Trace{}
	for i := range jobs {
		if i > 0 {
			now = gaps.Next(now, r)
		}
		j := &trace.Job{ID: "wave", Name: "wave", Submit: int64(now), State: job.Succeeded, Maps: make([]trace.Map, 1+i%8)}
		for k := range j.Maps {
			j.Maps[k].Time = 2000 + r.Int64N(1000)
		}
		t.Jobs = append(t.Jobs, j)
	}
	return t.Source()
}

// peak estimates that a task needs as much as in its largest window so far.
func peak(_ *orchestrator.Config, u orchestrator.Use) int64 {
	most := u.Advice.Mean[u.Resource]
	for _, w := range u.Windows {
		most = max(most, w.Usage[u.Resource])
	}
	return most
}
