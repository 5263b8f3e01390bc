package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"text/tabwriter"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/experiments"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/registered"
	"github.com/howdah/howdah/internal/arguments"
	"github.com/howdah/howdah/internal/jsonout"
	"github.com/howdah/howdah/internal/program"
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
				Flags:  []urfave.Flag{arguments.JSONFlag()},
				Action: s.listExperiments,
			},
			{
				Name: "run", Usage: "run experiments; exit code 1 if a relation has the verdict FAILS", ArgsUsage: "ID...|all",
				Description: "An example:\nhowdah experiment run --out results DHF-1",
				Flags: []urfave.Flag{
					&urfave.BoolFlag{Name: "quick", Usage: "run fewer repetitions; a relation that they cannot decide gets the " +
						"expected verdict"},
					&urfave.BoolFlag{Name: "real", Usage: "run on real nodes on this machine instead of in " +
						"the simulator"},
					&urfave.StringFlag{Name: "out", Usage: "write each result to `DIR`/ID/vVERSION-REVISION.json"},
					&urfave.BoolFlag{Name: "paper", Usage: "write the figures beside the paper's values and claims to ID.html, in " +
						"the directory of --out or the current one"},
					&urfave.BoolFlag{Name: "replace", Usage: "replace existing results of the same version and revision"},
					&urfave.StringFlag{Name: "logs", Usage: "keep the logs of failed real runs in `DIR`"},
					&urfave.Uint64Flag{Name: "seed", Value: 1, Usage: "seed of every random stream"},
					&urfave.IntFlag{Name: "workers", Value: runtime.NumCPU(), Usage: "number of concurrent " +
						"simulations"},
					arguments.JSONFlag(),
				},
				Action: s.runExperiments,
			},
			{
				Name: "diff", Usage: "compare the results of two revisions; exit code 1 if they differ",
				ArgsUsage: "REVISION REVISION",
				Flags:     []urfave.Flag{resultsFlag},
				Action:    s.diffExperiments,
			},
			{
				Name: "page", Usage: "write Markdown pages with the results",
				Flags: []urfave.Flag{resultsFlag, &urfave.StringFlag{Name: "out", Value: "docs/reference",
					Usage: "write experiments.md, artifact.md, and the folder experiments to `DIR`"}},
				Action: s.pageExperiments,
			},
		},
	}
}

var resultsFlag = &urfave.StringFlag{Name: "results", Value: "experiments/results",
	Usage: "`DIR` to which howdah experiment run --out wrote results"}

// experimentJSON is an experiment in the output of list --json.
type experimentJSON struct {
	ID    string `json:"id"`
	Paper string `json:"paper"`
	Item  string `json:"item"`
	Claim string `json:"claim"`
	Real  bool   `json:"real"`
}

func (s *session) listExperiments(c *urfave.Context) error {
	list := []experimentJSON{}
	for _, e := range experiments.All() {
		g, err := registered.Of(e.ID)
		if err != nil {
			return err
		}
		list = append(list, experimentJSON{e.ID, e.Paper, g.Item, g.Claim, e.Real != nil})
	}
	if c.Bool("json") {
		return s.json(list)
	}
	w := tabwriter.NewWriter(s.out, 2, 8, 2, ' ', 0)
	for _, x := range list {
		where := "simulator"
		if x.Real {
			where = "simulator, --real"
		}
		fmt.Fprintf(w, "%s\t%s, %s\t%s\t%s\n", x.ID, x.Paper, x.Item, where, x.Claim)
	}
	return w.Flush()
}

func (s *session) json(v any) error { return jsonout.Write(s.out, v) }

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
	if c.Bool("quick") && (c.Bool("real") || c.String("out") != "") {
		return usageError("--quick cannot be combined with --real or --out")
	}
	list, err := chosen(c.Args().Slice(), c.Bool("real"))
	if err != nil {
		return err
	}
	if err := checkWorkers(c); err != nil {
		return err
	}
	o := lab.Options{Quick: c.Bool("quick"), Real: c.Bool("real"), Seed: c.Uint64("seed"), Workers: c.Int("workers"),
		Logs: c.String("logs"), Revision: revision()}
	if o.Real {
		if o.Binary, err = howdah(); err != nil {
			return err
		}
	}
	text := s.out
	if c.Bool("json") {
		text = io.Discard
	}
	results, err := s.execute(c.Context, text, list, registered.Of, o, func(r *lab.Result) error {
		if c.Bool("paper") {
			if err := writeBeside(text, r, c.String("out")); err != nil {
				return err
			}
		}
		if c.String("out") == "" {
			return nil
		}
		_, err := r.Keep(c.String("out"), c.Bool("replace"))
		return err
	})
	if c.Bool("json") && results != nil {
		err = errors.Join(err, s.json(results))
	}
	return err
}

// writeBeside writes the figures of a result beside the paper's statements to a file in dir and prints
// the file's path.
func writeBeside(w io.Writer, r *lab.Result, dir string) error {
	file := filepath.Join(dir, r.FileName()+".html")
	var page bytes.Buffer
	if err := r.Beside(&page); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return failure.New(failure.KindOf(err), "write page", file, err)
	}
	if err := os.WriteFile(file, page.Bytes(), 0o644); err != nil {
		return failure.New(failure.KindOf(err), "write page", file, err)
	}
	_, err := fmt.Fprintf(w, "figures beside the paper's: %s\n\n", file)
	return err
}

// execute runs experiments, prints their results to w, and keeps those that are valid. It sets the
// exit code if an experiment failed. An experiment that fails, or whose result cannot be kept, does
// not prevent the others from running.
func (s *session) execute(ctx context.Context, w io.Writer, list []*lab.Experiment,
	registration func(id string) (*lab.Registration, error), o lab.Options, keep func(*lab.Result) error,
) (results []*lab.Result, err error) {
	var unkept []error
	for _, e := range list {
		g, err := registration(e.ID)
		if err != nil {
			return nil, err
		}
		r, err := lab.Execute(ctx, e, g, o)
		if err != nil {
			return nil, err
		}
		results = append(results, r)
		r.Print(w)
		if r.Failed() {
			s.code = 1
		}
		if r.Error == "" {
			unkept = append(unkept, keep(r))
		}
	}
	return results, errors.Join(unkept...)
}

// howdah returns the path of the howdah executable, which is in the same directory as this one.
func howdah() (string, error) {
	return program.Beside("howdah", "howdah and howdah-lab must be in the same directory; run make build")
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
		return usageError("howdah experiment diff needs two revisions")
	}
	results, err := lab.ReadResults(c.String("results"))
	if err != nil {
		return err
	}
	for _, rev := range c.Args().Slice() {
		if !slices.ContainsFunc(results, func(r *lab.Result) bool { return strings.HasPrefix(r.Revision, rev) }) {
			return failure.New(failure.NotFound, "compare revisions", rev, errors.New("it has no results"))
		}
	}
	if lab.Diff(s.out, results, c.Args().Get(0), c.Args().Get(1)) > 0 {
		s.code = 1
	}
	return nil
}

func (s *session) pageExperiments(c *urfave.Context) error {
	if c.Args().Present() {
		return usageError("howdah experiment page takes no arguments")
	}
	site, err := experiments.Site(c.String("results"))
	if err != nil {
		return err
	}
	return site.Write(c.String("out"))
}
