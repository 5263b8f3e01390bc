package mro

import (
	"fmt"
	"math"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/replay"
	"github.com/howdah/howdah/simulator/trace"
)

// kind is one of the paper's six jobs (section IV and Table I): its tasks, the mean time that each
// takes when it runs alone, and the resources that tasks use.
type kind struct {
	name    string
	maps    int
	mapTime float64 // s
	reduces int
	redTime float64 // s
	mapUse  simulator.Demand
	redUse  simulator.Demand
	even    bool // all maps have equal amounts of work
	large   bool // whether the paper calls the job larger: "Twitter, Sort and Kmeans"
}

// kinds lists the jobs in the order of the paper's figures. Except for PiEst, the numbers of maps
// follow from the paper's input sizes and blocks of 64 MB.
//
// According to Table I, all six jobs are sensitive to CPU, so the five maps of a node need more
// than its two cores. When they lack memory, the jobs that Table I calls memory-sensitive spend CPU
// time on garbage collection, and those that it calls I/O-sensitive spill to disk. The cost of a lack
// of memory is measured; see collects and spills.
//
// PiEst's maps have equal amounts of work, because each draws the same number of points. Its times
// are short because the paper calls it "a relatively shorter job" (section IV-C). The other values
// are our choice.
var kinds = []kind{
	{"Twitter", 400, 95, 115, 150, use(550, 450, collects), use(450, 700, collects), false, true},
	{"Wcount", 320, 50, 58, 80, use(450, 420, collects), use(250, 420, collects), false, false},
	{"PiEst", 115, 40, 1, 5, use(950, 60, lack{}), use(300, 60, lack{}), true, false},
	{"DistGrep", 320, 36, 1, 10, use(500, 120, spills), use(300, 80, spills), false, false},
	{"Sort", 320, 95, 115, 240, use(450, 400, spills), use(400, 700, spills), false, true},
	{"Kmeans", 160, 190, 115, 120, use(600, 220, spills), use(450, 450, spills), false, true},
}

// lack is what a lack of memory costs a task.
type lack struct {
	thrash float64 // additional time without any memory, relative to the time with enough memory
	burn   float64 // fraction of the additional time in which the task uses the CPU
}

// What a lack of memory costs is measured (see the orchestrator's PAPER.md). A garbage collector that
// has too little memory uses the CPU the whole time. A task that writes data to disk and reads it
// again uses the CPU for about half of the time. In a map with memory for 5% of its data, spills added
// 1.4 times the CPU time without spills, so the thrash is 1.4/0.95/0.5.
var (
	collects = lack{thrash: calibrated.thrash, burn: 1}
	spills   = lack{thrash: 2.9, burn: 0.5}
)

func use(cpu, memory int64, l lack) simulator.Demand {
	return simulator.Demand{CPU: cpu, Memory: memory, Grown: 200_000, Thrash: int64(l.thrash * 1e6),
		Burn: int64(l.burn * 1e6)}
}

// Names returns the names of the jobs in the order of kinds.
func Names() []string {
	var out []string
	for _, k := range kinds {
		out = append(out, k.name)
	}
	return out
}

// Large reports whether the paper calls job i of Names "larger".
func Large(i int) bool { return kinds[i].large }

// Random streams of task times and of resource usage.
const (
	streamTime = 1 << 32
	streamUse  = 2 << 32
)

// spread returns a random factor from a lognormal distribution with mean 1 and parameter sigma. A
// task has the same factor in every run with the same seed.
func spread(seed, stream uint64, i int, t job.Task, sigma float64) float64 {
	u := float64(replay.Draw(seed, stream, uint64(i), uint64(t.Type), uint64(t.Index))>>11+1) / (1<<53 + 1)
	v := float64(replay.Draw(seed, stream+1, uint64(i), uint64(t.Type), uint64(t.Index))>>11) / (1 << 53)
	return math.Exp(sigma*math.Sqrt(-2*math.Log(u))*math.Cos(2*math.Pi*v) - sigma*sigma/2)
}

// Parameters (sigma) of lognormal distributions. skew is for the times of tasks, even is for the
// times of maps with equal amounts of work, and vary is for the resource usage of a job's tasks.
const (
	skew    = 0.3
	even    = 0.05
	vary    = 0.15
	dynamic = 1.0 // instead of vary, for the memory in cases with Case.Dynamic
)

// workload returns the jobs of a run. All of them are submitted at the same time.
func workload(seed uint64, c *Case) *trace.Trace {
	t := &trace.Trace{Name: "six jobs", Origin: "generated"}
	for n, i := range c.Jobs {
		size := 1.0
		if c.Sizes != nil {
			size = c.Sizes[n]
		}
		k := &kinds[i]
		j := &trace.Job{ID: fmt.Sprintf("J%d", i+1), Name: k.name, User: k.name, State: job.Succeeded, Conf: []job.Property{
			{Name: "mapreduce.map.memory.mb", Value: fmt.Sprint(c.ask(&k.mapUse))},
			{Name: "mapreduce.reduce.memory.mb", Value: fmt.Sprint(c.ask(&k.redUse))}}}
		sigma := skew
		if k.even {
			sigma = even
		}
		for n := range max(1, int(size*float64(k.maps))) {
			j.Maps = append(j.Maps, trace.Map{Time: millis(k.mapTime * spread(seed, streamTime, i,
				job.Task{Index: int32(n)}, sigma))})
		}
		for n := range max(1, int(size*float64(k.reduces))) {
			x := k.redTime * spread(seed, streamTime, i, job.Task{Type: job.Reduce, Index: int32(n)}, skew)
			j.Reduces = append(j.Reduces, trace.Reduce{Shuffle: millis(x / 3), Time: millis(x * 2 / 3)})
		}
		t.Jobs = append(t.Jobs, j)
	}
	return t
}

func millis(s float64) int64 { return max(1, int64(1000*s)) }

func (c *Case) ask(d *simulator.Demand) int64 { return int64(c.Ask * float64(d.Memory)) }

// demand returns a function that returns the resource demand of a given task. A container has the
// memory that the job requests, which is c.Ask times the average usage of the job's tasks.
func demand(seed uint64, c *Case) func(string, job.Task) simulator.Demand {
	return func(name string, t job.Task) simulator.Demand {
		for i := range kinds {
			if k := &kinds[i]; k.name == name {
				d := k.mapUse
				if t.Type == job.Reduce {
					d = k.redUse
				}
				if c.Waits {
					d.Burn = 0
				}
				if c.Policy != "" {
					d.Granted = c.ask(&d)
				}
				sigma := vary
				if c.Dynamic {
					d.Grown, sigma = 1_000_000, dynamic
				}
				d.Memory = int64(float64(d.Memory) * spread(seed, streamUse, i, t, sigma))
				d.CPU = min(1000, int64(float64(d.CPU)*spread(seed, streamUse+2, i, t, vary)))
				return d
			}
		}
		return simulator.Demand{}
	}
}
