// Package mro is what the experiments on MROrchestrator share: its six jobs, its cluster, and how a run is measured.
package mro

import (
	"context"
	"slices"
	"sync"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/orchestrator"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/simulator"
)

// Paper and BibTeX cite MROrchestrator.
const (
	Paper  = "MROrchestrator (CSE-12-001, 2012)"
	BibTeX = `@techreport{sharma2012mrorchestrator,
  author = {Bikash Sharma and Ramya Prabhakar and Seung-Hwan Lim and Mahmut T. Kandemir and Chita R. Das},
  title = {{MROrchestrator}: A Fine-Grained Resource Orchestration Framework for {Hadoop} {MapReduce}},
  institution = {The Pennsylvania State University},
  number = {CSE-12-001},
  year = {2012}
}`
)

// The cluster of section III-C1: 24 nodes, one of them the master. Of 4 GB a node keeps 1 GB for daemons and system.
const (
	nodes  = 23
	cores  = 2000 // m of each node
	vcores = 6    // of each node, for policies that place by them
	memory = 3072 // MiB of each node, for tasks
	slots  = 5    // of each kind: Figure 2(c) has five reduces on one node

	virtualNodes  = 12
	virtualMemory = 1024 // MiB of each node for tasks: two guests with a system and daemons of their own leave less
)

// Case is one way to run the jobs.
type Case struct {
	Jobs      []int     // of Names, submitted at once
	Sizes     []float64 // of their inputs, in times of those of section IV; nil = 1
	Estimator string    // "" = no orchestrator
	Control   [orchestrator.NumResources]bool
	// Virtual is the virtualised cluster: 12 nodes of two virtual machines with one task each, whose CPU is capped.
	Virtual bool
	Policy  string // "" = fair, of slots; drf and ngm place containers of the memory that the jobs ask for
	// Ask is how much memory the jobs ask for, in times of what their tasks use on average; 0 = 1. Only containers heed it.
	Ask   float64
	Watch bool  // decide, and tell nobody
	Waits bool  // a lack of memory costs no CPU, only time
	Known bool  // instead of an orchestrator: all demands of memory are known
	Lend  bool  // memory of empty slots is given too; so it always is between virtual machines, which stay when their tasks end
	Epoch int64 // ms; 0 = the paper's
	// Trace wants utilisation over time.
	Trace bool
}

// Both controls CPU and memory.
var Both = [orchestrator.NumResources]bool{true, true}

// All names all six jobs.
func All() []int { return []int{0, 1, 2, 3, 4, 5} }

// Outcome is what came of a run.
type Outcome struct {
	JCT       []float64  // s, of the case's jobs in their order
	Util      [2]float64 // mean share of the cluster's CPU and memory in use until the last job ends
	Makespan  float64    // s
	CPU       float64    // s used by all tasks; of real runs only
	Spread    []float64  // of each job: the longest of its reduces in times of the median; of its maps in real runs
	Decisions int
	Seconds   []float64 // of the samples
	Series    [2][]float64
}

// Execute runs a case in the simulator.
func Execute(ctx context.Context, c Case, seed uint64) (*Outcome, error) {
	p, err := policy(c.Policy)
	if err != nil {
		return nil, err
	}
	if c.Ask == 0 {
		c.Ask = 1
	}
	o := &Outcome{JCT: make([]float64, len(c.Jobs))}
	s := &simulator.Shares{Capacity: orchestrator.Vector{cores, memory}, Demand: demand(seed, &c), Watch: c.Watch, Known: c.Known}
	conf := simulator.Config{Trackers: nodes, Slots: [2]int32{slots, slots}, Heartbeat: 3000, WaitForWork: true, Scheduler: c.Policy, Policy: p, Shares: s, Seed: seed,
		Memory: memory, VCores: vcores}
	if c.Virtual {
		conf.Trackers, conf.Slots = virtualNodes, [2]int32{1, 1}
		s.Capacity, s.Cap = orchestrator.Vector{cores, virtualMemory}, true
	}
	if c.Estimator != "" {
		oc := orchestrator.DefaultConfig()
		oc.Estimator, oc.Control, oc.Lend = c.Estimator, c.Control, c.Lend || c.Virtual
		if c.Epoch > 0 {
			oc.Epoch, oc.Sample = c.Epoch, min(oc.Sample, c.Epoch)
		}
		s.Orchestrator = &oc
	}
	s.Decided = func(_ int64, d []orchestrator.Decision) { o.Decisions += len(d) }
	begin, samples := int64(-1), 0.0
	s.Sample = func(now int64, used orchestrator.Vector) {
		if begin < 0 {
			begin = now
		}
		samples++
		o.Seconds = append(o.Seconds, float64(now-begin)/1000)
		for r, u := range used {
			part := float64(u) / float64(s.Capacity[r]*int64(conf.Trackers))
			o.Util[r] += part
			o.Series[r] = append(o.Series[r], part)
		}
	}
	times := make([][]int64, len(c.Jobs))
	conf.SampleEvery, conf.Sample = 5000, func(v scheduler.View) { reduceTimes(v, times) }
	result, err := simulator.Run(ctx, conf, workload(seed, &c).Source())
	if err != nil {
		return nil, err
	}
	for r := range o.Util {
		o.Util[r] /= max(1, samples)
	}
	for i := range result.Jobs {
		j := &result.Jobs[i]
		o.JCT[j.Seq-1] = float64(j.Finish-j.Submit) / 1000
		o.Makespan = max(o.Makespan, float64(j.Finish)/1000)
	}
	for _, t := range times {
		o.Spread = append(o.Spread, spreadOf(t))
	}
	if !c.Trace {
		o.Seconds, o.Series = nil, [2][]float64{}
	}
	return o, nil
}

// reduceTimes notes how long the reduces of each job that runs took so far.
func reduceTimes(v scheduler.View, times [][]int64) {
	for i := range times {
		if j := v.Job(int32(i + 1)); j == nil || j.State != job.Running {
			continue
		}
		times[i] = times[i][:0]
		for _, a := range v.Ended(int32(i+1), job.Reduce, nil) {
			times[i] = append(times[i], a.Finish-a.Start)
		}
	}
}

func spreadOf(t []int64) float64 {
	if len(t) == 0 {
		return 1
	}
	slices.Sort(t)
	return float64(t[len(t)-1]) / float64(max(1, t[len(t)/2]))
}

func policy(name string) (scheduler.Policy, error) {
	if name == "" {
		name = "fair"
	}
	p, _, err := catalog.Builtin().Make(name, scheduler.Setup{Conf: conf.New()})
	return p, err
}

// Runs executes each case for a number of seeds and gives outcomes by case and seed.
func Runs(ctx context.Context, r *lab.Run, seeds int, cases []Case) ([][]*Outcome, error) {
	out := make([][]*Outcome, len(cases))
	var wait sync.WaitGroup
	var mu sync.Mutex
	var failed error
	room := make(chan struct{}, max(1, r.Workers))
	for i := range cases {
		out[i] = make([]*Outcome, seeds)
		for s := range seeds {
			room <- struct{}{}
			wait.Go(func() {
				defer func() { <-room }()
				o, err := Execute(ctx, cases[i], r.Seed+uint64(s))
				mu.Lock()
				defer mu.Unlock()
				out[i][s] = o
				if err != nil && failed == nil {
					failed = err
				}
			})
		}
	}
	wait.Wait()
	r.Executions += len(cases) * seeds
	return out, failed
}
