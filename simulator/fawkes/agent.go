package fawkes

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/trace"
)

// look is the interval in ms between checks of a draining node. The real master uses the same
// interval.
const look = 1000

// agent is the simulated agent of one node in the pool.
type agent struct {
	name   string
	run    *run
	beatAt int64 // never if the agent is dead
	backAt int64 // time at which a dead agent returns
	drain  bool  // as ordered
	load   simulator.Load
}

// run is the state of a node's daemons for one deployment.
type run struct {
	d      *deployment
	upAt   int64
	node   int // node number in the live cluster; -1 if the TaskTracker is not up
	stored int64
	left   int64 // bytes that a draining node still has to move
	moved  int64 // time at which left was computed
	kind   mrcluster.Kind
	master bool             // the JobTracker runs here
	told   jobtracker.Drain // drain order that the JobTracker has received
	idle   int64            // since when only readers of its map outputs delay the drain; 0 = other work does
}

// deployment is an MR-cluster's JobTracker and its nodes.
type deployment struct {
	name      string
	number    int64
	live      *simulator.Live
	open      bool   // the JobTracker accepts jobs
	runs      []*run // of its nodes
	kinds     []mrcluster.Kind
	jobsDone  int64
	tasksDone int64
	written   int64
	foretold  [2]int // numbers of nodes before and after the last change that the scheduler knows
}

// due returns the time of the node's next event.
func (a *agent) due(p *pool) int64 {
	if a.beatAt == never {
		return a.backAt
	}
	at := a.beatAt
	if r := a.run; r != nil {
		switch {
		case r.node < 0:
			at = min(at, r.ready())
		case a.drain:
			at = min(at, r.moved+look)
		}
	}
	return at
}

// beat reports to the manager until a response requires no further report, at most four times.
func (p *pool) beat(a *agent) error {
	if a.beatAt == never {
		a.backAt = never
	}
	for range 4 {
		a.beatAt = p.now + p.cfg.Report
		if err := a.advance(p); err != nil {
			return err
		}
		reply := p.step(mrcluster.Input{Kind: mrcluster.InReport, Report: a.report(p)})
		if reply.Err != nil {
			return reply.Err
		}
		changed, err := a.obey(p, reply.Desired)
		if err != nil || !changed {
			return err
		}
	}
	return nil
}

// advance starts the node's TaskTracker if it is ready by now, and updates its drain.
func (a *agent) advance(p *pool) (err error) {
	r := a.run
	if r == nil {
		return nil
	}
	if r.node < 0 && r.ready() <= p.now {
		if err := r.d.live.RunTo(p.now); err != nil {
			return err
		}
		r.d.kinds = append(r.d.kinds, r.kind)
		if r.node, err = r.d.live.Add(); err != nil {
			return err
		}
		a.press()
	}
	return r.drain(p, a.drain)
}

// press applies the load of other tenants to the node's TaskTracker, if it is up.
func (a *agent) press() {
	if r := a.run; r != nil && r.node >= 0 && !r.d.live.Down() {
		r.d.live.Load(r.node, a.load.Share, a.load.Slots)
	}
}

// ready returns the time at which the node's TaskTracker registers. The TaskTracker must have
// started, and the JobTracker must be up.
func (r *run) ready() int64 {
	if r.d.live.Down() {
		return max(r.upAt, r.d.live.Next())
	}
	return r.upAt
}

func (a *agent) report(p *pool) *mrcluster.Report {
	rep := &mrcluster.Report{Node: a.name, Addr: a.name}
	if r := a.run; r != nil {
		x := mrcluster.Running{Cluster: r.d.name, Deployment: r.d.number}
		if r.node >= 0 {
			x.Phase = mrcluster.PhaseUp
		}
		if a.drain {
			r.move(p)
			r.wait(p)
			x.Left = r.left
			if r.left == 0 && (r.node < 0 || r.d.live.Drained(r.node)) {
				x.Phase = mrcluster.PhaseDrained
				r.d.handOver(r)
			}
		}
		rep.Runs = append(rep.Runs, x)
	}
	return rep
}

