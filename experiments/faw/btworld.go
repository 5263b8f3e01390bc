package faw

import (
	"context"
	"fmt"
	"slices"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/simulator/fawkes"
	"github.com/howdah/howdah/simulator/replay"
	"github.com/howdah/howdah/simulator/trace"
)

// flowJob is a job of a workflow.
type flowJob struct {
	name  string // query, and the number of the job if the query has several
	stage Stage
	after []int // jobs that must have ended, by index
}

// Workflow is a set of jobs that depend on one another. Each job comes after the jobs on which it
// depends.
type Workflow []flowJob

// The CPU times, in s, of BTWorld's maps, by kind of job. See BTWorld.
const (
	cpuScan  = 55 // reads scrapes and shuffles little, like TrackerOverTime
	cpuCount = 30 // reads another query's output and shuffles little, like the second job of ActiveHashes
	cpuMove  = 6  // shuffles more than a tenth of its input, like the first job of ActiveHashes
	cpuSmall = 1  // reads less than a block
)

// BTWorld is the whole workflow, with 100 GB of scrapes (table 1). The paper says that it has 14 queries
// in more than 20 jobs, and describes TT and AH. The other queries, their dependencies, and the
// numbers of their jobs are those of the btworld application, which package btworld explains. Their
// inputs, shuffled data, and output, relative to the scrapes, were measured with that application on
// 1 GB of its generated scrapes. Their CPU times are those of the most similar job of TT and AH.
var BTWorld = Workflow{
	{"TrackerOverTime", TT.Stages[0], nil},
	{"ActiveTrackers", scaled(0.0000366, cpuSmall, 0.111, 0.0203), []int{0}},
	{"SwarmOverTime", scaled(1, cpuMove, 1.112, 0.972), nil},
	{"ActiveSwarms-1", scaled(1, cpuMove, 0.808, 0.791), nil},
	{"ActiveSwarms-2", scaled(0.791, cpuCount, 0.00003, 0.000001), []int{3}},
	{"ActiveHashes-1", AH.Stages[0], nil},
	{"ActiveHashes-2", AH.Stages[1], []int{5}},
	{"TopKTrackersLocal", scaled(0.0000366, cpuSmall, 0.754, 0.644), []int{0}},
	{"TopKTrackersGlobal-1", scaled(0.0000236, cpuSmall, 0.0859, 0.021), []int{7}},
	{"TopKTrackersGlobal-2", scaled(0.0000005, cpuSmall, 1.09, 0.875), []int{8}},
	{"TopKSwarmsLocal", scaled(0.972, cpuCount, 0.00131, 0.00004), []int{2}},
	{"TopKSwarmsGlobal-1", scaled(0.0000392, cpuSmall, 0.464, 0.18), []int{10}},
	{"TopKSwarmsGlobal-2", scaled(0.0000071, cpuSmall, 0.482, 0.118), []int{11}},
	{"TopKHashesLocal-1", scaled(0.972, cpuMove, 0.688, 0.584), []int{2}},
	{"TopKHashesLocal-2", scaled(0.567, cpuCount, 0.00091, 0.000044), []int{13}},
	{"TopKHashesGlobal-1", scaled(0.0000252, cpuSmall, 0.432, 0.174), []int{14}},
	{"TopKHashesGlobal-2", scaled(0.0000044, cpuSmall, 0.456, 0.11), []int{15}},
	{"JoinTopKTrackers-1", scaled(1, cpuMove, 0.972, 0.931), []int{9}},
	{"JoinTopKTrackers-2", scaled(0.931, cpuMove, 0.613, 0.148), []int{17}},
	{"NewbornSwarms", scaled(0.137, cpuCount, 0.00068, 0.000153), []int{18}},
	{"DeadSwarms", scaled(0.137, cpuCount, 0.00068, 0.000153), []int{18}},
}

// scaled returns a stage that reads the given part of BTWorld's scrapes. A reduce computes for as long
// per GB as in AH.
func scaled(part, cpu, shuffled, output float64) Stage {
	return Stage{part * TT.Stages[0].Input, cpu, shuffled, output, AH.Stages[0].Reduce}
}

// App returns the workflow's jobs as an application, in their order, but without their dependencies.
func (w Workflow) App(name string) App {
	a := App{Name: name}
	for _, j := range w {
		a.Stages = append(a.Stages, j.stage)
	}
	return a
}

// Sized returns the workflow with gb GB of scrapes.
func (w Workflow) Sized(gb float64) Workflow {
	out := slices.Clone(w)
	for i := range out {
		out[i].stage.Input *= gb / TT.Stages[0].Input
	}
	return out
}

// Flow returns the times, in s, of a workflow on a static MR-cluster of its own, for each seed. A job
// is submitted as soon as the jobs on which it depends have ended.
func (m Model) Flow(ctx context.Context, name string, w Workflow, c fawkes.Composition) ([]float64, error) {
	a := w.App(name)
	m = m.With(a)
	out := make([]float64, m.Runs())
	err := lab.Parallel(ctx, m.Workers, len(out), func(ctx context.Context, i int) error {
		jobs, after := make([]*trace.Job, len(w)), make([][]int, len(w))
		for k, x := range w {
			jobs[k] = m.Job(x.name, a.stage(k), x.stage, x.stage.Input, replay.Epoch)
			Vary(jobs[k], uint64(i*len(w)+k)+1, m.Sigma)
			after[k] = x.after
		}
		t, err := m.run(ctx, jobs, after, c)
		out[i] = float64(t) / 1000
		return err
	})
	return out, err
}

// Sequence returns the workflow's jobs. Each job arrives at the time at which the previous job would
// end on the reference MR-cluster, because table 2 calls the arrivals of c-2 sequential.
func (w Workflow) Sequence(m Model, cluster string, seed uint64, refs *References) (out []*trace.Job) {
	at, a := int64(0), w.App("BT")
	for i, x := range w {
		j := m.Job(fmt.Sprintf("%s-%d", cluster, i+1), a.stage(i), x.stage, x.stage.Input, at)
		Vary(j, seed<<20+uint64(i+1), m.Sigma)
		out = append(out, j)
		at += refs.Of(j)
	}
	return out
}

// btKnobs records what the paper's text leaves open about BTWorld.
func btKnobs(r *lab.Run) {
	inputs := map[float64]bool{}
	for _, j := range BTWorld {
		inputs[j.stage.Input] = true
	}
	r.Knob("BTWorld", fmt.Sprintf("the %d jobs of the btworld application with %d input sizes; the paper states 14 "+
		"queries, 26 jobs, and 13 sizes, and describes two queries, TT and AH", len(BTWorld), len(inputs)))
	r.Knob("BTWorld: data of the jobs", "table 1 for TT and AH; otherwise measured with the btworld application on 1 GB "+
		"of generated scrapes, relative to the scrapes; no job of it has the highest selectivity in the paper, 100")
	r.Knob("BTWorld: CPU time of a map (s)", fmt.Sprintf("%d if the job shuffles over a tenth of its input; otherwise %d "+
		"if it reads scrapes, and %d if it does not; %d if the input is less than a block", cpuMove, cpuScan, cpuCount,
		cpuSmall))
}

// ready reports whether all jobs in after have ended.
func ready(after []int, ended []bool) bool {
	return !slices.ContainsFunc(after, func(i int) bool { return !ended[i] })
}
