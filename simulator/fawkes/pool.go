package fawkes

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/replay"
	"github.com/howdah/howdah/simulator/trace"
)

const never = math.MaxInt64

// pool is the state of one run.
type pool struct {
	cfg      *Config
	m        *mrcluster.Machine
	now      int64
	agents   []*agent
	byName   map[string]*agent
	work     []*workload
	byWork   map[string]*workload
	copies   []copying
	loads    []simulator.Load // that are still to come
	aways    []simulator.Away // that are still to come, in the order of their times
	sampleAt int64
	facts    []mrcluster.Fact
	buf      []mrcluster.Output
	luck     *rand.Rand
	killAt   int64 // time of the manager's next kill
	deathAt  int64 // time of the next death of an agent
	trackAt  int64 // time of the next kill of a TaskTracker
	masterAt int64 // time of the next kill of a JobTracker
	growAt   int64 // time of the next request of an operator
	restarts int
	deaths   int
	kills    int
	masters  int
	sizes    int
	// journal is the manager's journal in its format on disk. It is nil if the manager is never
	// killed.
	journal []byte
}

// workload is a running Workload.
type workload struct {
	Workload
	index  int
	next   int         // index of the next job to submit
	queued []queued    // jobs that have arrived but not yet ended
	d      *deployment // deployment that is running its jobs; nil if none is
	done   []trace.JobResult
}

// queued is a job and the deployment to whose JobTracker it was last submitted. in is nil if the
// job has not been submitted.
type queued struct {
	*trace.Job
	in *deployment
}

// copying is a load or save in progress.
type copying struct {
	at int64
	in mrcluster.Input
}

func newPool(c *Config, work []Workload) (*pool, error) {
	p := &pool{cfg: c, now: replay.Epoch, byName: map[string]*agent{}, byWork: map[string]*workload{},
		luck:   rand.New(rand.NewPCG(c.Seed, 0xfa)),
		killAt: never, deathAt: never, trackAt: never, masterAt: never,
		growAt: never}
	p.sampleAt, p.loads = p.now+c.Sample, c.Loads
	p.aways = slices.Clone(c.Aways)
	slices.SortStableFunc(p.aways, func(a, b simulator.Away) int { return cmp.Compare(a.At, b.At) })
	for i := range c.Nodes {
		a := &agent{name: fmt.Sprintf("node%04d", i+1), beatAt: p.now}
		p.agents = append(p.agents, a)
		p.byName[a.name] = a
	}
	if err := p.startManager(); err != nil {
		return nil, err
	}
	p.killAt, p.deathAt, p.trackAt = p.draw(c.Faults.ManagerEvery), p.draw(c.Faults.AgentEvery),
		p.draw(c.Faults.TrackerEvery)
	p.masterAt, p.growAt = p.draw(c.Faults.JobTrackerEvery), p.draw(c.Faults.GrowEvery)
	for _, a := range p.agents {
		if err := p.beat(a); err != nil {
			return nil, err
		}
	}
	for i := range work {
		w := &workload{Workload: work[i], index: i}
		w.Jobs = slices.Clone(w.Jobs) // grows by jobs that follow others
		p.work = append(p.work, w)
		p.byWork[w.Spec.Name] = w
		if err := p.step(mrcluster.Input{Kind: mrcluster.InCreate, Spec: &w.Spec}).Err; err != nil {
			return nil, err
		}
	}
	return p, nil
}

// startManager starts a manager from the journal.
func (p *pool) startManager() error {
	m, err := mrcluster.New(p.cfg.Manager, p.cfg.Weighting)
	if err != nil {
		return err
	}
	if err := p.replay(m); err != nil {
		return err
	}
	p.m, p.copies = m, nil
	p.take(m.Recovered(p.now, nil))
	return nil
}

// draw returns the time of a random fault, on average mean ms from now. It returns the constant
// never if mean is 0, or if the time would be after Faults.Until.
func (p *pool) draw(mean int64) int64 {
	if mean <= 0 {
		return never
	}
	at := p.now + 1 + int64(-math.Log(1-p.luck.Float64())*float64(mean))
	if at-replay.Epoch > p.cfg.Faults.Until {
		return never
	}
	return at
}

// step passes an input to the manager and processes the outputs.
func (p *pool) step(in mrcluster.Input) mrcluster.Output {
	in.Now, in.Req = p.now, 1
	return p.take(p.m.Step(&in, p.buf[:0]))
}

func (p *pool) take(out []mrcluster.Output) (reply mrcluster.Output) {
	for i := range out {
		o := &out[i]
		switch o.Kind {
		case mrcluster.OutFact:
			p.facts = append(p.facts, *o.Fact)
			p.write(o.Fact)
			p.hear(o.Fact)
		case mrcluster.OutReply:
			reply = *o
		case mrcluster.OutLoad:
			p.copy(o, mrcluster.InLoaded, p.byWork[o.Cluster].Load)
		case mrcluster.OutSave:
			p.copy(o, mrcluster.InSaved, p.byWork[o.Cluster].Save)
		}
	}
	p.buf = out[:0]
	return reply
}

