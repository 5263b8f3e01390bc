package lab

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/internal/arguments"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/profile"
)

func (s *session) simProfile() *urfave.Command {
	return &urfave.Command{
		Name: "profile", Usage: "analyze the durations of a trace's phases: percentiles, fits, and " +
			"similarity of a job's runs",
		ArgsUsage: "TRACE",
		Flags: append([]urfave.Flag{
			&urfave.BoolFlag{Name: "jobs", Usage: "analyze each job separately, not jobs of the same name " +
				"together"},
			&urfave.BoolFlag{Name: "fit", Usage: "show the distribution that fits each phase best"},
			&urfave.BoolFlag{Name: "divergence", Usage: "show the Kullback-Leibler divergence between jobs " +
				"of the same name, and between names"},
			&urfave.IntFlag{Name: "bins", Usage: "number of bins for the divergence", Value: 50},
			&urfave.Float64Flag{Name: "epsilon", Usage: "probability of an empty bin", Value: 1e-6},
			dbFlag(), arguments.JSONFlag(),
		}, importFlags()...),
		Action: s.profileSim,
	}
}

// group is a set of jobs whose tasks are analyzed together.
type group struct {
	name string
	jobs []*trace.Job
}

func (s *session) profileSim(c *urfave.Context) error {
	what, err := oneTrace(c)
	if err != nil {
		return err
	}
	if c.Int("bins") < 2 || c.Int("bins") > 100_000 || !(c.Float64("epsilon") > 0 && c.Float64("epsilon") < 1) {
		return usageError("--bins=%d --epsilon=%g: want 2 to 100000 bins and an epsilon between 0 and 1", c.Int("bins"),
			c.Float64("epsilon"))
	}
	w, err := s.load(c, what)
	if err != nil {
		return err
	}
	groups, err := grouped(c, w)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return s.json(profilesJSON(groups, c.Bool("fit")))
	}
	if err := s.printProfiles(groups); err != nil {
		return err
	}
	if c.Bool("fit") {
		if err := s.printFits(groups); err != nil {
			return err
		}
	}
	if c.Bool("divergence") {
		return s.printDivergence(groups, profile.Divergence{Bins: c.Int("bins"), Epsilon: c.Float64("epsilon")})
	}
	return nil
}

// grouped groups the jobs of a trace by name or, with --jobs, by ID, in order of appearance.
func grouped(c *urfave.Context, w *workload) ([]*group, error) {
	byName := map[string]*group{}
	var list []*group
	err := w.each(c.Context, func(j *trace.Job) error {
		name := j.Name
		if c.Bool("jobs") || name == "" {
			name = j.ID
		}
		g := byName[name]
		if g == nil {
			g = &group{name: name}
			byName[name] = g
			list = append(list, g)
		}
		g.jobs = append(g.jobs, j)
		return nil
	})
	return list, err
}

