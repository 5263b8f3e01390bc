package lab

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"text/tabwriter"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/scenario"
	"github.com/howdah/howdah/internal/arguments"
	"github.com/howdah/howdah/internal/plural"
	"github.com/howdah/howdah/job/failure"
)

func (s *session) scenarioCommand() *urfave.Command {
	const file = "SCENARIO"
	return &urfave.Command{
		Name: "scenario", Usage: "run a workload on a cluster that a file describes, simulated or real",
		HideHelpCommand: true,
		Description:     file + " is a YAML file (docs/reference/scenarios.md), or the name of a shipped scenario.",
		Action:          func(c *urfave.Context) error { return urfave.ShowSubcommandHelp(c) },
		Subcommands: []*urfave.Command{
			{Name: "list", Usage: "list the shipped scenarios", Action: s.listScenarios},
			{Name: "show", Usage: "print a shipped scenario, as a start for your own", ArgsUsage: "NAME",
				Action: s.showScenario},
			{Name: "check", Usage: "check scenarios without running them", ArgsUsage: file + "...", Action: s.checkScenarios},
			{
				Name: "run", Usage: "run a scenario; exit code 1 if a job fails", ArgsUsage: file,
				Description: "An example:\nhowdah scenario run --out results deadlines",
				Flags: []urfave.Flag{
					&urfave.BoolFlag{Name: "real", Usage: "run real daemons and jobs on this machine instead of the simulator"},
					&urfave.StringFlag{Name: "testbed", Usage: "with --real, use the running cluster or pool `TESTBED`: " +
						"HOST:PORT, the configuration directory of its clients, or a name"},
					&urfave.StringFlag{Name: "work", Usage: "with --testbed, put inputs and outputs into `DIR`, which all nodes " +
						"can read and write"},
					&urfave.StringFlag{Name: "out", Usage: "write the result and a report to the new directory `DIR`"},
					&urfave.StringFlag{Name: "profile-from", Usage: "take the durations of applications from `RESULT[:VARIANT]`, " +
						"the directory of a real run, or from a job history"},
					&urfave.IntFlag{Name: "repeat", Usage: "run each combination `N` times", DefaultText: "as in the scenario"},
					&urfave.Uint64Flag{Name: "seed", Usage: "seed of the first repetition", DefaultText: "as in the scenario"},
					workersFlag(), arguments.JSONFlag(),
				},
				Action: s.runScenario,
			},
			{
				Name: "compare", Usage: "compare two results, such as a real run and a simulation", ArgsUsage: "RESULT RESULT",
				Flags: []urfave.Flag{
					&urfave.StringFlag{Name: "out", Usage: "write a report to the new directory `DIR`"}, arguments.JSONFlag()},
				Action: s.compareScenarios,
			},
			{
				Name: "suite", Usage: "print a scenario that runs the benchmark applications one after another",
				ArgsUsage:   "[APPLICATION...]",
				Description: "An example:\nhowdah scenario suite --size small wordcount terasort",
				Flags: []urfave.Flag{
					&urfave.StringFlag{Name: "size", Value: "tiny", Usage: "size of the inputs: tiny, small, medium, large, or huge"},
					&urfave.IntFlag{Name: "nodes", Value: 4, Usage: "number of nodes"},
				},
				Action: s.suiteScenario,
			},
		},
	}
}

func (s *session) listScenarios(c *urfave.Context) error {
	if c.Args().Len() > 0 {
		return usageError("howdah scenario list takes no arguments")
	}
	w := tabwriter.NewWriter(s.out, 2, 8, 2, ' ', 0)
	for _, name := range scenario.ShippedNames() {
		x, err := scenario.Read(name, s.parts)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s\t%s\n", name, x.About)
	}
	return w.Flush()
}

// oneScenario returns the command's only argument.
func oneScenario(c *urfave.Context, what string) (string, error) {
	if c.Args().Len() != 1 {
		return "", usageError("howdah scenario %s needs one %s, got %d", c.Command.Name, what, c.Args().Len())
	}
	return c.Args().First(), nil
}

func (s *session) showScenario(c *urfave.Context) error {
	name, err := oneScenario(c, "NAME")
	if err != nil {
		return err
	}
	text, ok := scenario.Shipped(name)
	if !ok {
		_, err := scenario.Read(name, s.parts)
		if err == nil {
			err = usageError("%s is not a shipped scenario", name)
		}
		return err
	}
	_, err = fmt.Fprint(s.out, text)
	return err
}

