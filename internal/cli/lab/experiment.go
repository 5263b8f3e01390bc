package lab

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"text/tabwriter"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/experiments"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/internal/arguments"
	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/internal/version"
	"github.com/howdah/howdah/job/failure"
)

func (s *session) experimentCommand() *urfave.Command {
	return &urfave.Command{
		Name: "experiment", Usage: "reproduce figures and tables of the papers", HideHelpCommand: true,
		Action: func(c *urfave.Context) error { return urfave.ShowSubcommandHelp(c) },
		Subcommands: []*urfave.Command{
			{
				Name: "list", Usage: "list the experiments and their claims",
				Flags:  []urfave.Flag{&urfave.BoolFlag{Name: "json", Usage: "print JSON for scripts"}},
				Action: s.listExperiments,
			},
			{
				Name: "run", Usage: "run experiments; exit code 1 if a relation does not hold", ArgsUsage: "ID...|all",
				Description: "An example:\nhowdah experiment run --quick --out results DHF-1",
				Flags: []urfave.Flag{
					&urfave.BoolFlag{Name: "quick", Usage: "run fewer repetitions"},
					&urfave.BoolFlag{Name: "real", Usage: "run on real nodes on this machine instead of in " +
						"the simulator"},
					&urfave.StringFlag{Name: "out", Usage: "write tables, plots, seeds, and settings to `DIR`"},
					&urfave.BoolFlag{Name: "replace", Usage: "replace existing results of the same " +
						"experiment in DIR"},
					&urfave.Uint64Flag{Name: "seed", Value: 1, Usage: "seed of every random stream"},
					&urfave.IntFlag{Name: "workers", Value: runtime.NumCPU(), Usage: "number of concurrent " +
						"simulations"},
					&urfave.BoolFlag{Name: "json", Usage: "print JSON for scripts"},
				},
				Action: s.runExperiments,
			},
			{
				Name: "diff", Usage: "compare the results of two runs; exit code 1 if they differ",
				ArgsUsage: "A B",
				Action:    s.diffExperiments,
			},
			{
				Name: "report", Usage: "write a Markdown page with the results of runs", ArgsUsage: "DIR...",
				Flags: []urfave.Flag{&urfave.StringFlag{Name: "page", Value: "experiments.md",
					Usage: "`FILE` of the page; plots go into a directory of the same name"}},
				Action: s.reportExperiments,
			},
		},
	}
}

func (s *session) listExperiments(c *urfave.Context) error {
	type line struct {
		ID       string `json:"id"`
		Paper    string `json:"paper"`
		Item     string `json:"item"`
		Claim    string `json:"claim"`
		Relation string `json:"relation"`
		Real     bool   `json:"real"`
	}
	if c.Bool("json") {
		list := []line{}
		for _, e := range experiments.All() {
			list = append(list, line{e.ID, e.Paper, e.Item, e.Claim, e.Relation, e.Real != nil})
		}
		return s.json(list)
	}
	w := tabwriter.NewWriter(s.out, 2, 8, 2, ' ', 0)
	for _, e := range experiments.All() {
		where := "simulator"
		if e.Real != nil {
			where = "simulator, --real"
		}
		fmt.Fprintf(w, "%s\t%s, %s\t%s\t%s\n", e.ID, e.Paper, e.Item, where, e.Relation)
	}
	return w.Flush()
}

