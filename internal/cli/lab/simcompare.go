package lab

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/internal/arguments"
	"github.com/howdah/howdah/internal/plural"
)

func (s *session) simCompare() *urfave.Command {
	return &urfave.Command{
		Name: "compare", Usage: "simulate a trace under several schedulers or on clusters of several " +
			"sizes, and compare the results",
		ArgsUsage: "TRACE...",
		Flags: append(append([]urfave.Flag{
			&urfave.StringFlag{Name: "scheduler", Usage: "`NAMES` of schedulers, separated by commas", Value: "fifo,fair"},
			&urfave.StringFlag{Name: "sizes", Usage: "`NUMBERS` of nodes, separated by commas (default: --nodes)"},
			&urfave.IntFlag{Name: "repeat", Usage: "run each simulation `N` times with different seeds", Value: 1},
			&urfave.StringFlag{Name: "plot", Usage: "plot the mean job times to `FILE` (.svg, .png, or .pdf)"},
			scenarioFlag(), replaceFlag(), workersFlag(), dbFlag(), arguments.JSONFlag(),
		}, clusterFlags()...), importFlags()...),
		Action: s.compareSim,
	}
}

// contender is a configuration in a comparison.
type contender struct {
	on       *cluster
	policies *policies
	runs     []outcome
}

func (s *session) compareSim(c *urfave.Context) error {
	n := c.Int("repeat")
	if n < 1 || n > 100_000 {
		return usageError("--repeat=%d: want 1 to 100000", n)
	}
	if c.IsSet(scenarioOption) {
		return s.simulateScenario(c, 0)
	}
	what, err := oneTrace(c)
	if err != nil {
		return err
	}
	if err := checkWorkers(c); err != nil {
		return err
	}
	if c.IsSet("sizes") {
		if err := needless(c, "with --sizes", "nodes"); err != nil {
			return err
		}
	}
	drawing, err := newDrawing(c, n)
	if err != nil {
		return err
	}
	w, list, err := s.contenders(c, what)
	if err != nil {
		return err
	}
	steps := w.jobs
	if steps > 0 {
		steps *= n * len(list)
	}
	step, end := s.bar("simulating", steps)
	defer end()
	for i := range list {
		list[i].runs = make([]outcome, n)
	}
	err = lab.Parallel(c.Context, c.Int("workers"), n*len(list), func(ctx context.Context, i int) error {
		x := &list[i%len(list)]
		m := &simulation{on: x.on, policies: x.policies, seed: c.Uint64("seed") + uint64(i/len(list)), progress: step}
		var err error
		x.runs[i/len(list)], err = m.run(ctx, w)
		return err
	})
	if err != nil {
		return err
	}
	end()
	for i := range list {
		s.warnFarOff(w, list[i].on, &list[i].runs[0])
	}
	if drawing.plot != nil {
		err := drawing.plot.make(func(name string) error { return lab.Draw(comparePlot(w, list), name) })
		if err != nil {
			return err
		}
	}
	if c.Bool("json") {
		return s.json(compareJSON(list))
	}
	return s.printComparison(w, list, n)
}

// contenders loads the trace and returns every combination of the schedulers and sizes.
func (s *session) contenders(c *urfave.Context, what string) (*workload, []contender, error) {
	config, err := s.config()
	if err != nil {
		return nil, nil, err
	}
	var all []*policies
	for _, name := range strings.Split(c.String("scheduler"), ",") {
		p, err := s.choose(config, strings.TrimSpace(name), c.String("speculation"))
		if err != nil {
			return nil, nil, err
		}
		all = append(all, p)
	}
	var sizes []int
	for _, word := range strings.FieldsFunc(c.String("sizes"), func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > 100_000 {
			return nil, nil, usageError("--sizes: %q is not a number of nodes from 1 to 100000", word)
		}
		sizes = append(sizes, n)
	}
	w, err := s.load(c, what)
	if err != nil {
		return nil, nil, err
	}
	base, err := clusterOf(c, config, w)
	if err != nil {
		return nil, nil, err
	}
	if sizes == nil {
		sizes = []int{base.nodes}
	}
	var list []contender
	for _, n := range sizes {
		on := *base
		on.nodes = n
		on.names = w.nodes[:min(len(w.nodes), n)]
		for _, p := range all {
			list = append(list, contender{on: &on, policies: p})
		}
	}
	return w, list, nil
}

func (s *session) printComparison(w *workload, list []contender, n int) error {
	first := list[0].runs[0].Result
	var all []outcome
	for i := range list {
		all = append(all, list[i].runs...)
	}
	columns := shown(all...)
	fmt.Fprintf(s.out, "%s: %s (model %s, seed %d)\n", w.name, plural.Of(len(first.Jobs), "job"), first.Model, first.Seed)
	t := tabwriter.NewWriter(s.out, 2, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "scheduler\tnodes\t")
	for _, m := range columns {
		fmt.Fprintf(t, "%s\t", strings.TrimSpace(m.Name+" "+m.Unit))
	}
	fmt.Fprintln(t)
	for i := range list {
		fmt.Fprintf(t, "%s\t%d\t", list[i].policies.name, list[i].on.nodes)
		for _, m := range columns {
			fmt.Fprintf(t, "%s\t", meanText(m, list[i].runs))
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if n > 1 {
		fmt.Fprintf(s.out, "(%d runs each; mean and 95%% confidence interval)\n", n)
	}
	return nil
}

// comparedJSON is a row of a comparison.
type comparedJSON struct {
	Scheduler string         `json:"scheduler"`
	Nodes     int            `json:"nodes"`
	Model     string         `json:"model"`
	Runs      int            `json:"runs"`
	Measures  []intervalJSON `json:"measures"`
}

func compareJSON(list []contender) []comparedJSON {
	out := make([]comparedJSON, len(list))
	for i, x := range list {
		out[i] = comparedJSON{x.policies.name, x.on.nodes, x.on.model, len(x.runs), intervals(x.runs)}
	}
	return out
}

// comparePlot returns a plot of job durations. It shows distributions or, with repetitions, means
// with error bars.
func comparePlot(w *workload, list []contender) lab.Plot {
	p := lab.Plot{Title: w.name, X: "s from submission to end", Y: "share of jobs", Kind: lab.CDF}
	if len(list[0].runs) > 1 {
		p = lab.Plot{Title: w.name, Y: "mean job time, s", Kind: lab.Bars, Series: make([]lab.Series, 1)}
	}
	for i := range list {
		x := &list[i]
		name := fmt.Sprintf("%s, %d nodes", x.policies.name, x.on.nodes)
		if p.Kind == lab.CDF {
			p.Series = append(p.Series, lab.Series{Name: name, X: lab.Durations(x.runs[0].Result)})
			continue
		}
		m := lab.Measures[1].Over(results(x.runs))
		s := &p.Series[0]
		s.Labels, s.Y, s.Low, s.High = append(s.Labels, name), append(s.Y, m.Mean), append(s.Low, m.Low()),
			append(s.High, m.High())
	}
	return p
}
