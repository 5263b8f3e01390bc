package mro

import (
	"fmt"
	"math"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/replay"
	"github.com/howdah/howdah/simulator/trace"
)

// kind is one of the paper's six jobs (section IV and Table I): how many tasks, how long they take alone, and what they use.
type kind struct {
	name    string
	maps    int
	mapTime float64 // s
	reduces int
	redTime float64
	mapUse  simulator.Demand
	redUse  simulator.Demand
	even    bool // its maps have all the same to do
	large   bool // the paper: "Twitter, Sort and Kmeans"
}

// kinds are in the order of the paper's figures. Maps follow from its input sizes and blocks of 64 MB. By Table I all six are sensitive to
// CPU: the five maps of a node want more than its two cores; with these demands Sort and Wcount alone use 37% and 32% of the cluster's CPU, in the
// paper 42.2% and 28.6% (section II-A; MRO-1 has the table). What Table I calls sensitive to memory has to collect garbage when it lacks memory, what it calls sensitive to I/O spills.
// Every map of PiEst draws the same number of points; "PiEst is a relatively shorter job" (section IV-C). The rest is chosen.
var kinds = []kind{
	{"Twitter", 400, 95, 115, 150, use(550, 450, 1.5, collects), use(450, 700, 1.5, collects), false, true},
	{"Wcount", 320, 50, 58, 80, use(450, 420, 1.5, collects), use(250, 420, 1.5, collects), false, false},
	{"PiEst", 115, 40, 1, 5, use(950, 60, 0, 0), use(300, 60, 0, 0), true, false},
	{"DistGrep", 320, 36, 1, 10, use(500, 120, 0.5, spills), use(300, 80, 0, 0), false, false},
	{"Sort", 320, 95, 115, 240, use(450, 400, 1.5, spills), use(400, 700, 2, spills), false, true},
	{"Kmeans", 160, 190, 115, 120, use(600, 220, 1, spills), use(450, 450, 1.5, spills), false, true},
}

// How much of the time that a lack of memory costs is CPU, as measured (PAPER.md of the orchestrator): all of it where a garbage collector
// has less room; about half where what does not fit is written and read once more, the other half being the disk's.
const (
	collects = 1.0
	spills   = 0.5
)

func use(cpu, memory int64, thrash, burn float64) simulator.Demand {
	return simulator.Demand{CPU: cpu, Memory: memory, Grown: 200_000, Thrash: int64(thrash * 1e6), Burn: int64(burn * 1e6)}
}

// Names lists the jobs.
func Names() []string {
	var out []string
	for _, k := range kinds {
		out = append(out, k.name)
	}
	return out
}

// Large tells the jobs that the paper calls larger.
func Large(i int) bool { return kinds[i].large }

// Streams of chance.
const (
	streamTime = 1 << 32
	streamUse  = 2 << 32
)

// spread is a factor around 1 that is the same for a task in every run of a seed: inputs and records are not equal in size.
func spread(seed, stream uint64, i int, t job.Task, sigma float64) float64 {
	u := float64(replay.Draw(seed, stream, uint64(i), uint64(t.Type), uint64(t.Index))>>11+1) / (1<<53 + 1)
	v := float64(replay.Draw(seed, stream+1, uint64(i), uint64(t.Type), uint64(t.Index))>>11) / (1 << 53)
	return math.Exp(sigma*math.Sqrt(-2*math.Log(u))*math.Cos(2*math.Pi*v) - sigma*sigma/2)
}

// skew of task sizes, that of tasks with equal work, and how much tasks of a job differ in what they use.
const (
	skew = 0.3
	even = 0.05
	vary = 0.15
)

// workload is the jobs of a run, all submitted at once.
func workload(seed uint64, c *Case) *trace.Trace {
	t := &trace.Trace{Name: "six jobs", Origin: "generated"}
	for n, i := range c.Jobs {
		size := 1.0
		if c.Sizes != nil {
			size = c.Sizes[n]
		}
		k := &kinds[i]
		j := &trace.Job{ID: fmt.Sprintf("J%d", i+1), Name: k.name, User: k.name, State: job.Succeeded, Conf: []job.Property{
			{Name: "mapreduce.map.memory.mb", Value: fmt.Sprint(c.ask(&k.mapUse))}, {Name: "mapreduce.reduce.memory.mb", Value: fmt.Sprint(c.ask(&k.redUse))}}}
		sigma := skew
		if k.even {
			sigma = even
		}
		for n := range max(1, int(size*float64(k.maps))) {
			j.Maps = append(j.Maps, trace.Map{Time: millis(k.mapTime * spread(seed, streamTime, i, job.Task{Index: int32(n)}, sigma))})
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

// demand is what a task of a job uses. A container has as much memory as the job asks for, which is what its tasks use on average.
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
				d.Memory = int64(float64(d.Memory) * spread(seed, streamUse, i, t, vary))
				d.CPU = min(1000, int64(float64(d.CPU)*spread(seed, streamUse+2, i, t, vary)))
				return d
			}
		}
		return simulator.Demand{}
	}
}
