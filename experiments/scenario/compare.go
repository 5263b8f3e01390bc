package scenario

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job/failure"
)

// Comparison shows two results of a workload next to each other. If A is a real run and B a
// simulation, the differences are the errors of the simulation.
type Comparison struct {
	A, B   *Result
	Tables []lab.Table
	// Worst is the largest difference of makespans relative to A, in percent.
	Worst float64
}

// Compare compares results. If they have repetitions with the same arrivals, it uses only these. It
// matches variants by their names, and parts of the workload by theirs.
// If each result has one variant, it compares these even if their names differ. A simulation is
// always B if the other result is a real run.
func Compare(a, b *Result) (*Comparison, error) {
	if !a.Real && b.Real {
		a, b = b, a
	}
	c := &Comparison{A: a, B: b}
	head := []string{"variant", "measure", c.label(a, "A"), c.label(b, "B"), c.difference() + " (%)", "B - A"}
	all := lab.Table{Name: "measures", Head: head}
	parts := lab.Table{Name: "mean times of parts (s)", Head: append([]string{"variant", "part"}, head[2:]...)}
	n := 0
	for i := range a.Variants {
		va := &a.Variants[i]
		vb := b.variant(va.Name)
		if vb == nil && len(a.Variants) == 1 && len(b.Variants) == 1 {
			vb = &b.Variants[0]
		}
		if vb == nil {
			continue
		}
		n++
		va, vb = sameArrivals(va, vb)
		name := va.Name
		if vb.Name != name {
			name += " / " + vb.Name
		}
		for _, m := range lab.Shown(append(va.traced(), vb.traced()...)) {
			x, y := m.Each(va.traced()), m.Each(vb.traced())
			all.Rows = append(all.Rows, compared(name, title(&m), x, y))
			if m.Name == lab.Measures[0].Name {
				c.Worst = max(c.Worst, math.Abs(relative(lab.IntervalOf(x), lab.IntervalOf(y))))
			}
		}
		for _, p := range va.partNames() {
			x, y := va.means(p, took), vb.means(p, took)
			if len(y) > 0 {
				parts.Rows = append(parts.Rows, compared(name, p, x, y))
			}
		}
	}
	if n == 0 {
		return nil, failure.New(failure.Usage, "compare results", "", fmt.Errorf("they have no variant in common: %s, and %s",
			strings.Join(a.names(), ", "), strings.Join(b.names(), ", ")))
	}
	c.Tables = []lab.Table{all, parts}
	return c, nil
}

// variant returns the variant of the given name, or nil.
func (r *Result) variant(name string) *VariantResult {
	for i := range r.Variants {
		if r.Variants[i].Name == name {
			return &r.Variants[i]
		}
	}
	return nil
}

func (c *Comparison) label(r *Result, letter string) string {
	if c.A.Real == c.B.Real {
		return letter
	}
	if r.Real {
		return "real"
	}
	return "simulated"
}

func (c *Comparison) difference() string {
	if c.A.Real && !c.B.Real {
		return "error"
	}
	return "difference"
}

// relative returns the difference of two means relative to the first, in percent. It is 0 if both
// are 0.
func relative(a, b lab.Interval) float64 {
	if a.Mean == b.Mean {
		return 0
	}
	return 100 * (b.Mean/a.Mean - 1)
}

// sameArrivals returns the variants with only the repetitions whose jobs and arrivals both have. If
// there are none, it returns the variants unchanged.
func sameArrivals(a, b *VariantResult) (*VariantResult, *VariantResult) {
	pick := func(v, other *VariantResult) *VariantResult {
		out := *v
		out.Runs = nil
		for i := range v.Runs {
			if slices.ContainsFunc(other.Runs, func(o Run) bool { return v.Runs[i].arrivesLike(&o) }) {
				out.Runs = append(out.Runs, v.Runs[i])
			}
		}
		return &out
	}
	x, y := pick(a, b), pick(b, a)
	if len(x.Runs) == 0 {
		return a, b
	}
	return x, y
}

// arrivesLike reports whether two repetitions have the same jobs with the same arrivals. The arrival
// of a job that follows a part depends on that part. Generated jobs of different seeds differ in their
// numbers of tasks. The numbers are unknown (0) if a real job failed early.
func (r *Run) arrivesLike(o *Run) bool {
	of := map[string]*Job{}
	for i := range o.Jobs {
		of[o.Jobs[i].ID] = &o.Jobs[i]
	}
	for i := range r.Jobs {
		x := &r.Jobs[i]
		y := of[x.ID]
		if y == nil || x.Name != y.Name || x.After == "" && x.Submit != y.Submit || x.Maps != y.Maps && x.Maps*y.Maps > 0 {
			return false
		}
	}
	return len(r.Jobs) == len(o.Jobs)
}

// compared returns a row of a comparison. Equal numbers of repetitions are pairs.
func compared(variant, what string, x, y []float64) []string {
	a, b := lab.IntervalOf(x), lab.IntervalOf(y)
	d := "-"
	if len(x) == len(y) && len(x) > 1 {
		d = cell(lab.Difference(y, x))
	}
	r := fmt.Sprintf("%+.1f", relative(a, b))
	if a.Mean == 0 && b.Mean != 0 {
		r = "-"
	}
	return []string{variant, what, cell(a), cell(b), r, d}
}

// Print prints a comparison.
func (c *Comparison) Print(w io.Writer) error {
	fmt.Fprintf(w, "A: %s (%s, %s)\nB: %s (%s, %s)\n", c.A.Scenario, c.A.where(), c.A.Nodes, c.B.Scenario, c.B.where(),
		c.B.Nodes)
	for i := range c.Tables {
		if err := printTable(w, &c.Tables[i]); err != nil {
			return err
		}
	}
	return nil
}

// HTML returns the comparison as a page that needs no other file.
func (c *Comparison) HTML() ([]byte, error) {
	p := &page{Title: c.A.Scenario + ": " + c.label(c.A, "A") + " and " + c.label(c.B, "B"), Tables: c.Tables}
	for _, r := range []*Result{c.A, c.B} {
		letter := "A"
		if r == c.B {
			letter = "B"
		}
		for _, f := range r.facts() {
			p.Facts = append(p.Facts, [2]string{letter + ": " + f[0], f[1]})
		}
	}
	plot := lab.Plot{Name: "compared", Title: "Mean time of the jobs of each part", Y: "s", Kind: lab.Bars}
	var series [2]lab.Series
	for i := range c.A.Variants {
		va := &c.A.Variants[i]
		vb := c.B.variant(va.Name)
		if vb == nil {
			if len(c.A.Variants) > 1 || len(c.B.Variants) > 1 {
				continue
			}
			vb = &c.B.Variants[0]
		}
		va, vb = sameArrivals(va, vb)
		for _, part := range va.partNames() {
			label := part
			if len(c.A.Variants) > 1 {
				label = va.Name + ": " + part
			}
			addBar(&series[0], label, lab.IntervalOf(va.means(part, took)))
			addBar(&series[1], label, lab.IntervalOf(vb.means(part, took)))
		}
	}
	series[0].Name, series[1].Name = c.label(c.A, "A"), c.label(c.B, "B")
	plot.Series = series[:]
	return p.html([]lab.Plot{plot})
}

// Write writes the comparison to compare.html and compare.txt in the directory.
func (c *Comparison) Write(dir string) error {
	html, err := c.HTML()
	if err != nil {
		return err
	}
	var text strings.Builder
	if err := c.Print(&text); err != nil {
		return err
	}
	return writeNew(dir, map[string][]byte{"compare.html": html, "compare.txt": []byte(text.String())})
}
