package lab

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"

	"github.com/howdah/howdah/job/failure"
)

// Beside writes an HTML page that shows the result's figures beside what the paper states. It shows the
// paper's values as points where its text gives numbers, and its claims in words otherwise. The page
// needs no other file.
func (r *Result) Beside(w io.Writer) error {
	page := besidePage{Result: r, Name: r.name()}
	for _, p := range slices.Concat(r.Plots, r.effects()) {
		figure, err := SVG(p)
		if err != nil {
			return err
		}
		page.Figures = append(page.Figures, figure)
	}
	for i := range r.Relations {
		x := &r.Relations[i]
		s := besideStatement{Words: x.Claim, Item: cmp.Or(x.Figure, r.Item), Here: x.effect(), Verdict: x.verdict(),
			Required: x.required()}
		if x.Paper != nil {
			s.Value = x.paper() + ": " + x.Paper.Reads
		}
		if x.Ratio != nil {
			s.Ratio = fmt.Sprintf("%.2f", *x.Ratio)
		}
		page.Statements = append(page.Statements, s)
	}
	if err := besideTemplate.Execute(w, &page); err != nil {
		return failure.New(failure.KindOf(err), "write page", page.Name, err)
	}
	return nil
}

// effects returns a plot for each unit, with the effects for which the paper states a value. If the run
// has no other plots, it includes all effects.
func (r *Result) effects() (plots []Plot) {
	at := map[string]int{}
	for i := range r.Relations {
		x := &r.Relations[i]
		if x.Paper == nil && len(r.Plots) > 0 {
			continue
		}
		k, ok := at[x.Unit]
		if !ok {
			k = len(plots)
			at[x.Unit] = k
			plots = append(plots, Plot{Name: fmt.Sprint("effects-", k+1), Title: "Effects", Y: cmp.Or(x.Unit, "value"),
				Kind: Bars, Series: []Series{{Name: "here"}}})
		}
		s := &plots[k].Series[0]
		if x.Paper != nil {
			plots[k].Paper = append(plots[k].Paper, Stated{Middle(len(s.Y), 0, 1), x.Paper.Value, x.Paper.To})
		}
		s.Labels, s.Y = append(s.Labels, x.ID), append(s.Y, x.Effect.Value)
		s.Low, s.High = append(s.Low, x.Effect.Low), append(s.High, x.Effect.High)
	}
	for i := range plots {
		p := &plots[i]
		p.LogY = p.wide()
		if len(p.Paper) > 0 {
			p.Title += " beside the paper's values"
		}
	}
	return plots
}

// wide reports whether a plot's values need a logarithmic axis: all are positive, and the largest is
// more than 100 times the smallest.
func (p *Plot) wide() bool {
	low, high := math.Inf(1), 0.0
	for _, s := range p.Paper {
		low, high = min(low, s.Y), max(high, s.Y)
	}
	for i, y := range p.Series[0].Low {
		low, high = min(low, y), max(high, p.Series[0].Y[i])
	}
	return low > 0 && high > 100*low
}

type besidePage struct {
	*Result
	Name       string
	Figures    []template.HTML
	Statements []besideStatement
}

// besideStatement is what the paper states about a relation, and what the run found.
type besideStatement struct{ Words, Item, Value, Here, Required, Ratio, Verdict string }

var besideTemplate = template.Must(template.New("beside").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{{.Name}}</title>
<style>
body{font:15px/1.5 sans-serif;margin:1em 2em;color:#222}
main{display:grid;grid-template-columns:minmax(20em,1fr) minmax(20em,1fr);gap:2em;align-items:start}
@media(max-width:60em){main{grid-template-columns:1fr}}
table{border-collapse:collapse}
th,td{border-bottom:1px solid #ccc;padding:.3em .6em;text-align:left;vertical-align:top}
th{background:#f2f2f2}
svg{width:100%;height:auto;display:block;margin-bottom:1em}
small{color:#555}
</style></head><body>
<h1>{{.Name}}: {{.Item}}</h1>
<p>{{.Paper}}. <b>The paper's claim, in words:</b> {{.Claim}}</p>
<main><div>
{{range .Figures}}{{.}}
{{else}}<p>This experiment has no figure. The paper states its result in words.</p>
{{end}}</div>
<div><table>
<tr><th>the paper</th><th>here</th><th>here/paper</th><th>verdict</th></tr>
{{range .Statements}}<tr><td>{{if .Value}}<b>{{.Value}}</b><br>{{else}}<b>in words</b> {{end}}{{.Words}}
<br><small>{{.Item}}</small></td>
<td>{{.Here}}<br><small>required: {{.Required}}</small></td><td>{{.Ratio}}</td><td>{{.Verdict}}</td></tr>
{{end}}</table>
<p>A diamond in a figure is a value that the paper's text states. All numbers are from revision {{.Revision}}:
<code>{{.Command}}</code>, version {{.Version}}, {{.Machine}}, seed {{.Seed}}, {{printf "%.1f" .Seconds}} s.</p>
</div></main>
</body></html>
`))
