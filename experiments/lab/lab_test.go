package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

func experiment(f func(ctx context.Context, r *Run) error) *Experiment {
	return &Experiment{ID: "TEST-!", Paper: "Paper (1999)", BibTeX: "@misc{x}\n", Sim: f}
}

func registration(t *testing.T) *Registration {
	g, err := ParseRegistration("TEST-!", []byte(document))
	require.NoError(t, err)
	return g
}

func execute(t *testing.T, f func(ctx context.Context, r *Run) error) *Result {
	r, err := Execute(t.Context(), experiment(f), registration(t), Options{Seed: 9, Revision: "0123456789abcdef"})
	require.NoError(t, err)
	return r
}

// good evaluates the relations in another order than the registered one.
func good(_ context.Context, r *Run) error {
	r.Executions++
	r.Knob("slots", 64)
	r.AddTable("numbers", []string{"name", "value"}, [][]string{{"one", "1"}, {"two, or so", "2"}})
	r.Compare("same", Exact(2), "%d - %d", 4, 2)
	r.Compare("more", IntervalOf([]float64{1, 2, 3, 2}), "four seeds")
	r.Note("three")
	r.AddPlot(Plot{Name: "line", Title: "t", Series: []Series{{Name: "s", X: []float64{1, 2}, Y: []float64{3, 4.000001},
		Low: []float64{2, 3}, High: []float64{4, 5}}}})
	return nil
}

func TestExecute(t *testing.T) {
	r := execute(t, good)
	require.False(t, r.Failed())
	require.Equal(t, []Verdict{Holds, ExpectedFail}, []Verdict{r.Relations[0].Verdict, r.Relations[1].Verdict})
	require.InDelta(t, 0.5, *r.Relations[0].Ratio, 1e-9)
	require.Nil(t, r.Relations[1].Ratio)
	require.Equal(t, "howdah experiment run TEST-! --seed 9", r.Command)
	require.Equal(t, []float64{3, 4}, r.Plots[0].Series[0].Y, "rounded")
	var text bytes.Buffer
	r.Print(&text)
	for _, want := range []string{
		"[HOLDS] two is more than one: 2 points [0.7008, 3.299]; required: above 0 points; paper: 4 to 5 points; " +
			"here/paper 0.50 (four seeds)",
		"[EXPECTED-FAIL] one is two: 2 (exact); required: -1 to 1 (4 - 2)\n    expected to fail: they differ\n",
	} {
		require.Contains(t, text.String(), want)
	}
	require.Contains(t, text.String(), "[note] three")
	require.Contains(t, text.String(), "slots: 64")
}

// An execution fails if the evaluated relations differ from the registered ones.
func TestEvaluatedAsRegistered(t *testing.T) {
	more := func(r *Run) { r.Compare("more", IntervalOf([]float64{1, 1}), "") }
	same := func(r *Run) { r.Compare("same", Exact(0), "") }
	other := func(id string, effect Interval) func(r *Run) {
		return func(r *Run) {
			more(r)
			same(r)
			r.Compare(id, effect, "")
		}
	}
	wrong := func(effect Interval) func(r *Run) {
		return func(r *Run) {
			same(r)
			r.Compare("more", effect, "")
		}
	}
	for want, f := range map[string]func(r *Run){
		"relation less is not registered":                                  other("less", Exact(0)),
		"relation same was not evaluated":                                  more,
		"relation same was evaluated twice":                                other("same", Exact(0)),
		`relation more is registered by "", but the effect is by "exact"`:  wrong(Exact(1)),
		`relation more is registered by "", but the effect is by "single"`: wrong(Once(1)),
		"relation more has no finite effect":                               wrong(IntervalOf([]float64{1, math.NaN()})),
	} {
		r := execute(t, func(_ context.Context, r *Run) error { f(r); return nil })
		require.Contains(t, r.Error, want)
		require.True(t, r.Failed())
	}
	require.Empty(t, execute(t, func(_ context.Context, r *Run) error { more(r); same(r); return nil }).Error)
}

func TestExecuteReportsFailures(t *testing.T) {
	for name, f := range map[string]func(context.Context, *Run) error{
		"relation": func(_ context.Context, r *Run) error {
			r.Compare("same", Exact(0), "")
			r.Compare("more", IntervalOf([]float64{-1, 1}), "")
			return nil
		},
		"error":   func(context.Context, *Run) error { return errors.New("no luck") },
		"panic":   func(context.Context, *Run) error { panic("bad") },
		"nothing": func(context.Context, *Run) error { return nil },
	} {
		require.True(t, execute(t, f).Failed(), name)
	}
	_, err := Execute(t.Context(), experiment(good), registration(t), Options{Real: true})
	require.ErrorIs(t, err, ErrNoSuchRun)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Execute(ctx, experiment(good), registration(t), Options{})
	require.True(t, failure.Is(err, failure.Killed))
}

