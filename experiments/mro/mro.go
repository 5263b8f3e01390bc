// Package mro reproduces the figures of MROrchestrator. The experiments share the paper's six jobs,
// its cluster, and the functions that measure a run. Some experiments also run on a real testbed
// that uses control groups.
package mro

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/orchestrator"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/trace"
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

// The cluster of section III-C1 has 24 nodes, one of which is the master. A node has 4 GB, of which
// 1 GB is reserved for daemons and the system.
const (
	nodes  = 23
	cores  = 2000 // millicores of each node
	vcores = 6    // per node, for policies that place tasks according to vcores
	memory = 3072 // MiB per node for tasks
	slots  = 5    // per node and kind; Figure 2(c) has five reduces on one node

	virtualNodes  = 12
	virtualMemory = 1024 // MiB per node for tasks; two guests with their own systems and daemons leave less
)

// Case is one configuration in which the jobs run.
type Case struct {
	Jobs      []int     // indexes in Names; all jobs are submitted at the same time
	Sizes     []float64 // input sizes relative to those of section IV; nil = 1
	Estimator string    // "" = no orchestrator
	Control   [orchestrator.NumResources]bool
	// Virtual selects the virtualized cluster of 12 nodes. Each node has two virtual machines, each
	// with one task and a CPU cap.
	Virtual bool
	Policy  string // "" = fair, with slots; drf and ngm place containers by the memory that the jobs request
	// Ask is the memory that the jobs request, relative to the average usage of their tasks; 0 = 1.
	// It applies only to containers.
	Ask   float64
	Watch bool // make decisions but do not apply them
	Waits bool // a lack of memory makes tasks wait but does not use CPU
	Known bool // use exact memory demands instead of an orchestrator's estimates
	// Keep prevents the orchestrator from lending the memory of empty slots. In the virtualized
	// cluster, Keep has no effect, because virtual machines continue to run after their tasks have
	// ended.
	Keep  bool
	Epoch int64 // in ms; 0 = the paper's value
	// Dynamic makes the memory usage of tasks grow until they end, and differ more between the tasks of
	// a job.
	Dynamic bool
	// Tight limits the memory of each virtual machine's task to that of a slot of the native cluster.
	Tight bool
}

// Both selects control of CPU and memory.
var Both = [orchestrator.NumResources]bool{true, true}

// All returns the indexes of all six jobs.
func All() []int { return []int{0, 1, 2, 3, 4, 5} }

// Outcome is the result of a run.
type Outcome struct {
	JCT       []float64  // completion times of the case's jobs, in s
	Util      [2]float64 // mean fraction of the cluster's CPU and memory in use until the last job ends
	Useful    float64    // like Util[0], but only CPU that tasks would use with enough memory; only in simulations
	Makespan  float64    // s
	CPU       float64    // CPU time of all tasks, in s
	Spread    []float64  // each job's longest reduce (in real runs, map) divided by its median one
	Decisions int
	Seconds   []float64    // times of the samples; only in simulations
	Series    [2][]float64 // fractions of the CPU and memory in use, by sample
}

// Execute runs a case in the simulator.
func Execute(ctx context.Context, c Case, seed uint64) (*Outcome, error) {
	p, err := policy(c.Policy)
	if err != nil {
		return nil, err
	}
	c.Ask = cmp.Or(c.Ask, 1)
	s := &simulator.Shares{Capacity: orchestrator.Vector{cores, memory}, Demand: demand(seed, &c), Watch: c.Watch,
		Known: c.Known}
	conf := simulator.Config{Trackers: nodes, Slots: [2]int32{slots, slots}, Heartbeat: 3000, WaitForWork: true,
		Scheduler: c.Policy, Policy: p, Shares: s, Seed: seed,
		Memory: memory, VCores: vcores}
	if c.Virtual {
		conf.Trackers, conf.Slots = virtualNodes, [2]int32{1, 1}
		s.Capacity, s.Cap = orchestrator.Vector{cores, virtualMemory}, true
		if c.Tight {
			s.Capacity[orchestrator.Memory] = 2 * memory / (2 * slots)
		}
	}
	if c.Estimator != "" {
		oc := orchestrator.DefaultConfig()
		oc.Estimator, oc.Control, oc.Lend = c.Estimator, c.Control, !c.Keep || c.Virtual
		if c.Epoch > 0 {
			oc.Epoch, oc.Sample = c.Epoch, min(oc.Sample, c.Epoch)
		}
		s.Orchestrator = &oc
	}
	return simulate(ctx, conf, workload(seed, &c))
}

// simulate runs the jobs of t, which are all submitted at the same time, and measures the run. It
// sets the functions in conf and its Shares that receive samples and decisions.
func simulate(ctx context.Context, conf simulator.Config, t *trace.Trace) (*Outcome, error) {
	o, s := &Outcome{JCT: make([]float64, len(t.Jobs))}, conf.Shares
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
	times := make([][]int64, len(t.Jobs))
	conf.SampleEvery, conf.Sample = 5000, func(v scheduler.View) { reduceTimes(v, times) }
	result, err := simulator.Run(ctx, conf, t.Source())
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
	capacity := float64(s.Capacity[orchestrator.CPU]*int64(conf.Trackers)) / 1000
	o.CPU, o.Useful = o.Util[0]*o.Makespan*capacity, usefulCPU(t, s.Demand)/(o.Makespan*capacity)
	return o, nil
}

// usefulCPU returns the CPU time, in s, that the tasks of t use if they have enough memory.
func usefulCPU(t *trace.Trace, demand func(string, job.Task) simulator.Demand) (seconds float64) {
	add := func(j *trace.Job, task job.Task, millis int64) {
		seconds += float64(demand(j.Name, task).CPU) / 1000 * float64(millis) / 1000
	}
	for _, j := range t.Jobs {
		for i := range j.Maps {
			add(j, job.Task{Type: job.Map, Index: int32(i)}, j.Maps[i].Time)
		}
		for i := range j.Reduces {
			add(j, job.Task{Type: job.Reduce, Index: int32(i)}, j.Reduces[i].Shuffle+j.Reduces[i].Time)
		}
	}
	return seconds
}

// reduceTimes records the times, in ms, of the reduces that have ended in each running job.
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
	name = cmp.Or(name, "fair")
	p, _, err := catalog.Builtin().Make(name, scheduler.Setup{Conf: conf.New()})
	return p, err
}

// outcomes caches the outcome of each case and seed, because several figures use the same cases.
var outcomes lab.Memo[string, *Outcome]

// Runs executes each case with the given number of seeds and returns the outcomes by case and seed.
// The caller must not change the outcomes.
func Runs(ctx context.Context, r *lab.Run, seeds int, cases []Case) ([][]*Outcome, error) {
	out := make([][]*Outcome, len(cases))
	for i := range out {
		out[i] = make([]*Outcome, seeds)
	}
	r.Executions += len(cases) * seeds
	return out, lab.Parallel(ctx, r.Workers, len(cases)*seeds, func(ctx context.Context, i int) (err error) {
		c, seed := cases[i/seeds], r.Seed+uint64(i%seeds)
		out[i/seeds][i%seeds], err = outcomes.Get(ctx, fmt.Sprint(c, seed), func() (*Outcome, error) {
			return Execute(ctx, c, seed)
		})
		return err
	})
}
