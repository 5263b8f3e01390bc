package lab

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job/failure"
)

// WritePage writes a Markdown page about the results in or below some directories, with what each paper says beside them, and copies
// the plots into a folder of the page's name. preface stands first. Where two directories have the same execution the later
// one counts.
func WritePage(page, preface string, dirs ...string) error {
	bad := func(err error) error { return failure.New(failure.KindOf(err), "write page", page, err) }
	folder := strings.TrimSuffix(page, filepath.Ext(page))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return bad(err)
	}
	all, from := map[string]*Report{}, map[string]string{}
	for _, d := range dirs {
		reports, places, err := readReports(d)
		if err != nil {
			return err
		}
		for id, r := range reports {
			all[id], from[id] = r, places[id]
		}
	}
	var b strings.Builder
	b.WriteString(preface + "\n")
	overview(&b, all)
	for _, id := range ordered.Keys(all) {
		all[id].section(&b, id)
		plots, _ := filepath.Glob(filepath.Join(from[id], "*.svg"))
		for _, p := range plots {
			text, err := os.ReadFile(p)
			if err != nil {
				return bad(err)
			}
			name := fileName(id) + "-" + filepath.Base(p)
			if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
				return bad(err)
			}
			fmt.Fprintf(&b, "![%s](%s/%s)\n\n", strings.TrimSuffix(filepath.Base(p), ".svg"), filepath.Base(folder), name)
		}
	}
	if err := os.WriteFile(page, []byte(strings.TrimRight(b.String(), "\n")+"\n"), 0o644); err != nil {
		return bad(err)
	}
	return nil
}

func overview(b *strings.Builder, all map[string]*Report) {
	b.WriteString("| experiment | paper | relations that hold | not reproduced | runs | seconds |\n|---|---|---|---|---|---|\n")
	for _, id := range ordered.Keys(all) {
		r, n := all[id], 0
		for _, x := range r.Relations {
			if x.Holds {
				n++
			}
		}
		fmt.Fprintf(b, "| [%s](#%s) | %s, %s | %d of %d | %d | %d | %.1f |\n", id, anchor(id), cell(r.Paper), cell(r.Item), n, len(r.Relations), len(r.Findings), r.Runs, r.Seconds)
	}
	b.WriteString("\n")
}

// anchor is what Markdown makes of a heading: letters, digits and hyphens.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-':
			return r
		case r == ' ':
			return '-'
		}
		return -1
	}, strings.ToLower(heading))
}

func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

func (r *Report) section(b *strings.Builder, id string) {
	fmt.Fprintf(b, "## %s\n\n%s, %s. The paper: %s\n\n", id, r.Paper, r.Item, r.Claim)
	for i := range r.Tables {
		t := &r.Tables[i]
		fmt.Fprintf(b, "%s:\n\n", t.Name)
		row := func(cells []string) {
			for _, c := range cells {
				b.WriteString("| " + cell(c) + " ")
			}
			b.WriteString("|\n")
		}
		row(t.Head)
		b.WriteString(strings.Repeat("|---", len(t.Head)) + "|\n")
		for _, cells := range t.Rows {
			row(cells)
		}
		b.WriteString("\n")
	}
	for _, x := range r.Relations {
		mark := "holds"
		if !x.Holds {
			mark = "**fails**"
		}
		fmt.Fprintf(b, "- %s: %s (%s)\n", mark, x.Text, x.Detail)
	}
	for _, f := range r.Findings {
		fmt.Fprintf(b, "- **not reproduced**: %s\n", f)
	}
	if r.Error != "" {
		fmt.Fprintf(b, "- **ended early**: %s\n", r.Error)
	}
	b.WriteString("\n")
	var knobs []string
	for _, k := range r.Knobs {
		knobs = append(knobs, k.Name+" = "+k.Value)
	}
	if len(knobs) > 0 {
		fmt.Fprintf(b, "Settings: %s. ", strings.Join(knobs, "; "))
	}
	fmt.Fprintf(b, "Seed %d, %d runs, %.1f s on %s.\n\n", r.Seed, r.Runs, r.Seconds, r.Machine)
}
