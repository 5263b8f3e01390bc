package lab

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/howdah/howdah/job/failure"
)

// Site is the documentation of the experiments. It is generated from results.
type Site struct {
	Experiments   []*Experiment
	Registrations map[string]*Registration // by ID
	Index         string                   // start of the index page, in Markdown
	Artifact      string                   // start of the artifact appendix, in Markdown
	Results       string                   // directory of the results
}

// kindOfRun is an experiment's simulated runs or its runs on real nodes.
type kindOfRun struct {
	e         *Experiment
	g         *Registration
	real      bool
	results   []*Result // in order of time
	published string    // version 1 without JSON, in Markdown; "" = none
	causes    causes
}

// causes are the evaluated relations that explain others, by the names in Relation.Explains.
type causes map[string]*cause

type cause struct {
	*Outcome
	id string // of the experiment
}

// causesIn returns the causes in the latest results of the experiments.
func (s *Site) causesIn(results []*Result) causes {
	out := causes{}
	for _, e := range s.Experiments {
		k := &kindOfRun{results: of(results, e.ID, false)}
		r := k.last()
		if r == nil {
			continue
		}
		for i := range r.Relations {
			for _, name := range r.Relations[i].Explains {
				out[name] = &cause{&r.Relations[i], e.ID}
			}
		}
	}
	return out
}

// of returns the results of one kind of run of an experiment.
func of(results []*Result, id string, real bool) (out []*Result) {
	for _, r := range results {
		if r.ID == id && r.Real == real {
			out = append(out, r)
		}
	}
	return out
}

// Write writes experiments.md, artifact.md, and a folder with a page for each experiment and its
// plots to the directory out. A file NAME/v1.md in the directory of results is a result that was
// published before results had JSON. Its first line is an HTML comment with its revision.
func (s *Site) Write(out string) error {
	bad := func(err error) error { return failure.New(failure.KindOf(err), "write pages", out, err) }
	results, err := ReadResults(s.Results)
	if err != nil && !failure.Is(err, failure.NotFound) {
		return err
	}
	folder := filepath.Join(out, "experiments")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return bad(err)
	}
	var index, artifact, far strings.Builder
	causes, ratios, near := s.causesIn(results), 0, 0
	index.WriteString(s.Index + "\n" + indexHead)
	artifact.WriteString(s.Artifact + "\n" + artifactHead)
	for _, e := range s.Experiments {
		var page strings.Builder
		g := s.Registrations[e.ID]
		fmt.Fprintf(&page, "# %s: %s\n\n%s\n\n%s\n\n", e.ID, g.Item, wrap(e.Paper+". The paper's claim: "+g.Claim, ""),
			wrap("The [index](../experiments.md) explains the terms.", ""))
		for _, real := range []bool{false, true} {
			if g.Plan(real) == nil {
				continue
			}
			k := &kindOfRun{e: e, g: g, real: real, results: of(results, e.ID, real), causes: causes}
			if k.published, err = readPublished(filepath.Join(s.Results, fileName(runName(e.ID, real)), "v1.md")); err != nil {
				return bad(err)
			}
			k.line(&index)
			all, outside := k.far(&far)
			ratios, near = ratios+all, near+all-outside
			k.claim(&artifact)
			if err := k.section(&page, folder); err != nil {
				return err
			}
		}
		fmt.Fprintf(&page, "## Cite the paper\n\n```bibtex\n%s\n```\n", strings.TrimSpace(e.BibTeX))
		if err := os.WriteFile(filepath.Join(folder, fileName(e.ID)+".md"), []byte(page.String()), 0o644); err != nil {
			return bad(err)
		}
	}
	fmt.Fprintf(&index, "\n"+indexFar, near, ratios)
	index.WriteString(far.String())
	for name, text := range map[string]string{"experiments.md": index.String(), "artifact.md": artifact.String()} {
		if err := os.WriteFile(filepath.Join(out, name), []byte(text), 0o644); err != nil {
			return bad(err)
		}
	}
	return nil
}

func readPublished(file string) (string, error) {
	b, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return "", nil
	}
	return string(b), err
}

const (
	indexHead = "| run | paper, figure | claim | verdicts | here/paper | repetitions | seconds | command |\n" +
		"|---|---|---|---|---|---|---|---|\n"
	indexFar = "## Effects far from the paper's\n\n" +
		"Of the effects in the latest results, %d of %d are between half and twice the paper's value. The\n" +
		"others:\n\n" +
		"| relation | here/paper | cause, shown by a run | with the change | run |\n|---|---|---|---|---|\n"
	artifactHead = "| claim | command | minutes | at revision |\n|---|---|---|---|\n"
)

