package webui

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
)

// timeline shows when and where attempts ran. If there are few attempts, each TaskTracker has as
// many lanes as needed for the attempts that ran on it at the same time. If there are many, each row
// shows how many attempts ran on a TaskTracker, or on several, over time.
type timeline struct {
	Width, Height int
	Bars          []bar
	Areas         []area
	Labels        []label
	Ticks         []tick
	Whole         string // address of the timeline of the whole job; "" means that it is shown
	Summed        bool   // the timeline has areas instead of bars
}

type bar struct {
	X, Y, W  float64
	Class    string // type and state or phase, for the style sheet
	ID, Text string
}

// area is a row of a summed timeline. The paths are stacked: reduces above maps.
type area struct {
	Maps, Reduces string
	Text          string
}

type label struct {
	Y    float64
	Text string
}

// tick is a mark of the axis, with a link to the interval between it and the next one.
type tick struct {
	X, W float64
	Text string
	Zoom string
}

const (
	timelineWidth = 1000
	laneHeight    = 12
	labelHeight   = 16
	axisHeight    = 18

	timelineAttempts = 500 // maximum number of attempts with a bar each
	timelineRows     = 40  // maximum number of rows in a summed timeline
	timelineBins     = 125 // points in time of a row
	rowHeight        = 26
	maxTicks         = 10
)

// window is the part of the time that a timeline shows, in ms since the epoch.
type window struct{ from, to int64 }

func (w window) x(ms int64) float64 {
	ms = min(max(ms, w.from), w.to)
	return tenth(float64(ms-w.from) / float64(max(1, w.to-w.from)) * timelineWidth)
}

// newTimeline returns the timeline of a job's attempts. now is in ms since the epoch. The parameters
// "from" and "to" of the request, in ms since the first attempt started, select an interval. It
// returns nil if no attempt has started.
func newTimeline(j *status.Job, now int64, r *http.Request) *timeline {
	var ran []*status.Attempt
	whole := window{from: math.MaxInt64}
	for _, a := range j.Attempts {
		if a.StartMs > 0 {
			ran = append(ran, a)
			whole.from, whole.to = min(whole.from, a.StartMs), max(whole.to, end(a, now))
		}
	}
	if len(ran) == 0 {
		return nil
	}
	t, w := &timeline{Width: timelineWidth}, whole
	if from, to, ok := interval(r); ok && whole.from+from < whole.to {
		w = window{whole.from + from, min(whole.from+to, whole.to)}
		t.Whole = "/jobs/" + j.ID.String() + "#timeline"
		ran = slices.DeleteFunc(ran, func(a *status.Attempt) bool { return a.StartMs >= w.to || end(a, now) <= w.from })
	}
	t.axis(w, whole.from)
	if t.Summed = len(ran) > timelineAttempts; t.Summed {
		t.sum(ran, w, now)
		return t
	}
	slices.SortStableFunc(ran, func(a, b *status.Attempt) int {
		return cmp.Or(cmp.Compare(a.Tracker, b.Tracker), cmp.Compare(a.StartMs, b.StartMs),
			a.ID.Compare(b.ID))
	})
	y := float64(axisHeight)
	for i := 0; i < len(ran); {
		n := i
		for n < len(ran) && ran[n].Tracker == ran[i].Tracker {
			n++
		}
		y += labelHeight
		t.Labels = append(t.Labels, label{y - 4, ran[i].Tracker})
		y = t.lanes(ran[i:n], w, now, y)
		i = n
	}
	t.Height = int(y) + 2
	return t
}

// interval returns the interval that a request selects, in ms since the first attempt started.
func interval(r *http.Request) (from, to int64, ok bool) {
	from, err1 := strconv.ParseInt(r.FormValue("from"), 10, 64)
	to, err2 := strconv.ParseInt(r.FormValue("to"), 10, 64)
	const longest = 100 * 365 * 24 * 3_600_000
	return from, to, err1 == nil && err2 == nil && 0 <= from && from < to && to <= longest
}

