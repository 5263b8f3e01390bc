package generate

import (
	"io"
	"slices"

	"github.com/howdah/howdah/simulator/trace"
)

// source generates jobs one by one.
type source func() (*trace.Job, error)

func (s source) Next() (*trace.Job, error) { return s() }

// Arrive returns copies of the jobs, renumbered and in random order, with new submission times. The
// copies share their tasks with the originals. A gap also precedes the first job.
func Arrive(jobs []*trace.Job, a Arrivals, seed uint64) *trace.Trace {
	out := &trace.Trace{Name: "generated", Origin: "generated", Jobs: make([]*trace.Job, len(jobs))}
	r := Stream(seed, "order", 0)
	for i, from := range r.Perm(len(jobs)) {
		j := *jobs[from]
		out.Jobs[i] = &j
	}
	r = Stream(seed, "arrivals", 0)
	now := 0.0
	for i, j := range out.Jobs {
		now = a.Next(now, r)
		place(j, i, int64(now))
	}
	return out
}

// place numbers the job, sets its submission time, and clears its launch and finish times.
func place(j *trace.Job, i int, submit int64) {
	j.ID = name(i)
	j.Submit, j.Launch, j.Finish = submit, 0, 0
}

// Deadlines assigns a deadline to each job of the source. The deadline is the submission time plus
// a random factor, from lo to hi, times the job's duration on an otherwise idle cluster. alone
// returns this duration in ms and must not retain the job. If it returns 0 or less, the job's
// deadline stays unchanged. SIM section V-B uses 1 as lo and the deadline factor as hi. RA Table I
// uses 1.5 as lo.
func Deadlines(s trace.Source, lo, hi float64, seed uint64, alone func(*trace.Job) int64) trace.Source {
	n := 0
	return source(func() (*trace.Job, error) {
		j, err := s.Next()
		if err != nil {
			return nil, err
		}
		u := Stream(seed, "deadlines", n).Float64()
		n++
		if t := alone(j); t > 0 {
			c := *j
			c.Deadline = j.Submit + int64(float64(t)*(lo+u*(hi-lo)))
			j = &c
		}
		return j, nil
	})
}

// Collect reads the source to its end.
func Collect(name string, s trace.Source) (*trace.Trace, error) {
	t := &trace.Trace{Name: name, Origin: "generated"}
	for {
		j, err := s.Next()
		if err == io.EOF {
			return t, nil
		}
		if err != nil {
			return nil, err
		}
		t.Jobs = append(t.Jobs, j)
	}
}

// Scaling turns a recorded workload into another workload. A factor of 0 counts as 1.
type Scaling struct {
	Tasks float64 // factor for tasks per job; at least one task of each existing kind remains
	Time  float64 // factor for task durations
	// Gap is the factor for the gaps between submissions. The time from a job's submission to its
	// deadline scales with Time instead.
	Gap float64
}

// Scale scales the jobs of the source. If a job needs more tasks than recorded, Scale repeats the
// recorded tasks. The source ends with an error of kind Usage if a job gets more than 5 million
// tasks of a kind or a time beyond the limits of a trace.
func Scale(s trace.Source, k Scaling) trace.Source {
	tasks, time, gap := or1(k.Tasks), or1(k.Time), or1(k.Gap)
	first, w := int64(-1), &watch{}
	return source(func() (*trace.Job, error) {
		from, err := s.Next()
		if err != nil {
			return nil, err
		}
		w.scales(from, tasks, time)
		if w.err != nil {
			return nil, w.err
		}
		j := *from
		if first < 0 {
			first = j.Submit
		}
		j.Submit = first + w.submission(float64(from.Submit-first)*gap)
		if j.Deadline > 0 {
			j.Deadline = j.Submit + int64(w.see("deadline in ms", float64(from.Deadline-from.Submit)*time, latest))
		}
		j.Launch, j.Finish = 0, 0
		j.Maps = repeat(from.Maps, tasks)
		for i := range j.Maps {
			m := &j.Maps[i]
			m.Time, m.Start = stretch(m.Time, time), 0
			m.Failed = stretchAll(m.Failed, time)
		}
		j.Reduces = repeat(from.Reduces, tasks)
		for i := range j.Reduces {
			r := &j.Reduces[i]
			r.Shuffle, r.Time, r.Start = stretch(r.Shuffle, time), stretch(r.Time, time), 0
			r.Failed = stretchAll(r.Failed, time)
		}
		return &j, w.err
	})
}

// scales checks the result of scaling the job before its tasks are created.
func (w *watch) scales(j *trace.Job, tasks, time float64) {
	w.see("maps of a job, scaled", float64(len(j.Maps))*tasks, maxTasks)
	w.see("reduces of a job, scaled", float64(len(j.Reduces))*tasks, maxTasks)
	for i := range j.Maps {
		w.see("ms of a map, scaled", float64(j.Maps[i].Time)*time, longest)
	}
	for i := range j.Reduces {
		w.see("ms of a reduce, scaled", float64(max(j.Reduces[i].Shuffle, j.Reduces[i].Time))*time, longest)
	}
}

func or1(x float64) float64 {
	if x == 0 {
		return 1
	}
	return x
}

func stretch(ms int64, by float64) int64 { return int64(float64(ms)*by + 0.5) }

func stretchAll(ms []int64, by float64) []int64 {
	out := slices.Clone(ms)
	for i := range out {
		out[i] = stretch(out[i], by)
	}
	return out
}

func repeat[T any](list []T, times float64) []T {
	if len(list) == 0 {
		return nil
	}
	out := make([]T, max(1, int(float64(len(list))*times+0.5)))
	for i := range out {
		out[i] = list[i%len(list)]
	}
	return out
}