func (p *pool) copy(o *mrcluster.Output, answer mrcluster.InputKind, ms int64) {
	p.copies = append(p.copies, copying{p.now + ms, mrcluster.Input{Kind: answer, Cluster: o.Cluster,
		Deployment: o.Deployment}})
}

// hear makes the agents that the fact affects report immediately.
func (p *pool) hear(f *mrcluster.Fact) {
	if a := p.byName[f.Node]; a != nil && a.beatAt != never {
		a.beatAt = p.now
	}
	switch f.Kind {
	case mrcluster.ClusterEnded, mrcluster.ClusterRetried:
		for _, a := range p.agents {
			if a.run != nil && a.run.d.name == f.Cluster && a.beatAt != never {
				a.beatAt = p.now
			}
		}
	}
}

// once advances the clock to the next event and processes all events that are due.
func (p *pool) once() error {
	at := p.next()
	if at-replay.Epoch > p.cfg.Limit {
		return failure.New(failure.Failed, "simulate", "", fmt.Errorf("jobs have not ended after %d s", p.cfg.Limit/1000))
	}
	p.now = max(p.now, at)
	for _, w := range p.work {
		if err := p.collect(w); err != nil {
			return err
		}
	}
	if err := p.faults(); err != nil {
		return err
	}
	p.press()
	for i := 0; i < len(p.copies); i++ {
		if c := p.copies[i]; c.at <= p.now {
			p.copies = append(p.copies[:i], p.copies[i+1:]...)
			i--
			p.step(c.in)
		}
	}
	for _, w := range p.work {
		if err := p.submit(w); err != nil {
			return err
		}
	}
	for _, a := range p.agents {
		if a.due(p) <= p.now {
			if err := p.beat(a); err != nil {
				return err
			}
		}
	}
	if p.sampleAt <= p.now {
		p.sampleAt = p.now + p.cfg.Sample
		p.sample()
	}
	p.step(mrcluster.Input{Kind: mrcluster.InTick})
	return p.m.Err()
}

func (p *pool) next() int64 {
	at := min(p.m.NextDeadline(), p.sampleAt, p.killAt, p.deathAt, p.trackAt, p.masterAt, p.growAt)
	for _, c := range p.copies {
		at = min(at, c.at)
	}
	if len(p.loads) > 0 {
		at = min(at, replay.Epoch+p.loads[0].At)
	}
	if len(p.aways) > 0 {
		at = min(at, replay.Epoch+p.aways[0].At)
	}
	for _, w := range p.work {
		if w.next < len(w.Jobs) {
			at = min(at, replay.Epoch+w.Jobs[w.next].Submit)
		}
	}
	for _, a := range p.agents {
		at = min(at, a.due(p))
	}
	return max(at, p.now)
}

// press applies the loads of other tenants that are due.
func (p *pool) press() {
	for len(p.loads) > 0 && replay.Epoch+p.loads[0].At <= p.now {
		l := p.loads[0]
		p.loads = p.loads[1:]
		for i, a := range p.agents {
			if l.Nodes == nil || slices.Contains(l.Nodes, i+1) {
				a.load = l
				a.press()
			}
		}
	}
}

// submit requests the MR-cluster when a job arrives, and submits the job when the MR-cluster is up.
func (p *pool) submit(w *workload) error {
	for w.next < len(w.Jobs) && replay.Epoch+w.Jobs[w.next].Submit <= p.now {
		j := *w.Jobs[w.next]
		j.Submit += replay.Epoch
		if j.Deadline > 0 {
			j.Deadline += replay.Epoch
		}
		w.next++
		w.queued = append(w.queued, queued{Job: &j})
		if err := p.step(mrcluster.Input{Kind: mrcluster.InJob, Cluster: w.Spec.Name}).Err; err != nil {
			return err
		}
	}
	return p.handIn(w)
}

// handIn submits all queued jobs that an active MR-cluster's JobTracker does not have yet. For a
// new deployment, these are all unfinished jobs. If the manager has given up deploying the
// MR-cluster, handIn requests it again.
func (p *pool) handIn(w *workload) error {
	v, ok := p.m.Cluster(w.Spec.Name)
	if ok && v.State == mrcluster.Defined && len(w.queued) > 0 { // given up; request the MR-cluster again
		p.step(mrcluster.Input{Kind: mrcluster.InJob, Cluster: w.Spec.Name})
	}
	if !ok || w.d == nil || w.d.live.Down() || v.State != mrcluster.Active || v.Deployment != w.d.number {
		return nil
	}
	w.d.open = true
	for i := range w.queued {
		j := &w.queued[i]
		if j.in == w.d {
			continue
		}
		j.in = w.d
		if err := w.d.live.Submit(j.Job); err != nil {
			return err
		}
	}
	return nil
}

