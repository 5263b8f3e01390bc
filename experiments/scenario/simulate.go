package scenario

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/internal/plural"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker/daemon"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/orchestrator"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/adaptive"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/scheduler/speculation"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/replay"
	"github.com/howdah/howdah/simulator/trace"
)

// Options configures a run.
type Options struct {
	Profile  *Profile // durations of applications; nil = none
	Repeat   int      // repetitions; 0 = those of the scenario
	Workers  int      // simultaneous simulations; 0 = 1
	Binary   string   // path of the howdah executable, for real runs
	Testbed  *Testbed // on which real runs take place; nil = one of their own on this machine
	Revision string
	// Tell, if not nil, receives messages about the progress of a run.
	Tell func(format string, args ...any)
}

func (o *Options) tell(format string, args ...any) {
	if o.Tell != nil {
		o.Tell(format, args...)
	}
}

// newResult returns a result without runs.
func (s *Scenario) newResult(o *Options, real bool, place string) *Result {
	r := &Result{Version: resultVersion, Scenario: s.Name, About: s.About, Real: real, Place: place, Nodes: s.nodesText(),
		Revision: o.Revision, Seed: s.Seed, Started: time.Now().UnixMilli(), Text: s.Text, Measures: s.Measures,
		files:     map[string][]byte{},
		Machine:   fmt.Sprintf("%s/%s, %d cores", runtime.GOOS, runtime.GOARCH, runtime.NumCPU()),
		Durations: map[string]string{}}
	for i := range s.Work {
		w := &s.Work[i]
		switch {
		case !w.IsApplication():
			r.Durations[w.Name] = cmp.Or(w.Trace, w.Generate)
		case real:
			r.Durations[w.Name] = "real application"
		default:
			r.Durations[w.Name] = o.Profile.about(w)
		}
	}
	for _, v := range s.Variants() {
		r.Variants = append(r.Variants, VariantResult{Name: s.variantName(v), Scheduler: v.Scheduler, Weights: v.Weights,
			Orchestrator: v.Orchestrator})
	}
	return r
}

func (s *Scenario) nodesText() string {
	t := fmt.Sprintf("%s with %d map and %d reduce slots each", plural.Of(s.Nodes.Count, "node"), s.Nodes.Slots[0],
		s.Nodes.Slots[1])
	if s.Nodes.Cores > 0 {
		t += fmt.Sprintf(", %g cores", s.Nodes.Cores)
	}
	if s.Nodes.Memory > 0 {
		t += ", " + sizeText(s.Nodes.Memory)
	}
	return t
}

// slots returns the number of slots of all nodes, by kind.
func (s *Scenario) slots() [2]int64 {
	return [2]int64{int64(s.Nodes.Slots[0]) * int64(s.Nodes.Count), int64(s.Nodes.Slots[1]) * int64(s.Nodes.Count)}
}

// settings returns the settings of a variant's daemons as key=value, without those that only real
// daemons need. @DIR@ stands for the directory of the scenario's files.
func (s *Scenario) settings(v Variant) []string {
	set := []string{conf.JobTrackerTaskScheduler.Name + "=" + v.Scheduler,
		"howdah.speculation=" + s.Nodes.Speculation, "howdah.orchestrator=" + v.orchestrates(),
		fmt.Sprintf("howdah.jobtracker.heartbeat.interval.min=%d", s.Nodes.Heartbeat),
		conf.TaskTrackerMapTasksMaximum.Name + "=" + strconv.Itoa(int(s.Nodes.Slots[0])),
		conf.TaskTrackerReduceTasksMaximum.Name + "=" + strconv.Itoa(int(s.Nodes.Slots[1]))}
	if s.parts.estimator(v.Orchestrator) != nil {
		set = append(set, conf.OrchestratorEstimatorOwn.Name+"="+v.Orchestrator)
	}
	if p := s.Pool; p != nil {
		set = append(set, fmt.Sprintf("howdah.mrcluster.interval.ms=%d", p.Interval),
			fmt.Sprintf("howdah.mrcluster.idle.ms=%d", p.Idle), "howdah.mrcluster.grow="+p.Grow,
			fmt.Sprintf("howdah.mrcluster.sample.ms=%d", min(5000, max(100, p.Interval/5))),
			fmt.Sprintf("howdah.mrcluster.heartbeat.ms=%d", s.Nodes.Heartbeat), "howdah.mrcluster.retry.ms=1000",
			fmt.Sprintf("howdah.mrcluster.threshold=%g", p.threshold()))
	}
	if s.foretold() != nil {
		set = append(set, capacitySetting())
	}
	for _, k := range ordered.Keys(s.Nodes.Settings) {
		set = append(set, k+"="+s.Nodes.Settings[k])
	}
	return set
}

// threshold returns the default threshold, which is to the interval as howdah's default is to its
// default interval. Discrimination is at most the interval, so that without a smaller threshold, short
// intervals would keep weights from moving nodes.
func (p *Pool) threshold() float64 {
	t := float64(p.Interval) / float64(conf.MRClusterIntervalMS.BuiltIn())
	return conf.MRClusterThreshold.BuiltIn() * t * t
}

