package mro

import (
	"context"
	"fmt"
	"time"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/orchestrator"
)

// mro6 reproduces section IV-D of MROrchestrator, which is about the orchestrator's overhead.
var mro6 = &lab.Experiment{
	ID: "MRO-6", Paper: Paper, BibTeX: BibTeX, Sim: mro6Simulate,
}

const (
	mro6Nodes = 24
	tasks     = 100 // per node
	jobs      = 6
)

// cost contains the time, in ms per epoch, that each part of the orchestrator takes on one core.
type cost struct{ profile, estimate, detect, balance float64 }

func mro6Simulate(ctx context.Context, r *lab.Run) error { return mro6Measure(ctx, r, "", mro6Nodes) }

// mro6Measure measures the cost with the given number of nodes. The IDs of the relations start with
// prefix.
func mro6Measure(ctx context.Context, r *lab.Run, prefix string, nodes int) error {
	epochs := 15
	if r.Quick {
		epochs = 5
	}
	var rows [][]string
	for _, e := range []string{"uniform", "regression"} {
		c := orchestrator.DefaultConfig()
		c.Estimator = e
		x := measure(c, nodes, epochs)
		r.Executions++
		if ctx.Err() != nil {
			return ctx.Err()
		}
		epoch := float64(c.Epoch)
		share := 100 * (x.profile + x.estimate + x.detect + x.balance) / epoch
		rows = append(rows, []string{e, ms(x.profile), ms(x.estimate), ms(x.detect), ms(x.balance),
			fmt.Sprintf("%.3f", share)})
		e = prefix + e
		r.Compare(e+"-estimate", lab.Once(100*x.estimate/epoch), "%.2f ms of an epoch of %.0f ms", x.estimate, epoch)
		r.Compare(e+"-all", lab.Once(share), "profilers, estimators, detector, and balancer")
		r.Compare(e+"-detect", lab.Once(x.detect), "of an epoch of %.0f ms", epoch)
		r.Compare(e+"-balance", lab.Once(100*x.balance/epoch), "%.2f ms of an epoch of %.0f ms", x.balance, epoch)
	}
	r.Knob("workload", fmt.Sprintf(
		"%d nodes with %d tasks each, from %d jobs, on one core; each wall-clock time is the minimum of %d epochs",
		nodes, tasks, jobs, epochs))
	r.AddTable("cost", []string{"estimator", "profilers (ms per epoch)", "estimators", "detector", "balancer",
		"share of a core (%)"}, rows)
	return nil
}

func ms(x float64) string { return fmt.Sprintf("%.2f", x) }

// measure runs the given number of epochs of a busy cluster and returns the shortest wall-clock
// time of each part, in ms. Other work on the machine can only lengthen these times.
func measure(c orchestrator.Config, nodes, epochs int) cost {
	capacity := orchestrator.Vector{tasks * 1000, tasks * 1000}
	g := orchestrator.NewGlobal(c, 0)
	local := make([]*orchestrator.Local, nodes)
	for n := range local {
		local[n] = orchestrator.NewLocal(c, capacity)
	}
	least := cost{1e9, 1e9, 1e9, 1e9}
	var advice []heartbeat.Advice
	var decisions []orchestrator.Decision
	for now, k := int64(0), 0; k < epochs; k++ {
		var x cost
		for range c.Epoch / c.Sample {
			now += c.Sample
			for n := range local {
				s := samples(n, now)
				x.profile += took(func() { local[n].Observe(now, s) })
			}
		}
		for n := range local {
			g.Hear(now, int32(n+1), local[n].Report())
		}
		x.detect = took(func() { decisions = g.Tick(now, nil, decisions[:0]) })
		for n := range local {
			advice = g.Advice(int32(n+1), advice[:0])
			x.estimate += took(func() {
				local[n].Hear(advice)
				g.Hear(now, int32(n+1), local[n].Report())
			})
		}
		x.balance = took(func() { decisions = g.Tick(now+c.Epoch/2, nil, decisions[:0]) })
		least = cost{min(least.profile, x.profile), min(least.estimate, x.estimate), min(least.detect, x.detect),
			min(least.balance, x.balance)}
	}
	return least
}

func took(f func()) float64 {
	start := time.Now()
	f()
	return float64(time.Since(start).Microseconds()) / 1000
}

// samples returns the samples of node n with tasks of all jobs. The tasks differ in resource usage
// and progress.
func samples(n int, now int64) []orchestrator.Sample {
	out := make([]orchestrator.Sample, tasks)
	for i := range out {
		x := int64(n*7+i*13) % 100
		out[i] = orchestrator.Sample{Attempt: job.Attempt{Task: job.Task{Job: int32(1 + i%jobs), Index: int32(n*tasks + i)}},
			Progress:  now * (50 + x) / 1000 % orchestrator.Million,
			CPUMillis: now * (500 + 10*x) / 1000, Memory: 300 + 5*x + now/1000%50, Allocation: orchestrator.Vector{1000, 700}}
	}
	return out
}
