package lab

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker/history"
)

// SlotSpan is the time during which an attempt occupies a slot.
type SlotSpan struct {
	Job        int32
	Type       job.TaskType
	Pool       string
	Tracker    int32
	Start, End int64 // ms since the first submission
}

// ReadSlotSpans reads the attempts of a journal. If the journal does not contain an attempt's end, the
// span lasts until the journal's last event.
func ReadSlotSpans(r io.Reader) ([]SlotSpan, error) {
	d := history.NewDecoder(r)
	open, pools := map[job.Attempt]int{}, map[int32]string{}
	var list []SlotSpan
	first, last := int64(-1), int64(0)
	for {
		var e event.Event
		err := d.Next(&e)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, failure.New(failure.Corrupt, "read the run's journal", "", err)
		}
		if first < 0 && e.Type == event.JobSubmitted {
			first = e.Time
		}
		last = e.Time - first
		switch e.Type {
		case event.JobSubmitted:
			pools[e.Job] = poolOf(e.Spec)
		case event.AttemptStarted:
			open[e.Attempt] = len(list)
			list = append(list, SlotSpan{Job: e.Job, Type: e.Attempt.Type, Pool: pools[e.Job], Tracker: e.Tracker,
				Start: last, End: -1})
		case event.AttemptFinished:
			if i, ok := open[e.Attempt]; ok {
				list[i].End = last
			}
		}
	}
	for i := range list {
		if list[i].End < 0 {
			list[i].End = last
		}
	}
	return list, nil
}

// poolOf returns a job's pool as schedulers determine it. The pool is the requested one or, if
// there is none, the queue. If the queue is "default", the pool is the user.
func poolOf(s *job.Spec) string {
	if s == nil {
		return ""
	}
	if p, ok := s.Get(conf.FairSchedulerPool.Name); ok {
		return p
	}
	if s.Queue != "" && s.Queue != "default" {
		return s.Queue
	}
	return cmp.Or(s.User, "default")
}

// maxGroups is the maximum number of groups in a plot. Maps and reduces have separate lines.
const maxGroups = 6

// biggest returns a function that groups spans as group does. If there are more than maxGroups
// groups, it merges those with the least slot time into one, which keeps the legend short.
func biggest(spans []SlotSpan, group func(*SlotSpan) string) func(*SlotSpan) string {
	used, names := map[string]int64{}, []string{}
	for i := range spans {
		s := &spans[i]
		if _, ok := used[group(s)]; !ok {
			names = append(names, group(s))
		}
		used[group(s)] += s.End - s.Start
	}
	if len(names) <= maxGroups {
		return group
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(used[b], used[a]) })
	alone := names[:maxGroups-1]
	return func(s *SlotSpan) string {
		if name := group(s); slices.Contains(alone, name) {
			return name
		}
		return fmt.Sprintf("%d others", len(names)-len(alone))
	}
}

// SlotsPlot plots the number of slots that each group uses over time, separately for maps and
// reduces.
func SlotsPlot(spans []SlotSpan, group func(*SlotSpan) string) Plot {
	type step struct {
		at    int64
		delta float64
	}
	group = biggest(spans, group)
	steps, order := map[string][]step{}, []string{}
	colors, look := map[string]int{}, map[string]Series{}
	for i := range spans {
		s := &spans[i]
		if colors[group(s)] == 0 {
			colors[group(s)] = len(colors) + 1
		}
		name := group(s) + ", " + map[job.TaskType]string{job.Map: "maps", job.Reduce: "reduces"}[s.Type]
		if steps[name] == nil {
			order = append(order, name)
			look[name] = Series{Name: name, Color: colors[group(s)], Dashed: s.Type == job.Reduce}
		}
		steps[name] = append(steps[name], step{s.Start, 1}, step{s.End, -1})
	}
	p := Plot{X: "s", Y: "slots", Kind: Steps}
	for _, name := range order {
		list := steps[name]
		slices.SortStableFunc(list, func(a, b step) int { return cmp.Compare(a.at, b.at) })
		s, n := look[name], 0.0
		s.X, s.Y = append(s.X, seconds(list[0].at)), append(s.Y, 0)
		for i, x := range list {
			n += x.delta
			if i+1 < len(list) && list[i+1].at == x.at {
				continue
			}
			if k := len(s.Y); k > 0 && s.Y[k-1] == n {
				continue
			}
			s.X, s.Y = append(s.X, seconds(x.at)), append(s.Y, n)
		}
		p.Series = append(p.Series, s)
	}
	return p
}

// GanttPlot draws one row for each used slot of each tracker and one color for each job.
func GanttPlot(spans []SlotSpan) Plot {
	slices.SortStableFunc(spans, func(a, b SlotSpan) int {
		return cmp.Or(cmp.Compare(a.Tracker, b.Tracker), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Start, b.Start))
	})
	p := Plot{X: "s", Y: "slot", Kind: Gantt}
	series := map[int32]int{}
	var busy []int64 // end of the last span in each row of this tracker and type
	base, row := 0, 0
	for i := range spans {
		s := &spans[i]
		if i > 0 && (spans[i-1].Tracker != s.Tracker || spans[i-1].Type != s.Type) {
			base, busy = base+len(busy), busy[:0]
		}
		for row = 0; row < len(busy) && busy[row] > s.Start; row++ {
		}
		if row == len(busy) {
			busy = append(busy, 0)
		}
		busy[row] = s.End
		k, ok := series[s.Job]
		if !ok {
			k = len(p.Series)
			series[s.Job] = k
			p.Series = append(p.Series, Series{Name: fmt.Sprintf("job %d", s.Job)})
		}
		out := &p.Series[k]
		out.X, out.High, out.Y = append(out.X, seconds(s.Start)), append(out.High, seconds(s.End)),
			append(out.Y, float64(base+row))
	}
	return p
}
