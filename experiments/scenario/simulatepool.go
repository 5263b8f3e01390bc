package scenario

import (
	"cmp"
	"context"
	"slices"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/daemon"
	"github.com/howdah/howdah/mrcluster/weight"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/fawkes"
)

// simulatePool runs the instances of d, the first of which arrives at first, on the pool's MR-clusters.
func (s *Scenario) simulatePool(ctx context.Context, v Variant, c *conf.Config,
	policy func() (scheduler.Policy, error), d *driver, first int64, seed uint64) error {
	m, err := daemon.MachineFromConf(c)
	if err != nil {
		return err
	}
	w, err := weight.Open(v.Weights, c, weight.Defaults(), s.parts.Weights)
	if err != nil {
		return err
	}
	r := conf.Reader{Conf: c}
	sample, report := conf.MRClusterSampleMS.From(&r), conf.MRClusterHeartbeatMS.From(&r)
	if r.Err != nil {
		return r.Err
	}
	cfg := fawkes.Config{Sample: sample, Report: report, Nodes: s.Nodes.Count, Slots: s.Nodes.Slots, Manager: m,
		Weighting: w, Policy: policy, JobTracker: func(x *simulator.Config) error { return s.jobTracker(x, c) },
		Heartbeat: s.Nodes.Heartbeat, Start: s.Pool.Start, Seed: seed}
	if told(c) {
		table, err := s.parts.Table()
		if err != nil {
			return err
		}
		setup := scheduler.Setup{Conf: c}
		cfg.Foresee = func(curve string) (scheduler.Policy, error) {
			return make1(table, v.Scheduler, foreseen(setup, curve))
		}
	}
	if cfg.Shares, err = s.shares(v, c); err != nil {
		return err
	}
	cfg.Loads = s.plan().Loads
	for i := range cfg.Loads {
		cfg.Loads[i].At += first
	}
	for _, a := range s.Aways {
		if a.At += first; a.Back > 0 {
			a.Back += first
		}
		cfg.Aways = append(cfg.Aways, a)
	}
	slices.SortStableFunc(cfg.Loads, func(a, b simulator.Load) int { return cmp.Compare(a.At, b.At) })
	var work []fawkes.Workload
	for _, x := range s.Pool.Clusters {
		work = append(work, fawkes.Workload{Spec: mrcluster.Spec{Name: x.Name, Core: x.Core}, Jobs: d.first(x.Name),
			Follow: d.ended})
	}
	_, err = fawkes.Run(ctx, cfg, work)
	return err
}
