package simmr

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/replay"
	"github.com/howdah/howdah/simulator/tasklevel"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/importer"
	"github.com/howdah/howdah/simulator/validate"
)

// Cluster describes the cluster that is used for an execution and for its replays.
type Cluster struct {
	Trackers    int
	Slots       [2]int32 // of each tracker
	Heartbeat   int64    // ms
	WaitForWork bool     // see simulator.Config
}

func (c Cluster) all() [2]int32 {
	return [2]int32{c.Slots[0] * int32(c.Trackers), c.Slots[1] * int32(c.Trackers)}
}

// Model is a model of the cluster for replays.
type Model uint8

// Models to compare.
const (
	TaskLevel Model = iota // SimMR's engine
	Beats                  // the production JobTracker state machine with heartbeats, and SimMR's model of the shuffle
	Mumak                  // like Beats, but with Mumak's model, in which reduces have no shuffle
	Shared                 // like TaskLevel, but the reduces of all jobs share the bandwidth of the shuffle
	numModels
)

func (m Model) String() string {
	return [...]string{"SimMR model, tasks", "SimMR model, beats", "Mumak model", "shared bandwidth"}[m]
}

// replayed lists the models that can replay a recorded trace. Shared is not among them, because a
// recorded shuffle already includes the effect of other reduces.
var replayed = []Model{TaskLevel, Beats, Mumak}

// FromJournal reads an execution from its journal. It returns an error if a record is damaged.
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

// replaySeed differs from the usual seeds of executions, so that the random offsets of heartbeats
// within their interval also differ.
const replaySeed = 1000

// Replay simulates the jobs of the recorded trace t again under the policy p, with the model m.
func (c Cluster) Replay(ctx context.Context, m Model, p lab.Policy, t *trace.Trace) (*trace.Result, error) {
	policy, err := p.New()
	if err != nil {
		return nil, err
	}
	if m == TaskLevel || m == Shared {
		tasks := tasklevel.Config{Slots: c.all(), Trackers: c.Trackers, Scheduler: p.Name, Policy: policy,
			Model: replay.SimMR, Seed: replaySeed}
		if m == Shared {
			tasks.Network = &tasklevel.Network{Rate: throttle, Copies: int(conf.ReduceShuffleParallelCopies.BuiltIn())}
		}
		return tasklevel.Run(ctx, tasks, t.Source())
	}
	return simulator.Run(ctx, simulator.Config{Trackers: c.Trackers, Slots: c.Slots, Heartbeat: c.Heartbeat,
		WaitForWork: c.WaitForWork,
		Mumak:       m == Mumak, Seed: replaySeed, Scheduler: p.Name, Policy: policy}, t.Source())
}

// Accuracy is the error of replays relative to an execution. All slices have one entry for each
// compared job.
type Accuracy struct {
	Jobs    []*trace.Job
	Seconds []float64            // durations as executed
	Error   [numModels][]float64 // replayed duration / executed duration - 1
	// Shuffle is the fraction of the reduces' time that shuffle and sort take, not counting the
	// part that overlaps the maps.
	Shuffle []float64
}

// Measure replays the execution t with every model and compares the durations of jobs. A duration
// is the time from the start of the first task to the end of the job. Measure omits jobs that did
// not succeed or whose recorded duration is less than least, in ms.
func (c Cluster) Measure(ctx context.Context, p lab.Policy, t *trace.Trace, least int64) (*Accuracy, error) {
	return c.MeasureSpan(ctx, p, t, least, firstToLast)
}

func firstToLast(j *trace.Job) (from, to int64) {
	return cmp.Or(j.FirstStart(), j.Submit), cmp.Or(j.Finish, LastEnd(j))
}

// MeasureSpan is like Measure, but span returns the start and the end of each recorded job.
func (c Cluster) MeasureSpan(ctx context.Context, p lab.Policy, t *trace.Trace, least int64,
	span func(*trace.Job) (from, to int64)) (*Accuracy, error) {
	blind := &trace.Trace{Name: t.Name, Origin: t.Origin, Jobs: validate.Blind(t.Jobs)}
	a := measured(t, least, span)
	for _, m := range replayed {
		if err := c.predict(ctx, p, a, m, blind); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// measured returns the Accuracy of the execution t without errors.
func measured(t *trace.Trace, least int64, span func(*trace.Job) (from, to int64)) *Accuracy {
	a := &Accuracy{}
	for _, j := range t.Jobs {
		from, to := span(j)
		if took := to - from; j.State == job.Succeeded && took >= least {
			a.Jobs = append(a.Jobs, j)
			a.Seconds = append(a.Seconds, float64(took)/1000)
			a.Shuffle = append(a.Shuffle, shuffleShare(j))
		}
	}
	return a
}

// predict adds the errors of model m to a. It compares the executed durations with the mean of the
// durations in replays of the guesses, which contain jobs with the same IDs.
func (c Cluster) predict(ctx context.Context, p lab.Policy, a *Accuracy, m Model, guesses ...*trace.Trace) error {
	took := map[string]int64{} // in all replays
	for _, g := range guesses {
		r, err := c.Replay(ctx, m, p, g)
		if err != nil {
			return err
		}
		for i := range r.Jobs {
			took[r.Jobs[i].ID] += r.Jobs[i].Finish - r.Jobs[i].Start
		}
	}
	for i, j := range a.Jobs {
		mean := float64(took[j.ID]) / float64(1000*len(guesses))
		a.Error[m] = append(a.Error[m], mean/a.Seconds[i]-1)
	}
	return nil
}

// LastEnd returns the time at which the last task of a recorded job ended.
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

// Mean returns the mean of the absolute values of a model's errors, or 0 if there are no jobs.
func (a *Accuracy) Mean(m Model) (sum float64) {
	for _, e := range a.Error[m] {
		sum += math.Abs(e) / float64(len(a.Error[m]))
	}
	return sum
}

// Worst returns the largest absolute value of a model's errors.
func (a *Accuracy) Worst(m Model) (worst float64) {
	for _, e := range a.Error[m] {
		worst = max(worst, math.Abs(e))
	}
	return worst
}

// Median returns the median of the absolute values of a model's errors. It returns the lower
// of the two middle values for an even number of jobs, and 0 for no jobs.
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

// Under returns the fraction of jobs whose duration a model underestimates.
func (a *Accuracy) Under(m Model) float64 {
	n := 0
	for _, e := range a.Error[m] {
		if e < 0 {
			n++
		}
	}
	return float64(n) / float64(max(1, len(a.Error[m])))
}

// Report adds a table and a plot with the errors of the given models, like a part of figure 5.
func (a *Accuracy) Report(r *lab.Run, name string, models ...Model) {
	head := []string{"job", "executed (s)", "shuffle share"}
	for _, m := range models {
		head = append(head, m.String())
	}
	var rows [][]string
	plot := lab.Plot{Name: name, Title: "Simulated / executed", Y: "ratio", Kind: lab.Bars,
		Series: make([]lab.Series, len(models))}
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

// Add appends the jobs of b to a.
func (a *Accuracy) Add(b *Accuracy) {
	a.Jobs = append(a.Jobs, b.Jobs...)
	a.Seconds = append(a.Seconds, b.Seconds...)
	a.Shuffle = append(a.Shuffle, b.Shuffle...)
	for m := range a.Error {
		a.Error[m] = append(a.Error[m], b.Error[m]...)
	}
}
