package daemon

import (
	"context"
	"fmt"
	"time"

	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/provision"
)

// lookAfterNodes is the interval at which the manager checks that its nodes are running.
const lookAfterNodes = time.Second

// keepNodes starts the pool's nodes and restarts nodes whose agent has ended. On shutdown, it stops
// the nodes unless an MR-cluster might hold data or a later manager controls the nodes.
func (m *Manager) keepNodes(ctx context.Context) error {
	b := m.cfg.Backend
	m.cfg.Agent.Args = append(m.cfg.Agent.Args, "--join", m.GossipAddr())
	told := ""
	for {
		if err := startMissing(ctx, b, m.cfg.Nodes); err != nil && ctx.Err() == nil && err.Error() != told {
			told = err.Error()
			m.cfg.Log.Error("cannot start a node; the manager retries", "error", err)
		}
		if lifecycle.Sleep(ctx, lookAfterNodes) != nil {
			return m.stopNodes(context.WithoutCancel(ctx))
		}
	}
}

// startMissing starts every node that is not running. It returns the first error.
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

// stopNodes stops the nodes. If keepNodes must leave them running, stopNodes only closes the
// backend.
func (m *Manager) stopNodes(ctx context.Context) error {
	if m.succeeded.Load() {
		m.cfg.Log.Warn("leaving nodes running because a later manager controls them")
		return m.cfg.Backend.Close(ctx)
	}
	unsaved, err := ask(ctx, m.owner, func() (unsaved []string, err error) {
		for _, c := range m.owner.m.View().Clusters {
			if c.State >= mrcluster.Active && (c.Spec.HDFS || len(c.Spec.Save) > 0) {
				unsaved = append(unsaved, c.Spec.Name)
			}
		}
		return unsaved, nil
	})
	if err != nil {
		return err
	}
	if len(unsaved) > 0 {
		m.cfg.Log.Warn("leaving nodes running because MR-clusters hold data; a manager on the same directory finds "+
			"them, and howdah mrcluster remove saves the output",
			"clusters", unsaved)
		return m.cfg.Backend.Close(ctx)
	}
	return provision.StopAll(ctx, m.cfg.Backend)
}
