// Package validate measures the accuracy of the simulator by comparing an execution with its replay
// (SIM section IV-C). The replay uses the recorded job arrivals and task durations, but not the
// recorded places and start times of tasks.
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

// Models lists the names of the models that Compare supports, as in trace.Result.
var Models = []string{"heartbeat", "task", "mumak"}

// Config describes the cluster of the execution.
type Config struct {
	Trackers    int
	Slots       [2]int32 // of each tracker
	Heartbeat   int64    // heartbeat interval in ms; 0 means the JobTracker's interval for this number of trackers
	WaitForWork bool     // trackers report news immediately, as howdah's TaskTrackers do
	Seed        uint64
	Scheduler   string
	// Policy returns the scheduler of the execution. Compare calls it for each replay.
	Policy func() (scheduler.Policy, error)
	// Switches are the changes of the scheduler during the execution, in order of time. The model task
	// ignores them.
	Switches []Switch
	// FromStart measures jobs from the start of their first task instead of their submission. Use it
	// if the replay cannot reproduce the time that jobs wait, or if the trace's clocks are
	// inconsistent.
	FromStart bool
	// Shortest is the minimum duration in ms of a job in the summary. In shorter jobs, a single
	// heartbeat would distort the error.
	Shortest int64
}

// Switch is a change of the scheduler at a time in ms. Compare calls Policy for each replay.
type Switch struct {
	At     int64
	Policy func() (scheduler.Policy, error)
}

// Report is the result for one model.
type Report struct {
	Model string  `json:"model"`
	Jobs  []Job   `json:"jobs"`     // jobs in the summary, in the order of the trace
	Short []Job   `json:"short"`    // jobs too short for the summary
	Apart []Apart `json:"excluded"` // jobs that cannot be compared
	// Average and Worst are the mean and the maximum of the absolute errors, as fractions. Bias is
	// the mean of the signed errors. If Bias is negative, the replay is faster than the execution.
	Average float64 `json:"average"`
	Worst   float64 `json:"worst"`
	Bias    float64 `json:"bias"`
}

// Job compares the replay of one job with its execution. Times are in ms.
type Job struct {
	ID       string  `json:"id"`
	Name     string  `json:"name,omitempty"`
	Executed int64   `json:"executed_ms"`
	Replayed int64   `json:"replayed_ms"`
	Error    float64 `json:"error"` // (Replayed - Executed) / Executed
}

// Apart is an excluded job and the reason for its exclusion.
type Apart struct {
	ID  string `json:"id"`
	Why string `json:"why"`
}

// Compare replays an execution with each model. Jobs that did not succeed or have contradictory
// clocks take part in the replay, because they used slots. Compare lists them separately.
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
		var switches []simulator.Switch
		for _, s := range c.Switches {
			next, err := s.Policy()
			if err != nil {
				return nil, err
			}
			switches = append(switches, simulator.Switch{At: s.At, Policy: next})
		}
		return simulator.Run(ctx, simulator.Config{Trackers: c.Trackers, Slots: c.Slots, Heartbeat: c.Heartbeat,
			WaitForWork: c.WaitForWork,
			Mumak:       model == "mumak", Seed: c.Seed, Scheduler: c.Scheduler, Policy: p, Switches: switches}, src)
	}
	return nil, failure.New(failure.Usage, "validate", model,
		errors.New("no such model")).Fix(fmt.Sprint("the models are: ", Models))
}

// Blind returns copies of the jobs in submission order, without the information that must be hidden
// from the replay: where and when their tasks ran, when the jobs ended, and where their input was.
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
	rep := Report{Model: model, Jobs: []Job{}, Short: []Job{}, Apart: []Apart{}}
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

// apart returns the reason why the job cannot be compared, or "" if it can be compared.
func apart(j *trace.Job, x *trace.JobResult) string {
	switch {
	case j.State != job.Succeeded:
		return "ended " + j.State.String()
	case j.Skewed:
		return "the job's clocks contradict each other"
	case len(j.Maps)+len(j.Reduces) == 0:
		return "the job has no tasks"
	case j.Finish == 0:
		return "the job's end is unknown"
	case x == nil || x.Failed:
		return "the job did not finish in the replay"
	}
	return ""
}

func (c *Config) compare(j *trace.Job, x *trace.JobResult) Job {
	from, replayed := j.Submit, x.Finish-x.Submit
	if c.FromStart {
		if first := j.FirstStart(); first > 0 {
			from, replayed = first, x.Finish-x.Start
		}
	}
	v := Job{ID: j.ID, Name: j.Name, Executed: j.Finish - from, Replayed: replayed}
	if v.Executed > 0 {
		v.Error = float64(v.Replayed-v.Executed) / float64(v.Executed)
	}
	return v
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
