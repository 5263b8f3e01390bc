// Package dhf reproduces the figures of the paper on Dynamic Slot Allocation, which proposes the
// Dynamic Hadoop Fair Schedulers PI-DHFS and PD-DHFS. The experiments share the paper's testbed, its
// jobs (Table I), and the closed form of section IV-B. Some experiments also run on a minicluster.
package dhf

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/orchestrator"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/trace"
)

// Paper is the short name of the paper.
const Paper = "Dynamic slots (CLUSTER 2013)"

// BibTeX is the BibTeX entry of the paper.
const BibTeX = `@inproceedings{tang2013dynamic,
  author    = {Shanjiang Tang and Bu-Sung Lee and Bingsheng He},
  title     = {Dynamic Slot Allocation Technique for {MapReduce} Clusters},
  booktitle = {Proc. of the IEEE International Conference on Cluster Computing (CLUSTER)},
  year      = {2013}
}
`

// Trackers is the number of slaves in the testbed (section IV-A).
const Trackers = 9

// Slots contains the numbers of map slots and reduce slots of each slave.
var Slots = [2]int32{10, 2}

// Policies are the Fair Scheduler and the two policies that extend it.
var Policies = []lab.Policy{{Name: "fair"}, {Name: "pi-dhfs"}, {Name: "pd-dhfs"}}

// Work describes a job that the experiments run. Times are means in milliseconds.
type Work struct {
	Row
	Name            string
	Pool            string
	MapTime, Reduce int64
	SlowStart       float64 // fraction of the maps that must end before reduces start
	Noise           float64 // standard deviation of the logarithm of task times; 0 means equal times
}

// Row is a row of Table I.
type Row struct {
	Benchmark     string
	BlockMB       int
	Maps, Reduces int
}

// TableI lists the jobs of the paper's Table I, J1 to J20.
var TableI = []Row{
	{"wordcount", 64, 160, 30}, {"sort", 64, 320, 200}, {"grep", 64, 480, 120}, {"wordcount", 64, 640, 100},
	{"sort", 64, 480, 200},
	{"wordcount", 128, 80, 15}, {"sort", 128, 160, 100}, {"grep", 128, 240, 80}, {"wordcount", 128, 320, 50},
	{"grep", 128, 80, 40},
	{"wordcount", 64, 480, 60}, {"sort", 64, 480, 200}, {"grep", 64, 320, 80}, {"wordcount", 128, 160, 30},
	{"sort", 128, 80, 60},
	{"wordcount", 256, 40, 20}, {"sort", 256, 80, 40}, {"grep", 256, 120, 60}, {"wordcount", 256, 160, 40},
	{"sort", 256, 40, 10},
}

// TaskTime is the time, in ms, that a map takes for a 64 MB block. The paper does not state it.
// Larger blocks take proportionally longer.
const TaskTime = 20_000

// Job returns job n of Table I, counted from 1, in its own pool. ratio is the time of a reduce
// divided by the time of a map with 64 MB of input.
func Job(n int, ratio, slowStart float64) Work {
	row := TableI[n-1]
	return Work{
		Row: row, Name: fmt.Sprintf("J%d", n), Pool: fmt.Sprintf("pool%d", n),
		MapTime: int64(TaskTime * row.BlockMB / 64), Reduce: int64(TaskTime * ratio), SlowStart: slowStart,
	}
}

// measured contains tR/tM of J1, J2, and J3, by program. They are the results of DHF-0 on real nodes,
// version 1. A test compares them.
var measured = map[string]float64{"wordcount": 0.67, "sort": 2.36, "grep": 0.14}

// measuredText describes the task times of Measured.
var measuredText = fmt.Sprintf("%d s for a map of 64 MB, and proportionally more for larger blocks; %g, %g, and %g "+
	"times as long for a reduce of J1 (wordcount), J2 (sort), and J3 (grep), as DHF-0 measured on real nodes, and "+
	"for other jobs in proportion to a reduce's part of the job's input", TaskTime/1000, measured["wordcount"],
	measured["sort"], measured["grep"])

// Measured returns job n of Table I, counted from 1, in its own pool, with measured task times.
func Measured(n int, slowStart, noise float64) Work {
	row := &TableI[n-1]
	first := slices.IndexFunc(TableI, func(x Row) bool { return x.Benchmark == row.Benchmark })
	w := Job(n, measured[row.Benchmark]*row.perReduce()/TableI[first].perReduce(), slowStart)
	w.Noise = noise
	return w
}

// perReduce returns the job's input divided by its number of reduces, in MB.
func (r *Row) perReduce() float64 { return float64(r.Maps*r.BlockMB) / float64(r.Reduces) }

// Trace returns a trace in which the jobs in work are all submitted at the same time. seed
// determines the random task times.
func Trace(seed uint64, work ...Work) *trace.Trace {
	t := &trace.Trace{Name: "dhf", Origin: "generated"}
	for i, w := range work {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		j := &trace.Job{ID: fmt.Sprintf("job_dhf_%04d", i+1), Name: w.Name, User: w.Pool, State: job.Succeeded,
			Conf: w.conf()}
		j.Maps, j.Reduces = make([]trace.Map, w.Maps), make([]trace.Reduce, w.Reduces)
		for m := range j.Maps {
			j.Maps[m].Time = w.draw(r, w.MapTime)
		}
		for m := range j.Reduces {
			j.Reduces[m].Time = w.draw(r, w.Reduce)
		}
		t.Jobs = append(t.Jobs, j)
	}
	return t
}

