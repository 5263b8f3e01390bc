package scenario

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/provision/netns"
	"github.com/howdah/howdah/mrcluster/status"
)

// poolReady is the maximum time for the nodes of a pool to report to the manager.
const poolReady = time.Minute

// pooled is a pool of MR-clusters.
type pooled struct {
	*lab.Pool
	reports
	s *Scenario
}

// poolOptions describes the pool of a variant. Its nodes need the files in scratch.
func (s *Scenario) poolOptions(v Variant, scratch string) lab.PoolOptions {
	opt := lab.PoolOptions{Nodes: s.Nodes.Count, Set: append(s.settings(v), "howdah.mrcluster.weights="+v.Weights),
		Files: s.Nodes.Files}
	if s.capped() {
		opt.Set = append(opt.Set, s.caps()...)
	}
	switch s.Pool.Kind {
	case namespaces:
		opt.Namespaces = &netns.Config{Mbit: s.Pool.Mbit, Cores: s.Nodes.Cores, Mount: cgroup.DefaultMount}
	case containers:
		opt.Containers = &lab.Containers{Image: s.Pool.Image, Cores: s.Nodes.Cores, Mounts: []string{scratch}}
	}
	if s.parts.ownWeights(s.Weights) != "" {
		opt.Manager = s.parts.Manager
	}
	if s.parts.ownScheduler(s.Schedulers) != "" {
		opt.JobTracker = s.parts.JobTracker
	}
	if s.parts.ownEstimator(s.Orchestrators) != "" {
		opt.TaskTracker = s.parts.TaskTracker
	}
	if opt.Containers != nil {
		for _, own := range []string{opt.JobTracker, opt.TaskTracker} {
			if own != "" && !slices.Contains(opt.Containers.Mounts, own) {
				opt.Containers.Mounts = append(opt.Containers.Mounts, own)
			}
		}
	}
	return opt
}

// startPool starts a manager and its nodes, and requests the MR-clusters.
func (s *Scenario) startPool(ctx context.Context, o *Options, v Variant, scratch string) (testbed, error) {
	r := &lab.Run{Binary: o.Binary}
	pool, err := r.StartPool(ctx, s.poolOptions(v, scratch))
	if err != nil {
		return nil, err
	}
	p := &pooled{Pool: pool, s: s}
	if err = s.awaitNodes(ctx, pool.Status, pool.Dir); err == nil {
		err = s.request(ctx, pool.Howdah, nil)
	}
	if err != nil {
		p.Stop()
		return nil, err
	}
	return p, nil
}

func (p *pooled) begin() time.Time { return time.Time{} }

// awaitNodes waits until all nodes of a pool are free. pool names it in errors.
func (s *Scenario) awaitNodes(ctx context.Context, of func(context.Context) (*status.Pool, error), pool string) error {
	for deadline := time.Now().Add(poolReady); ; {
		st, err := of(ctx)
		if err != nil {
			return err
		}
		free := 0
		for _, n := range st.Nodes {
			if n.State == mrcluster.Free && n.Problem == "" {
				free++
			}
		}
		if free == s.Nodes.Count {
			return nil
		}
		if time.Now().After(deadline) {
			return failure.New(failure.Timeout, "run scenario", pool, fmt.Errorf("%d of %d nodes are free after %v", free,
				s.Nodes.Count, poolReady))
		}
		if err := lifecycle.Sleep(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
}

// request requests the MR-clusters, with the given options of howdah mrcluster create.
func (s *Scenario) request(ctx context.Context, howdah howdahCommand, options []string) error {
	for _, c := range s.Pool.Clusters {
		args := append([]string{"mrcluster", "create", c.Name, "--core", fmt.Sprint(c.Core)}, options...)
		if _, err := howdah(ctx, args...); err != nil {
			return err
		}
	}
	return nil
}

func (p *pooled) command(ctx context.Context, w *Work, args ...string) ([]byte, error) {
	return p.run(ctx, p.Howdah, w, args)
}

func (p *pooled) collect(_ context.Context, run *Run) ([][]byte, error) {
	p.complete(run)
	return nil, nil
}

// disturb stops and restarts nodes, and changes the nodes' limits, at the scenario's times. An error in
// between is not fatal, because the node may be stopped.
func (p *pooled) disturb(ctx context.Context, start time.Time, done *sync.WaitGroup) error {
	p.s.depart(ctx, start, done, func(n int, leave bool) { _ = p.FailNode(ctx, n, leave) },
		func(n int) { _ = p.ReturnNode(n) })
	if len(p.s.CoTenants) > 0 {
		done.Go(func() {
			p.s.tenants(ctx, start, func(n int, share float64) {
				_ = p.SetNodeCores(ctx, lab.NodeName(n), max(0.01, p.s.Nodes.Cores*(1-share)))
			})
		})
	}
	return nil
}

func (p *pooled) stop() { p.Stop() }
