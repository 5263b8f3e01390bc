package lab

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/howdah/howdah/job/failure"
)

// ReadReports reads the reports in dir and in its immediate subfolders. The keys of the result are
// the experiments' IDs, with "-real" appended for real runs. ReadReports returns an error of kind
// NotFound if it finds no report.
func ReadReports(dir string) (map[string]*Report, error) {
	out, _, err := readReports(dir)
	return out, err
}

// readReports is like ReadReports, but also returns the directory of each report.
func readReports(dir string) (out map[string]*Report, from map[string]string, err error) {
	files, _ := filepath.Glob(filepath.Join(dir, "*", "result.json"))
	if _, err := os.Stat(filepath.Join(dir, "result.json")); err == nil {
		files = append(files, filepath.Join(dir, "result.json"))
	}
	if len(files) == 0 {
		return nil, nil, failure.New(failure.NotFound, "read results", dir, errors.New("it contains no result.json")).
			Fix("name a directory that howdah experiment run --out created")
	}
	out, from = map[string]*Report{}, map[string]string{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return nil, nil, failure.New(failure.KindOf(err), "read results", f, err)
		}
		r := &Report{}
		if err := json.Unmarshal(b, r); err != nil {
			return nil, nil, failure.New(failure.Corrupt, "read results", f, err)
		}
		id := r.ID
		if r.Real {
			id += "-real"
		}
		out[id], from[id] = r, filepath.Dir(f)
	}
	return out, from, nil
}

// Diff prints how the relations and tables of b differ from those of a, an earlier report of the same
// experiment, and returns the number of differences. It matches relations by text and tables by
// position.
func Diff(w io.Writer, a, b *Report) int {
	n := 0
	differ := func(format string, args ...any) {
		if n == 0 {
			fmt.Fprintf(w, "%s\n", a.ID)
		}
		n++
		fmt.Fprintf(w, "  "+format+"\n", args...)
	}
	was := map[string]bool{}
	for _, x := range a.Relations {
		was[x.Text] = x.Holds
	}
	for _, x := range b.Relations {
		if held, known := was[x.Text]; !known || held != x.Holds {
			differ("%s: %s, now %s (%s)", x.Text, verdict(held, known), verdict(x.Holds, true), x.Detail)
		}
	}
	for _, x := range a.Relations {
		if !slices.ContainsFunc(b.Relations, func(y Relation) bool { return y.Text == x.Text }) {
			differ("%s: %s, now %s", x.Text, verdict(x.Holds, true), verdict(false, false))
		}
	}
	for i := range a.Tables {
		if i < len(b.Tables) {
			a.Tables[i].diff(&b.Tables[i], differ)
		}
	}
	if len(a.Tables) != len(b.Tables) {
		differ("%d tables, now %d", len(a.Tables), len(b.Tables))
	}
	return n
}

func verdict(holds, known bool) string {
	switch {
	case !known:
		return "not checked"
	case holds:
		return "holds"
	}
	return "fails"
}

func (t *Table) diff(o *Table, differ func(string, ...any)) {
	if t.Name != o.Name {
		differ("table %s, now %s", t.Name, o.Name)
	}
	if !slices.Equal(t.Head, o.Head) {
		differ("%s: columns %s, now %s", t.Name, strings.Join(t.Head, ", "), strings.Join(o.Head, ", "))
		return
	}
	if len(t.Rows) != len(o.Rows) {
		differ("%s: %d rows, now %d", t.Name, len(t.Rows), len(o.Rows))
		return
	}
	for i, row := range t.Rows {
		for k := range min(len(row), len(o.Rows[i]), len(t.Head)) {
			if row[k] != o.Rows[i][k] {
				differ("%s, row %s, %s: %s, now %s", t.Name, row[0], t.Head[k], row[k], o.Rows[i][k])
			}
		}
	}
}