// A kept result can be read back. Arrays of numbers and of strings have one line each.
func TestKeep(t *testing.T) {
	dir, r := t.TempDir(), execute(t, good)
	file, err := r.Keep(dir, false)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "TEST-!", "v2-0123456789ab.json"), file)
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(b), "\"x\": [1,2],\n")
	require.Contains(t, string(b), "[\"two, or so\",\"2\"]\n")
	back, err := ReadResults(dir)
	require.NoError(t, err)
	require.Equal(t, []*Result{r}, back)

	_, err = r.Keep(dir, false)
	require.ErrorContains(t, err, "it exists; use --replace")
	_, err = r.Keep(dir, true)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, bytes.Replace(b, []byte(`"seed"`), []byte(`"seeds"`), 1), 0o644))
	_, err = ReadResults(dir)
	require.True(t, failure.Is(err, failure.Corrupt))
	_, err = ReadResults(t.TempDir())
	require.True(t, failure.Is(err, failure.NotFound))
}

// A change of a bound, an expectation, a knob, or the seed requires a new version, also at another
// revision. A change of a reason or of a measured value does not.
func TestKeepRequiresNewVersion(t *testing.T) {
	dir := t.TempDir()
	_, err := execute(t, good).Keep(dir, false)
	require.NoError(t, err)
	keep := func(replace string, o Options, f func(ctx context.Context, r *Run) error) error {
		from, to, _ := strings.Cut(replace, "|")
		g, err := ParseRegistration("TEST-!", []byte(strings.Replace(document, from, to, 1)))
		require.NoError(t, err)
		o.Revision = "other"
		r, err := Execute(t.Context(), experiment(f), g, o)
		require.NoError(t, err)
		require.Empty(t, r.Error)
		_, err = r.Keep(dir, true)
		return err
	}
	knob := func(ctx context.Context, r *Run) error { r.Knob("more", 1); return good(ctx, r) }
	for change, err := range map[string]error{
		"bound":  keep("minimum: 0|minimum: 0.1", Options{Seed: 9}, good),
		"claim":  keep("claim: one is two|claim: one is not three", Options{Seed: 9}, good),
		"knob":   keep("", Options{Seed: 9}, knob),
		"seed":   keep("", Options{Seed: 8}, good),
		"expect": keep("expected: holds|expected: fails\n      reason: unknown", Options{Seed: 9}, good),
	} {
		require.True(t, failure.Is(err, failure.Exists), change)
		require.ErrorContains(t, err, "raise the version in the registration", change)
	}
	require.NoError(t, keep("reason: they differ|reason: they differ by two", Options{Seed: 9}, good))
	require.NoError(t, keep("note: set late|note: set after a run", Options{Seed: 9}, good))
	require.NoError(t, keep("version: 2|version: 3", Options{Seed: 8}, knob))
}

func TestDiff(t *testing.T) {
	one, two := execute(t, good), execute(t, good)
	two.Revision = "fedc"
	var out bytes.Buffer
	require.Zero(t, Diff(&out, []*Result{one, two}, "0123", "fedc"))
	require.Empty(t, out.String())
	two.Version = 3
	two.Relations[0].Effect = Effect{Value: 7, Low: 6, High: 8, Repetitions: 4}
	two.Relations[1].Relation.ID = "new"
	other := &Result{ID: "A", Real: true, Revision: "fedc"}
	require.Equal(t, 5, Diff(&out, []*Result{one, two, other}, "0123", "fedc"))
	require.Equal(t, "A-real\n  only at fedc\nTEST-!\n  version 2, now 3\n"+
		"  more: HOLDS, 2 points [0.7008, 3.299], now HOLDS, 7 points [6, 8]\n  new: new, EXPECTED-FAIL, 2 (exact)\n"+
		"  same: EXPECTED-FAIL, 2 (exact), now gone\n", out.String())
}

func TestDrawEveryKind(t *testing.T) {
	series := []Series{{Name: "a", X: []float64{1, 2, 3}, Y: []float64{1, 2, 1}, High: []float64{2, 3, 4},
		Labels: []string{"x", "y", "z"}}}
	for _, k := range []PlotKind{Lines, Steps, CDF, Bars, Gantt} {
		file := filepath.Join(t.TempDir(), "p.svg")
		require.NoError(t, Draw(Plot{Kind: k, LogX: k == CDF, Series: series}, file))
	}
	require.Error(t, Draw(Plot{}, filepath.Join(t.TempDir(), "p.png")), "nothing to draw")
	require.True(t, failure.Is(Draw(Plot{Series: series}, "p.gif"), failure.Usage))
	require.Error(t, Draw(Plot{Kind: Gantt, Series: []Series{{X: []float64{1}}}}, filepath.Join(t.TempDir(), "p.svg")))
}