// draw draws a task's time from a lognormal distribution with the given mean, in ms. It returns the
// mean if Noise is 0.
func (w *Work) draw(r *rand.Rand, mean int64) int64 {
	if w.Noise == 0 {
		return mean
	}
	return max(1, int64(float64(mean)*math.Exp(w.Noise*r.NormFloat64()-w.Noise*w.Noise/2)))
}

func (w *Work) conf() []job.Property {
	c := []job.Property{
		{Name: conf.FairSchedulerPool.Name, Value: w.Pool},
		{Name: "mapreduce.job.reduce.slowstart.completedmaps", Value: strconv.FormatFloat(w.SlowStart, 'g', -1, 64)},
	}
	slices.SortFunc(c, func(a, b job.Property) int { return strings.Compare(a.Name, b.Name) })
	return c
}

// Cluster describes a simulated cluster of TaskTrackers.
type Cluster struct {
	Trackers int
	Slots    [2]int32
	// SampleEvery is the simulated time, in ms, between two calls to Sample. Sample may be nil.
	SampleEvery int64
	Sample      func(scheduler.View)
	Shares      *simulator.Shares // what the tasks of a node share; nil = nothing
}

// Testbed returns the paper's cluster.
func Testbed() Cluster { return Cluster{Trackers: Trackers, Slots: Slots} }

// sharing returns the cluster with nodes whose disk serves n reduces of sort at full speed. If there are
// more, they share it equally. The simulator's CPU stands for the disk, which other tasks do not use.
func (c Cluster) sharing(n int64, work ...Work) Cluster {
	c.Shares = &simulator.Shares{Capacity: orchestrator.Vector{1000, 1},
		Demand: func(name string, t job.Task) (d simulator.Demand) {
			i := slices.IndexFunc(work, func(w Work) bool { return w.Name == name })
			if t.Type == job.Reduce && work[i].Benchmark == "sort" {
				d.CPU = 1000 / n
			}
			return d
		}}
	return c
}

// Heartbeat is the heartbeat interval of the simulated trackers in ms, as in Hadoop 0.20 to 1.0.
// Trackers also send a heartbeat when a task ends.
const Heartbeat = 3000

// Run simulates the trace t under the policy p.
func (c Cluster) Run(ctx context.Context, p lab.Policy, seed uint64, t *trace.Trace) (*trace.Result, error) {
	policy, err := p.New()
	if err != nil {
		return nil, err
	}
	return simulator.Run(ctx, simulator.Config{
		Trackers: c.Trackers, Slots: c.Slots, Heartbeat: Heartbeat, WaitForWork: true, Seed: seed, Scheduler: p.Name,
		Policy:      policy,
		SampleEvery: c.SampleEvery, Sample: c.Sample, Shares: c.Shares,
	}, t.Source())
}

// Waves returns the time of a single job, in ms, according to the closed form of section IV-B.
// slots contains the numbers of slots of each kind. If borrow is true, each phase can use the slots
// of both kinds.
func (w *Work) Waves(slots [2]int32, borrow bool) float64 {
	return w.waves(slots, borrow, [2]float64{float64(w.MapTime), float64(w.Reduce)})
}

// waves is Waves for tasks with the given mean times.
func (w *Work) waves(slots [2]int32, borrow bool, mean [2]float64) float64 {
	maps, reduces := slots[job.Map], slots[job.Reduce]
	if borrow {
		maps, reduces = maps+reduces, maps+reduces
	}
	waves := func(tasks int, slots int32) float64 { return math.Ceil(float64(tasks) / float64(slots)) }
	return waves(w.Maps, maps)*mean[job.Map] + waves(w.Reduces, reduces)*mean[job.Reduce]
}

// Total returns the cluster's total numbers of map and reduce slots.
func (c Cluster) Total() [2]int32 {
	return [2]int32{int32(c.Trackers) * c.Slots[0], int32(c.Trackers) * c.Slots[1]}
}

// speedup says how the experiments read the paper's speedups.
const speedup = "T0/T1 - 1, with 1 - T1/T0 in parentheses (the paper does not define speedup)"

// noise is the standard deviation of the logarithm of random task times.
const noise = 0.2

// Percent returns the gain for ratio, the quotient T0/T1 of two times, as text. The text contains
// both meanings of "speedup", T0/T1-1 and 1-T1/T0.
func Percent(ratio float64) string {
	return fmt.Sprintf("%+.0f%% (%.0f%% less time)", 100*(ratio-1), 100*(1-1/ratio))
}

// Seconds returns ms as text, in seconds with one decimal.
func Seconds(ms float64) string { return strconv.FormatFloat(ms/1000, 'f', 1, 64) }