// obey carries out an order and reports whether the agent must send another report immediately.
func (a *agent) obey(p *pool, d mrcluster.Desired) (bool, error) {
	if r := a.run; r != nil && (r.d.name != d.Cluster || r.d.number != d.Deployment) {
		return true, a.stop(p, false, false)
	}
	if d.Cluster == "" {
		return false, nil
	}
	if a.run != nil && d.Master {
		if err := a.run.d.foretell(p, d.Coming); err != nil {
			return false, err
		}
	}
	if a.run == nil {
		return false, a.start(p, d)
	}
	r := a.run
	if r.kind != d.Kind {
		r.kind = d.Kind
		if r.node >= 0 {
			r.d.kinds[r.node] = d.Kind
		}
	}
	if a.drain != d.Drain {
		a.drain = d.Drain
		r.left, r.moved, r.idle = r.stored, p.now, 0
		return d.Drain, r.drain(p, d.Drain)
	}
	return false, nil
}

// foretell passes the scheduler a change of the number of nodes that is different from the last one.
func (d *deployment) foretell(p *pool, x mrcluster.Coming) error {
	change := [2]int{x.Now, x.Then}
	if p.cfg.Foresee == nil || change == d.foretold || d.live.Down() {
		return nil
	}
	d.foretold = change
	policy, err := p.cfg.Foresee(x.Curve(p.now))
	if err != nil {
		return err
	}
	if err := d.live.RunTo(p.now); err != nil {
		return err
	}
	return d.live.SetPolicy(policy)
}

// wait updates r.idle, the time since which the draining node has been waiting only for readers of
// its map outputs.
func (r *run) wait(p *pool) {
	switch {
	case r.left > 0 || r.node < 0 || r.d.live.Running(r.node) > 0:
		r.idle = 0
	case r.idle == 0:
		r.idle = p.now
	}
}

// drain orders the JobTracker to start, change, or end the drain of the node's TaskTracker. It does
// nothing if either of them is down, or if the JobTracker already has the order. The drain waits
// for jobs that need the node's map outputs, up to a limit. After the limit, the maps with outputs
// on the node run again.
func (r *run) drain(p *pool, on bool) error {
	how := jobtracker.DrainOff
	switch {
	case on && r.idle > 0 && p.now-r.idle >= p.cfg.OutputsWait:
		how = jobtracker.DrainRerun
	case on:
		how = jobtracker.DrainDelayed
	}
	if r.node < 0 || r.told == how || r.d.live.Down() {
		return nil
	}
	r.told = how
	return r.d.live.Drain(r.node, how)
}

func (a *agent) start(p *pool, d mrcluster.Desired) error {
	dep, err := p.deployment(d)
	if err != nil || dep == nil {
		return err
	}
	a.run = &run{d: dep, upAt: p.now + p.cfg.Start, node: -1, kind: d.Kind, master: d.Master}
	a.drain = false
	dep.runs = append(dep.runs, a.run)
	if d.Master && dep.live.Down() {
		return dep.restart(p, a.run.upAt)
	}
	return nil
}

// restart kills the JobTracker, which restarts from its journal at the given time.
func (d *deployment) restart(p *pool, at int64) error {
	if err := d.live.RunTo(p.now); err != nil {
		return err
	}
	policy, err := p.cfg.Policy()
	if err != nil {
		return err
	}
	d.foretold = [2]int{}
	return d.live.Restart(at, policy, p.cfg.Faults.Snapshots)
}

// deployment returns the deployment that an order belongs to. The order that starts the master
// creates the deployment. Before that order, the result is nil.
func (p *pool) deployment(d mrcluster.Desired) (*deployment, error) {
	w := p.byWork[d.Cluster]
	if w.d != nil && w.d.number == d.Deployment {
		return w.d, nil
	}
	if !d.Master {
		return nil, nil
	}
	policy, err := p.cfg.Policy()
	if err != nil {
		return nil, err
	}
	dep := &deployment{name: d.Cluster, number: d.Deployment}
	c := simulator.Config{Slots: p.cfg.Slots, Heartbeat: p.cfg.Heartbeat, WaitForWork: true,
		Seed: p.cfg.Seed + uint64(w.index), Policy: policy, Scheduler: d.Cluster, Shares: p.cfg.Shares,
		KeepJournal: p.cfg.Faults.AgentEvery > 0 || p.cfg.Faults.JobTrackerEvery > 0 || len(p.cfg.Aways) > 0}
	if p.cfg.JobTracker != nil {
		if err := p.cfg.JobTracker(&c); err != nil {
			return nil, err
		}
	}
	dep.live, err = simulator.NewLive(c, p.now, dep.taskTime(p))
	w.d = dep
	return dep, err
}