func (s *session) checkScenarios(c *urfave.Context) error {
	if c.Args().Len() == 0 {
		return usageError("howdah scenario check needs a SCENARIO")
	}
	for _, file := range c.Args().Slice() {
		x, err := scenario.Read(file, s.parts)
		if err == nil {
			err = x.Check()
		}
		if err != nil {
			return err
		}
		where := "in the simulator and on real nodes"
		if err := x.Realizable(); err != nil {
			where = fmt.Sprintf("in the simulator only (%v)", err)
		}
		fmt.Fprintf(s.out, "%s: %s of %s; runs %s\n", x.Name, plural.Of(len(x.Variants()), "combination"),
			plural.Of(len(x.Work), "part"), where)
	}
	return nil
}

func (s *session) runScenario(c *urfave.Context) error {
	file, err := oneScenario(c, "SCENARIO")
	if err != nil {
		return err
	}
	if err := checkWorkers(c); err != nil {
		return err
	}
	o := scenario.Options{Workers: c.Int("workers"), Repeat: c.Int("repeat"), Revision: revision(), Tell: s.note}
	if n := o.Repeat; c.IsSet("repeat") && (n < 1 || n > 100_000) {
		return usageError("--repeat=%d: want 1 to 100000", n)
	}
	x, err := scenario.Read(file, s.parts)
	if err != nil {
		return err
	}
	if c.IsSet("seed") {
		if x.Seed = c.Uint64("seed"); x.Seed == 0 {
			return usageError("--seed=0: want 1 or more")
		}
	}
	if err := x.Check(); err != nil {
		return err
	}
	if o.Profile, err = x.ReadProfile(c.String("profile-from")); err != nil {
		return err
	}
	if o.Testbed, err = s.testbed(c, x); err != nil {
		return err
	}
	run := x.Simulate
	if c.Bool("real") {
		possible := x.Realizable
		if o.Testbed != nil {
			possible = x.Suits
		}
		if err := possible(); err != nil {
			return err
		}
		if o.Binary, err = howdah(); err != nil {
			return err
		}
		run = x.RunReal
	}
	out := c.String("out")
	if out != "" {
		if err := scenario.Directory(out); err != nil {
			return err
		}
	}
	r, err := run(c.Context, o)
	if err != nil {
		return err
	}
	if r.Failed() > 0 {
		s.code = 1
	}
	if out != "" {
		if err := r.Write(out); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		return s.json(r)
	}
	if err := r.Print(s.out); err != nil {
		return err
	}
	if out != "" {
		fmt.Fprintf(s.out, "report: %s/report.html\n", out)
	}
	return nil
}

// testbed returns the testbed that the flags name, or nil.
func (s *session) testbed(c *urfave.Context, x *scenario.Scenario) (*scenario.Testbed, error) {
	name := c.String("testbed")
	switch {
	case name == "" && c.IsSet("work"):
		return nil, usageError("--work needs --testbed")
	case name == "":
		return nil, nil
	case !c.Bool("real"):
		return nil, usageError("--testbed needs --real")
	}
	words, err := testbedOptions(name, x.Pool != nil)
	if err != nil {
		return nil, err
	}
	more, _, err := conf.ParseGeneric(words)
	return &scenario.Testbed{Name: name, Work: c.String("work"), Options: s.generic.And(more)}, err
}

// testbedOptions returns the generic options of a testbed's clients. name is an address, the clients'
// configuration directory, or the name of such a directory in howdah/testbeds of the user's
// configuration directory.
func testbedOptions(name string, pool bool) ([]string, error) {
	if _, _, err := net.SplitHostPort(name); err == nil {
		if pool {
			return []string{"-D", conf.MRClusterManagerAddress.Name + "=" + name}, nil
		}
		return []string{"-jt", name}, nil
	}
	home, _ := os.UserConfigDir()
	named := filepath.Join(home, "howdah", "testbeds", name)
	for _, dir := range []string{name, named} {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return []string{"--config", dir}, nil
		}
	}
	return nil, failure.New(failure.NotFound, "find testbed", name, fmt.Errorf("neither it nor %s is a directory", named)).
		Fix("name HOST:PORT or the configuration directory of the testbed's clients")
}

func (s *session) compareScenarios(c *urfave.Context) error {
	if c.Args().Len() != 2 {
		return usageError("howdah scenario compare needs two results")
	}
	a, err := scenario.ReadResult(c.Args().Get(0))
	if err != nil {
		return err
	}
	b, err := scenario.ReadResult(c.Args().Get(1))
	if err != nil {
		return err
	}
	x, err := scenario.Compare(a, b)
	if err != nil {
		return err
	}
	if out := c.String("out"); out != "" {
		if err := scenario.Directory(out); err != nil {
			return err
		}
		if err := x.Write(out); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		return s.json(x.Tables)
	}
	return x.Print(s.out)
}

func (s *session) suiteScenario(c *urfave.Context) error {
	if n := c.Int("nodes"); n < 1 || n > 64 {
		return usageError("--nodes=%d: want 1 to 64", n)
	}
	text, err := scenario.Suite(c.String("size"), c.Int("nodes"), c.Args().Slice())
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(s.out, text)
	return err
}
