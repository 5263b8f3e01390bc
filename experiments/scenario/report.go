package scenario

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/internal/plural"
	"github.com/howdah/howdah/job/failure"
)

// cell formats a mean with its interval, or a single value.
func cell(i lab.Interval) string {
	if math.IsInf(i.Half, 0) || math.IsNaN(i.Half) {
		return fmt.Sprintf("%.6g", i.Mean)
	}
	return fmt.Sprintf("%.5g ± %.2g", i.Mean, i.Half)
}

func seconds(ms int64) float64 { return float64(ms) / 1000 }

func title(m *lab.Measure) string {
	if m.Unit == "" {
		return m.Name
	}
	return m.Name + " (" + m.Unit + ")"
}

// kinds are the names of the kinds of slots.
var kinds = [2]string{"map", "reduce"}

// Tables returns the tables of a result: measures by variant, and the times of each part of the
// workload.
func (r *Result) Tables() []lab.Table {
	measures := r.measures()
	all := lab.Table{Name: "measures", Head: []string{"variant", "runs"}}
	for i := range measures {
		all.Head = append(all.Head, title(&measures[i]))
	}
	for _, k := range kinds {
		all.Head = append(all.Head, k+" slots in use (%)")
	}
	parts := lab.Table{Name: "parts", Head: []string{"variant", "part", "jobs", "mean time (s)", "mean wait (s)",
		"failed", "deadlines missed"}}
	for i := range r.Variants {
		v := &r.Variants[i]
		row := []string{v.Name, fmt.Sprint(len(v.Runs))}
		for _, m := range measures {
			row = append(row, cell(m.Over(v.traced())))
		}
		for k := range kinds {
			row = append(row, cell(v.use(k)))
		}
		all.Rows = append(all.Rows, row)
		parts.Rows = append(parts.Rows, v.parts()...)
	}
	return []lab.Table{all, parts}
}

func (v *VariantResult) use(kind int) lab.Interval {
	var x []float64
	for i := range v.Runs {
		x = append(x, v.Runs[i].Use[kind])
	}
	return lab.IntervalOf(x)
}

// partNames returns the names of the parts in the order of their first job.
func (v *VariantResult) partNames() (names []string) {
	for i := range v.Runs {
		for k := range v.Runs[i].Jobs {
			if p := v.Runs[i].Jobs[k].Part; !slices.Contains(names, p) {
				names = append(names, p)
			}
		}
	}
	return names
}

// means returns the mean time of a part's jobs in each repetition, in s.
func (v *VariantResult) means(part string, time func(*Job) int64) (x []float64) {
	for i := range v.Runs {
		sum, n := int64(0), 0
		for k := range v.Runs[i].Jobs {
			if j := &v.Runs[i].Jobs[k]; j.Part == part {
				sum, n = sum+time(j), n+1
			}
		}
		if n > 0 {
			x = append(x, seconds(sum)/float64(n))
		}
	}
	return x
}

func took(j *Job) int64   { return j.Finish - j.Submit }
func waited(j *Job) int64 { return max(0, j.Start-j.Submit) }

func (v *VariantResult) parts() (rows [][]string) {
	for _, p := range v.partNames() {
		jobs, failed, missed, due := 0, 0, 0, 0
		for i := range v.Runs {
			for k := range v.Runs[i].Jobs {
				j := &v.Runs[i].Jobs[k]
				if j.Part != p {
					continue
				}
				jobs++
				if j.Failed {
					failed++
				}
				if j.Deadline > 0 {
					due++
					if j.Finish > j.Deadline {
						missed++
					}
				}
			}
		}
		late := "-"
		if due > 0 {
			late = fmt.Sprintf("%d of %d", missed, due)
		}
		rows = append(rows, []string{v.Name, p, fmt.Sprint(jobs), cell(lab.IntervalOf(v.means(p, took))),
			cell(lab.IntervalOf(v.means(p, waited))), fmt.Sprint(failed), late})
	}
	return rows
}

// Print prints a result in readable form.
func (r *Result) Print(w io.Writer) error {
	fmt.Fprintf(w, "%s: %s (%s, seed %d, %.1f s)\n", r.Scenario, r.Nodes, r.where(), r.Seed, r.Seconds)
	for _, t := range r.Tables() {
		if err := printTable(w, &t); err != nil {
			return err
		}
	}
	if n := r.Failed(); n > 0 {
		fmt.Fprintf(w, "%s failed, first: %s\n", plural.Of(n, "job"), r.firstFailure())
	}
	return nil
}

func (r *Result) where() string {
	if r.Real {
		return "real run on " + r.Place
	}
	return "simulated"
}

func (r *Result) firstFailure() string {
	for _, v := range r.Variants {
		for _, run := range v.Runs {
			for i := range run.Jobs {
				if j := &run.Jobs[i]; j.Failed {
					return fmt.Sprintf("%s under %s: %s", j.ID, v.Name, cmp.Or(j.Why, "no reason is known"))
				}
			}
		}
	}
	return ""
}

func printTable(w io.Writer, t *lab.Table) error {
	tw := tabwriter.NewWriter(w, 2, 8, 2, ' ', 0)
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		fmt.Fprintf(tw, "  %s\n", strings.Join(row, "\t"))
	}
	return tw.Flush()
}

