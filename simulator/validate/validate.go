// Package validate compares an execution with its replay (SIM section IV-C): how far off is the simulator? The replay sees when
// jobs arrived and how long their tasks took, and nothing of where or when the tasks ran.
package validate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/tasklevel"
	"github.com/howdah/howdah/simulator/trace"
)

// Models are the names of the models that can be compared, as trace.Result has them.
var Models = []string{"heartbeat", "task", "mumak"}

// Config says on what the execution is replayed: the cluster that it ran on.
type Config struct {
	Trackers    int
	Slots       [2]int32 // of each tracker
	Heartbeat   int64    // ms, 0 = as the JobTracker has it for so many trackers
	WaitForWork bool     // trackers beat at once when there is news, as howdah's do
	Seed        uint64
	Scheduler   string
	// Policy makes the scheduler that the execution ran under, anew for each replay.
	Policy func() (scheduler.Policy, error)
	// FromStart measures jobs from the start of their first task and not from their submission: for traces whose queue the
	// replay cannot know, or whose clocks differ.
	FromStart bool
	// Shortest leaves jobs out of the summary that took less than so many ms: what a beat more or less means to them says little.
	Shortest int64
}

// Report is what came out for one model.
type Report struct {
	Model string
	Jobs  []Job   // by number, those that count
	Short []Job   // those too short to count
	Apart []Apart // those that cannot be compared
	// Average and Worst are of the errors' absolute values, as shares. Bias is the average with sign: below 0 the replay is
	// faster than the execution was.
	Average, Worst, Bias float64
}

// Job is one job's comparison. Times are in ms.
type Job struct {
	ID, Name           string
	Executed, Replayed int64
	Error              float64 // (Replayed - Executed) / Executed
}

// Apart is a job that is left out, and why.
type Apart struct{ ID, Why string }

// Compare replays an execution with each model. Jobs that did not succeed or whose clocks contradict each other run in the
// replay, for they took slots from the others, but are listed apart.
func Compare(ctx context.Context, t *trace.Trace, c Config, models ...string) ([]Report, error) {
	if c.Policy == nil || c.Trackers < 1 {
		return nil, failure.New(failure.Config, "validate", t.Name, errors.New("want trackers and a scheduler"))
	}
	blind := Blind(t.Jobs)
	list := make([]Report, 0, len(models))
	for _, m := range models {
		r, err := c.replay(ctx, m, blind)
		if err != nil {
			return nil, err
		}
		list = append(list, c.report(m, t.Jobs, r))
	}
	return list, nil
}

func (c *Config) replay(ctx context.Context, model string, jobs []*trace.Job) (*trace.Result, error) {
	p, err := c.Policy()
	if err != nil {
		return nil, err
	}
	src := (&trace.Trace{Jobs: jobs}).Source()
	switch model {
	case "task":
		all := [2]int32{c.Slots[0] * int32(c.Trackers), c.Slots[1] * int32(c.Trackers)}
		return tasklevel.Run(ctx, tasklevel.Config{Slots: all, Scheduler: c.Scheduler, Policy: p, Seed: c.Seed}, src)
	case "heartbeat", "mumak":
		return simulator.Run(ctx, simulator.Config{Trackers: c.Trackers, Slots: c.Slots, Heartbeat: c.Heartbeat, WaitForWork: c.WaitForWork,
			Mumak: model == "mumak", Seed: c.Seed, Scheduler: c.Scheduler, Policy: p}, src)
	}
	return nil, failure.New(failure.Usage, "validate", model, errors.New("no such model")).Fix(fmt.Sprint("there are: ", Models))
}

// Blind copies jobs without what the replay must not see: where and when their tasks ran, and where their input lay.
func Blind(jobs []*trace.Job) []*trace.Job {
	list := make([]*trace.Job, len(jobs))
	for i, j := range jobs {
		c := *j
		c.Launch, c.Finish = 0, 0
		c.Maps, c.Reduces = slices.Clone(j.Maps), slices.Clone(j.Reduces)
		for k := range c.Maps {
			m := &c.Maps[k]
			m.Start, m.Host, m.Hosts = 0, "", nil
		}
		for k := range c.Reduces {
			r := &c.Reduces[k]
			r.Start, r.Host = 0, ""
		}
		list[i] = &c
	}
	slices.SortStableFunc(list, func(a, b *trace.Job) int { return cmp.Compare(a.Submit, b.Submit) })
	return list
}

func (c *Config) report(model string, jobs []*trace.Job, r *trace.Result) Report {
	rep := Report{Model: model}
	byID := make(map[string]*trace.JobResult, len(r.Jobs))
	for i := range r.Jobs {
		byID[r.Jobs[i].ID] = &r.Jobs[i]
	}
	for _, j := range jobs {
		x := byID[j.ID]
		if why := apart(j, x); why != "" {
			rep.Apart = append(rep.Apart, Apart{j.ID, why})
			continue
		}
		v := c.compare(j, x)
		if v.Executed < max(1, c.Shortest) {
			rep.Short = append(rep.Short, v)
			continue
		}
		rep.Jobs = append(rep.Jobs, v)
	}
	rep.sum()
	return rep
}

// apart tells why a job cannot be compared, "" = it can.
func apart(j *trace.Job, x *trace.JobResult) string {
	switch {
	case j.State != job.Succeeded:
		return "ended " + j.State.String()
	case j.Skewed:
		return "its clocks contradict each other"
	case len(j.Maps)+len(j.Reduces) == 0:
		return "it has no tasks"
	case j.Finish == 0:
		return "its end is not known"
	case x == nil || x.Failed:
		return "the replay did not finish it"
	}
	return ""
}

func (c *Config) compare(j *trace.Job, x *trace.JobResult) Job {
	from, replayed := j.Submit, x.Finish-x.Submit
	if c.FromStart {
		if first := firstStart(j); first > 0 {
			from, replayed = first, x.Finish-x.Start
		}
	}
	v := Job{ID: j.ID, Name: j.Name, Executed: j.Finish - from, Replayed: replayed}
	if v.Executed > 0 {
		v.Error = float64(v.Replayed-v.Executed) / float64(v.Executed)
	}
	return v
}

// firstStart is when the job's first task started, 0 = not known.
func firstStart(j *trace.Job) int64 {
	first := int64(math.MaxInt64)
	for i := range j.Maps {
		if s := j.Maps[i].Start; s > 0 {
			first = min(first, s)
		}
	}
	for i := range j.Reduces {
		if s := j.Reduces[i].Start; s > 0 {
			first = min(first, s)
		}
	}
	if first == math.MaxInt64 {
		return 0
	}
	return first
}

func (r *Report) sum() {
	for i := range r.Jobs {
		e := r.Jobs[i].Error
		r.Bias += e
		r.Average += math.Abs(e)
		r.Worst = max(r.Worst, math.Abs(e))
	}
	n := float64(max(1, len(r.Jobs)))
	r.Bias /= n
	r.Average /= n
}