// line adds the line of the index.
func (k *kindOfRun) line(b *strings.Builder) {
	verdicts, ratios, repetitions, seconds := "no result", "", "", ""
	if r := k.last(); r != nil {
		verdicts, ratios, repetitions, seconds = r.verdicts(), r.ratios(), r.repetitions(), fmt.Sprintf("%.1f", r.Seconds)
	} else if k.published != "" {
		verdicts, seconds = summary(k.published)
	}
	fmt.Fprintf(b, "| [%s](experiments/%s.md#%s) | %s, %s | %s | %s | %s | %s | %s | `%s` |\n", runName(k.e.ID, k.real),
		fileName(k.e.ID), anchor(k.heading()), cell(k.e.Paper), cell(k.g.Item), cell(k.g.Claim), verdicts, ratios,
		repetitions, seconds, k.command())
}

// far adds a line for each effect in the latest result that is far from the paper's value. It returns
// the number of effects with such a value and the number of lines.
func (k *kindOfRun) far(b *strings.Builder) (all, outside int) {
	r := k.last()
	if r == nil || len(r.Relations) > 0 && len(r.Relations[0].Explains) > 0 {
		return 0, 0
	}
	for i := range r.Relations {
		x := &r.Relations[i]
		if x.Ratio != nil {
			all++
		}
		if !x.Far() {
			continue
		}
		outside++
		why, with, run := "", "", ""
		if c := k.causes[r.name()+" "+x.ID]; c != nil {
			why, with, run = cell(c.Claim), c.after(), fmt.Sprintf("[%s](experiments/%s.md), %s", c.id, c.id, c.Verdict)
		}
		fmt.Fprintf(b, "| [%s](experiments/%s.md) %s | %.2f | %s | %s | %s |\n", r.name(), fileName(k.e.ID), cell(x.Claim),
			*x.Ratio, why, with, run)
	}
	return all, outside
}

// after returns the ratio to the paper's value with the change that shows the cause.
func (c *cause) after() string {
	if c.Ratio == nil {
		return c.effect()
	}
	return fmt.Sprintf("%.2f", *c.Ratio)
}

// claim adds the line of the artifact appendix.
func (k *kindOfRun) claim(b *strings.Builder) {
	minutes, revision := "", ""
	if r := k.last(); r != nil {
		minutes, revision = fmt.Sprintf("%.1f", r.Seconds/60), short(r.Revision)
	} else if _, seconds := summary(k.published); seconds != "" {
		s, _ := strconv.ParseFloat(seconds, 64) // summary matches a number
		minutes = fmt.Sprintf("%.1f", s/60)
		revision, _ = published(k.published)
	}
	fmt.Fprintf(b, "| %s, %s: %s | `%s` | %s | %s |\n", k.e.ID, cell(k.g.Item), cell(k.g.Claim), k.command(), minutes,
		revision)
}

func (k *kindOfRun) command() string {
	o := Options{Real: k.real}
	return o.command(k.e)
}

// last returns the latest result of the latest version, or nil if there is none.
func (k *kindOfRun) last() (last *Result) {
	for _, r := range k.results {
		if last == nil || r.Version >= last.Version {
			last = r
		}
	}
	return last
}

func (k *kindOfRun) heading() string {
	if k.real {
		return "On real nodes"
	}
	return "Simulated"
}

// section adds the results of all versions to the experiment's page, starting with the latest, and
// draws their plots.
func (k *kindOfRun) section(b *strings.Builder, folder string) error {
	fmt.Fprintf(b, "## %s\n\n", k.heading())
	plan := k.g.Plan(k.real)
	last := k.last()
	if last == nil || last.Version < plan.Version {
		fmt.Fprintf(b, "%s\n\n", wrap(fmt.Sprintf("Version %d has %s and no result yet. They are in "+
			"`experiments/registered/%s.yaml`.", plan.Version, count(len(plan.Relations), "registered relation"), k.e.ID), ""))
	}
	shown := map[int]bool{}
	for _, r := range slices.Backward(k.results) {
		if shown[r.Version] {
			fmt.Fprintf(b, "%s\n\n", wrap(fmt.Sprintf("On %s, %s.", r.Began.Format("2 January 2006"), r.verdicts()), ""))
			continue
		}
		shown[r.Version] = true
		r.section(b, k.causesOf(r))
		for _, p := range r.Plots {
			name := fmt.Sprintf("%s-v%d-%s.svg", r.FileName(), r.Version, fileName(p.Name))
			if err := Draw(p, filepath.Join(folder, name)); err != nil {
				return err
			}
			fmt.Fprintf(b, "![%s](%s)\n\n", p.Name, name)
		}
	}
	if k.published != "" {
		revision, text := published(k.published)
		fmt.Fprintf(b, "### %s, version 1, without JSON\n\n%s\n\n%s\n\n", k.heading(), wrap(fmt.Sprintf("This result was "+
			"published at revision %s, before relations were registered and results had JSON. All of its numbers are from "+
			"that revision or an earlier one.", revision), ""), strings.ReplaceAll(strings.TrimSpace(text), "\n### ", "\n#### "))
	}
	return nil
}

// causesOf returns the causes for the effects in r. The effects of an earlier version have none.
func (k *kindOfRun) causesOf(r *Result) causes {
	if r != k.last() {
		return nil
	}
	return k.causes
}

