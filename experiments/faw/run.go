package faw

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fifo"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/fawkes"
	"github.com/howdah/howdah/simulator/replay"
	"github.com/howdah/howdah/simulator/trace"
)

// Heartbeat is the heartbeat interval of TaskTrackers in ms, as in Hadoop 1.0.
const Heartbeat = 3000

// FIFO returns the scheduler of every MR-cluster (section 3.1: queues are FIFO).
func FIFO() (scheduler.Policy, error) { return fifo.New(scheduler.Setup{Conf: conf.New()}) }

// With returns a copy of the model whose Apps are the jobs of the given applications.
func (m Model) With(apps ...App) Model {
	known := map[string]Stage{}
	for _, a := range apps {
		for i, s := range a.Stages {
			known[a.stage(i)] = s
		}
	}
	m.Apps = known
	return m
}

// stage returns the name of the application's job i, counted from 0. It is the application's name,
// followed by i+1 if the application has several jobs.
func (a App) stage(i int) string {
	if len(a.Stages) == 1 {
		return a.Name
	}
	return fmt.Sprintf("%s-%d", a.Name, i+1)
}

// Runs returns the number of times that a job runs when its time alone is measured. Each run has
// different task times, and the experiments use the mean time.
func (m Model) Runs() int {
	if m.Sigma == 0 {
		return 1
	}
	return max(1, m.Repeat)
}

// Alone returns the time that an application takes on a static MR-cluster of its own, in s. The
// jobs of the application run one after another. The result is the mean of Runs executions.
func (m Model) Alone(ctx context.Context, a App, c fawkes.Composition) (float64, error) {
	m = m.With(a)
	total := int64(0)
	for i, s := range a.Stages {
		t, err := m.mean(ctx, a.stage(i), s.Input, c)
		if err != nil {
			return 0, err
		}
		total += t
	}
	return float64(total) / 1000, nil
}

// Each is like Alone, but returns the time of each run.
func (m Model) Each(ctx context.Context, a App, c fawkes.Composition) ([]float64, error) {
	m = m.With(a)
	out := make([]float64, m.Runs())
	for i, s := range a.Stages {
		times, err := m.times(ctx, a.stage(i), s.Input, c)
		if err != nil {
			return nil, err
		}
		for k, t := range times {
			out[k] += float64(t) / 1000
		}
	}
	return out, nil
}

// mean returns the mean time, in ms, of the job called name with gb GB of input. Runs returns the
// number of runs.
func (m Model) mean(ctx context.Context, name string, gb float64, c fawkes.Composition) (int64, error) {
	times, err := m.times(ctx, name, gb, c)
	if err != nil {
		return 0, err
	}
	total := int64(0)
	for _, t := range times {
		total += t
	}
	return total / int64(len(times)), nil
}

// times returns the time, in ms, of each run of the job called name with gb GB of input.
func (m Model) times(ctx context.Context, name string, gb float64, c fawkes.Composition) ([]int64, error) {
	out, workers := make([]int64, m.Runs()), m.Workers
	stage := m.Apps[name]
	m.Apps, m.Repeat, m.Workers = map[string]Stage{"": stage}, 0, 0 // only what affects a run
	err := lab.Parallel(ctx, workers, len(out), func(ctx context.Context, i int) (err error) {
		out[i], err = timesAlone.Get(ctx, fmt.Sprint(m, gb, c, i), func() (int64, error) {
			j := m.Job("alone", "", stage, gb, replay.Epoch)
			Vary(j, uint64(i)+1, m.Sigma)
			return m.alone(ctx, j, c)
		})
		return err
	})
	return out, err
}

// timesAlone caches the times of jobs that run alone. Several figures show the same applications, and
// some stages of an application are alike.
var timesAlone lab.Memo[string, int64]

// alone runs one job and returns its time in ms.
func (m Model) alone(ctx context.Context, j *trace.Job, c fawkes.Composition) (int64, error) {
	return m.run(ctx, []*trace.Job{j}, [][]int{nil}, c)
}

// run runs jobs on an MR-cluster of their own, and returns the time until the last one ends, in ms.
// after contains, for each job, the indexes of the jobs that must end before it is submitted.
func (m Model) run(ctx context.Context, jobs []*trace.Job, after [][]int, c fawkes.Composition) (int64, error) {
	policy, err := FIFO()
	if err != nil {
		return 0, err
	}
	began := jobs[0].Submit
	l, err := simulator.NewLive(simulator.Config{Slots: Slots, Heartbeat: Heartbeat, WaitForWork: true, Policy: policy,
		Scheduler: "fifo"}, began-1,
		func(_ int, j *trace.Job, t job.TaskType, shuffle, rest int64) (int64, int64) {
			return m.Task(c, j, t, shuffle, rest)
		})
	if err != nil {
		return 0, err
	}
	for range c.Nodes() {
		if _, err := l.Add(); err != nil {
			return 0, err
		}
	}
	if err := l.RunTo(began); err != nil {
		return 0, err
	}
	submitted, ended := make([]bool, len(jobs)), make([]bool, len(jobs))
	for now := began; ; now = l.Next() {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if err := l.RunTo(now); err != nil {
			return 0, err
		}
		last := int64(0)
		for _, f := range l.Finished() {
			ended[slices.IndexFunc(jobs, func(j *trace.Job) bool { return j.ID == f.ID })] = true
			last = max(last, f.Finish)
		}
		for i, j := range jobs {
			if !submitted[i] && ready(after[i], ended) {
				submitted[i] = true
				j.Submit = now
				if err := l.Submit(j); err != nil {
					return 0, err
				}
			}
		}
		if l.Unfinished() == 0 {
			return last - began, nil
		}
	}
}

// References caches the times of jobs on the reference MR-cluster (figure 2), by name and size. It is
// safe for concurrent use.
type References struct {
	model Model
	mu    sync.Mutex
	known map[reference]int64
}

type reference struct {
	name  string
	input int64
}

// NewReferences returns an empty cache, which Of fills.
func (m Model) NewReferences() *References {
	return &References{model: m, known: map[reference]int64{}}
}

// Of returns the reference time of a job in ms. If the time is not known, Of simulates the job. If the
// simulation fails, Of returns 1.
func (r *References) Of(j *trace.Job) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := reference{j.Name, j.Input}
	if _, ok := r.known[key]; !ok {
		t, err := r.model.mean(context.Background(), j.Name, float64(j.Input)/(1<<30), Core(Reference))
		if err != nil {
			t = 1
		}
		r.known[key] = t
	}
	return r.known[key]
}

// Measured records ms as the time of job j, so that Of does not have to simulate j.
func (r *References) Measured(j *trace.Job, ms int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known[reference{j.Name, j.Input}] = ms
}

// Vary replaces the times of a job's tasks with random ones from lognormal distributions whose means
// are the current times. sigma is the standard deviation of the logarithm. Vary does not change the
// times of shuffles.
func Vary(j *trace.Job, seed uint64, sigma float64) {
	r := rand.New(rand.NewPCG(seed, 0xfa3))
	draw := func(ms int64) int64 {
		return max(1, int64(float64(ms)*math.Exp(sigma*r.NormFloat64()-sigma*sigma/2)))
	}
	for i := range j.Maps {
		j.Maps[i].Time = draw(j.Maps[i].Time)
	}
	for i := range j.Reduces {
		j.Reduces[i].Time = draw(j.Reduces[i].Time)
	}
}
