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
				Name: "list", Usage: "list the experiments and what each claims",
				Flags:  []urfave.Flag{&urfave.BoolFlag{Name: "json", Usage: "print JSON, for scripts"}},
				Action: s.listExperiments,
			},
			{
				Name: "run", Usage: "run experiments; exit code 1 if a relation does not hold", ArgsUsage: "ID...|all",
				Flags: []urfave.Flag{
					&urfave.BoolFlag{Name: "quick", Usage: "fewer repetitions"},
					&urfave.BoolFlag{Name: "real", Usage: "on real nodes of this machine instead of in the simulator"},
					&urfave.StringFlag{Name: "out", Usage: "write tables, plots, seeds and settings below `DIR`"},
					&urfave.BoolFlag{Name: "replace", Usage: "put results in the place of those that DIR has of the same experiment"},
					&urfave.Uint64Flag{Name: "seed", Value: 1, Usage: "of every random stream"},
					&urfave.IntFlag{Name: "workers", Value: runtime.NumCPU(), Usage: "simulations at the same time"},
					&urfave.BoolFlag{Name: "json", Usage: "print JSON, for scripts"},
				},
				Action: s.runExperiments,
			},
			{
				Name: "diff", Usage: "compare what two runs left in their directories; exit code 1 if they differ", ArgsUsage: "A B",
				Action: s.diffExperiments,
			},
			{
				Name: "report", Usage: "write a Markdown page about what runs left in their directories", ArgsUsage: "DIR...",
				Flags:  []urfave.Flag{&urfave.StringFlag{Name: "page", Value: "experiments.md", Usage: "the page's `FILE`; plots go into a folder of its name"}},
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

// chosen gives the experiments that arguments name; "all" leaves out those that have no such run.
func chosen(args []string, real bool) ([]*lab.Experiment, error) {
	var out []*lab.Experiment
	if len(args) == 1 && args[0] == "all" {
		for _, e := range experiments.All() {
			if !real && e.Sim != nil || real && e.Real != nil {
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
		if real && e.Real == nil {
			return nil, failure.New(failure.Usage, "run experiment", e.ID, lab.ErrNoSuchRun).Fix("leave --real out")
		}
		out = append(out, e)
	}
	if len(out) == 0 {
		return nil, failure.New(failure.Usage, "run experiment", "", errors.New("no experiment is named")).Fix("name some, or all; howdah experiment list lists them")
	}
	return out, nil
}

func (s *session) runExperiments(c *urfave.Context) error {
	if c.Bool("quick") && c.Bool("real") {
		return usageError("--quick and --real exclude each other: a real run takes its time")
	}
	list, err := chosen(c.Args().Slice(), c.Bool("real"))
	if err != nil {
		return err
	}
	if err := checkWorkers(c); err != nil {
		return err
	}
	o := lab.Options{Quick: c.Bool("quick"), Real: c.Bool("real"), Seed: c.Uint64("seed"), Workers: c.Int("workers"), Dir: c.String("out"), Revision: revision()}
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

// keepsResults refuses to write over the results of another run.
func keepsResults(list []*lab.Experiment, o *lab.Options, replace bool) error {
	for _, e := range list {
		dir := o.ResultDir(e)
		if dir == "" || replace {
			continue
		}
		there, err := os.ReadDir(dir)
		switch {
		case len(there) > 0:
			return failure.New(failure.Exists, "write results", dir, errors.New("results of a run are there already")).Fix("name another directory, or say --replace")
		case err != nil && !errors.Is(err, os.ErrNotExist):
			return failure.New(failure.KindOf(err), "write results", dir, err)
		}
	}
	return nil
}

// howdah finds the runtime's executable: beside this one.
func howdah() (string, error) {
	exe, err := os.Executable()
	if err == nil {
		file := filepath.Join(filepath.Dir(exe), "howdah")
		if _, err = os.Stat(file); err == nil {
			return file, nil
		}
	}
	return "", failure.New(failure.NotFound, "find howdah", "", err).Fix("make build leaves howdah and howdah-lab side by side")
}

// revision is that of the source this program was built from: the one that the compiler noted, else howdah's version.
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
		return usageError("name two directories: howdah experiment diff A B")
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

Written by ` + "`howdah experiment report`" + ` from what ` + "`howdah experiment run`" + ` left. Each part has the paper's claim, the tables of the run, and
whether the relation that the claim stands for holds here. Percentages of the papers' testbeds are no targets; relations are.
`

func (s *session) reportExperiments(c *urfave.Context) error {
	if c.Args().Len() == 0 {
		return usageError("name a directory that howdah experiment run --out made")
	}
	return lab.WritePage(c.String("page"), preface, c.Args().Slice()...)
}