// parameters returns the configuration of a variant in the simulator. dir contains the scenario's
// files.
func (s *Scenario) parameters(v Variant, dir string) *conf.Config {
	c := conf.New()
	for _, x := range s.settings(v) {
		key, value, _ := strings.Cut(x, "=")
		c.Set(key, strings.ReplaceAll(value, "@DIR@", dir), s.File)
	}
	return c
}

// writeFiles writes the scenario's files to a temporary directory. The caller removes it.
func (s *Scenario) writeFiles() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "howdah-scenario-"); err != nil {
		return "", failure.New(failure.KindOf(err), "write files of the scenario", "", err)
	}
	files := maps.Clone(s.Nodes.Files)
	if c := s.foretold(); c != nil {
		if files == nil {
			files = map[string]string{}
		}
		files[curveFile] = c.curve(replay.Epoch)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			os.RemoveAll(dir)
			return "", failure.New(failure.KindOf(err), "write files of the scenario", name, err)
		}
	}
	return dir, nil
}

// Check returns an error if a part of the scenario is invalid that Read does not check: the files
// that it names, and the settings and files of its schedulers.
func (s *Scenario) Check() error {
	if err := s.Files(); err != nil {
		return err
	}
	dir, err := s.writeFiles()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, v := range s.Variants() {
		if _, err := s.policies(v, s.parameters(v, dir)); err != nil {
			return err
		}
		if _, err := orchestrator.FromConf(s.parameters(v, dir)); err != nil {
			return err
		}
	}
	return nil
}

// policies returns a function that makes a scheduler of the variant for each run.
func (s *Scenario) policies(v Variant, c *conf.Config) (func() (scheduler.Policy, error), error) {
	table, err := s.parts.Table()
	if err != nil {
		return nil, err
	}
	setup, err := table.Load(v.Scheduler, c)
	if err != nil {
		return nil, err
	}
	if s.Pool == nil {
		all := s.slots()
		setup.Slots = [2]int32{int32(all[0]), int32(all[1])}
	} else if told(c) {
		setup = foreseen(setup, mrcluster.Coming{}.Curve(replay.Epoch))
	}
	one := func() (scheduler.Policy, error) { return make1(table, v.Scheduler, setup) }
	_, err = one()
	return one, err
}

// told reports whether schedulers learn the coming number of nodes from the manager of MR-clusters.
func told(c *conf.Config) bool {
	r := conf.Reader{Conf: c}
	return conf.AdaptiveCapacitySource.From(&r) == adaptive.SourceManager
}

// foreseen returns setup with the file of f(t) for adaptive schedulers.
func foreseen(setup scheduler.Setup, curve string) scheduler.Setup {
	setup.Files = []scheduler.File{{Key: conf.AdaptiveCapacityFile.Name, Path: "coming", Data: []byte(curve)}}
	return setup
}

func make1(table catalog.Table, name string, setup scheduler.Setup) (scheduler.Policy, error) {
	p, _, err := table.Make(name, setup)
	return p, err
}

// Simulate runs the scenario in the simulator. The repetitions have the seeds s.Seed, s.Seed+1, and
// so on; with the same seed, all variants have the same arrivals and draws.
func (s *Scenario) Simulate(ctx context.Context, o Options) (*Result, error) {
	r := s.newResult(&o, false, "the simulator")
	if err := s.Files(); err != nil {
		return nil, err
	}
	dir, err := s.writeFiles()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	began, repeat := time.Now(), cmp.Or(o.Repeat, s.Repeat.Simulated)
	variants := s.Variants()
	journals := make([][]byte, len(variants))
	for i := range r.Variants {
		r.Variants[i].Runs = make([]Run, repeat)
	}
	err = lab.Parallel(ctx, o.Workers, len(variants)*repeat, func(ctx context.Context, n int) error {
		i, k := n/repeat, n%repeat
		run, journal, err := s.simulateOne(ctx, variants[i], s.parameters(variants[i], dir), o.Profile, s.Seed+uint64(k),
			k == 0)
		if err != nil {
			return err
		}
		r.Variants[i].Runs[k] = *run
		if k == 0 {
			journals[i] = journal
		}
		return nil
	})
	if ctx.Err() != nil {
		return nil, failure.New(failure.Interrupted, "simulate", s.Name, ctx.Err())
	}
	if err != nil {
		return nil, err
	}
	for i := range r.Variants {
		if journals[i] != nil {
			r.keepJournal(&r.Variants[i], 0, journals[i])
		}
	}
	r.Seconds = time.Since(began).Seconds()
	return r, nil
}

// keepJournal adds the journal of a run to the result.
func (r *Result) keepJournal(v *VariantResult, k int, journal []byte) {
	name := fmt.Sprintf("%s-%d.journal", strings.ReplaceAll(v.Name, " ", "-"), k+1)
	if n := len(v.Runs[k].Journals); n > 0 {
		name = fmt.Sprintf("%s-%d-%d.journal", strings.ReplaceAll(v.Name, " ", "-"), k+1, n+1)
	}
	r.files[name] = journal
	v.Runs[k].Journals = append(v.Runs[k].Journals, name)
}

