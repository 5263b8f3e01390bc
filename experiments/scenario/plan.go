package scenario

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
	"github.com/howdah/howdah/simulator/trace/importer"
)

// instance is one run of an application, or one job of a trace. Times are in ms since the start.
type instance struct {
	work *Work
	id   string // unique in the run
	n    int    // number within its part, from 0
	at   int64
	job  *trace.Job // nil for an application
}

// deadline returns the instance's deadline, or 0.
func (x *instance) deadline() int64 {
	switch {
	case x.job != nil:
		return x.job.Deadline
	case x.work.Deadline > 0:
		return x.at + x.work.Deadline
	}
	return 0
}

// name returns the name of the instance's job or application.
func (x *instance) name() string {
	if x.job != nil && x.job.Name != "" {
		return x.job.Name
	}
	return x.work.Name
}

// result returns the instance's result before it runs.
func (x *instance) result() Job {
	return Job{ID: x.id, Part: x.work.Name, Name: x.name(), Cluster: x.work.Cluster, After: x.work.After, Submit: x.at,
		Deadline: x.deadline(), IDs: []string{}}
}

// firstArrival returns the time of the first arrival, from which faults and co-tenants count.
func firstArrival(list []instance) int64 {
	first := int64(maxTime)
	for i := range list {
		if list[i].work.After == "" {
			first = min(first, list[i].at)
		}
	}
	return first
}

// maxTasks is the maximum number of tasks in the traces of a scenario.
const maxTasks = 4_000_000

// instances returns the whole workload of a run, in the order of arrival. It depends only on the
// scenario and the seed, so that simulated and real runs have the same arrivals.
func (s *Scenario) instances(ctx context.Context, seed uint64) ([]instance, error) {
	var list []instance
	for i := range s.Work {
		w := &s.Work[i]
		if w.IsApplication() {
			for n, at := range w.Arrive.times(seed, w.Name) {
				list = append(list, instance{work: w, id: fmt.Sprintf("%s-%d", w.Name, n+1), n: n, at: at})
			}
			continue
		}
		jobs, err := s.jobs(ctx, w, seed)
		if err != nil {
			return nil, err
		}
		for n, j := range jobs {
			list = append(list, instance{work: w, id: j.ID, n: n, at: j.Submit, job: j})
		}
	}
	slices.SortStableFunc(list, func(a, b instance) int { return cmp.Compare(a.at, b.at) })
	return list, nil
}

// times returns the arrivals.
func (a *Arrivals) times(seed uint64, name string) []int64 {
	if a.At != nil {
		return a.At
	}
	out := make([]int64, a.Count)
	r, now := generate.Stream(seed, "arrivals of "+name, 0), 0.0
	for i := range out {
		if a.Every > 0 {
			out[i] = int64(i) * a.Every
			continue
		}
		now += min(maxTime, max(0, a.Gaps.Draw(r)))
		out[i] = int64(now)
	}
	return out
}

// jobs returns the jobs of a trace or a generator, scaled and with deadlines.
func (s *Scenario) jobs(ctx context.Context, w *Work, seed uint64) ([]*trace.Job, error) {
	src, done, err := s.source(ctx, w, seed)
	if err != nil {
		return nil, err
	}
	defer done()
	src = generate.Scale(src, generate.Scaling{Tasks: w.Scale[0], Time: w.Scale[1], Gap: w.Scale[2]})
	var alone error
	if w.DeadlineFactor > 0 {
		slots := [2]int32{s.Nodes.Slots[0] * int32(s.Nodes.Count), s.Nodes.Slots[1] * int32(s.Nodes.Count)}
		src = generate.Deadlines(src, 1, w.DeadlineFactor, seed, func(j *trace.Job) int64 {
			t, err := lab.Alone(ctx, j, slots)
			alone = cmp.Or(alone, err)
			return t
		})
	}
	var list []*trace.Job
	tasks, first := 0, int64(-1)
	for {
		from, err := src.Next()
		if err == io.EOF {
			break
		}
		if err = cmp.Or(alone, err); err != nil {
			return nil, err
		}
		if tasks += len(from.Maps) + len(from.Reduces); tasks > maxTasks {
			return nil, failure.New(failure.Limit, "read workload", w.Name, fmt.Errorf("it has more than %d tasks", maxTasks))
		}
		if len(from.Maps) == 0 {
			continue // a real cluster cannot replay it
		}
		j := *from
		if first < 0 {
			first = j.Submit
		}
		if j.Deadline > 0 {
			j.Deadline -= first
		}
		j.ID, j.Submit, j.Launch, j.Finish = w.Name+"-"+strconv.Itoa(len(list)+1), j.Submit-first, 0, 0
		list = append(list, &j)
	}
	if len(list) == 0 {
		return nil, failure.New(failure.Config, "read workload", w.Name, errors.New("it has no jobs with maps"))
	}
	return list, nil
}

// source opens a trace or a generator.
func (s *Scenario) source(ctx context.Context, w *Work, seed uint64) (trace.Source, func() error, error) {
	if w.open != nil {
		return w.open(ctx)
	}
	if w.Trace != "" {
		im, err := importer.Open([]string{s.path(w.Trace)}, importer.Options{})
		if err != nil {
			return nil, nil, err
		}
		return im, im.Close, nil
	}
	var gaps generate.Arrivals
	if w.Gaps != nil {
		gaps = generate.Gaps{Between: w.Gaps}
	}
	for _, g := range s.parts.workloads() {
		if g.Name == w.Generate {
			return g.New(w.Jobs, gaps, seed), func() error { return nil }, nil
		}
	}
	return nil, nil, failure.New(failure.Internal, "read workload", w.Generate, errors.New("it is unknown"))
}

// Files returns an error if a file that the scenario names does not exist.
func (s *Scenario) Files() error {
	for i := range s.Work {
		if t := s.Work[i].Trace; t != "" && s.Work[i].open == nil {
			if _, err := os.Stat(s.path(t)); err != nil {
				return failure.New(failure.KindOf(err), "read trace", s.path(t), err)
			}
		}
	}
	return nil
}