// axis adds the ticks. Times are relative to origin.
func (t *timeline) axis(w window, origin int64) {
	step := tickStep(w.to - w.from)
	for at := (w.from - origin + step - 1) / step * step; origin+at < w.to; at += step {
		q := url.Values{"from": {strconv.FormatInt(at, 10)}, "to": {strconv.FormatInt(at+step, 10)}}
		x := w.x(origin + at)
		t.Ticks = append(t.Ticks, tick{X: x, W: tenth(w.x(origin+at+step) - x), Text: tickText(at),
			Zoom: "?" + q.Encode() + "#timeline"})
	}
}

// tickStep returns the distance of ticks, in ms: a round number, so that there are at most maxTicks.
func tickStep(span int64) int64 {
	for unit := int64(1); unit < 1000; unit *= 10 {
		for _, n := range []int64{1, 2, 5} {
			if s := n * unit; span <= s*maxTicks {
				return s
			}
		}
	}
	steps := []time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 20 * time.Second,
		30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 20 * time.Minute,
		30 * time.Minute, time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour}
	for _, s := range steps {
		if span <= s.Milliseconds()*maxTicks {
			return s.Milliseconds()
		}
	}
	day := (24 * time.Hour).Milliseconds()
	return (span/maxTicks/day + 1) * day
}

// tickText formats a time since the first attempt started, as a round number of one or two units.
func tickText(ms int64) string {
	text := (time.Duration(ms) * time.Millisecond).String()
	for _, zero := range [][2]string{{"m0s", "m"}, {"h0m", "h"}} {
		if cut, ok := strings.CutSuffix(text, zero[0]); ok {
			text = cut + zero[1]
		}
	}
	return text
}

// lanes distributes the attempts of one tracker over as few lanes as possible. It returns the y
// coordinate below the last lane.
func (t *timeline) lanes(attempts []*status.Attempt, w window, now int64, y float64) float64 {
	var free []int64 // the time when each lane becomes free
	for _, a := range attempts {
		lane := slices.IndexFunc(free, func(ms int64) bool { return ms <= a.StartMs })
		if lane < 0 {
			lane = len(free)
			free = append(free, 0)
		}
		free[lane] = end(a, now)
		t.attempt(a, w, now, y+float64(lane*laneHeight))
	}
	return y + float64(len(free)*laneHeight)
}

// attempt adds the bars of an attempt: one or, for a reduce, one for each phase.
func (t *timeline) attempt(a *status.Attempt, w window, now int64, y float64) {
	text := a.State.String() + ", " + span(a.StartMs, end(a, now))
	if a.Locality.String() != "" {
		text += ", " + strings.ToLower(a.Locality.String())
	}
	if a.ID.N > 0 {
		text += fmt.Sprintf(", attempt %d of its task", a.ID.N+1)
	}
	class := strings.ToLower(a.ID.Type.String() + " " + a.State.String())
	if a.Locality == job.RackLocal || a.Locality == job.OffSwitch {
		class += " far"
	}
	from := a.StartMs
	piece := func(to int64, class, text string) {
		if to > from && to > w.from && from < w.to {
			x := w.x(from)
			t.Bars = append(t.Bars, bar{x, y, max(2, tenth(w.x(to)-x)), class, a.ID.String(), text})
		}
		from = max(from, to)
	}
	if a.ShuffleMs > 0 {
		piece(a.ShuffleMs, class+" shuffle", text+", shuffle "+span(a.StartMs, a.ShuffleMs))
	}
	if a.SortMs > 0 {
		piece(a.SortMs, class+" sort", text+", sort "+span(from, a.SortMs))
	}
	piece(max(from+1, end(a, now)), class, text)
}