// Bars on a logarithmic axis start at the power of ten below the lowest bar. A job without a figure has
// no bar.
// A label is in the plot even if the bars at its right are missing.
func TestLastLabel(t *testing.T) {
	p := Plot{Kind: Bars, LogY: true, Series: []Series{{Labels: []string{"a", "b"}, Y: []float64{3, 4}},
		{Labels: []string{"a", "b"}, Y: []float64{3, 0}}, {Labels: []string{"a", "b"}, Y: []float64{3, 0}}}}
	g, err := p.figure()
	require.NoError(t, err)
	require.GreaterOrEqual(t, g.X.Max, 1.0)
}

func TestLogarithmicBars(t *testing.T) {
	p := Plot{Kind: Bars, LogY: true, Series: []Series{{Y: []float64{30, 0}}, {Y: []float64{0.02, 5}}}}
	g, err := p.figure()
	require.NoError(t, err)
	require.Equal(t, []float64{0.01, 30}, []float64{g.Y.Min, g.Y.Max})
	require.NoError(t, Draw(p, filepath.Join(t.TempDir(), "p.svg")))
	p.LogY = false
	g, err = p.figure()
	require.NoError(t, err)
	require.Zero(t, g.Y.Min)
}

// The pages show the latest result of each version and what was published before.
func TestSite(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	old, r := execute(t, good), execute(t, good)
	old.Revision, old.Began = "old", old.Began.Add(-time.Hour)
	for _, x := range []*Result{old, r} {
		_, err := x.Keep(dir, false)
		require.NoError(t, err)
	}
	published := "<!-- revision: abc -->\nEarlier.\n\n- holds: a (1)\n- **not reproduced**: b (2)\n\n" +
		"Seed 1, 3 runs, 4.5 s on linux.\n\n### Even earlier\n\n- holds: c (3)\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "TEST-!", "v1.md"), []byte(published), 0o644))
	site := &Site{Experiments: []*Experiment{experiment(good)}, Registrations: map[string]*Registration{
		"TEST-!": registration(t)}, Index: "# Index\n", Artifact: "# Artifact\n", Results: dir}
	require.NoError(t, site.Write(out))
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(out, name))
		require.NoError(t, err)
		return string(b)
	}
	require.Contains(t, read("experiments.md"), "# Index\n\n"+indexHead+"| [TEST-!](experiments/TEST-!.md#simulated) | "+
		"Paper (1999), Figure 1 | two is more than one | version 2 at 0123456789ab: 1 HOLDS, 1 EXPECTED-FAIL | 0.50 (1) | "+
		"4, exact | 0.0 | `howdah experiment run TEST-!` |\n")
	require.Contains(t, read("artifact.md"),
		"| TEST-!, Figure 1: two is more than one | `howdah experiment run TEST-!` | 0.0 | 0123456789ab |\n")
	page := read("experiments/TEST-!.md")
	for _, want := range []string{"# TEST-!: Figure 1\n", "All numbers are from revision 0123456789abcdef: ",
		"- **HOLDS** two is more than one: 2 points", "(four seeds). Figure 1 of the paper: about ",
		"Expected to fail:", " Note: set late.\n", "- **note** three\n",
		"![line](TEST-!-v2-line.svg)", "version 2 at old: 1 HOLDS, 1 EXPECTED-FAIL.\n",
		"### Simulated, version 1, without JSON\n",
		"revision abc", "\n#### Even earlier\n", "```bibtex\n@misc{x}\n```\n"} {
		require.Contains(t, page, want)
	}
	require.NotContains(t, page, "no result yet")
	require.FileExists(t, filepath.Join(out, "experiments", "TEST-!-v2-line.svg"))

	require.NoError(t, os.Remove(filepath.Join(dir, "TEST-!", "v2-old.json")))
	require.NoError(t, os.Remove(filepath.Join(dir, "TEST-!", "v2-0123456789ab.json")))
	require.NoError(t, site.Write(out))
	require.Contains(t, read("experiments.md"), "| version 1 at abc, without JSON: 1 held, 1 not reproduced |  |  | 4.5 |")
	require.Contains(t, read("experiments/TEST-!.md"), "Version 2 has 2 registered relations and no result yet. They are")
}

