package webui

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/howdah/howdah/internal/trend"
)

// chart shows amounts over time, in rows or stacked.
type chart struct {
	Width, Height int
	Rows          []chartRow
	Ticks         []tick
}

// chartRow is a row of a chart, or a layer of a stacked one. The paths can be "".
type chartRow struct {
	Y                     float64 // baseline of the label
	Name, Text            string
	Used, Borrowed, Limit string
	Need                  string
	Class                 string // color of a layer
}

const (
	chartRowHeight = 40
	stackHeight    = 160
	stackColors    = 8
)

// newChart returns a chart with a row for each series: how much is used, which part is borrowed, the
// limit, and the need. It returns nil if there are fewer than two points in time.
func newChart(r trend.Record) *chart {
	c, w := chartFrame(r)
	if c == nil {
		return nil
	}
	for _, s := range r.Series {
		top := 0.0
		for _, v := range s.Values {
			top = max(top, float64(v.Used), float64(v.Limit), float64(v.Need))
		}
		y := float64(c.Height + labelHeight)
		last := s.Values[len(s.Values)-1]
		c.Height += labelHeight + chartRowHeight
		row := chartRow{Y: y - 4, Name: s.Name, Text: fmt.Sprintf("%.4g of %.4g", last.Used, last.Limit)}
		line := func(value func(trend.Value) float32, closed bool) string {
			return path(r.Times, w, closed, y+chartRowHeight, func(i int) float64 {
				return y + chartRowHeight - float64(value(s.Values[i]))/max(top, 1)*(chartRowHeight-2)
			})
		}
		row.Used = line(func(v trend.Value) float32 { return v.Used }, true)
		row.Borrowed = line(func(v trend.Value) float32 { return v.Borrowed }, true)
		row.Limit = line(func(v trend.Value) float32 { return v.Limit }, false)
		if slices.ContainsFunc(s.Values, func(v trend.Value) bool { return v.Need > 0 }) {
			row.Need = line(func(v trend.Value) float32 {
				if v.Need == 0 {
					return float32(math.NaN())
				}
				return v.Need
			}, false)
			row.Text += fmt.Sprintf(", needs %.4g", last.Need)
		}
		c.Rows = append(c.Rows, row)
	}
	return c
}

// newStack returns a chart in which the series lie on top of each other. It returns nil if there are
// fewer than two points in time.
func newStack(r trend.Record) *chart {
	c, w := chartFrame(r)
	if c == nil {
		return nil
	}
	sums, top := make([]float64, len(r.Times)), 0.0
	for i := range r.Times {
		for _, s := range r.Series {
			sums[i] += float64(s.Values[i].Used)
		}
		top = max(top, sums[i])
	}
	bottom := float64(c.Height + stackHeight)
	for k := len(r.Series) - 1; k >= 0; k-- { // from the top layer to the lowest, each down to the bottom
		s := r.Series[k]
		c.Rows = append(c.Rows, chartRow{Name: s.Name, Class: fmt.Sprint("s", k%stackColors),
			Text: fmt.Sprintf("%.4g", s.Values[len(s.Values)-1].Used),
			Used: path(r.Times, w, true, bottom, func(i int) float64 {
				return bottom - sums[i]/max(top, 1)*(stackHeight-4)
			})})
		for i := range sums {
			sums[i] -= float64(s.Values[i].Used)
		}
	}
	c.Height += stackHeight + 2
	return c
}

// chartFrame returns a chart with an axis whose times count back from the last point.
func chartFrame(r trend.Record) (*chart, window) {
	if len(r.Times) < 2 || len(r.Series) == 0 {
		return nil, window{}
	}
	w := window{r.Times[0], r.Times[len(r.Times)-1]}
	c := &chart{Width: timelineWidth, Height: axisHeight}
	step := tickStep(w.to - w.from)
	for ago := step; ago < w.to-w.from; ago += step {
		c.Ticks = append(c.Ticks, tick{X: w.x(w.to - ago), Text: tickText(ago) + " ago"})
	}
	return c, w
}

// path returns an SVG path of steps through a value at each time. NaN leaves a gap. A closed path, which
// must have no gap, is an area above the bottom; it is "" if it is empty.
func path(times []int64, w window, closed bool, bottom float64, y func(i int) float64) string {
	var b strings.Builder
	empty, before := true, math.NaN()
	for i, at := range times {
		v := tenth(y(i))
		empty = empty && v == bottom
		switch {
		case math.IsNaN(v) && math.IsNaN(before):
		case math.IsNaN(v):
			fmt.Fprintf(&b, "H%g", w.x(at))
		case math.IsNaN(before):
			fmt.Fprintf(&b, "M%g %g", w.x(at), v)
		case v != before:
			fmt.Fprintf(&b, "H%gV%g", w.x(at), v)
		}
		before = v
	}
	if closed && empty {
		return ""
	}
	if !math.IsNaN(before) {
		fmt.Fprintf(&b, "H%d", timelineWidth)
	}
	if closed {
		fmt.Fprintf(&b, "V%gH0Z", bottom)
	}
	return b.String()
}

// pickSeries returns the series whose names begin with prefix, without it, or those that do not.
func pickSeries(r trend.Record, prefix string, with bool) trend.Record {
	out := trend.Record{Times: r.Times}
	for _, s := range r.Series {
		if name, ok := strings.CutPrefix(s.Name, prefix); ok == with {
			s.Name = name
			out.Series = append(out.Series, s)
		}
	}
	return out
}

// orNone returns record or, if it is nil, a function that returns an empty record.
func orNone(record func() trend.Record) func() trend.Record {
	if record == nil {
		return func() trend.Record { return trend.Record{} }
	}
	return record
}
