package lab

import (
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/experiments/scenario"
)

const scenarioOption = "scenario"

func scenarioFlag() urfave.Flag {
	return &urfave.StringFlag{Name: scenarioOption, Usage: "simulate on the cluster or pool of the scenario " +
		"`FILE`, under its schedulers, weights, orchestrators, and co-tenants; each [PART=]TRACE replaces the jobs " +
		"of a part"}
}

// byScenario are the options whose values a scenario contains.
var byScenario = []string{"scheduler", "sizes", "nodes", "map-slots", "reduce-slots", "model", "heartbeat",
	"wait-for-work", "keep-idle-beats", "speculation", "plan"}

// ofOneCluster are the options that need the result of one cluster.
var ofOneCluster = []string{"plot", "plot-kind", "journal", "replace", "keep"}

// simulateScenario simulates traces on the cluster or pool that a scenario describes. most is the
// maximum number of combinations; 0 means no limit.
func (s *session) simulateScenario(c *urfave.Context, most int) error {
	if err := needless(c, "with --scenario, whose file describes the cluster", byScenario...); err != nil {
		return err
	}
	if err := needless(c, "with --scenario; howdah scenario run --out writes plots and journals",
		ofOneCluster...); err != nil {
		return err
	}
	if c.Args().Len() == 0 {
		return usageError("howdah sim %s needs a TRACE; howdah scenario run simulates a scenario's own workload",
			c.Command.Name)
	}
	if err := checkWorkers(c); err != nil {
		return err
	}
	if err := checkDeadlineFactor(c); err != nil {
		return err
	}
	x, err := scenario.Read(c.String(scenarioOption), s.parts)
	if err != nil {
		return err
	}
	if n := len(x.Variants()); most > 0 && n > most {
		return usageError("the scenario has %d combinations; use howdah sim compare", n)
	}
	for _, arg := range c.Args().Slice() {
		if err := s.replay(c, x, arg); err != nil {
			return err
		}
	}
	if err := x.Check(); err != nil {
		return err
	}
	o := scenario.Options{Workers: c.Int("workers"), Revision: revision(), Tell: s.note}
	if c.IsSet("repeat") {
		o.Repeat = c.Int("repeat")
	}
	if c.IsSet("seed") {
		if x.Seed = c.Uint64("seed"); x.Seed == 0 {
			return usageError("--seed=0: want 1 or more")
		}
	}
	if o.Profile, err = x.ReadProfile(""); err != nil {
		return err
	}
	r, err := x.Simulate(c.Context, o)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return s.json(r)
	}
	return r.Print(s.out)
}

// replay replaces a part of the scenario's workload by the trace in arg, which is [PART=]TRACE.
func (s *session) replay(c *urfave.Context, x *scenario.Scenario, arg string) error {
	part, what, ok := strings.Cut(arg, "=")
	if !ok || isFile(arg) {
		part, what = "", arg
	}
	w, err := s.load(c, what)
	if err != nil {
		return err
	}
	return x.Replay(part, w.name, c.Float64("deadline-factor"), w.open)
}