// collect advances the MR-cluster's JobTracker to the current time and records the jobs that have
// ended, with their output.
func (p *pool) collect(w *workload) error {
	d := w.d
	if d == nil {
		return nil
	}
	if err := d.live.RunTo(p.now); err != nil {
		return err
	}
	for _, r := range d.live.Finished() {
		for i, j := range w.queued {
			if j.ID == r.ID {
				w.queued = append(w.queued[:i], w.queued[i+1:]...)
				d.write(j.Output * int64(p.cfg.Replication))
				break
			}
		}
		d.jobsDone++
		d.tasksDone += int64(r.Maps + r.Reduces)
		for _, at := range []*int64{&r.Submit, &r.Start, &r.MapsDone, &r.Finish} {
			*at -= replay.Epoch
		}
		if r.Deadline > 0 {
			r.Deadline -= replay.Epoch
		}
		w.done = append(w.done, r)
		w.follow(r)
	}
	return nil
}

// follow adds the jobs that follow the ended job to those that have not arrived yet.
func (w *workload) follow(r trace.JobResult) {
	if w.Follow == nil {
		return
	}
	for _, j := range w.Follow(r) {
		i := len(w.Jobs)
		for i > w.next && w.Jobs[i-1].Submit > j.Submit {
			i--
		}
		w.Jobs = slices.Insert(w.Jobs, i, j)
	}
}

// over reports whether all jobs have ended and all nodes are free.
func (p *pool) over() bool {
	for _, w := range p.work {
		if w.next < len(w.Jobs) || len(w.queued) > 0 {
			return false
		}
	}
	for _, a := range p.agents {
		if a.run != nil {
			return false
		}
	}
	return true
}

// faults carries out the kills that are due. The victim is the manager, an agent, a TaskTracker, or
// a JobTracker. faults also makes the requests of an operator that are due.
func (p *pool) faults() error {
	if p.killAt <= p.now {
		p.restarts++
		p.killAt = p.draw(p.cfg.Faults.ManagerEvery)
		if err := p.startManager(); err != nil {
			return err
		}
	}
	if p.trackAt <= p.now {
		p.trackAt = p.draw(p.cfg.Faults.TrackerEvery)
		if err := p.agents[p.luck.IntN(len(p.agents))].loseTracker(p); err != nil {
			return err
		}
	}
	if p.masterAt <= p.now {
		p.masterAt = p.draw(p.cfg.Faults.JobTrackerEvery)
		if err := p.loseJobTracker(); err != nil {
			return err
		}
	}
	if p.growAt <= p.now {
		p.growAt = p.draw(p.cfg.Faults.GrowEvery)
		p.grow()
	}
	if p.deathAt <= p.now {
		p.deathAt = p.draw(p.cfg.Faults.AgentEvery)
		return p.agents[p.luck.IntN(len(p.agents))].die(p, p.now+max(1, p.cfg.Faults.Down), true)
	}
	return p.depart()
}

// grow requests a random size for a random MR-cluster.
func (p *pool) grow() {
	name := p.work[p.luck.IntN(len(p.work))].Spec.Name
	in := mrcluster.Input{Kind: mrcluster.InGrow, Cluster: name, Nodes: p.luck.IntN(p.cfg.Nodes + 1)}
	if p.step(in).Err == nil {
		p.sizes++
	}
}

// depart carries out the planned failures of nodes that are due.
func (p *pool) depart() error {
	for len(p.aways) > 0 && replay.Epoch+p.aways[0].At <= p.now {
		x := p.aways[0]
		p.aways = p.aways[1:]
		back := int64(never)
		if x.Back > 0 {
			back = replay.Epoch + x.Back
		}
		for i, a := range p.agents {
			if x.Nodes != nil && !slices.Contains(x.Nodes, i+1) {
				continue
			}
			if err := a.die(p, back, !x.Leave); err != nil {
				return err
			}
		}
	}
	return nil
}

// loseJobTracker kills the JobTracker of a random MR-cluster, if it is up.
func (p *pool) loseJobTracker() error {
	d := p.work[p.luck.IntN(len(p.work))].d
	if d == nil || d.live.Down() {
		return nil
	}
	p.masters++
	return d.restart(p, p.now+p.cfg.Start)
}

func (p *pool) result() *Result {
	r := &Result{Facts: p.facts, Reconfigurations: p.m.View().Reconfigurations, Restarts: p.restarts, Deaths: p.deaths,
		Kills: p.kills, JobTrackers: p.masters, Sizes: p.sizes}
	for _, w := range p.work {
		r.Clusters = append(r.Clusters, Done{Name: w.Spec.Name, Jobs: w.done, Makespan: trace.Makespan(w.done)})
	}
	return r
}
