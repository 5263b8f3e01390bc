package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/provision/netns"
)

// poolReady is the maximum time for the nodes of a pool to report to the manager.
const poolReady = time.Minute

// pooled is a pool of MR-clusters.
type pooled struct {
	*lab.Pool
	s  *Scenario
	mu sync.Mutex
	of map[string]lab.Job // status of each job, by its ID and MR-cluster
}

// poolOptions describes the pool of a variant.
func (s *Scenario) poolOptions(v Variant) lab.PoolOptions {
	opt := lab.PoolOptions{Nodes: s.Nodes.Count, Set: append(s.settings(v), "howdah.mrcluster.weights="+v.Weights),
		Files: s.Nodes.Files}
	if s.capped() {
		opt.Set = append(opt.Set, s.caps()...)
	}
	if s.Pool.Namespaces {
		opt.Namespaces = &netns.Config{Mbit: s.Pool.Mbit, Cores: s.Nodes.Cores, Mount: cgroup.DefaultMount}
	}
	if s.parts.ownWeights(s.Weights) != "" {
		opt.Manager = s.parts.Manager
	}
	if s.parts.ownScheduler(s.Schedulers) != "" {
		opt.JobTracker = s.parts.JobTracker
	}
	return opt
}

// startPool starts a manager and its nodes, and requests the MR-clusters.
func (s *Scenario) startPool(ctx context.Context, o *Options, v Variant) (testbed, error) {
	r := &lab.Run{Binary: o.Binary}
	pool, err := r.StartPool(ctx, s.poolOptions(v))
	if err != nil {
		return nil, err
	}
	p := &pooled{Pool: pool, s: s, of: map[string]lab.Job{}}
	if err := p.prepare(ctx); err != nil {
		p.Stop()
		return nil, err
	}
	return p, nil
}

func (p *pooled) begin() time.Time { return time.Time{} }

func (p *pooled) prepare(ctx context.Context) error {
	deadline := time.Now().Add(poolReady)
	for {
		st, err := p.Status(ctx)
		if err != nil {
			return err
		}
		free := 0
		for _, n := range st.Nodes {
			if n.State == mrcluster.Free && n.Problem == "" {
				free++
			}
		}
		if free == p.s.Nodes.Count {
			break
		}
		if time.Now().After(deadline) {
			return failure.New(failure.Timeout, "start pool", p.Dir, fmt.Errorf("%d of %d nodes are ready after %v", free,
				p.s.Nodes.Count, poolReady))
		}
		if err := lifecycle.Sleep(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
	for _, c := range p.s.Pool.Clusters {
		if _, err := p.Howdah(ctx, "mrcluster", "create", c.Name, "--core", fmt.Sprint(c.Core)); err != nil {
			return err
		}
	}
	return nil
}

// command runs the application and reads the status of its jobs while the MR-cluster is deployed.
func (p *pooled) command(ctx context.Context, w *Work, args ...string) ([]byte, error) {
	out, err := p.Howdah(ctx, append([]string{"run", "-q", "--json", "--mrcluster", w.Cluster}, args...)...)
	jobs, _ := reportedJobs(out)
	for _, j := range jobs {
		text, statusErr := p.Howdah(ctx, "job", "--mrcluster", w.Cluster, "-status", j.ID, "--json")
		if statusErr == nil {
			_ = json.Unmarshal(text, &j) // otherwise the job has the times that howdah run reported
		}
		p.mu.Lock()
		p.of[w.Cluster+" "+j.ID] = j
		p.mu.Unlock()
	}
	return out, err
}

func (p *pooled) collect(_ context.Context, run *Run) ([]byte, error) {
	for i := range run.Jobs {
		x := &run.Jobs[i]
		last := int64(0)
		for _, id := range x.IDs {
			j := p.of[x.Cluster+" "+id]
			last = max(last, j.Finish-run.Start)
			tasks := [2]map[string]bool{{}, {}}
			for _, a := range j.Attempts {
				kind := 0
				if a.Type == "REDUCE" {
					kind = 1
				} else if a.Type != "MAP" {
					continue
				}
				tasks[kind][a.ID[:max(0, len(a.ID)-2)]] = true
				x.SlotTime[kind] += max(0, a.Finish-a.Start)
				if at := a.Start - run.Start; x.Start == 0 || at < x.Start {
					x.Start = at
				}
			}
			x.Maps, x.Reduces = x.Maps+len(tasks[0]), x.Reduces+len(tasks[1])
		}
		if last > 0 {
			x.Finish = last
		}
	}
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
				_ = p.SetNodeCores(lab.NodeName(n), max(0.01, p.s.Nodes.Cores*(1-share)))
			})
		})
	}
	return nil
}

func (p *pooled) stop() { p.Stop() }