func (s *session) json(v any) error {
	e := json.NewEncoder(s.out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// chosen returns the experiments whose IDs are in args. "all" excludes experiments without a run of
// the requested kind.
func chosen(args []string, onNodes bool) ([]*lab.Experiment, error) {
	var out []*lab.Experiment
	if len(args) == 1 && args[0] == "all" {
		for _, e := range experiments.All() {
			if !onNodes && e.Sim != nil || onNodes && e.Real != nil {
				out = append(out, e)
			}
		}
		return out, nil
	}
	var ids []string
	for _, e := range experiments.All() {
		ids = append(ids, e.ID)
	}
	for _, id := range args {
		e := experiments.Find(id)
		if e == nil {
			return nil, arguments.Unknown("experiment", id, ids, "howdah experiment list")
		}
		if onNodes && e.Real == nil {
			return nil, failure.New(failure.Usage, "run experiment", e.ID, lab.ErrNoSuchRun).Fix("leave --real out")
		}
		out = append(out, e)
	}
	if len(out) == 0 {
		return nil, failure.New(failure.Usage, "run experiment", "",
			errors.New("no experiment named")).Fix("name experiments, or all; howdah experiment list lists " +
			"them")
	}
	return out, nil
}

func (s *session) runExperiments(c *urfave.Context) error {
	if c.Bool("quick") && c.Bool("real") {
		return usageError("--quick and --real cannot be combined")
	}
	list, err := chosen(c.Args().Slice(), c.Bool("real"))
	if err != nil {
		return err
	}
	if err := checkWorkers(c); err != nil {
		return err
	}
	o := lab.Options{Quick: c.Bool("quick"), Real: c.Bool("real"), Seed: c.Uint64("seed"), Workers: c.Int("workers"),
		Dir: c.String("out"), Revision: revision()}
	if err := keepsResults(list, &o, c.Bool("replace")); err != nil {
		return err
	}
	if o.Real {
		if o.Binary, err = howdah(); err != nil {
			return err
		}
	}
	var reports []*lab.Report
	for _, e := range list {
		rep, err := lab.Execute(c.Context, e, o)
		if err != nil {
			return err
		}
		reports = append(reports, rep)
		if !rep.Holds() {
			s.code = 1
		}
		if !c.Bool("json") {
			rep.Print(s.out)
		}
	}
	if c.Bool("json") {
		return s.json(reports)
	}
	return nil
}

// keepsResults returns an error if a run would overwrite the results of another run and replace is
// not set.
func keepsResults(list []*lab.Experiment, o *lab.Options, replace bool) error {
	for _, e := range list {
		dir := o.ResultDir(e)
		if dir == "" || replace {
			continue
		}
		there, err := os.ReadDir(dir)
		switch {
		case len(there) > 0:
			return failure.New(failure.Exists, "write results", dir,
				errors.New("the directory already has results")).Fix("choose another directory, or use " +
				"--replace")
		case err != nil && !errors.Is(err, os.ErrNotExist):
			return failure.New(failure.KindOf(err), "write results", dir, err)
		}
	}
	return nil
}

// howdah returns the path of the howdah executable, which is in the same directory as this one.
func howdah() (string, error) {
	exe, err := os.Executable()
	if err == nil {
		file := filepath.Join(filepath.Dir(exe), "howdah")
		if _, err = os.Stat(file); err == nil {
			return file, nil
		}
	}
	return "", failure.New(failure.NotFound, "find howdah", "",
		err).Fix("howdah and howdah-lab must be in the same directory; run make build")
}

// revision returns the source revision that the compiler recorded in this program, or howdah's
// version if there is no such record.
func revision() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return revisionOf(info.Settings, version.Howdah())
	}
	return version.Howdah()
}

func revisionOf(settings []debug.BuildSetting, otherwise string) string {
	rev, dirty := "", ""
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			rev = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "-dirty"
		}
	}
	if rev == "" {
		return otherwise
	}
	return rev + dirty
}

func (s *session) diffExperiments(c *urfave.Context) error {
	if c.Args().Len() != 2 {
		return usageError("howdah experiment diff needs two directories")
	}
	a, err := lab.ReadReports(c.Args().Get(0))
	if err != nil {
		return err
	}
	b, err := lab.ReadReports(c.Args().Get(1))
	if err != nil {
		return err
	}
	n := 0
	for _, id := range ordered.Keys(a) {
		if b[id] == nil {
			n++
			fmt.Fprintf(s.out, "%s\n  only in %s\n", id, c.Args().Get(0))
			continue
		}
		n += lab.Diff(s.out, a[id], b[id])
	}
	for _, id := range ordered.Keys(b) {
		if a[id] == nil {
			n++
			fmt.Fprintf(s.out, "%s\n  only in %s\n", id, c.Args().Get(1))
		}
	}
	if n > 0 {
		s.code = 1
	}
	return nil
}

