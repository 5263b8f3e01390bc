package simmr

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/replay"
	"github.com/howdah/howdah/simulator/tasklevel"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/importer"
)

// Cluster is on what something was executed, so that it can be replayed on the like.
type Cluster struct {
	Trackers    int
	Slots       [2]int32 // of each
	Heartbeat   int64    // ms
	WaitForWork bool
}

func (c Cluster) all() [2]int32 {
	return [2]int32{c.Slots[0] * int32(c.Trackers), c.Slots[1] * int32(c.Trackers)}
}

// Model is one way to replay.
type Model uint8

// The models that are compared.
const (
	TaskLevel Model = iota // SimMR's engine
	Beats                  // the real JobTracker machine with beats, SimMR's model of the shuffle
	Mumak                  // the same with Mumak's: reduces have no shuffle
	numModels
)

func (m Model) String() string {
	return [...]string{"SimMR model, tasks", "SimMR model, beats", "Mumak model"}[m]
}

// FromJournal reads what was executed.
func FromJournal(name string, journal []byte) (*trace.Trace, error) {
	im, err := importer.OpenStream(name, bytes.NewReader(journal), importer.Options{})
	if err != nil {
		return nil, err
	}
	t, err := im.Trace()
	if err == nil && im.Damaged > 0 {
		return nil, fmt.Errorf("%s: %d damaged records, the first: %v", name, im.Damaged, im.Damage[0])
	}
	return t, err
}

// replaySeed differs from the seeds of executions: when trackers beat within their interval is luck.
const replaySeed = 1000

// Replay runs a recorded trace again under a policy. The replay sees when jobs came and how long tasks took, nothing else.
func (c Cluster) Replay(ctx context.Context, m Model, p Policy, t *trace.Trace) (*trace.Result, error) {
	policy, err := p.New()
	if err != nil {
		return nil, err
	}
	if m == TaskLevel {
		return tasklevel.Run(ctx, tasklevel.Config{Slots: c.all(), Trackers: c.Trackers, Scheduler: p.Name, Policy: policy, Model: replay.SimMR, Seed: replaySeed}, t.Source())
	}
	return simulator.Run(ctx, simulator.Config{Trackers: c.Trackers, Slots: c.Slots, Heartbeat: c.Heartbeat, WaitForWork: c.WaitForWork,
		Mumak: m == Mumak, Seed: replaySeed, Scheduler: p.Name, Policy: policy}, t.Source())
}

// Accuracy is how far replays are from what was executed: per job and model the signed relative error of the time from the
// first task to the end.
type Accuracy struct {
	Jobs    []*trace.Job
	Seconds []float64 // as executed
	Error   [numModels][]float64
	// Shuffle is the share of the reduces' time that was shuffle and sort, of the part after the maps.
	Shuffle []float64
}

// Measure replays an execution with every model and compares the jobs that succeeded and took at least so long (ms).
func (c Cluster) Measure(ctx context.Context, p Policy, t *trace.Trace, least int64) (*Accuracy, error) {
	return c.MeasureSpan(ctx, p, t, least, func(j *trace.Job) (from, to int64) { return began(j), cmp.Or(j.Finish, LastEnd(j)) })
}

// MeasureSpan does so by another notion of when a recorded job began and ended.
func (c Cluster) MeasureSpan(ctx context.Context, p Policy, t *trace.Trace, least int64, span func(*trace.Job) (from, to int64)) (*Accuracy, error) {
	a := &Accuracy{}
	for _, j := range t.Jobs {
		from, to := span(j)
		if took := to - from; j.State == job.Succeeded && took >= least {
			a.Jobs = append(a.Jobs, j)
			a.Seconds = append(a.Seconds, float64(took)/1000)
			a.Shuffle = append(a.Shuffle, shuffleShare(j))
		}
	}
	blind := stripped(t)
	for m := range numModels {
		r, err := c.Replay(ctx, m, p, blind)
		if err != nil {
			return nil, err
		}
		took := map[string]int64{}
		for i := range r.Jobs {
			took[r.Jobs[i].ID] = r.Jobs[i].Finish - r.Jobs[i].Start
		}
		for i, j := range a.Jobs {
			a.Error[m] = append(a.Error[m], float64(took[j.ID])/1000/a.Seconds[i]-1)
		}
	}
	return a, nil
}

