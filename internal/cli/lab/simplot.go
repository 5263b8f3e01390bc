package lab

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker/history"
)

// drawing describes the plot that --plot requests. Some kinds of plots need the journal of the
// first run.
type drawing struct {
	kind  string
	plot  *outputFile // nil means no plot
	facts bytes.Buffer
	file  *outputFile // journal file, or nil
}

var plotKinds = []string{"cdf", "slots", "slots-by-job", "gantt", "errors"}

func newDrawing(c *urfave.Context, runs int) (*drawing, error) {
	d, file := &drawing{kind: c.String("plot-kind")}, c.String("plot")
	if d.kind == "" {
		d.kind = "cdf"
		if runs > 1 {
			d.kind = "errors"
		}
	}
	if file == "" {
		if err := needless(c, "without --plot", "plot-kind"); err != nil {
			return nil, err
		}
	}
	if !slices.Contains(plotKinds, d.kind) {
		return nil, usageError("--plot-kind=%s: want one of %s", d.kind, strings.Join(plotKinds, ", "))
	}
	if ext := filepath.Ext(file); file != "" && ext != ".svg" && ext != ".png" && ext != ".pdf" {
		return nil, usageError("--plot=%s: want a file name that ends in .svg, .png or .pdf", file)
	}
	var err error
	if d.plot, err = newOutput("draw", file, c.Bool("replace")); err != nil {
		return nil, err
	}
	d.file, err = newOutput("write journal", c.String("journal"), c.Bool("replace"))
	return d, err
}

func (d *drawing) wantsJournal() bool {
	return d.plot != nil && (d.kind == "slots" || d.kind == "slots-by-job" || d.kind == "gantt")
}

// journal calls run with a writer for the run's journal. What run writes goes to the user's journal
// file and to the plot, as far as they need it. The writer is nil if neither does.
func (d *drawing) journal(run func(io.Writer) error) error {
	switch {
	case d.file != nil && d.wantsJournal():
		return d.file.stream(func(w io.Writer) error { return run(io.MultiWriter(w, &d.facts)) })
	case d.file != nil:
		return d.file.stream(run)
	case d.wantsJournal():
		return run(&d.facts)
	}
	return run(nil)
}

func (d *drawing) draw(w *workload, runs []outcome) error {
	if d.plot == nil {
		return nil
	}
	r := runs[0].Result
	title := fmt.Sprintf("%s: %s, %d nodes", w.name, r.Scheduler, r.Nodes)
	var p lab.Plot
	var err error
	switch d.kind {
	case "cdf":
		p = cdfPlot(runs)
	case "errors":
		p = errorPlot(runs)
	default:
		var spans []span
		if spans, err = readSpans(&d.facts); err == nil {
			p, err = d.spansPlot(spans)
		}
	}
	if err != nil {
		return err
	}
	p.Title = title
	return d.plot.make(func(name string) error { return lab.Draw(p, name) })
}

// cdfPlot plots the distributions of job times and waiting times.
func cdfPlot(runs []outcome) lab.Plot {
	whole, wait := lab.Series{Name: "submission to end"}, lab.Series{Name: "submission to first task"}
	for i := range runs {
		for k := range runs[i].Jobs {
			j := &runs[i].Jobs[k]
			whole.X = append(whole.X, seconds(j.Finish-j.Submit))
			wait.X = append(wait.X, seconds(max(0, j.Start-j.Submit)))
		}
	}
	return lab.Plot{X: "s", Y: "share of jobs", Kind: lab.CDF, Series: []lab.Series{whole, wait}}
}

// errorPlot plots each time measure with its confidence interval.
func errorPlot(runs []outcome) lab.Plot {
	s := lab.Series{}
	for _, m := range measures[:4] {
		i := m.over(runs)
		half := i.Half
		if math.IsInf(half, 0) || math.IsNaN(half) {
			half = 0
		}
		s.Labels = append(s.Labels, m.name)
		s.Y, s.Low, s.High = append(s.Y, i.Mean), append(s.Low, i.Mean-half), append(s.High, i.Mean+half)
	}
	return lab.Plot{Y: "s", Kind: lab.Bars, Series: []lab.Series{s}}
}

// span is the time during which an attempt occupies a slot.
type span struct {
	job        int32
	typ        job.TaskType
	pool       string
	tracker    int32
	start, end int64 // ms since the first submission
}

