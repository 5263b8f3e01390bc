package mrcluster

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/ordered"
)

// A world simulates the agents and MR-clusters of a pool with a real manager. It checks the
// invariants after every step.
type world struct {
	t       *testing.T
	m       *Machine
	cfg     Config
	now     int64
	journal []Fact
	agents  []*agent // by name
	loads   map[string]*transfer
	work    map[string]int64 // waiting tasks, by MR-cluster
	done    map[string]int64
	hint    string // instructions to reproduce a failure
	facts   int
	lost    map[string]bool // deployments that have ended, whose data may be removed
	faulty  func(a *agent) bool
	loadErr func() string
	copied  func(*Input) // changes the result of a copy
}

// An agent is a simulated node. It carries out its orders with a delay.
type agent struct {
	name    string
	dead    bool // silent, with no daemons running
	mute    bool // silent, with its daemons running
	told    Desired
	runs    []Running
	data    int64
	drained bool
	stuck   bool // never drains
}

// A transfer is a load or save in progress.
type transfer struct {
	deployment int64
	save       bool
	at         int64
}

// tasks is a weighting policy that works like TD.
type tasks struct{}

func (tasks) Weigh(s *Sample) float64 { return float64(s.WaitingTasks) }

func newWorld(t *testing.T, cfg Config, nodes int) *world {
	w := &world{t: t, cfg: cfg, now: 1_000_000, loads: map[string]*transfer{}, work: map[string]int64{},
		done: map[string]int64{}, lost: map[string]bool{}}
	for i := range nodes {
		w.agents = append(w.agents, &agent{name: fmt.Sprintf("n%02d", i+1)})
	}
	w.restart()
	return w
}

func testConfig() Config {
	c := DefaultConfig()
	c.Threshold = 1
	c.Interval, c.IdleAfter, c.DrainTimeout, c.StartTimeout, c.StartTimeoutHDFS, c.Expiry, c.MasterExpiry,
		c.Retry = 10_000, 10_000, 30_000, 8000, 8000, 5000, 20_000, 2000
	return c
}

// restart simulates a kill -9 and a restart of the manager. The new manager has only the journal.
func (w *world) restart() {
	m, err := New(w.cfg, tasks{})
	require.NoError(w.t, err)
	for i := range w.journal {
		f := reread(w.t, w.journal[i])
		require.NoError(w.t, m.Apply(&f), "fact %d, %s", i, w.hint)
	}
	if w.m != nil {
		require.Equal(w.t, durable(w.m), durable(m), "replay gives another state; %s", w.hint)
	}
	w.m = m
	w.loads = map[string]*transfer{}
	w.take(m.Recovered(w.now, nil))
}

// compact replaces the journal with a snapshot and restarts the manager from it.
func (w *world) compact() {
	w.journal = []Fact{w.m.Snapshot()}
	w.restart()
}

// reread encodes a fact, decodes it again, and returns the result.
func reread(t *testing.T, f Fact) (g Fact) {
	text, err := json.Marshal(f)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &g))
	return g
}

// durable returns the part of the state that the journal must restore.
func durable(m *Machine) (out []string) {
	for _, n := range m.order {
		name := ""
		if n.cluster != nil {
			name = n.cluster.spec.Name
		}
		out = append(out, fmt.Sprint(n.name, n.state, n.since, name, n.kind, n.master, n.was))
	}
	for name, c := range ordered.All(m.clusters) {
		out = append(out, fmt.Sprint(name, c.spec, c.state, c.since, c.queued, c.ticket, c.deployment, c.tries, c.target,
			c.size, c.doomed, c.discard, c.headless, len(c.nodes)))
	}
	return append(out, fmt.Sprint(m.tickets, m.deployments, m.reconfigurations))
}

func (w *world) step(in Input) Output {
	in.Now, in.Req = w.now, 1
	return w.take(w.m.Step(&in, nil))
}

func (w *world) take(out []Output) (reply Output) {
	shrunk := map[string]bool{}
	for _, o := range out {
		switch o.Kind {
		case OutFact:
			w.fact(*o.Fact)
			shrunk[o.Fact.Cluster] = shrunk[o.Fact.Cluster] || strings.Contains(o.Fact.Reason, "shrinks")
		case OutLoad, OutSave:
			w.loads[o.Cluster] = &transfer{o.Deployment, o.Kind == OutSave, w.now + 3000}
		case OutReply:
			reply = o
		}
	}
	w.check()
	w.checkFloors(shrunk)
	return reply
}