// Plots returns the plots of a result: the means of the times by variant, the distributions of the
// times of jobs, the times of each part, and the slots of the first repetition.
func (r *Result) Plots() (plots []lab.Plot) {
	bars := lab.Plot{Name: "times", Title: "Times (mean, 95% interval)", Y: "s", Kind: lab.Bars}
	cdf := lab.Plot{Name: "distribution", Title: "Times of jobs", X: "s from submission to end", Y: "share of jobs",
		Kind: lab.CDF}
	parts := lab.Plot{Name: "parts", Title: "Mean time of the jobs of each part", Y: "s", Kind: lab.Bars}
	for i := range r.Variants {
		v := &r.Variants[i]
		b, c := lab.Series{Name: v.Name}, lab.Series{Name: v.Name}
		for _, m := range lab.Measures[:4] {
			addBar(&b, m.Name, m.Over(v.traced()))
		}
		for _, run := range v.traced() {
			c.X = append(c.X, lab.Durations(run)...)
		}
		p := lab.Series{Name: v.Name}
		for _, name := range r.Variants[0].partNames() {
			addBar(&p, name, lab.IntervalOf(v.means(name, took)))
		}
		bars.Series, cdf.Series, parts.Series = append(bars.Series, b), append(cdf.Series, c), append(parts.Series, p)
	}
	plots = append(plots, bars, cdf, parts)
	for i := range r.Variants {
		v := &r.Variants[i]
		if len(v.Runs) == 0 || len(v.Runs[0].Journals) != 1 {
			continue
		}
		spans, err := lab.ReadSlotSpans(bytes.NewReader(r.files[v.Runs[0].Journals[0]]))
		if err != nil || len(spans) == 0 {
			continue
		}
		names := v.Runs[0].partsByID()
		p := lab.SlotsPlot(spans, func(s *lab.SlotSpan) string { return cmp.Or(names[s.Job], "other jobs") })
		p.Name, p.Title = fmt.Sprintf("slots-%d", i+1), "Slots in use: "+v.Name+", first repetition"
		plots = append(plots, p)
	}
	return plots
}

// addBar adds a bar with its interval. If an interval is unknown, the series has no error bars.
func addBar(s *lab.Series, label string, i lab.Interval) {
	s.Labels, s.Y = append(s.Labels, label), append(s.Y, i.Mean)
	if !math.IsInf(i.Half, 0) && !math.IsNaN(i.Half) {
		s.Low, s.High = append(s.Low, i.Low()), append(s.High, i.High())
	}
}

// partsByID returns the part of each job, by the number of the job.
func (r *Run) partsByID() map[int32]string {
	out := map[int32]string{}
	for i := range r.Jobs {
		for _, id := range r.Jobs[i].IDs {
			if seq, ok := sequence(id); ok {
				out[seq] = r.Jobs[i].Part
			}
		}
	}
	return out
}

// page is the content of an HTML report.
type page struct {
	Title, About string
	Facts        [][2]string
	Tables       []lab.Table
	Plots        []template.HTML
	Texts        [][2]string // titles and preformatted texts
}

var pageTemplate = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{{.Title}}</title>
<style>
body{font:15px/1.5 sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#222}
table{border-collapse:collapse;margin:1em 0}
th,td{border-bottom:1px solid #ccc;padding:.2em .8em;text-align:left;vertical-align:top}
th{background:#f2f2f2}
svg{max-width:100%;height:auto;display:block;margin:1em 0}
pre{background:#f6f6f6;padding:1em;overflow:auto}
</style></head><body>
<h1>{{.Title}}</h1>
{{with .About}}<p>{{.}}</p>{{end}}
<table>{{range .Facts}}<tr><th>{{index . 0}}</th><td>{{index . 1}}</td></tr>{{end}}</table>
{{range .Tables}}<h2>{{.Name}}</h2>
<table><tr>{{range .Head}}<th>{{.}}</th>{{end}}</tr>
{{range .Rows}}<tr>{{range .}}<td>{{.}}</td>{{end}}</tr>
{{end}}</table>
{{end}}
{{range .Plots}}{{.}}
{{end}}
{{range .Texts}}<h2>{{index . 0}}</h2><pre>{{index . 1}}</pre>
{{end}}
</body></html>
`))

func (p *page) html(plots []lab.Plot) ([]byte, error) {
	for _, x := range plots {
		text, err := lab.SVG(x)
		if err != nil {
			return nil, err
		}
		p.Plots = append(p.Plots, text)
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, p); err != nil {
		return nil, failure.New(failure.Internal, "write report", p.Title, err)
	}
	return b.Bytes(), nil
}

// HTML returns the report of a result, a page that needs no other file.
func (r *Result) HTML() ([]byte, error) {
	p := &page{Title: r.Scenario, About: r.About, Tables: r.Tables(), Texts: [][2]string{{"Scenario", r.Text}}}
	p.Facts = r.facts()
	return p.html(r.Plots())
}

// facts returns what a report says about a result.
func (r *Result) facts() [][2]string {
	facts := [][2]string{{"run", r.where()}, {"nodes", r.Nodes}, {"seed", fmt.Sprint(r.Seed)},
		{"started", time.UnixMilli(r.Started).UTC().Format(time.DateTime) + " UTC"},
		{"took", fmt.Sprintf("%.1f s", r.Seconds)}, {"revision", r.Revision}, {"machine", r.Machine}}
	for _, part := range ordered.Keys(r.Durations) {
		facts = append(facts, [2]string{"tasks of " + part, r.Durations[part]})
	}
	if n := r.Failed(); n > 0 {
		facts = append(facts, [2]string{"failed", fmt.Sprintf("%s; first: %s", plural.Of(n, "job"), r.firstFailure())})
	}
	return facts
}