// readSpans reads the attempts of a journal. If the journal does not contain an attempt's end, the
// span lasts until the journal's last event.
func readSpans(r io.Reader) ([]span, error) {
	d := history.NewDecoder(r)
	open, pools := map[job.Attempt]int{}, map[int32]string{}
	var list []span
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
			list = append(list, span{job: e.Job, typ: e.Attempt.Type, pool: pools[e.Job], tracker: e.Tracker,
				start: last, end: -1})
		case event.AttemptFinished:
			if i, ok := open[e.Attempt]; ok {
				list[i].end = last
			}
		}
	}
	for i := range list {
		if list[i].end < 0 {
			list[i].end = last
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

func (d *drawing) spansPlot(spans []span) (lab.Plot, error) {
	if len(spans) == 0 {
		return lab.Plot{}, failure.New(failure.Usage, "draw", d.plot.path, errors.New("no task ran"))
	}
	switch d.kind {
	case "gantt":
		return ganttPlot(spans), nil
	case "slots":
		return slotsPlot(spans, func(s *span) string { return s.pool }), nil
	}
	return slotsPlot(spans, func(s *span) string { return fmt.Sprintf("job %d", s.job) }), nil
}

// maxGroups is the maximum number of groups in a plot. Maps and reduces have separate lines.
const maxGroups = 6

// biggest returns a function that groups spans as group does. If there are more than maxGroups
// groups, it merges those with the least slot time into one, which keeps the legend short.
func biggest(spans []span, group func(*span) string) func(*span) string {
	used, names := map[string]int64{}, []string{}
	for i := range spans {
		s := &spans[i]
		if _, ok := used[group(s)]; !ok {
			names = append(names, group(s))
		}
		used[group(s)] += s.end - s.start
	}
	if len(names) <= maxGroups {
		return group
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(used[b], used[a]) })
	alone := names[:maxGroups-1]
	return func(s *span) string {
		if name := group(s); slices.Contains(alone, name) {
			return name
		}
		return fmt.Sprintf("%d others", len(names)-len(alone))
	}
}

// slotsPlot plots the number of slots that each group uses over time, separately for maps and
// reduces.
func slotsPlot(spans []span, group func(*span) string) lab.Plot {
	type step struct {
		at    int64
		delta float64
	}
	group = biggest(spans, group)
	steps, order := map[string][]step{}, []string{}
	colors, look := map[string]int{}, map[string]lab.Series{}
	for i := range spans {
		s := &spans[i]
		if colors[group(s)] == 0 {
			colors[group(s)] = len(colors) + 1
		}
		name := group(s) + ", " + map[job.TaskType]string{job.Map: "maps", job.Reduce: "reduces"}[s.typ]
		if steps[name] == nil {
			order = append(order, name)
			look[name] = lab.Series{Name: name, Color: colors[group(s)], Dashed: s.typ == job.Reduce}
		}
		steps[name] = append(steps[name], step{s.start, 1}, step{s.end, -1})
	}
	p := lab.Plot{X: "s", Y: "slots", Kind: lab.Steps}
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

// ganttPlot draws one row for each used slot of each tracker and one color for each job.
func ganttPlot(spans []span) lab.Plot {
	slices.SortStableFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.tracker, b.tracker), cmp.Compare(a.typ, b.typ), cmp.Compare(a.start, b.start))
	})
	p := lab.Plot{X: "s", Y: "slot", Kind: lab.Gantt}
	series := map[int32]int{}
	var busy []int64 // end of the last span in each row of this tracker and type
	base, row := 0, 0
	for i := range spans {
		s := &spans[i]
		if i > 0 && (spans[i-1].tracker != s.tracker || spans[i-1].typ != s.typ) {
			base, busy = base+len(busy), busy[:0]
		}
		for row = 0; row < len(busy) && busy[row] > s.start; row++ {
		}
		if row == len(busy) {
			busy = append(busy, 0)
		}
		busy[row] = s.end
		k, ok := series[s.job]
		if !ok {
			k = len(p.Series)
			series[s.job] = k
			p.Series = append(p.Series, lab.Series{Name: fmt.Sprintf("job %d", s.job)})
		}
		out := &p.Series[k]
		out.X, out.High, out.Y = append(out.X, seconds(s.start)), append(out.High, seconds(s.end)),
			append(out.Y, float64(base+row))
	}
	return p
}