func (r *Result) section(b *strings.Builder, known causes) {
	paragraph := func(format string, args ...any) {
		b.WriteString(wrap(fmt.Sprintf(format, args...), "") + "\n\n")
	}
	item := func(format string, args ...any) {
		b.WriteString(wrap("- "+fmt.Sprintf(format, args...), "  ") + "\n")
	}
	heading := "Simulated"
	if r.Real {
		heading = "On real nodes"
	}
	paragraph("### %s, version %d", heading, r.Version)
	paragraph("All numbers are from revision %s: `%s` on %s, %s, seed %d, %s in %.1f s.", r.Revision, r.Command,
		r.Began.Format("2 January 2006"), r.Machine, r.Seed, runs(r.Executions), r.Seconds)
	for i := range r.Relations {
		x := &r.Relations[i]
		text := fmt.Sprintf("**%s** %s: %s; %s (%s)", x.Verdict, x.Claim, x.effect(), x.comparison(), x.Detail)
		if x.Paper != nil {
			text += fmt.Sprintf(". %s of the paper: %s", cmp.Or(x.Figure, r.Item), x.Paper.Reads)
		}
		if x.Reason != "" {
			text += ". Expected to fail: " + x.Reason
		}
		if x.Note != "" {
			text += ". Note: " + x.Note
		}
		if c := known[r.name()+" "+x.ID]; c != nil && x.Far() {
			text += fmt.Sprintf(". Cause ([%s](%s.md), %s): %s; here/paper with this change: %s", c.id, c.id, c.Verdict, c.Claim,
				c.after())
		}
		item("%s.", text)
	}
	for _, n := range r.Notes {
		item("**note** %s", n)
	}
	if r.Error != "" {
		item("**%s** %s", Fails, r.Error)
	}
	b.WriteString("\n")
	for i := range r.Tables {
		r.Tables[i].markdown(b)
	}
	if len(r.Knobs) > 0 {
		paragraph("Settings:")
		for _, k := range r.Knobs {
			item("%s: %s", k.Name, k.Value)
		}
		b.WriteString("\n")
	}
}

func (t *Table) markdown(b *strings.Builder) {
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

// verdicts counts the verdicts and names the version and the revision.
func (r *Result) verdicts() string {
	var list []string
	for _, v := range []Verdict{Holds, Fails, ExpectedFail, Fixed} {
		if n := r.Count(v); n > 0 {
			list = append(list, fmt.Sprintf("%d %s", n, v))
		}
	}
	return fmt.Sprintf("version %d at %s: %s", r.Version, short(r.Revision), strings.Join(list, ", "))
}

// ratios returns the range of the effects relative to those of the paper, and their number.
func (r *Result) ratios() string {
	var all []float64
	for i := range r.Relations {
		if x := r.Relations[i].Ratio; x != nil {
			all = append(all, *x)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return fmt.Sprintf("%s (%d)", Span("%.2f", slices.Min(all), slices.Max(all)), len(all))
}

// repetitions returns the numbers of repetitions of the effects, or how the run makes them unnecessary.
func (r *Result) repetitions() string {
	var n []int
	kinds := map[By]bool{}
	for i := range r.Relations {
		x := &r.Relations[i]
		kinds[x.By] = true
		if x.By == ByInterval {
			n = append(n, x.Effect.Repetitions)
		}
	}
	var list []string
	if len(n) > 0 {
		list = append(list, Span("%d", slices.Min(n), slices.Max(n)))
	}
	for _, k := range []struct {
		by   By
		name string
	}{{ByExact, "exact"}, {BySingle, "one run"}} {
		if kinds[k.by] {
			list = append(list, k.name)
		}
	}
	return strings.Join(list, ", ")
}

var (
	publishedTime  = regexp.MustCompile(`(?m)^Seed \d+, \d+ runs?, ([0-9.]+) s on`)
	publishedHolds = regexp.MustCompile(`(?m)^- (holds|fails|\*\*fails\*\*|\*\*not reproduced\*\*):`)
)

// published returns the revision and the text of a result without JSON.
func published(result string) (revision, text string) {
	first, text, _ := strings.Cut(result, "\n")
	return strings.TrimSuffix(strings.TrimPrefix(first, "<!-- revision: "), " -->"), text
}

// summary counts the relations in a result without JSON and names its revision. It also returns the
// seconds that the run took.
func summary(result string) (verdicts, seconds string) {
	n := map[string]int{}
	revision, text := published(result)
	current, _, _ := strings.Cut(text, "\n### ") // later parts are about earlier runs
	for _, m := range publishedHolds.FindAllStringSubmatch(current, -1) {
		n[strings.Trim(m[1], "*")]++
	}
	if m := publishedTime.FindStringSubmatch(current); m != nil {
		seconds = m[1]
	}
	return fmt.Sprintf("version 1 at %s, without JSON: %d held, %d not reproduced", short(revision), n["holds"],
		n["fails"]+n["not reproduced"]), seconds
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
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
