package lab

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

func experiment(f func(ctx context.Context, r *Run) error) *Experiment {
	return &Experiment{ID: "TEST-!", Paper: "Paper (1999)", Item: "Figure 1", Claim: "two is more than one",
		Relation: "2 > 1", BibTeX: "@misc{x}\n", Sim: f}
}

func good(_ context.Context, r *Run) error {
	r.Executions++
	r.Knob("slots", 64)
	r.AddTable("numbers", []string{"name", "value"}, [][]string{{"one", "1"}, {"two, or so", "2"}})
	r.Check("two is more than one", 2 > 1, "%d and %d", 2, 1)
	r.NotReproduced("three")
	r.CauseIsolated("four")
	r.AddPlot(Plot{Name: "line", Title: "t",
		Series: []Series{{Name: "s", X: []float64{1, 2}, Y: []float64{3, 4}, Low: []float64{2, 3}, High: []float64{4, 5}}}})
	return nil
}

func TestExecuteKeepsEverything(t *testing.T) {
	dir := t.TempDir()
	rep, err := Execute(context.Background(), experiment(good), Options{Dir: dir, Seed: 9})
	require.NoError(t, err)
	require.True(t, rep.Holds())
	for _, f := range []string{"result.json", "result.txt", "paper.bib", "numbers.csv", "line.svg", "line.png"} {
		info, err := os.Stat(filepath.Join(dir, "TEST-!", f))
		require.NoError(t, err)
		require.NotZero(t, info.Size(), f)
	}
	csv, err := os.ReadFile(filepath.Join(dir, "TEST-!", "numbers.csv"))
	require.NoError(t, err)
	require.Equal(t, "name,value\none,1\n\"two, or so\",2\n", string(csv))
	var text bytes.Buffer
	rep.Print(&text)
	require.Contains(t, text.String(), "[holds] two is more than one: 2 and 1")
	require.Contains(t, text.String(), "slots: 64")
	require.Contains(t, text.String(), "[not reproduced] three\n  [cause isolated] four")
	for _, d := range []string{dir, filepath.Join(dir, "TEST-!")} { // all experiments, or only this one
		page := filepath.Join(t.TempDir(), "page.md")
		require.NoError(t, WritePage(page, "# Results", nil, d))
		b, err := os.ReadFile(page)
		require.NoError(t, err)
		require.Contains(t, string(b), "| [TEST-!](#test-) | Paper (1999), Figure 1 | 1 of 1 | 1 | 1 |")
		require.Contains(t, string(b), "- **not reproduced**: three\n- **cause isolated**: four\n")
		require.Contains(t, string(b), "Settings:\n\n- slots: 64\n\nSeed 9, 1 run,")
		require.Contains(t, string(b), "![line](page/TEST-!-line.svg)", d)
		require.FileExists(t, filepath.Join(filepath.Dir(page), "page", "TEST-!-line.svg"))
	}
	back, err := ReadReports(dir)
	require.NoError(t, err)
	require.Equal(t, rep, back["TEST-!"])
}

func TestExecuteReportsFailures(t *testing.T) {
	for name, f := range map[string]func(context.Context, *Run) error{
		"relation": func(_ context.Context, r *Run) error { r.Check("x", false, "no"); return nil },
		"error":    func(context.Context, *Run) error { return errors.New("no luck") },
		"panic":    func(context.Context, *Run) error { panic("bad") },
		"nothing":  func(context.Context, *Run) error { return nil },
	} {
		rep, err := Execute(context.Background(), experiment(f), Options{})
		require.NoError(t, err, name)
		require.False(t, rep.Holds(), name)
	}
	_, err := Execute(context.Background(), experiment(good), Options{Real: true})
	require.ErrorIs(t, err, ErrNoSuchRun)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = Execute(ctx, experiment(good), Options{})
	require.True(t, failure.Is(err, failure.Killed))
}

func TestDiff(t *testing.T) {
	one, err := Execute(context.Background(), experiment(good), Options{})
	require.NoError(t, err)
	two, err := Execute(context.Background(), experiment(good), Options{})
	require.NoError(t, err)
	var out bytes.Buffer
	require.Zero(t, Diff(&out, one, two))
	require.Empty(t, out.String())
	two.Relations = []Relation{{"two is more than one", false, "1 and 2"}}
	two.Tables = []Table{{"numbers", []string{"name", "value"}, [][]string{{"one", "7"}, {"two, or so", "2"}}}}
	require.Equal(t, 2, Diff(&out, one, two))
	require.Contains(t, out.String(), "holds, now fails")
	require.Contains(t, out.String(), "numbers, row one, value: 1, now 7")
	_, err = ReadReports(t.TempDir())
	require.True(t, failure.Is(err, failure.NotFound))
}

// A relation or column in only one of the reports is a difference, and so is a renamed table.
func TestDiffOfStructure(t *testing.T) {
	for want, change := range map[string]func(r *Report){
		"two is more than one: holds, now not checked": func(r *Report) { r.Relations = nil },
		"table numbers, now counts":                    func(r *Report) { r.Tables[0].Name = "counts" },
		"numbers: columns name, value, now name, sum":  func(r *Report) { r.Tables[0].Head = []string{"name", "sum"} },
	} {
		one, err := Execute(context.Background(), experiment(good), Options{})
		require.NoError(t, err)
		two, err := Execute(context.Background(), experiment(good), Options{})
		require.NoError(t, err)
		change(two)
		var out bytes.Buffer
		require.Equal(t, 1, Diff(&out, one, two), want)
		require.Contains(t, out.String(), "  "+want)
	}
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

// The page includes an experiment's text about its earlier real runs.
func TestPageHasEarlierRuns(t *testing.T) {
	dir, page := t.TempDir(), filepath.Join(t.TempDir(), "page.md")
	e := experiment(good)
	e.Real, e.Earlier = good, "### The first run\n\nIt did not hold.\n"
	for _, on := range []bool{true, false} {
		_, err := Execute(context.Background(), e, Options{Dir: dir, Real: on})
		require.NoError(t, err)
	}
	require.NoError(t, WritePage(page, "# Results", []*Experiment{e}, dir))
	b, err := os.ReadFile(page)
	require.NoError(t, err)
	text := string(b)
	require.Equal(t, 1, strings.Count(text, e.Earlier), text)
	require.Greater(t, strings.Index(text, e.Earlier), strings.Index(text, "## TEST-!-real"))
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
