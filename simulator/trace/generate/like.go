package generate

import (
	"io"
	"math/rand/v2"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/dist"
)

// Like returns a workload of n jobs that resembles recorded jobs. Each job takes a random recorded
// job as its model and has as many tasks as the model. Each of its tasks has the times of a random
// task in the model. If arrivals is nil, Like draws gaps from the recorded gaps. If no jobs are
// recorded, the source is empty.
func Like(jobs []*trace.Job, n int, arrivals Arrivals, seed uint64) trace.Source {
	if arrivals == nil {
		arrivals = Gaps{dist.EmpiricalOf(gaps(jobs))}
	}
	r, now, i, w := Stream(seed, "arrivals", 0), 0.0, 0, watch{}
	return source(func() (*trace.Job, error) {
		if i == n || len(jobs) == 0 {
			return nil, io.EOF
		}
		pick := Stream(seed, "like", i)
		j := Resample(jobs[pick.IntN(len(jobs))], pick)
		now = arrivals.Next(now, r)
		place(j, i, w.submission(now))
		i++
		return j, w.err
	})
}

func gaps(jobs []*trace.Job) []float64 {
	var list []float64
	for i := 1; i < len(jobs); i++ {
		list = append(list, float64(max(0, jobs[i].Submit-jobs[i-1].Submit)))
	}
	return list
}

// Resample returns a copy of the job whose tasks are drawn from the job's tasks. It drops the
// deadline and any data that depends on the recorded cluster, namely locality and failures.
func Resample(from *trace.Job, r *rand.Rand) *trace.Job {
	j := *from
	j.State, j.Skewed, j.Deadline = job.Succeeded, false, 0
	j.Maps = make([]trace.Map, len(from.Maps))
	for i := range j.Maps {
		m := &from.Maps[r.IntN(len(from.Maps))]
		j.Maps[i] = trace.Map{Time: m.Time, Input: m.Input}
	}
	j.Reduces = make([]trace.Reduce, len(from.Reduces))
	for i := range j.Reduces {
		// A first shuffle remains a first shuffle because the number of first shuffles depends on
		// the recorded cluster. Shuffle time and reduce time are from the same task because both
		// depend on the task's size.
		d := &from.Reduces[r.IntN(len(from.Reduces))]
		j.Reduces[i] = trace.Reduce{First: d.First, Shuffle: d.Shuffle, Time: d.Time, Input: d.Input}
	}
	return &j
}

// Custom describes a workload by its distributions. Task counts are rounded, and a job has at least
// one map.
type Custom struct {
	Jobs          int
	Maps, Reduces dist.Dist // per job
	Tasks         Application
	Arrivals      Arrivals
	Wave          int // number of a job's reduces with a first shuffle
	Seed          uint64
}

// Source returns the jobs. The source ends with an error of kind Usage if it draws a number beyond
// a limit: 5 million tasks of a kind, 1e12 ms for a task, or 1e15 ms for a submission time.
func (c Custom) Source() trace.Source {
	w := &watch{}
	sizes := [2]dist.Dist{w.on(c.Maps, "maps of a job", maxTasks), w.on(c.Reduces, "reduces of a job", maxTasks)}
	c.Tasks.Map, c.Tasks.Reduce = w.on(c.Tasks.Map, "ms of a map", longest),
		w.on(c.Tasks.Reduce, "ms of a reduce", longest)
	c.Tasks.First, c.Tasks.Typical = w.on(c.Tasks.First, "ms of a first shuffle", longest),
		w.on(c.Tasks.Typical, "ms of a shuffle", longest)
	r, now, n := Stream(c.Seed, "arrivals", 0), 0.0, 0
	return source(func() (*trace.Job, error) {
		if n == c.Jobs {
			return nil, io.EOF
		}
		size := Stream(c.Seed, "sizes", n)
		maps, reduces := int(max(1, sizes[0].Draw(size)+0.5)), int(sizes[1].Draw(size)+0.5)
		if w.err != nil {
			return nil, w.err
		}
		j := c.Tasks.Job(maps, reduces, c.Wave, Stream(c.Seed, "custom", n))
		now = c.Arrivals.Next(now, r)
		place(j, n, w.submission(now))
		n++
		return j, w.err
	})
}
