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
		Name: "run", Usage: "run an application, or ./a-binary of your own; alone it lists the applications",
		ArgsUsage: "APP|./BINARY [generic options] ARGS...", HideHelpCommand: true,
		Description: "With no JobTracker configured the application runs in this process on all cores.",
		Flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "q", Usage: "print results and errors only"},
			jsonFlag(),
			&urfave.BoolFlag{Name: "kill-on-interrupt", Usage: "Ctrl-C kills a cluster's job instead of leaving it there"},
		},
		Action: s.run,
		BashComplete: func(c *urfave.Context) {
			if c.Args().Len() == 0 {
				for _, a := range applications() {
					fmt.Fprintln(s.out, a.Name)
				}
			}
		},
	}
}

// applications lists the bundled ones by name.
func applications() []*mapreduce.App {
	var out []*mapreduce.App
	for _, p := range apps.All() {
		out = append(out, p.App())
	}
	slices.SortFunc(out, func(a, b *mapreduce.App) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func (s *session) run(c *urfave.Context) error {
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
	args, err := s.takeGeneric(args)
	if err != nil {
		return err
	}
	if len(args) == 1 && slices.Contains([]string{"--help", "-help", "-h"}, args[0]) {
		_, err := fmt.Fprintf(s.out, "%s: %s\nusage: howdah run %s [generic options] %s\n", app.Name, app.Short, app.Name, app.Usage)
		return err
	}
	return s.runApplication(c, app, args)
}

func (s *session) runApplication(c *urfave.Context, app *mapreduce.App, args []string) error {
	cfg, err := s.config()
	if err != nil {
		return err
	}
	return mrclient.Run(c.Context, cfg, display(c).Log(s.err), runner.Unsent, func(ctx context.Context, in *mrclient.InUse) error {
		return s.runOn(ctx, c, in, app, args, cfg)
	})
}

// runOn runs an application where cfg points to.
func (s *session) runOn(ctx context.Context, c *urfave.Context, mrCluster *mrclient.InUse, app *mapreduce.App, args []string, cfg *conf.Config) error {
	if binary, err := s.ownVersion(mrCluster, cfg); err != nil {
		return err
	} else if binary != "" {
		words := []string{"run"}
		for _, flag := range []string{"q", "json", "kill-on-interrupt"} {
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

// display reads the options that say how jobs are shown.
func display(c *urfave.Context) runner.Display {
	return runner.Display{Quiet: c.Bool("q"), JSON: c.Bool("json"), KillOnInterrupt: c.Bool("kill-on-interrupt")}
}

func application(name string) *mapreduce.App {
	for _, a := range applications() {
		if a.Name == name {
			return a
		}
	}
	return nil
}

// notHere says of programs that Hadoop has why there are none here.
var notHere = map[string]string{
	"dbcount":           "it counts in a Java database that it brings along",
	"loadgen":           "sleep and dfsio make load",
	"threadedmapbench":  "it measures how one Java process sorts in threads",
	"testbigmapoutput":  "randomwriter and sort move large map outputs",
	"MRReliabilityTest": "it kills Java daemons",
	"fail":              "howdah job -fail-task fails attempts",
	"largesorter":       "randomwriter and sort move large records",
}

func unknownApplication(name string) error {
	if why := notHere[name]; why != "" {
		return failure.New(failure.Usage, "run", name, errors.New("Hadoop's program of this name is not here: "+why)).Fix("howdah run lists the applications")
	}
	var there []string
	for _, a := range applications() {
		there = append(there, a.Name)
	}
	return arguments.Unknown("application", name, there, "howdah run")
}

func (s *session) listApplications() error {
	fmt.Fprintln(s.out, "Applications (howdah run NAME --help tells the arguments):")
	w := tabwriter.NewWriter(s.out, 0, 8, 2, ' ', 0)
	for _, a := range applications() {
		fmt.Fprintf(w, "  %s\t%s\n", a.Name, a.Short)
	}
	return w.Flush()
}

// runBinary hands over to a program that calls howdah.Main: this process becomes it.
func (s *session) runBinary(c *urfave.Context, name string, args []string) error {
	path, err := exec.LookPath(name)
	if err != nil {
		return failure.New(failure.NotFound, "run", name, err).Fix("give the path of an executable file")
	}
	err = syscall.Exec(path, append(append([]string{path}, s.genericArgs()...), args...), display(c).Environ())
	return failure.New(failure.KindOf(err), "run", path, err).Fix("it must be a program for this machine")
}

// genericArgs writes the generic options out again, for another program.
func (s *session) genericArgs() []string {
	var out []string
	if s.generic.ConfigDir != "" {
		out = append(out, "--config", s.generic.ConfigDir)
	}
	for _, f := range s.generic.Files {
		out = append(out, "-conf", f)
	}
	for _, p := range s.generic.Set {
		out = append(out, "-D", p.Name+"="+p.Value)
	}
	return out
}
