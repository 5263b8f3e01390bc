package lab

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// Report is the result of an execution, written to its directory as result.json.
type Report struct {
	ID        string
	Paper     string
	Item      string
	Claim     string
	Real      bool
	Quick     bool
	Seed      uint64
	Revision  string
	Machine   string
	Seconds   float64
	Runs      int
	Knobs     []Knob
	Tables    []Table
	Relations []Relation
	Findings  []string // relations of the paper that were not reproduced
	Causes    []string // results of other runs that isolate the causes of differences from the paper
	Error     string   // why the execution ended early; "" = it completed
}

// report returns the report of an execution of e, which took the given time and ended with err.
func (r *Run) report(e *Experiment, took time.Duration, err error) *Report {
	out := &Report{ID: e.ID, Paper: e.Paper, Item: e.Item, Claim: e.Claim, Real: r.Real, Quick: r.Quick, Seed: r.Seed,
		Revision: r.Revision,
		Machine:  fmt.Sprintf("%s/%s, %d cores", runtime.GOOS, runtime.GOARCH, runtime.NumCPU()), Seconds: took.Seconds(),
		Runs:  r.Executions,
		Knobs: r.Knobs, Tables: r.Tables, Relations: r.Relations, Findings: r.Unproven,
		Causes: r.Causes}
	if err != nil {
		out.Error = err.Error()
	}
	return out
}

// Holds reports whether the execution completed and checked at least one relation, and whether
// all checked relations hold. It ignores Findings and Causes.
func (r *Report) Holds() bool {
	for _, x := range r.Relations {
		if !x.Holds {
			return false
		}
	}
	return r.Error == "" && len(r.Relations) > 0
}

// Print prints a report in readable form.
func (r *Report) Print(w io.Writer) {
	how := "simulated"
	if r.Real {
		how = "on real nodes"
	}
	fmt.Fprintf(w, "%s  %s, %s (%s)\n", r.ID, r.Paper, r.Item, how)
	fmt.Fprintf(w, "  paper: %s\n", r.Claim)
	for i := range r.Tables {
		r.Tables[i].print(w)
	}
	for _, k := range r.Knobs {
		fmt.Fprintf(w, "  %s: %s\n", k.Name, k.Value)
	}
	for _, x := range r.Relations {
		mark := "holds"
		if !x.Holds {
			mark = "FAILS"
		}
		fmt.Fprintf(w, "  [%s] %s: %s\n", mark, x.Text, x.Detail)
	}
	for _, f := range r.Findings {
		fmt.Fprintf(w, "  [not reproduced] %s\n", f)
	}
	for _, c := range r.Causes {
		fmt.Fprintf(w, "  [cause isolated] %s\n", c)
	}
	if r.Error != "" {
		fmt.Fprintf(w, "  [FAILS] ended early: %s\n", r.Error)
	}
	fmt.Fprintf(w, "  %s in %.1f s, seed %d\n\n", runs(r.Runs), r.Seconds, r.Seed)
}

func runs(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}

func (t *Table) print(w io.Writer) {
	fmt.Fprintf(w, "  %s\n", t.Name)
	tw := tabwriter.NewWriter(w, 2, 8, 2, ' ', 0)
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		fmt.Fprintf(tw, "    %s\n", strings.Join(row, "\t"))
	}
	tw.Flush()
}

// Write creates the directory dir. It writes the report to dir as JSON and as text, along with the
// tables as CSV, the plots as SVG and PNG, and the experiment's BibTeX entry.
func (r *Run) Write(dir string, e *Experiment, rep *Report) error {
	bad := func(err error) error { return failure.New(failure.KindOf(err), "write results", dir, err) }
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return bad(err)
	}
	b, err := json.MarshalIndent(rep, "", "  ")
	if err != nil {
		return bad(err)
	}
	files := map[string]string{"result.json": string(b) + "\n", "paper.bib": e.BibTeX}
	var text strings.Builder
	rep.Print(&text)
	files["result.txt"] = text.String()
	for i := range r.Tables {
		files[fileName(r.Tables[i].Name)+".csv"] = r.Tables[i].csv()
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			return bad(err)
		}
	}
	for _, p := range r.Plots {
		for _, ext := range []string{".svg", ".png"} {
			if err := Draw(p, filepath.Join(dir, fileName(p.Name)+ext)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *Table) csv() string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write(t.Head)
	_ = w.WriteAll(t.Rows) // a strings.Builder never returns an error
	return b.String()
}

// fileName returns s with an underscore for each character that is not an ASCII letter, an ASCII
// digit, '-', '.', or '!'.
func fileName(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '.', r == '!':
			return r
		}
		return '_'
	}, s)
}
