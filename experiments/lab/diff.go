package lab

import (
	"fmt"
	"io"
	"strings"

	"github.com/howdah/howdah/internal/ordered"
)

// Diff prints how the relations of two revisions differ, and returns the number of differences. For
// each experiment and kind of run, it compares the latest results whose revisions start with a and b.
// It matches relations by ID.
func Diff(w io.Writer, results []*Result, a, b string) (differences int) {
	was, is := latest(results, a), latest(results, b)
	for _, name := range ordered.Keys(union(was, is)) {
		n := 0
		differ := func(format string, args ...any) {
			if n == 0 {
				fmt.Fprintf(w, "%s\n", name)
			}
			n++
			fmt.Fprintf(w, "  "+format+"\n", args...)
		}
		x, y := was[name], is[name]
		switch {
		case x == nil:
			differ("only at %s", b)
		case y == nil:
			differ("only at %s", a)
		default:
			x.diff(y, differ)
		}
		differences += n
	}
	return differences
}

// latest returns the latest result of each name whose revision starts with the given text.
func latest(results []*Result, revision string) map[string]*Result {
	out := map[string]*Result{}
	for _, r := range results {
		if strings.HasPrefix(r.Revision, revision) {
			out[r.name()] = r
		}
	}
	return out
}

func union(maps ...map[string]*Result) map[string]bool {
	out := map[string]bool{}
	for _, m := range maps {
		for k := range m {
			out[k] = true
		}
	}
	return out
}

func (r *Result) diff(o *Result, differ func(string, ...any)) {
	if r.Version != o.Version {
		differ("version %d, now %d", r.Version, o.Version)
	}
	was := map[string]*Outcome{}
	for i := range r.Relations {
		was[r.Relations[i].ID] = &r.Relations[i]
	}
	for i := range o.Relations {
		y := &o.Relations[i]
		x := was[y.ID]
		delete(was, y.ID)
		switch {
		case x == nil:
			differ("%s: new, %s, %s", y.ID, y.Verdict, y.effect())
		case x.Verdict != y.Verdict || x.effect() != y.effect():
			differ("%s: %s, %s, now %s, %s", y.ID, x.Verdict, x.effect(), y.Verdict, y.effect())
		}
	}
	for _, id := range ordered.Keys(was) {
		differ("%s: %s, %s, now gone", id, was[id].Verdict, was[id].effect())
	}
}

// Against returns a table of the relations of two results of an experiment, by ID. A relation that
// only one of them has is empty in the other's columns.
func (r *Result) Against(o *Result) Table {
	t := Table{Name: "relations", Head: []string{"relation", "A", "verdict", "B", "verdict"}}
	rows := map[string][]string{}
	for i, x := range []*Result{r, o} {
		for k := range x.Relations {
			y := &x.Relations[k]
			row := rows[y.ID]
			if row == nil {
				row = append([]string{y.ID + ": " + y.Claim}, "", "", "", "")
				rows[y.ID] = row
			}
			row[2*i+1], row[2*i+2] = y.effect(), y.verdict()
		}
	}
	for _, id := range ordered.Keys(rows) {
		t.Rows = append(t.Rows, rows[id])
	}
	return t
}
