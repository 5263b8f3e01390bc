package daemon

import (
	"context"
	"fmt"
	"time"

	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/provision"
)

// lookAfterNodes is how often the manager looks whether its nodes run.
const lookAfterNodes = time.Second

// keepNodes starts the pool's nodes and starts again whose agent ended. At the end it stops them, unless an MR-cluster has output that
// is not saved yet, or another manager has them now.
func (m *Manager) keepNodes(ctx context.Context) error {
	b := m.cfg.Backend
	m.cfg.Agent.Args = append(m.cfg.Agent.Args, "--join", m.GossipAddr())
	told := ""
	for {
		if err := startMissing(ctx, b, m.cfg.Nodes); err != nil && ctx.Err() == nil && err.Error() != told {
			told = err.Error()
			m.cfg.Log.Error("a node cannot be started; it is tried again", "error", err)
		}
		if lifecycle.Sleep(ctx, lookAfterNodes) != nil {
			return m.stopNodes(context.WithoutCancel(ctx))
		}
	}
}

// startMissing starts every node that does not run, and gives the first error.
func startMissing(ctx context.Context, b provision.Backend, nodes int) error {
	list, err := b.List(ctx)
	if err != nil {
		return err
	}
	runs := map[string]bool{}
	for _, n := range list {
		runs[n.Name] = n.Running
	}
	var first error
	for i := range nodes {
		name := fmt.Sprintf("node-%d", i+1)
		if runs[name] {
			continue
		}
		if err := b.Start(ctx, name); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// stopNodes ends what the manager started.
func (m *Manager) stopNodes(ctx context.Context) error {
	if m.succeeded.Load() {
		m.cfg.Log.Warn("nodes are left running: they obey the later manager")
		return m.cfg.Backend.Close(ctx)
	}
	var unsaved []string
	err := m.owner.ask(ctx, func() {
		for _, c := range m.owner.m.View().Clusters {
			if c.State >= mrcluster.Active && (c.Spec.HDFS || len(c.Spec.Save) > 0) {
				unsaved = append(unsaved, c.Spec.Name)
			}
		}
	})
	if err != nil {
		return err
	}
	if len(unsaved) > 0 {
		m.cfg.Log.Warn("nodes are left running, since these MR-clusters hold data; a manager on the same directory finds them again, and howdah mrcluster remove saves what is to be saved",
			"clusters", unsaved)
		return m.cfg.Backend.Close(ctx)
	}
	return provision.StopAll(ctx, m.cfg.Backend)
}