const preface = `# The papers' experiments

` + "`howdah experiment report`" + ` writes this page from the results of ` + "`howdah experiment run`" + `. Each
section states a paper's claim and shows the tables of a run. It then lists the relations that
follow from the claim and that the experiment checks. With few exceptions, the experiments do not
check the percentages that a paper measured on its testbed.

- **holds** and **fails** mark the relations that the run checked. The measured values follow in
  parentheses.
- **not reproduced** marks a result of the paper that the run does not reproduce. An explanation or
  the measured values follow.
- **cause isolated** marks the result of another run, which isolates the cause of such a difference.
- A number after ± or +-, or in a column headed +-, is half the width of a 95% confidence interval.
- Sections whose names end in "-real" describe runs on real nodes. All other sections describe
  simulations. Real nodes are network namespaces or daemons on one machine.

The sections use these terms and abbreviations:

- **DHF:** tM and tR are the times that a map and a reduce take. T0 is the time without borrowed
  slots, and T1 is the time with them. In the DHF-5 tables, T1 is the time with the given
  percentages. PI and PD are the PI-DHFS and PD-DHFS policies. The closed form predicts the time of
  a job with NM maps and NR reduces that runs alone: ceil(NM/SM) tM + ceil(NR/SR) tR. SM and SR are
  the numbers of map and reduce slots. With dynamic slots, each phase can use SM + SR slots.
- **FAW:** TR is a transient node, and TC is a transient-core node. An MR-cluster's core consists of
  its core nodes. IP is instant preemption, and DP is delayed preemption. T is the interval at which
  the manager computes the MR-clusters' shares. WC, ST, PR, KM, TT, and AH are the applications
  WordCount, Sort, PageRank, KMeans, TrackerOverTime, and ActiveHashes. In FAW-8 and FAW-9, TT is
  also a policy. In FAW-9, tau is the value of ` + "`howdah.mrcluster.threshold`" + `.
  [How the manager moves nodes](../howto/mr-clusters.md#how-the-manager-moves-nodes) explains the
  policies. R2 is the coefficient of determination of a fitted line.
- **MRO:** REGRESSION and UNIFORM are MROrchestrator's estimators. Runs named "base" do not use
  MROrchestrator. In runs named "control", MROrchestrator makes decisions but does not apply them.
  In runs named "single", each job runs alone. In runs named "multi", all jobs run together. Runs
  named "known demands" use the tasks' exact memory demands instead of estimates.
- **RA:** f(t) is the available capacity at time t. A deadline factor is the time from a job's
  submission to its deadline, divided by the time that the job takes alone on all nodes. It is drawn
  at random from the given range. A cell is one combination of parameters. The lists in RA-!, RA-2,
  RA-3, and RA-4 compare two values in each cell. A negative difference supports the relation. The
  lists count the cells whose difference is significantly below zero, not significantly different
  from zero ("undecided"), or significantly above zero. "largest" is the difference that is least
  favorable to the relation, followed by its cell. "above" names the cells whose difference is
  significantly above zero.
- **SIM:** The "tasks" model simulates tasks, and the "beats" model also simulates heartbeats. df is
  the deadline factor. The time from a job's submission to its deadline is drawn at random between
  T_J and df x T_J, where T_J is the time that the job takes alone with all slots. T_avg and T_up
  are two estimates of a job's time: the average of its bounds and its upper bound. In SIM-1, the
  first shuffles are those of reduces that start before all maps have ended. All other shuffles are
  typical shuffles. In SIM-3 and SIM-4, the model columns show the errors of the jobs' replayed
  times. "shuffle share" is the share of the reduces' time that shuffle and sort take, excluding
  their overlap with the maps.
`

func (s *session) reportExperiments(c *urfave.Context) error {
	if c.Args().Len() == 0 {
		return usageError("name a directory that howdah experiment run --out created")
	}
	return lab.WritePage(c.String("page"), preface, experiments.All(), c.Args().Slice()...)
}