// stripped leaves of a trace what a replay may know: when jobs came, their settings, and how long their tasks took; not when
// and where these ran.
func stripped(t *trace.Trace) *trace.Trace {
	out := &trace.Trace{Name: t.Name, Origin: t.Origin}
	for _, from := range t.Jobs {
		j := *from
		j.Launch, j.Finish = 0, 0
		j.Maps, j.Reduces = slices.Clone(j.Maps), slices.Clone(j.Reduces)
		for i := range j.Maps {
			m := &j.Maps[i]
			m.Start, m.Host, m.Hosts = 0, "", nil
		}
		for i := range j.Reduces {
			x := &j.Reduces[i]
			x.Start, x.Host = 0, ""
		}
		out.Jobs = append(out.Jobs, &j)
	}
	return out
}

// began is when a job's first task started.
func began(j *trace.Job) int64 {
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
		return j.Submit
	}
	return first
}

// LastEnd is when the last task of a recorded job ended.
func LastEnd(j *trace.Job) int64 {
	var last, mapEnd int64
	for i := range j.Maps {
		mapEnd = max(mapEnd, j.Maps[i].Start+j.Maps[i].Time)
	}
	last = mapEnd
	for i := range j.Reduces {
		x := &j.Reduces[i]
		from := x.Start
		if x.First {
			from = max(from, mapEnd)
		}
		last = max(last, from+x.Shuffle+x.Time)
	}
	return last
}

func shuffleShare(j *trace.Job) float64 {
	var shuffle, all int64
	for i := range j.Reduces {
		shuffle += j.Reduces[i].Shuffle
		all += j.Reduces[i].Shuffle + j.Reduces[i].Time
	}
	return float64(shuffle) / float64(max(1, all))
}

// Mean is a model's average error by size.
func (a *Accuracy) Mean(m Model) (sum float64) {
	for _, e := range a.Error[m] {
		sum += math.Abs(e) / float64(len(a.Error[m]))
	}
	return sum
}

// Worst is the greatest error by size.
func (a *Accuracy) Worst(m Model) (worst float64) {
	for _, e := range a.Error[m] {
		worst = max(worst, math.Abs(e))
	}
	return worst
}

// Median is the error, by size, that half of the jobs do not pass.
func (a *Accuracy) Median(m Model) float64 {
	sizes := make([]float64, 0, len(a.Error[m]))
	for _, e := range a.Error[m] {
		sizes = append(sizes, math.Abs(e))
	}
	if len(sizes) == 0 {
		return 0
	}
	slices.Sort(sizes)
	return sizes[(len(sizes)-1)/2]
}

// Under is the share of the jobs that a model predicts too short.
func (a *Accuracy) Under(m Model) float64 {
	n := 0
	for _, e := range a.Error[m] {
		if e < 0 {
			n++
		}
	}
	return float64(n) / float64(max(1, len(a.Error[m])))
}

// Report adds the table and the plot of one part of figure 5.
func (a *Accuracy) Report(r *lab.Run, name string, models ...Model) {
	head := []string{"job", "executed (s)", "shuffle share"}
	for _, m := range models {
		head = append(head, m.String())
	}
	var rows [][]string
	plot := lab.Plot{Name: name, Title: "Simulated / executed", Y: "ratio", Kind: lab.Bars, Series: make([]lab.Series, len(models))}
	for i, j := range a.Jobs {
		label := fmt.Sprintf("%d %s", i+1, j.Name)
		row := []string{label, fmt.Sprintf("%.1f", a.Seconds[i]), fmt.Sprintf("%.0f%%", 100*a.Shuffle[i])}
		for k, m := range models {
			row = append(row, fmt.Sprintf("%+.1f%%", 100*a.Error[m][i]))
			s := &plot.Series[k]
			s.Name = m.String()
			s.Labels, s.Y = append(s.Labels, label), append(s.Y, 1+a.Error[m][i])
		}
		rows = append(rows, row)
	}
	average, worst := []string{"average", "", ""}, []string{"worst", "", ""}
	for _, m := range models {
		average = append(average, fmt.Sprintf("%.2f%%", 100*a.Mean(m)))
		worst = append(worst, fmt.Sprintf("%.2f%%", 100*a.Worst(m)))
	}
	r.AddTable(name, head, append(rows, average, worst))
	r.AddPlot(plot)
}

// Add takes the jobs of another replay in.
func (a *Accuracy) Add(b *Accuracy) {
	a.Jobs = append(a.Jobs, b.Jobs...)
	a.Seconds = append(a.Seconds, b.Seconds...)
	a.Shuffle = append(a.Shuffle, b.Shuffle...)
	for m := range a.Error {
		a.Error[m] = append(a.Error[m], b.Error[m]...)
	}
}