// The page shows the paper's values as points in figures, and claims without a value in words.
func TestBeside(t *testing.T) {
	r := execute(t, good)
	five := 5.0
	effects := r.effects()
	require.Len(t, effects, 1)
	require.Equal(t, []Stated{{0, 4, &five}}, effects[0].Paper)
	require.Equal(t, []float64{2}, effects[0].Series[0].Y)
	var page bytes.Buffer
	require.NoError(t, r.Beside(&page))
	require.Equal(t, 2, strings.Count(page.String(), "<svg"), "the line, and the effect with a value")
	for _, want := range []string{"<b>The paper&#39;s claim, in words:</b> two is more than one",
		"<b>in words</b> one is two",
		"<b>4 to 5 points: about four to five</b>", "EXPECTED-FAIL", "<td>0.50</td>"} {
		require.Contains(t, strings.ReplaceAll(page.String(), "'", "&#39;"), want)
	}
	r.Plots = nil
	require.Len(t, r.effects(), 2, "without a figure, the page shows all effects")
	require.False(t, r.effects()[0].LogY)
	r.Relations[0].Effect = Effect{Value: 401, Low: 401, High: 401}
	require.True(t, r.effects()[0].LogY)
	r.Relations[0].Effect.Low = -1
	require.False(t, r.effects()[0].LogY)
}

// A plot includes the paper's values and has a legend for them.
func TestStated(t *testing.T) {
	top := 9.0
	p := Plot{Kind: Bars, Series: []Series{{Name: "here", Y: []float64{1, 2}}, {Y: []float64{3, 4}}},
		Paper: []Stated{{X: Middle(1, 1, 2), Y: 5, To: &top}}}
	require.InDelta(t, 1.2, p.Paper[0].X, 1e-9)
	g, err := p.figure()
	require.NoError(t, err)
	require.Equal(t, 9.0, g.Y.Max)
	drawn, err := SVG(p)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(drawn), "<svg"))
	require.Contains(t, drawn, ">paper</text>")
}

// The index lists each effect that is less than half or more than twice the paper's value, with the
// relation that explains it. The effect's page names that relation, too.
func TestCauses(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	site := &Site{Registrations: map[string]*Registration{}, Results: dir}
	add := func(id, relations string, effects map[string]float64) {
		e := &Experiment{ID: id, Paper: "Paper", Sim: func(_ context.Context, r *Run) error {
			for _, x := range r.Plan.Relations {
				r.Compare(x.ID, Exact(effects[x.ID]), "")
			}
			return nil
		}}
		g, err := ParseRegistration(id, []byte("id: "+id+"\nitem: Figure 1\nclaim: x\nsimulated:\n  version: 1\n"+
			"  relations:\n"+relations))
		require.NoError(t, err)
		r, err := Execute(t.Context(), e, g, Options{Revision: "one"})
		require.NoError(t, err)
		_, err = r.Keep(dir, false)
		require.NoError(t, err)
		site.Experiments, site.Registrations[id] = append(site.Experiments, e), g
	}
	relation := func(id string, value int, more string) string {
		return fmt.Sprintf("    - {id: %s, claim: about %s, paper: {value: %d, reads: x}, test: above, minimum: 0, "+
			"by: exact, expected: holds%s}\n", id, id, value, more)
	}
	add("A", relation("low", 10, "")+relation("high", 10, "")+relation("close", 10, ""),
		map[string]float64{"low": 4.9, "high": 20.1, "close": 5})
	add("A-why", relation("less", 10, ", explains: [A low]")+relation("other", 100, ", explains: [A close]"),
		map[string]float64{"less": 9, "other": 1})
	require.NoError(t, site.Write(out))
	index, err := os.ReadFile(filepath.Join(out, "experiments.md"))
	require.NoError(t, err)
	require.Contains(t, string(index), fmt.Sprintf("\n"+indexFar, 1, 3)+
		"| [A](experiments/A.md) about low | 0.49 | about less | 0.90 | [A-why](experiments/A-why.md), HOLDS |\n"+
		"| [A](experiments/A.md) about high | 2.01 |  |  |  |\n")
	page, err := os.ReadFile(filepath.Join(out, "experiments", "A.md"))
	require.NoError(t, err)
	text := strings.ReplaceAll(string(page), "\n  ", " ")
	require.Contains(t, text, "Cause ([A-why](A-why.md), HOLDS): about less; here/paper with this change: 0.90.\n")
	require.NotContains(t, text, "about other")
}

// wrap keeps lines short. Only the first line can start with a word that marks a list or a heading in
// Markdown.
func TestWrap(t *testing.T) {
	words := strings.Repeat("a ", 47)
	require.Equal(t, words+"a +\n  b", wrap(words+"a + b", "  "))
	require.Equal(t, words+"a 3.\n  b", wrap(words+"a 3. b", "  "))
	require.Equal(t, words+"a\n  bb + c", wrap(words+"a bb + c", "  "))
	require.Equal(t, "- one", wrap("- one", "  "))
}
