package lab

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job/failure"
)

// WritePage writes a Markdown page that starts with the preface and shows the results in the given
// directories. It copies the SVG plots to a folder that has the page's name without its extension.
// If several directories have results for the same experiment and kind of run, WritePage uses those
// of the last one. An experiment's Earlier text appears only if the results include a real run.
func WritePage(page, preface string, experiments []*Experiment, dirs ...string) error {
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
	earlier := map[string]string{}
	for _, e := range experiments {
		earlier[e.ID+"-real"] = e.Earlier
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
		if text := earlier[id]; text != "" {
			b.WriteString(text + "\n")
		}
	}
	if err := os.WriteFile(page, []byte(strings.TrimRight(b.String(), "\n")+"\n"), 0o644); err != nil {
		return bad(err)
	}
	return nil
}

func overview(b *strings.Builder, all map[string]*Report) {
	b.WriteString("| experiment | paper | relations that hold | not reproduced | runs | seconds " +
		"|\n|---|---|---|---|---|---|\n")
	for _, id := range ordered.Keys(all) {
		r, n := all[id], 0
		for _, x := range r.Relations {
			if x.Holds {
				n++
			}
		}
		fmt.Fprintf(b, "| [%s](#%s) | %s, %s | %d of %d | %d | %d | %.1f |\n", id, anchor(id),
			cell(r.Paper), cell(r.Item), n, len(r.Relations), len(r.Findings), r.Runs, r.Seconds)
	}
	b.WriteString("\n")
}

// anchor returns the Markdown anchor of a heading. The anchor consists of the heading's ASCII
// letters in lower case, its digits, and its hyphens, with a hyphen for each space.
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
	paragraph := func(format string, args ...any) {
		b.WriteString(wrap(fmt.Sprintf(format, args...), "") + "\n\n")
	}
	item := func(format string, args ...any) {
		b.WriteString(wrap("- "+fmt.Sprintf(format, args...), "  ") + "\n")
	}
	paragraph("## %s", id)
	paragraph("%s, %s. The paper's claim: %s", r.Paper, r.Item, r.Claim)
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
		item("%s: %s (%s)", mark, x.Text, x.Detail)
	}
	for _, f := range r.Findings {
		item("**not reproduced**: %s", f)
	}
	for _, c := range r.Causes {
		item("**cause isolated**: %s", c)
	}
	if r.Error != "" {
		item("**ended early**: %s", r.Error)
	}
	b.WriteString("\n")
	if len(r.Knobs) > 0 {
		paragraph("Settings:")
		for _, k := range r.Knobs {
			item("%s: %s", k.Name, k.Value)
		}
		b.WriteString("\n")
	}
	paragraph("Seed %d, %s, %.1f s on %s.", r.Seed, runs(r.Runs), r.Seconds, r.Machine)
}

// lineStart matches words that are Markdown markup at the start of a line.
var lineStart = regexp.MustCompile(`^([-+*=#>|]+|\d+[.)])$`)

// wrap breaks a text into lines of about 100 characters and indents all lines but the first. It does
// not break longer words. Only the first line can start with a word that lineStart matches.
func wrap(text, indent string) string {
	const limit = 96 // leaves room for a word that lineStart matches
	var b strings.Builder
	width := 0
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		if width > 0 && width+1+n > limit && !lineStart.MatchString(word) {
			b.WriteString("\n" + indent)
			width = len(indent)
		} else if width > 0 {
			b.WriteByte(' ')
			width++
		}
		b.WriteString(word)
		width += n
	}
	return b.String()
}