// stop stops the node's daemons. killed means that the agent ends, too, and lost that the TaskTracker
// does not leave its cluster first. The journal of a killed master stays on disk. If the master's agent returns in time, the deployment continues.
func (a *agent) stop(p *pool, killed, lost bool) error {
	r := a.run
	a.run, a.drain = nil, false
	for i, x := range r.d.runs {
		if x == r {
			r.d.runs = append(r.d.runs[:i], r.d.runs[i+1:]...)
			break
		}
	}
	if w := p.byWork[r.d.name]; !killed && len(r.d.runs) == 0 && w.d == r.d {
		w.d = nil
	}
	if killed && r.master {
		if err := r.d.restart(p, never); err != nil {
			return err
		}
	}
	if r.node < 0 {
		return nil
	}
	if err := r.d.live.RunTo(p.now); err != nil {
		return err
	}
	r.d.kinds[r.node] = 0
	return r.d.live.Remove(r.node, lost)
}

// loseTracker kills only the node's TaskTracker, if it is up. The node keeps its stored data, and
// the agent starts another TaskTracker.
func (a *agent) loseTracker(p *pool) error {
	r := a.run
	if r == nil || r.node < 0 {
		return nil
	}
	p.kills++
	if err := r.d.live.RunTo(p.now); err != nil {
		return err
	}
	r.d.kinds[r.node] = 0
	err := r.d.live.Remove(r.node, true)
	r.node, r.upAt, r.told = -1, p.now+p.cfg.Start, jobtracker.DrainOff
	a.beatAt = p.now
	return err
}

// die ends the agent and everything that runs on its node, until the time back. Unless lost is set,
// the TaskTracker leaves its cluster first.
func (a *agent) die(p *pool, back int64, lost bool) error {
	if a.beatAt == never {
		return nil
	}
	p.deaths++
	a.beatAt, a.backAt = never, back
	if a.run == nil {
		return nil
	}
	return a.stop(p, true, lost)
}

func (d *deployment) composition(p *pool) (c Composition) {
	for _, a := range p.agents {
		if a.run != nil && a.run.d == d && a.drain {
			c.Leaving++
		}
	}
	for _, k := range d.kinds {
		switch k {
		case mrcluster.Core:
			c.Core++
		case mrcluster.Transient:
			c.Transient++
		case mrcluster.TransientCore:
			c.TransientCore++
		}
	}
	return c
}

func (d *deployment) taskTime(p *pool) simulator.TaskTime {
	if p.cfg.TaskTime == nil {
		return nil
	}
	return func(_ int, j *trace.Job, t job.TaskType, shuffle, rest int64) (int64, int64) {
		return p.cfg.TaskTime(d.composition(p), j, t, shuffle, rest)
	}
}

// write counts the bytes of one job's output and spreads them over the nodes that are up and
// allowed to store them.
func (d *deployment) write(bytes int64) {
	d.written += bytes
	d.spread(bytes, nil)
}

// move reduces left by the data that the node has moved since the previous call.
func (r *run) move(p *pool) {
	ms := p.now - r.moved
	r.moved = p.now
	if p.cfg.Move == nil {
		r.left = 0
		return
	}
	leaving, staying := 0, 0
	for _, a := range p.agents {
		switch {
		case a.run == nil || a.run.d != r.d || !a.run.kind.MayStore():
		case a.drain:
			leaving++
		default:
			staying++
		}
	}
	r.left = max(0, r.left-p.cfg.Move(leaving, staying)*ms/1000)
}

// handOver moves the node's stored data to the deployment's other nodes that are up and may store
// data.
func (d *deployment) handOver(from *run) {
	d.spread(from.stored, from)
	from.stored = 0
}

func (d *deployment) spread(bytes int64, not *run) {
	var to []*run
	for _, r := range d.runs {
		if r != not && r.node >= 0 && r.kind.MayStore() {
			to = append(to, r)
		}
	}
	for i, r := range to {
		r.stored += bytes / int64(len(to))
		if int64(i) < bytes%int64(len(to)) {
			r.stored++
		}
	}
}