// fact checks the conditions that hold only at the moment of a decision.
func (w *world) fact(f Fact) {
	before := w.nodeIn(f.Node)
	w.journal = append(w.journal, f)
	w.facts++
	if (f.Kind == NodeReleased || f.Kind == NodeDraining) && before == Core && strings.Contains(f.Reason, "shrinks") {
		w.t.Fatalf("%s takes core node %s from a living MR-cluster; %s", f.Kind, f.Node, w.hint)
	}
	if f.Kind == ClusterRetried || f.Kind == ClusterEnded {
		w.lost[key(f.Cluster, f.Deployment)] = true
	}
}

// nodeIn returns the kind of a node as of the facts so far.
func (w *world) nodeIn(node string) Kind {
	for i := len(w.journal) - 1; i >= 0; i-- {
		f := &w.journal[i]
		if f.State != nil {
			for _, n := range f.State.Nodes {
				if n.Name == node && n.State.assigned() {
					return n.Kind
				}
			}
		}
		if f.Node != node || node == "" {
			continue
		}
		switch {
		case f.NodeKind != 0:
			return f.NodeKind
		case f.Kind == NodeLost || f.Kind == NodeFreed || f.Kind == NodeJoined:
			return 0
		}
	}
	return 0
}

func key(cluster string, deployment int64) string { return fmt.Sprintf("%s/%d", cluster, deployment) }

// check checks the invariants that must hold after every step.
func (w *world) check() {
	require.NoError(w.t, w.m.Err(), w.hint)
	seen := map[*node]*cluster{}
	for _, n := range w.m.order {
		if (n.cluster != nil) != (n.state == Starting || n.state == Up || n.state == Draining) {
			w.t.Fatalf("%s is %v and in %v; %s", n.name, n.state, n.cluster, w.hint)
		}
	}
	reserved := 0
	for _, c := range w.m.byName {
		if c.state.deployed() {
			reserved += c.spec.Core
		} else if len(c.nodes) > 0 {
			w.t.Fatalf("%s is %v and has nodes; %s", c.spec.Name, c.state, w.hint)
		}
		usable := func(n *node) bool { return n.state == Free && n.usable(c, w.m.now) }
		if at := slices.IndexFunc(w.m.order, usable); c.lacks() > 0 && at >= 0 {
			w.t.Fatalf("%s lacks core nodes and %s is free; %s", c.spec.Name, w.m.order[at].name, w.hint)
		}
		if c.cores(false) > c.spec.Core || c.state.deployed() && c.target < c.spec.Core {
			w.t.Fatalf("%s has %d cores, target %d, of %d; %s", c.spec.Name, c.cores(false), c.target, c.spec.Core, w.hint)
		}
		for _, n := range c.nodes {
			if seen[n] != nil || n.cluster != c {
				w.t.Fatalf("%s is in two MR-clusters; %s", n.name, w.hint)
			}
			seen[n] = c
		}
	}
	if reserved > len(w.agents) {
		w.t.Fatalf("minimum shares of %d in a pool of %d; %s", reserved, len(w.agents), w.hint)
	}
}

// checkFloors checks that the pool serves core nodes before operator sizes, that each operator size
// holds if all fit, and that no MR-cluster in shrunk, which has just released nodes because it
// shrinks, is below its floor.
func (w *world) checkFloors(shrunk map[string]bool) {
	cores, floors, wanted := 0, 0, 0
	all := w.m.deployed()
	for _, c := range all {
		cores += c.spec.Core
		floors += c.floor
		wanted += c.minimum()
	}
	if floors > max(cores, w.m.capacity()) {
		w.t.Fatalf("floors of %d nodes in a pool of %d; %s", floors, w.m.capacity(), w.hint)
	}
	for _, c := range all {
		name := c.spec.Name
		if c.floor < c.spec.Core || c.goal() < c.floor || wanted <= w.m.capacity() && c.floor < c.minimum() {
			w.t.Fatalf("%s has a floor of %d and a goal of %d nodes; %s", name, c.floor, c.goal(), w.hint)
		}
		if c.state == Active && shrunk[name] && c.held() < c.floor-c.lacks() {
			w.t.Fatalf("%s shrinks to %d nodes, below its floor of %d; %s", name, c.held(), c.floor, w.hint)
		}
		usable := func(n *node) bool { return n.state == Free && n.usable(c, w.m.now) }
		if c.short() > 0 && (c.draining() != nil || slices.ContainsFunc(w.m.order, usable)) {
			w.t.Fatalf("%s is below its floor, and a node is free or leaving; %s", name, w.hint)
		}
	}
}

