package lab

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job/failure"
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
		var spans []lab.SlotSpan
		if spans, err = lab.ReadSlotSpans(&d.facts); err == nil {
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
	for _, m := range lab.Measures[:4] {
		i := m.Over(results(runs))
		half := i.Half
		if math.IsInf(half, 0) || math.IsNaN(half) {
			half = 0
		}
		s.Labels = append(s.Labels, m.Name)
		s.Y, s.Low, s.High = append(s.Y, i.Mean), append(s.Low, i.Mean-half), append(s.High, i.Mean+half)
	}
	return lab.Plot{Y: "s", Kind: lab.Bars, Series: []lab.Series{s}}
}

func (d *drawing) spansPlot(spans []lab.SlotSpan) (lab.Plot, error) {
	if len(spans) == 0 {
		return lab.Plot{}, failure.New(failure.Usage, "draw", d.plot.path, errors.New("no task ran"))
	}
	switch d.kind {
	case "gantt":
		return lab.GanttPlot(spans), nil
	case "slots":
		return lab.SlotsPlot(spans, func(s *lab.SlotSpan) string { return s.Pool }), nil
	}
	return lab.SlotsPlot(spans, func(s *lab.SlotSpan) string { return fmt.Sprintf("job %d", s.Job) }), nil
}
