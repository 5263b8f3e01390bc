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
// The paper gives only input sizes and what the jobs are sensitive to; the rest is chosen to fit those.
type kind struct {
	name    string
	maps    int
	mapTime float64 // s
	reduces int
	redTime float64
	mapUse  simulator.Demand
	redUse  simulator.Demand
	large   bool // the paper: "Twitter, Sort and Kmeans"
}

// kinds are in the order of the paper's figures.
var kinds = []kind{
	{"Twitter", 345, 110, 115, 150, use(300, 450, 1.5), use(250, 700, 1.5), true},
	{"Wcount", 230, 70, 58, 80, use(300, 420, 1.5), use(250, 420, 1.5), false},
	{"PiEst", 115, 80, 1, 5, use(900, 60, 0), use(300, 60, 0), false},
	{"DistGrep", 230, 50, 1, 10, use(300, 120, 0.5), use(300, 80, 0), false},
	{"Sort", 345, 90, 115, 240, use(250, 400, 1.5), use(250, 700, 2), true},
	{"Kmeans", 230, 130, 115, 120, use(350, 220, 1), use(250, 450, 1.5), true},
}

func use(cpu, memory int64, thrash float64) simulator.Demand {
	return simulator.Demand{CPU: cpu, Memory: memory, Grown: 200_000, Thrash: int64(thrash * 1e6), Burn: 400_000}
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

// skew of task sizes, and how much tasks of a job differ in what they use.
const (
	skew = 0.3
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
		for n := range max(1, int(size*float64(k.maps))) {
			j.Maps = append(j.Maps, trace.Map{Time: millis(k.mapTime * spread(seed, streamTime, i, job.Task{Index: int32(n)}, skew))})
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
