package webui

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/howdah/howdah/job/status"
)

// timeline shows when and where attempts ran. Each TaskTracker has as many lanes as needed for the
// attempts that ran on it at the same time.
type timeline struct {
	Width, Height int
	Bars          []bar
	Labels        []label
	Span          string // time range of the timeline
	Left          int    // number of attempts beyond the limit
}

type bar struct {
	X, Y, W  float64
	Class    string // type and state, for the style sheet
	ID, Text string
}

type label struct {
	Y    float64
	Text string
}

const (
	timelineWidth = 1000
	laneHeight    = 12
	labelHeight   = 16
)

// newTimeline returns the timeline of a job's attempts. now is in ms since the epoch. It returns
// nil if no attempt has started.
func newTimeline(j *status.Job, now int64) *timeline {
	var ran []*status.Attempt
	for _, a := range j.Attempts {
		if a.StartMs > 0 {
			ran = append(ran, a)
		}
	}
	if len(ran) == 0 {
		return nil
	}
	slices.SortStableFunc(ran, func(a, b *status.Attempt) int {
		return cmp.Or(cmp.Compare(a.Tracker, b.Tracker), cmp.Compare(a.StartMs, b.StartMs),
			a.ID.Compare(b.ID))
	})
	t := &timeline{Width: timelineWidth}
	if len(ran) > timelineAttempts {
		ran, t.Left = ran[:timelineAttempts], len(ran)-timelineAttempts
	}
	from, to := ran[0].StartMs, int64(0)
	for _, a := range ran {
		from, to = min(from, a.StartMs), max(to, end(a, now))
	}
	if from < to {
		t.Span = span(from, to)
	}
	scale := timelineWidth / float64(max(1, to-from))
	y := 0.0
	for i := 0; i < len(ran); {
		n := i
		for n < len(ran) && ran[n].Tracker == ran[i].Tracker {
			n++
		}
		y += labelHeight
		t.Labels = append(t.Labels, label{y - 4, ran[i].Tracker})
		y = t.lanes(ran[i:n], from, now, scale, y)
		i = n
	}
	t.Height = int(y) + 2
	return t
}

// lanes distributes the attempts of one tracker over as few lanes as possible. It returns the y
// coordinate below the last lane.
func (t *timeline) lanes(attempts []*status.Attempt, from, now int64, scale, y float64) float64 {
	var free []int64 // the time when each lane becomes free
	for _, a := range attempts {
		lane := slices.IndexFunc(free, func(ms int64) bool { return ms <= a.StartMs })
		if lane < 0 {
			lane = len(free)
			free = append(free, 0)
		}
		free[lane] = end(a, now)
		t.Bars = append(t.Bars, bar{
			X: tenth(float64(a.StartMs-from) * scale), Y: y + float64(lane*laneHeight),
			W:     tenth(max(2, float64(end(a, now)-a.StartMs)*scale)),
			Class: strings.ToLower(a.ID.Type.String() + " " + a.State.String()), ID: a.ID.String(),
			Text: a.State.String() + ", " + span(a.StartMs, end(a, now)),
		})
	}
	return y + float64(len(free)*laneHeight)
}

func end(a *status.Attempt, now int64) int64 {
	if a.FinishMs > 0 {
		return a.FinishMs
	}
	return now
}

// tenth rounds to one decimal place, to keep the page small.
func tenth(f float64) float64 { return math.Round(f*10) / 10 }