// beat sends an agent's report to the manager and stores the answer.
func (w *world) beat(a *agent) {
	if a.dead || a.mute {
		return
	}
	r := Report{Node: a.name, Addr: a.name + ":1", Runs: slices.Clone(a.runs)}
	reply := w.step(Input{Kind: InReport, Report: &r})
	require.Nil(w.t, reply.Err, w.hint)
	a.told = reply.Desired
	a.obey(w)
}

// obey stops unwanted daemons. When no other daemons run, it starts the wanted ones.
func (a *agent) obey(w *world) {
	d := a.told
	keep := a.runs[:0]
	for _, r := range a.runs {
		if r.Cluster == d.Cluster && r.Deployment == d.Deployment {
			keep = append(keep, r)
			continue
		}
		if a.data > 0 && !a.drained && !w.lost[key(r.Cluster, r.Deployment)] {
			w.t.Fatalf("%s had data of %s and was wiped; %s", a.name, r.Cluster, w.hint)
		}
		a.data, a.drained = 0, false
	}
	a.runs = keep
	if d.Cluster == "" {
		return
	}
	if len(a.runs) == 0 {
		a.runs = append(a.runs, Running{Cluster: d.Cluster, Deployment: d.Deployment})
		return
	}
	a.runs[0].Phase, a.runs[0].Err = PhaseUp, ""
	if w.faulty != nil && w.faulty(a) {
		a.runs[0].Phase, a.runs[0].Err = PhaseStarting, "it broke"
	}
	a.drained = d.Drain && a.data == 0
	if d.Drain {
		if !a.stuck {
			a.data = max(0, a.data-3)
		}
		a.runs[0].Left = a.data
		if a.data == 0 {
			a.runs[0].Phase, a.drained = PhaseDrained, true
		}
	}
}

// second simulates one second, in which agents report, MR-clusters work and send samples, and
// copies end.
func (w *world) second() {
	w.now += 1000
	for _, a := range w.agents {
		w.beat(a)
	}
	for name, l := range ordered.All(w.loads) {
		if l.at > w.now {
			continue
		}
		delete(w.loads, name)
		in := Input{Kind: InLoaded, Cluster: name, Deployment: l.deployment}
		if l.save {
			in.Kind = InSaved
		}
		if w.loadErr != nil {
			in.Err = w.loadErr()
		}
		if w.copied != nil {
			w.copied(&in)
		}
		w.step(in)
	}
	w.sample()
	w.step(Input{Kind: InTick})
}

// sample completes one task for each node that is up, and sends samples to the manager.
func (w *world) sample() {
	for _, v := range w.m.View().Clusters {
		if v.State != Active {
			continue
		}
		name := v.Spec.Name
		s := Sample{Slots: int64(v.Held)}
		for _, a := range w.agents {
			if a.dead || a.told.Cluster != name || len(a.runs) == 0 || a.runs[0].Deployment != v.Deployment ||
				a.runs[0].Phase != PhaseUp || w.work[name] == 0 {
				continue
			}
			w.work[name]--
			w.done[name]++
			if a.told.Kind.MayStore() && v.Spec.HDFS {
				a.data++
				s.Stored = append(s.Stored, Stored{a.name, a.data})
			}
		}
		s.WaitingTasks, s.TasksDone = w.work[name], w.done[name]
		s.Jobs = min(1, w.work[name])
		s.WaitingJobs = s.Jobs
		w.step(Input{Kind: InSample, Cluster: name, Deployment: v.Deployment, Sample: &s})
	}
}

func (w *world) seconds(n int) {
	for range n {
		w.second()
	}
}

func (w *world) create(s Spec) { require.Nil(w.t, w.step(Input{Kind: InCreate, Spec: &s}).Err, w.hint) }

// run submits a job with the given number of tasks.
func (w *world) run(name string, tasks int64) {
	require.Nil(w.t, w.step(Input{Kind: InJob, Cluster: name}).Err, w.hint)
	w.work[name] += tasks
}

func (w *world) cluster(name string) ClusterView {
	v, ok := w.m.Cluster(name)
	require.True(w.t, ok, name)
	return v
}

// draw returns a random number in [0, n).
func draw(r *rand.Rand, n int) int { return r.IntN(n) }
