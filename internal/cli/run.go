package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/apps"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/internal/arguments"
	"github.com/howdah/howdah/internal/runner"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	mrclient "github.com/howdah/howdah/mrcluster/client"
)

func (s *session) runCommand() *urfave.Command {
	return &urfave.Command{
		Name: "run", Usage: "run an application or your own ./BINARY; without arguments, list the " +
			"applications",
		ArgsUsage: "APP|./BINARY [generic options] ARGS...", HideHelpCommand: true,
		Description: "If no JobTracker is configured, the application runs in this process on all cores. An " +
			"example:\nhowdah run wordcount -D mapreduce.job.reduces=2 books counts",
		Flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "q", Usage: "print only results and errors"},
			arguments.JSONFlag(),
			&urfave.BoolFlag{Name: "kill-on-interrupt", Usage: "kill the job on Ctrl-C instead of leaving " +
				"it running on the cluster"},
			&urfave.StringFlag{Name: "counters", Usage: "with `all`, print all counters of small jobs, even on a terminal"},
		},
		Action: s.run,
	}
}

// applications returns the bundled applications, sorted by name.
func applications() []*mapreduce.App {
	var out []*mapreduce.App
	for _, p := range apps.All() {
		out = append(out, p.App())
	}
	slices.SortFunc(out, func(a, b *mapreduce.App) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func (s *session) run(c *urfave.Context) error {
	if which := c.String("counters"); which != "" && which != "all" {
		return usageError("--counters=%s: want all", which)
	}
	if c.Args().Len() == 0 && c.Bool("json") {
		return usageError("howdah run --json needs an application")
	}
	if c.Args().Len() == 0 {
		return s.listApplications()
	}
	name, args := c.Args().First(), c.Args().Tail()
	if strings.ContainsRune(name, os.PathSeparator) {
		return s.runBinary(c, name, args)
	}
	app := application(name)
	if app == nil {
		return unknownApplication(name)
	}
	return s.start(c, app, args)
}

// start runs an application with its own arguments, which generic options may precede, or prints
// the application's help.
func (s *session) start(c *urfave.Context, app *mapreduce.App, args []string) error {
	args, err := s.takeGeneric(args)
	if err != nil {
		return err
	}
	if runner.AsksForHelp(args) {
		_, err := fmt.Fprintf(s.out, "%s: %s\nusage: howdah run %s [generic options] %s\n", app.Name, app.Short,
			app.Name, app.Usage)
		return err
	}
	if err := misplaced(app.Name, args); err != nil {
		return err
	}
	cfg, err := s.config()
	if err != nil {
		return err
	}
	return mrclient.Run(c.Context, cfg, display(c).Log(s.err), runner.Unsent,
		func(ctx context.Context, in *mrclient.InUse) error {
			return s.runOn(ctx, c, in, app, args, cfg)
		})
}

// runOn runs an application on the cluster that cfg specifies. If ownVersion finds the MR-cluster's
// own version of howdah, runOn runs that version as the client.
func (s *session) runOn(ctx context.Context, c *urfave.Context, mrCluster *mrclient.InUse, app *mapreduce.App,
	args []string, cfg *conf.Config) error {
	if binary, err := s.ownVersion(mrCluster, cfg); err != nil {
		return err
	} else if binary != "" {
		words := []string{"run"}
		for _, flag := range displayFlags {
			if c.Bool(flag) {
				words = append(words, "--"+flag)
			}
		}
		return s.runBy(ctx, mrCluster, binary, words, append([]string{app.Name}, args...))
	}
	fs, err := schemes.Resolver(cfg, schemes.Warn(s.err))
	if err != nil {
		return err
	}
	defer fs.Close()
	err = display(c).Run(ctx, app, args, cfg, fs, s.out, s.err)
	if runner.Told(err) {
		return silent{failure.KindOf(err).ExitCode()}
	}
	return err
}

// displayFlags are the options of howdah run that display reads.
var displayFlags = []string{"q", "json", "kill-on-interrupt"}

// misplaced returns an error if an application's arguments contain a generic option or an option of
// howdah run. No application has an option of the same name.
func misplaced(app string, args []string) error {
	for _, arg := range args {
		name := strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-")
		switch {
		case name != arg && slices.Contains(displayFlags, name):
			return failure.New(failure.Usage, "run", app, errors.New(arg+" is an option of howdah run")).
				Fix("write it before the application: howdah run " + arg + " " + app + " ...")
		case conf.IsGeneric(arg):
			return failure.New(failure.Usage, "run", app, errors.New(arg+" is a generic option")).
				Fix("write generic options before the arguments of " + app + ": howdah run " + app + " " + arg + " ...")
		}
	}
	return nil
}

// display returns the settings that determine how jobs are displayed, as the options specify them.
func display(c *urfave.Context) runner.Display {
	return runner.Display{Quiet: c.Bool("q"), JSON: c.Bool("json"), KillOnInterrupt: c.Bool("kill-on-interrupt"),
		AllCounters: c.String("counters") == "all"}
}

func application(name string) *mapreduce.App {
	for _, a := range applications() {
		if a.Name == name {
			return a
		}
	}
	return nil
}

// notHere explains why some of Hadoop's example programs are not available.
var notHere = map[string]string{
	"dbcount":           "it needs a bundled Java database",
	"loadgen":           "use sleep or dfsio to generate load",
	"threadedmapbench":  "it measures the sort threads of one Java process",
	"testbigmapoutput":  "use randomwriter and sort for large map outputs",
	"MRReliabilityTest": "it kills Java daemons",
	"fail":              "use howdah job -fail-task to fail attempts",
	"largesorter":       "use randomwriter and sort for large records",
}

func unknownApplication(name string) error {
	if why := notHere[name]; why != "" {
		return failure.New(failure.Usage, "run", name,
			errors.New("howdah does not have this Hadoop program: "+why)).Fix("howdah run lists the applications")
	}
	if _, err := exec.LookPath("./" + name); err == nil {
		return failure.New(failure.Usage, "find application", name, errors.New("unknown application")).
			Fix("did you mean ./" + name + "?")
	}
	var there []string
	for _, a := range applications() {
		there = append(there, a.Name)
	}
	return arguments.Unknown("application", name, there, "howdah run")
}

func (s *session) listApplications() error {
	fmt.Fprintln(s.out, "Applications (howdah run NAME --help lists the arguments):")
	w := tabwriter.NewWriter(s.out, 0, 8, 2, ' ', 0)
	for _, a := range applications() {
		fmt.Fprintf(w, "  %s\t%s\n", a.Name, a.Short)
	}
	return w.Flush()
}

// runBinary replaces this process with a program that calls howdah.Main.
func (s *session) runBinary(c *urfave.Context, name string, args []string) error {
	path, err := exec.LookPath(name)
	if err != nil {
		return failure.New(failure.NotFound, "run", name, err).Fix("use the path of an executable file")
	}
	err = syscall.Exec(path, append(append([]string{path}, s.generic.Args()...), args...), display(c).Environ())
	return failure.New(failure.KindOf(err), "run", path, err).Fix("the file must be a program for this " +
		"machine")
}