// sum adds a row for each TaskTracker or, if there are too many, for several whose names follow each
// other.
func (t *timeline) sum(ran []*status.Attempt, w window, now int64) {
	rowOf := map[string]int{}
	for _, a := range ran {
		rowOf[a.Tracker] = 0
	}
	var rows []*row
	for _, name := range groupNames(rowOf, timelineRows) {
		rows = append(rows, &row{name: name, failed: map[int]int{}})
	}
	for _, a := range ran {
		rows[rowOf[a.Tracker]].add(a, w, now)
	}
	y := float64(axisHeight)
	for _, r := range rows {
		y = t.row(r, y)
	}
	t.Height = int(y) + 2
}

// groupNames sets the values of rowOf so that its names, in order, share at most the given number of rows.
// It returns the names of the rows.
func groupNames(rowOf map[string]int, rows int) (names []string) {
	sorted := slices.Sorted(maps.Keys(rowOf))
	for group := range slices.Chunk(sorted, max(1, (len(sorted)+rows-1)/rows)) {
		name := group[0]
		if len(group) > 1 {
			name += " to " + group[len(group)-1]
		}
		for _, n := range group {
			rowOf[n] = len(names)
		}
		names = append(names, name)
	}
	return names
}

// row is what a row of a summed timeline shows.
type row struct {
	name     string
	attempts int
	busy     [2][timelineBins + 1]float64 // average number of attempts in each bin, by type
	failed   map[int]int                  // number of failed attempts by bin
}

func (r *row) add(a *status.Attempt, w window, now int64) {
	r.attempts++
	width := max(1, float64(w.to-w.from)/timelineBins)
	from, to := float64(max(a.StartMs, w.from)-w.from)/width, float64(min(end(a, now), w.to)-w.from)/width
	for b := int(from); b < timelineBins && float64(b) < to; b++ {
		r.busy[min(a.ID.Type, job.Reduce)][b] += min(to, float64(b+1)) - max(from, float64(b))
	}
	if a.State == job.AttemptFailed {
		r.failed[min(int(to), timelineBins-1)]++
	}
}

// row adds a row that shows how many attempts ran over time, and the failed ones. It returns the y
// coordinate below the row.
func (t *timeline) row(r *row, y float64) float64 {
	y += labelHeight
	t.Labels = append(t.Labels, label{y - 4, r.name})
	busy := &r.busy
	most := 0.0
	for b := range timelineBins {
		most = max(most, busy[0][b]+busy[1][b])
	}
	height := func(v float64) float64 { return tenth(y + rowHeight - v/max(most, 1)*(rowHeight-2)) }
	lower, upper := &strings.Builder{}, &strings.Builder{}
	for b := range timelineBins {
		x := b * timelineWidth / timelineBins
		step := fmt.Sprintf("h%d", timelineWidth/timelineBins)
		for _, p := range []struct {
			to    *strings.Builder
			value float64
		}{{lower, busy[0][b]}, {upper, busy[0][b] + busy[1][b]}} {
			if b == 0 {
				fmt.Fprintf(p.to, "M%d %gV%g%s", x, y+rowHeight, height(p.value), step)
			} else {
				fmt.Fprintf(p.to, "V%g%s", height(p.value), step)
			}
		}
	}
	bottom := fmt.Sprintf("V%gZ", y+rowHeight)
	t.Areas = append(t.Areas, area{lower.String() + bottom, upper.String() + bottom,
		fmt.Sprintf("%s: %d attempts, at most %.0f at a time", r.name, r.attempts, math.Ceil(most))})
	for _, b := range slices.Sorted(maps.Keys(r.failed)) {
		n := r.failed[b]
		t.Bars = append(t.Bars, bar{X: float64(b * timelineWidth / timelineBins), Y: y + rowHeight - 10, W: 3,
			Class: "failed", ID: r.name, Text: fmt.Sprintf("%d failed", n)})
	}
	return y + rowHeight
}

func end(a *status.Attempt, now int64) int64 {
	if a.FinishMs > 0 {
		return a.FinishMs
	}
	return now
}

// tenth rounds to one decimal place, to keep the page small.
func tenth(f float64) float64 { return math.Round(f*10) / 10 }