func (s *session) printProfiles(groups []*group) error {
	t := tabwriter.NewWriter(s.out, 2, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "jobs\tphase (s)\ttasks\tmean\tdeviation\tmin\t25%\tmedian\t75%\t95%\t99%\tmax\t")
	for _, g := range groups {
		phases := profile.Of(g.jobs...)
		for i, d := range phases.List() {
			if len(d) == 0 {
				continue
			}
			x := profile.Summarize(d)
			fmt.Fprintf(t, "%s\t%s\t%d\t%s\t\n", cut(g.name, 24), profile.Names[i], x.N,
				inSeconds(x.Mean, x.Deviation, x.Min, x.P25, x.Median, x.P75, x.P95, x.P99, x.Max))
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(s.out, "\nhowdah.job.profile:")
	for _, g := range groups {
		fmt.Fprintf(s.out, "%s\t%s\n", g.name, profile.Of(g.jobs...).Estimate())
	}
	return nil
}

func inSeconds(ms ...float64) string {
	words := make([]string, len(ms))
	for i, x := range ms {
		words[i] = fmt.Sprintf("%.2f", x/1000)
	}
	return strings.Join(words, "\t")
}

func (s *session) printFits(groups []*group) error {
	fmt.Fprintln(s.out)
	t := tabwriter.NewWriter(s.out, 2, 8, 2, ' ', 0)
	fmt.Fprintln(t, "jobs\tphase\tdistribution (ms)\tKS\tlog-likelihood\tAIC")
	for _, g := range groups {
		for i, d := range profile.Of(g.jobs...).List() {
			for _, f := range profile.Fits(d) {
				fmt.Fprintf(t, "%s\t%s\t%s\t%.4f\t%.1f\t%.1f\n", cut(g.name, 24), profile.Names[i], f.Dist, f.KS,
					f.LogLikelihood, f.AIC)
			}
		}
	}
	return t.Flush()
}

// extent contains a minimum, a mean, and a maximum.
type extent struct {
	n              int
	low, sum, high float64
}

func (e *extent) add(x float64) {
	if math.IsNaN(x) {
		return
	}
	if e.n == 0 || x < e.low {
		e.low = x
	}
	e.high = max(e.high, x)
	e.sum += x
	e.n++
}

func (e *extent) String() string {
	if e.n == 0 {
		return "-\t-\t-"
	}
	return fmt.Sprintf("%.2f\t%.2f\t%.2f", e.low, e.sum/float64(e.n), e.high)
}

// maxPairs is the maximum number of runs of one name, and the maximum number of names, that
// printDivergence compares with each other.
const maxPairs = 50

// printDivergence prints SIM's Table I. It compares the first maxPairs runs of each name with each
// other, and likewise the first maxPairs names.
func (s *session) printDivergence(groups []*group, d profile.Divergence) error {
	fmt.Fprintf(s.out, "\nKullback-Leibler divergence (%d bins, epsilon %g)\n", d.Bins, d.Epsilon)
	t := tabwriter.NewWriter(s.out, 2, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "jobs\truns\tmap min\tmean\tmax\tshuffle min\tmean\tmax\treduce min\tmean\tmax\t")
	for _, g := range groups {
		var list []*profile.Phases
		for _, j := range g.jobs[:min(len(g.jobs), maxPairs)] {
			list = append(list, profile.Of(j))
		}
		printPairs(t, cut(g.name, 24), list, d)
	}
	var names []*profile.Phases
	for _, g := range groups[:min(len(groups), maxPairs)] {
		names = append(names, profile.Of(g.jobs...))
	}
	printPairs(t, "different names", names, d)
	return t.Flush()
}

func printPairs(t *tabwriter.Writer, name string, list []*profile.Phases, d profile.Divergence) {
	var maps, shuffles, reduces extent
	for i, a := range list {
		for _, b := range list[i+1:] {
			maps.add(d.Between(a.Map, b.Map))
			shuffles.add(d.Between(append(a.First[:len(a.First):len(a.First)], a.Typical...),
				append(b.First[:len(b.First):len(b.First)], b.Typical...)))
			reduces.add(d.Between(a.Reduce, b.Reduce))
		}
	}
	fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t\n", name, len(list), &maps, &shuffles, &reduces)
}

type profileJSON struct {
	Name    string               `json:"name"`
	Jobs    int                  `json:"jobs"`
	Profile string               `json:"profile"` // value for howdah.job.profile
	Phases  map[string]phaseJSON `json:"phases"`
}

type phaseJSON struct {
	Tasks     int       `json:"tasks"`
	Mean      float64   `json:"mean_ms"`
	Deviation float64   `json:"deviation_ms"`
	Min       float64   `json:"min_ms"`
	P25       float64   `json:"p25_ms"`
	Median    float64   `json:"median_ms"`
	P75       float64   `json:"p75_ms"`
	P95       float64   `json:"p95_ms"`
	P99       float64   `json:"p99_ms"`
	Max       float64   `json:"max_ms"`
	Fits      []fitJSON `json:"fits,omitempty"`
}

type fitJSON struct {
	Distribution  string  `json:"distribution"`
	KS            float64 `json:"ks"`
	LogLikelihood float64 `json:"log_likelihood"`
	AIC           float64 `json:"aic"`
}

func profilesJSON(groups []*group, fit bool) []profileJSON {
	out := []profileJSON{}
	for _, g := range groups {
		phases := profile.Of(g.jobs...)
		p := profileJSON{g.name, len(g.jobs), phases.Estimate().String(), map[string]phaseJSON{}}
		for i, d := range phases.List() {
			if len(d) == 0 {
				continue
			}
			x := profile.Summarize(d)
			j := phaseJSON{x.N, x.Mean, x.Deviation, x.Min, x.P25, x.Median, x.P75, x.P95, x.P99, x.Max, nil}
			if fit {
				for _, f := range profile.Fits(d) {
					j.Fits = append(j.Fits, fitJSON{f.Dist.String(), f.KS, f.LogLikelihood, f.AIC})
				}
			}
			p.Phases[profile.Names[i]] = j
		}
		out = append(out, p)
	}
	return out
}
