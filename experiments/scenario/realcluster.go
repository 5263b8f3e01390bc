package scenario

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"sync"
	"time"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/simulator"
)

// mini is a minicluster. If the scenario limits nodes, each TaskTracker has a control group.
type mini struct {
	*lab.Cluster
	s      *Scenario
	groups map[int]*cgroup.Group // by the number of the node; nil = no limits
	remove func()
	at     time.Time // of the start of the workload; zero = when the cluster is ready
}

// leadTime returns how long before the start of the workload a cluster of n nodes starts, if its
// schedulers must know the time of the start.
func leadTime(n int) time.Duration { return 20*time.Second + time.Duration(n)*500*time.Millisecond }

func (m *mini) begin() time.Time { return m.at }

// startCluster starts a minicluster.
func (s *Scenario) startCluster(ctx context.Context, o *Options, v Variant) (testbed, error) {
	m := &mini{s: s, remove: func() {}}
	set := s.settings(v)
	if s.capped() {
		tree, remove, err := lab.OpenGroups("")
		if err != nil {
			return nil, err
		}
		m.remove = remove
		set = append(append(set, "howdah.tasktracker.cgroups.hierarchy="+tree.Path()), s.caps()...)
		if err := m.start(ctx, o, set); err != nil {
			remove()
			return nil, err
		}
		if err := m.limit(tree.Path()); err != nil {
			m.stop()
			return nil, err
		}
		return m, nil
	}
	if err := m.start(ctx, o, set); err != nil {
		return nil, err
	}
	return m, nil
}

func (s *Scenario) capped() bool { return s.Nodes.Cores > 0 || s.Nodes.Memory > 0 }

// caps returns the settings for TaskTrackers whose nodes have limits. A node's slots divide its memory.
func (s *Scenario) caps() []string {
	set := []string{"howdah.tasktracker.cgroups=required",
		fmt.Sprintf("howdah.orchestrator.node.cpu=%d", int(1000*s.Nodes.Cores))}
	if all := s.Nodes.Memory >> 20; all > 0 {
		slot := max(1, all/int64(max(1, s.Nodes.Slots[0]+s.Nodes.Slots[1])))
		set = append(set, fmt.Sprintf("howdah.tasktracker.memory.mb=%d", all),
			fmt.Sprintf("mapreduce.map.memory.mb=%d", slot), fmt.Sprintf("mapreduce.reduce.memory.mb=%d", slot))
	}
	return set
}

func (m *mini) start(ctx context.Context, o *Options, set []string) (err error) {
	r := &lab.Run{Binary: o.Binary}
	c := lab.ClusterOptions{TaskTrackers: m.s.Nodes.Count, Slots: m.s.Nodes.Slots, Set: set, Files: m.s.Nodes.Files}
	if f := m.s.foretold(); f != nil {
		m.at = time.Now().Add(leadTime(m.s.Nodes.Count)).Truncate(time.Millisecond)
		c.Files = maps.Clone(c.Files)
		if c.Files == nil {
			c.Files = map[string]string{}
		}
		c.Files[curveFile] = f.curve(m.at.UnixMilli())
	}
	if m.s.parts.ownScheduler(m.s.Schedulers) != "" {
		c.JobTracker = m.s.parts.JobTracker
	}
	if m.s.parts.ownEstimator(m.s.Orchestrators) != "" {
		c.TaskTracker = m.s.parts.TaskTracker
	}
	m.Cluster, err = r.StartCluster(ctx, c)
	return err
}

// limit finds the control groups of the TaskTrackers and limits them.
func (m *mini) limit(parent string) error {
	_, below, err := cgroup.Below(cgroup.Config{Parent: parent})
	if err != nil {
		return err
	}
	m.groups = map[int]*cgroup.Group{}
	for n := 1; n <= m.s.Nodes.Count; n++ {
		pid, err := m.TrackerPID(n)
		if err != nil {
			return err
		}
		for _, g := range below {
			if path.Base(g.Path()) == fmt.Sprintf("tasktracker-%d", pid) {
				m.groups[n] = g
			}
		}
		if m.groups[n] == nil {
			return fmt.Errorf("TaskTracker %d (process %d) has no control group below %s", n, pid, parent)
		}
		if err := m.share(n, 0); err != nil {
			return err
		}
	}
	return nil
}

// share sets the share of node n's cores that co-tenants use.
func (m *mini) share(n int, share float64) error {
	if m.s.Nodes.Cores == 0 {
		return nil
	}
	return m.groups[n].Set(cgroup.Limits{Quota: max(10, int64(1000*m.s.Nodes.Cores*(1-share)))})
}

func (m *mini) command(ctx context.Context, _ *Work, args ...string) ([]byte, error) {
	return m.Howdah(ctx, append([]string{"run", "--json"}, args...)...)
}

func (m *mini) collect(ctx context.Context, run *Run) ([][]byte, error) {
	text, err := m.Journal(ctx)
	if err != nil {
		return nil, err
	}
	t, err := readJournal("journal", text)
	if err != nil {
		return nil, err
	}
	spans, err := lab.ReadSlotSpans(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	run.complete(t, spans)
	return [][]byte{text}, nil
}

// disturb kills and starts TaskTrackers, and changes the limits of nodes, at the scenario's times. An
// error in between is not fatal, because the process may have ended.
func (m *mini) disturb(ctx context.Context, start time.Time, done *sync.WaitGroup) error {
	m.s.depart(ctx, start, done, func(n int, leave bool) { _ = m.StopTracker(n, leave) },
		func(n int) { _ = m.StartTracker(n) })
	if len(m.s.CoTenants) > 0 && m.s.foretold() == nil {
		done.Go(func() { m.s.tenants(ctx, start, func(n int, share float64) { _ = m.share(n, share) }) })
	}
	return nil
}

// depart calls stop and restart when nodes fail or leave, and when they return, until ctx ends. Nodes
// are numbered from 1.
func (s *Scenario) depart(ctx context.Context, start time.Time, done *sync.WaitGroup, stop func(n int, leave bool),
	restart func(n int)) {
	at := func(ms int64, f func()) {
		done.Go(func() {
			if lifecycle.Sleep(ctx, time.Until(start.Add(time.Duration(ms)*time.Millisecond))) == nil {
				f()
			}
		})
	}
	for _, a := range s.Aways {
		for n := 1; n <= s.Nodes.Count; n++ {
			if a.Nodes != nil && !slices.Contains(a.Nodes, n) {
				continue
			}
			at(a.At, func() { stop(n, a.Leave) })
			if a.Back > 0 {
				at(a.Back, func() { restart(n) })
			}
		}
	}
}

// tenants calls share when the co-tenants' share of a node changes, until ctx ends. Nodes are numbered
// from 1.
func (s *Scenario) tenants(ctx context.Context, start time.Time, share func(node int, share float64)) {
	loads := s.plan().Loads
	slices.SortStableFunc(loads, func(a, b simulator.Load) int { return cmp.Compare(a.At, b.At) })
	for _, l := range loads {
		if lifecycle.Sleep(ctx, time.Until(start.Add(time.Duration(l.At)*time.Millisecond))) != nil {
			return
		}
		for n := 1; n <= s.Nodes.Count; n++ {
			if l.Nodes == nil || slices.Contains(l.Nodes, n) {
				share(n, l.Share)
			}
		}
	}
}

func (m *mini) stop() {
	m.Cluster.Stop()
	m.remove()
}
