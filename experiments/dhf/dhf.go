// Package dhf has what the experiments of Dynamic Hadoop Fair Scheduling share: the paper's testbed and its jobs (Table I), in
// the simulator and on a minicluster, and the closed form of section IV-B.
package dhf

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/howdah/howdah/experiments/simmr"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/pool"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/trace"
)

// Paper names the paper.
const Paper = "Dynamic slots (CLUSTER 2013)"

// BibTeX cites it.
const BibTeX = `@inproceedings{tang2013dynamic,
  author    = {Shanjiang Tang and Bu-Sung Lee and Bingsheng He},
  title     = {Dynamic Slot Allocation Technique for {MapReduce} Clusters},
  booktitle = {Proc. of the IEEE International Conference on Cluster Computing (CLUSTER)},
  year      = {2013}
}
`

// Trackers is the number of slaves of the testbed, and Slots what each offers (section IV-A).
const Trackers = 9

// Slots of a slave: ten for maps and two for reduces.
var Slots = [2]int32{10, 2}

// Policies are the Fair Scheduler and the two that extend it.
var Policies = []simmr.Policy{{Name: "fair"}, {Name: "pi-dhfs"}, {Name: "pd-dhfs"}}

// Work is a job as the experiments need it. Times are milliseconds.
type Work struct {
	Name            string
	Pool            string
	Maps, Reduces   int
	MapTime, Reduce int64
	SlowStart       float64
	Noise           float64 // standard deviation of the logarithm of a task's time; 0 = all equal
}

// Row is a row of Table I.
type Row struct {
	Benchmark     string
	BlockMB       int
	Maps, Reduces int
}

// TableI lists J1 to J20.
var TableI = []Row{
	{"wordcount", 64, 160, 30}, {"sort", 64, 320, 200}, {"grep", 64, 480, 120}, {"wordcount", 64, 640, 100}, {"sort", 64, 480, 200},
	{"wordcount", 128, 80, 15}, {"sort", 128, 160, 100}, {"grep", 128, 240, 80}, {"wordcount", 128, 320, 50}, {"grep", 128, 80, 40},
	{"wordcount", 64, 480, 60}, {"sort", 64, 480, 200}, {"grep", 64, 320, 80}, {"wordcount", 128, 160, 30}, {"sort", 128, 80, 60},
	{"wordcount", 256, 40, 20}, {"sort", 256, 80, 40}, {"grep", 256, 120, 60}, {"wordcount", 256, 160, 40}, {"sort", 256, 40, 10},
}

// TaskTime is what a map of a 64 MB block takes, in ms; the paper does not say. Larger blocks take longer in proportion.
const TaskTime = 20_000

// Job gives job n of Table I, from 1, in a pool of its own. ratio is the time of a reduce by that of a 64 MB map.
func Job(n int, ratio, slowStart float64) Work {
	row := TableI[n-1]
	return Work{
		Name: fmt.Sprintf("J%d", n), Pool: fmt.Sprintf("pool%d", n), Maps: row.Maps, Reduces: row.Reduces,
		MapTime: int64(TaskTime * row.BlockMB / 64), Reduce: int64(TaskTime * ratio), SlowStart: slowStart,
	}
}

// Trace makes a trace of jobs that are all submitted at once. Times are drawn by seed.
func Trace(seed uint64, work ...Work) *trace.Trace {
	t := &trace.Trace{Name: "dhf", Origin: "generated"}
	for i, w := range work {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		j := &trace.Job{ID: fmt.Sprintf("job_dhf_%04d", i+1), Name: w.Name, User: w.Pool, State: job.Succeeded, Conf: w.conf()}
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

// draw gives a task's time: lognormal with the given mean.
func (w *Work) draw(r *rand.Rand, mean int64) int64 {
	if w.Noise == 0 {
		return mean
	}
	return max(1, int64(float64(mean)*math.Exp(w.Noise*r.NormFloat64()-w.Noise*w.Noise/2)))
}

func (w *Work) conf() []job.Property {
	c := []job.Property{
		{Name: pool.KeyPool, Value: w.Pool},
		{Name: "mapreduce.job.reduce.slowstart.completedmaps", Value: strconv.FormatFloat(w.SlowStart, 'g', -1, 64)},
	}
	slices.SortFunc(c, func(a, b job.Property) int { return strings.Compare(a.Name, b.Name) })
	return c
}

// Cluster is where a trace runs: so many trackers with so many slots each.
type Cluster struct {
	Trackers int
	Slots    [2]int32
	// Sample is called every SampleEvery ms; nil = never.
	SampleEvery int64
	Sample      func(scheduler.View)
}

// Testbed is the paper's cluster.
func Testbed() Cluster { return Cluster{Trackers: Trackers, Slots: Slots} }

// Heartbeat is the interval of the simulated trackers in ms, as in Hadoop 0.20 to 1.0. They also beat when a task ends.
const Heartbeat = 3000

// Run simulates a trace.
func (c Cluster) Run(ctx context.Context, p simmr.Policy, seed uint64, t *trace.Trace) (*trace.Result, error) {
	policy, err := p.New()
	if err != nil {
		return nil, err
	}
	return simulator.Run(ctx, simulator.Config{
		Trackers: c.Trackers, Slots: c.Slots, Heartbeat: Heartbeat, WaitForWork: true, Seed: seed, Scheduler: p.Name, Policy: policy,
		SampleEvery: c.SampleEvery, Sample: c.Sample,
	}, t.Source())
}

// Waves is the closed form of section IV-B: how long a job alone takes, in ms, on so many slots of each kind. With borrowed
// slots each phase has all of them.
func (w *Work) Waves(slots [2]int32, borrow bool) float64 {
	maps, reduces := slots[job.Map], slots[job.Reduce]
	if borrow {
		maps, reduces = maps+reduces, maps+reduces
	}
	waves := func(tasks int, slots int32) float64 { return math.Ceil(float64(tasks) / float64(slots)) }
	return waves(w.Maps, maps)*float64(w.MapTime) + waves(w.Reduces, reduces)*float64(w.Reduce)
}

// Total gives the slots of the whole cluster.
func (c Cluster) Total() [2]int32 {
	return [2]int32{int32(c.Trackers) * c.Slots[0], int32(c.Trackers) * c.Slots[1]}
}

// Percent formats a ratio of times as the gain that it means, in both readings of "speedup": T0/T1-1 and 1-T1/T0.
func Percent(ratio float64) string {
	return fmt.Sprintf("%+.0f%% (%.0f%% less time)", 100*(ratio-1), 100*(1-1/ratio))
}

// Seconds formats milliseconds.
func Seconds(ms float64) string { return strconv.FormatFloat(ms/1000, 'f', 1, 64) }