// simulateOne runs one repetition of one variant. It returns the journal if the caller wants it and
// the nodes are one cluster.
func (s *Scenario) simulateOne(ctx context.Context, v Variant, c *conf.Config, p *Profile, seed uint64,
	journal bool) (*Run, []byte, error) {
	policy, err := s.policies(v, c)
	if err != nil {
		return nil, nil, err
	}
	list, err := s.instances(ctx, seed)
	if err != nil {
		return nil, nil, err
	}
	d := newDriver(s, list, p, seed)
	if s.Pool != nil {
		if err := s.simulatePool(ctx, v, c, policy, d, firstArrival(list), seed); err != nil {
			return nil, nil, err
		}
		return d.run(seed, s.slots()), nil, nil
	}
	var text bytes.Buffer
	cfg, err := s.config(v, c, seed)
	if err != nil {
		return nil, nil, err
	}
	if cfg.Policy, err = policy(); err != nil {
		return nil, nil, err
	}
	if err := s.jobTracker(cfg, c); err != nil {
		return nil, nil, err
	}
	cfg.Follow = d.ended
	if journal {
		cfg.Journal = &text
	}
	if _, err := simulator.Run(ctx, *cfg, (&trace.Trace{Jobs: d.first("")}).Source()); err != nil {
		return nil, nil, err
	}
	return d.run(seed, s.slots()), text.Bytes(), nil
}

// jobTracker completes the configuration of a JobTracker that has a policy. c contains the settings
// of its variant.
func (s *Scenario) jobTracker(x *simulator.Config, c *conf.Config) (err error) {
	if x.Machine, err = daemon.MachineFromConf(c); err != nil {
		return err
	}
	x.Machine.CompletedPerUser, x.Machine.CompletedTotal = 4, 4 // the result describes finished jobs
	if s.Nodes.Speculation != "none" {
		x.Speculator, err = speculation.New(s.Nodes.Speculation, scheduler.Setup{Conf: c})
	}
	if u, ok := x.Policy.(scheduler.ContainerUser); ok && u.UsesContainers() {
		// A slot corresponds to a container with Hadoop's default size of 1 GiB and one core.
		n := max(1, s.Nodes.Slots[0]+s.Nodes.Slots[1])
		x.Memory, x.VCores = n*1024, n
	}
	return err
}

// config returns the simulator's configuration of a variant, without its policies.
func (s *Scenario) config(v Variant, c *conf.Config, seed uint64) (cfg *simulator.Config, err error) {
	cfg = &simulator.Config{Trackers: s.Nodes.Count, Slots: s.Nodes.Slots, WaitForWork: true, Seed: seed,
		Scheduler: v.Scheduler, Plan: s.plan()}
	cfg.Shares, err = s.shares(v, c)
	return cfg, err
}

// shares returns how tasks contend for the resources of their nodes, or nil if they do not.
func (s *Scenario) shares(v Variant, c *conf.Config) (*simulator.Shares, error) {
	if !s.contends() {
		return nil, nil
	}
	x := &simulator.Shares{
		Capacity: orchestrator.Vector{int64(1000 * s.Nodes.Cores), s.Nodes.Memory >> 20}, Demand: s.demand}
	if v.Orchestrator != "off" {
		o, err := orchestrator.FromConf(c)
		if err != nil {
			return nil, err
		}
		o.Config.Own = s.parts.estimator(v.Orchestrator)
		x.Orchestrator = &o.Config
	}
	return x, nil
}

// demand returns the resources that a task needs. The name of the jobs is that of their part if the
// part has demands.
func (s *Scenario) demand(name string, _ job.Task) simulator.Demand {
	for i := range s.Work {
		if w := &s.Work[i]; w.Name == name {
			return simulator.Demand{CPU: int64(1000 * w.CPU), Memory: w.Memory >> 20, Thrash: int64(1e6 * w.Thrash)}
		}
	}
	return simulator.Demand{}
}

// Repeated steps of co-tenants end after horizon ms, or after maxLoads steps.
const (
	horizon  = 24 * 3600 * 1000
	maxLoads = 20_000
)

// plan returns the faults and the co-tenants' shares.
func (s *Scenario) plan() *simulator.Plan {
	p := simulator.Plan{}
	if s.Faults != nil {
		p = *s.Faults
	}
	for _, c := range s.CoTenants {
		if c.Foretold {
			continue // the scheduler enforces it
		}
		for from := int64(0); from <= horizon && len(p.Loads) < maxLoads; from += c.Period {
			for _, st := range c.Steps {
				p.Loads = append(p.Loads, simulator.Load{Nodes: c.Nodes, At: from + st.At, Share: st.Share, Slots: c.Slots})
			}
			if c.Period == 0 {
				break
			}
		}
	}
	return &p
}
