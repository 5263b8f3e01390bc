package adaptive

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// stepWork limits the work of one Tick, in elementary operations that each take well below 200 ns.
const stepWork = 3000

// stage is a part of a placement cycle. A cycle runs through the stages in order.
type stage uint8

const (
	idle stage = iota
	measuring
	estimating
	reversing
	settling
	allocating
	keeping
	adding
	publishing
)

// A PlacementAlgorithm computes a placement matrix in every control cycle (section IV-D). First,
// its rule decides how many job-slots each job gets in the cluster. Then the algorithm chooses a
// tracker for each job-slot. It divides this work into steps.
type PlacementAlgorithm struct {
	opt       options
	updater   *JobStatusUpdater
	estimator *WorkloadEstimator
	utility   *JobUtilityCalculator
	capacity  *capacity
	nodes     *nodes
	rule      rule

	stage   stage
	i       int
	budget  int           // remaining work of the current step
	jobs    []*descriptor // jobs of this cycle, in the order of the JobStatusUpdater
	list    []*node
	pools   [2]Demand // what is left of Omega in the whole cluster, with the slots of each type
	filling filling
	kind    job.TaskType
	ring    []*descriptor // jobs with job-slots that still need a tracker
	at      int           // index in ring of the next job to serve
	level   int32         // trackers with more reduces than this get none in the current sweep
	again   bool          // another sweep over the trackers may place more reduces
	begun   int64         // start of the current or last cycle; 0 = none since Reset
}

// A rule converts the needs of jobs to numbers of job-slots.
type rule interface {
	// foresees reports whether predictions use f(t). Otherwise, predictions assume that the
	// capacity does not change.
	foresees() bool
	// reverse reports whether the rule needs the results of Algorithm 1.
	reverse() bool
	// begin prepares the calls to step. It runs after the needs of all jobs have been computed.
	begin(p *PlacementAlgorithm)
	// step assigns job-slots to jobs until the budget is used up. It reports whether it has finished.
	step(p *PlacementAlgorithm, budget *int) bool
}

// step continues the cycle until its budget is used up or the cycle ends. If no cycle is running,
// it starts one.
func (p *PlacementAlgorithm) step(v scheduler.View) {
	for p.budget = stepWork; p.budget > 0; {
		if p.advance(v, &p.budget) {
			return
		}
	}
}

// advance works on the current stage within the budget. It reports whether the cycle has ended.
func (p *PlacementAlgorithm) advance(v scheduler.View, budget *int) (over bool) {
	switch p.stage {
	case idle:
		p.begin(v)
	case measuring:
		p.measure(v, budget)
	case estimating:
		p.estimate(budget)
	case reversing:
		if p.estimator.step(budget) {
			p.enter(settling)
		}
	case settling:
		p.settle(budget)
	case allocating:
		if p.rule.step(p, budget) {
			p.enter(keeping)
		}
	case keeping:
		p.keep(budget)
	case adding:
		p.add(v, budget)
	case publishing:
		return p.publish(budget)
	}
	return false
}

func (p *PlacementAlgorithm) enter(s stage) { p.stage, p.i = s, 0 }

func (p *PlacementAlgorithm) begin(v scheduler.View) {
	p.begun = v.Now()
	p.jobs = append(p.jobs[:0], p.updater.jobs...)
	p.list = append(p.list[:0], p.nodes.list...)
	p.capacity.begin(v.Now())
	p.pools = [2]Demand{}
	p.estimator.begin(v.Now())
	p.enter(measuring)
}

// measure adds up the resources of the trackers.
func (p *PlacementAlgorithm) measure(v scheduler.View, budget *int) {
	for ; p.i < len(p.list) && *budget > 0; p.i++ {
		*budget--
		t := v.Tracker(p.list[p.i].handle)
		if t == nil {
			continue
		}
		p.capacity.add(t)
		for k := range job.TaskType(2) {
			p.pools[k].join(p.capacity.of(t, k, v.Now()))
		}
	}
	if p.i == len(p.list) {
		p.capacity.end(p.estimator)
		p.estimator.present = float64(p.pools[job.Map][Slot])
		p.enter(estimating)
	}
}

// join adds d, a node's resources, to room, the running total. If a node does not report a
// resource, the resource is unlimited for the whole cluster.
func (room *Demand) join(d Demand) {
	for r, n := range d {
		if n == unlimited || room[r] == unlimited {
			room[r] = unlimited
		} else {
			room[r] += n
		}
	}
}

func (p *PlacementAlgorithm) estimate(budget *int) {
	for ; p.i < len(p.jobs) && *budget > 0; p.i++ {
		*budget--
		d := p.jobs[p.i]
		d.rank = int32(p.i)
		p.estimator.require(d)
	}
	if p.i < len(p.jobs) {
		return
	}
	if p.rule.reverse() {
		p.estimator.reverse(p.jobs)
		p.enter(reversing)
	} else {
		p.startAllocation()
	}
}

func (p *PlacementAlgorithm) settle(budget *int) {
	for ; p.i < len(p.jobs) && *budget > 0; p.i++ {
		*budget--
		p.estimator.settle(p.jobs[p.i])
	}
	if p.i == len(p.jobs) {
		p.startAllocation()
	}
}

func (p *PlacementAlgorithm) startAllocation() {
	p.rule.begin(p)
	p.enter(allocating)
}

// give assigns one job-slot in the cluster to the job. It returns false if there is not enough
// room.
func (p *PlacementAlgorithm) give(d *descriptor, k job.TaskType) bool {
	if !d.demand[k].fits(&p.pools[k]) {
		return false
	}
	p.pools[k].take(&d.demand[k], 1)
	for r := CPU; r < resources; r++ { // maps and reduces share all resources except slots
		p.pools[1-k][r] = p.pools[k][r]
	}
	d.alloc[k]++
	d.left[k]++
	return true
}

// keep assigns each job's job-slots to trackers on which tasks of that job are already running.
func (p *PlacementAlgorithm) keep(budget *int) {
	for ; p.i < len(p.list) && *budget > 0; p.i++ {
		x := p.list[p.i]
		for c := range x.cells {
			*budget--
			c := &x.cells[c]
			for k := range c.next {
				c.next[k] = min(c.run[k], c.d.left[k])
				c.d.left[k] -= c.next[k]
			}
		}
		*budget--
	}
	if p.i == len(p.list) {
		p.kind = job.Reduce // reduces come before maps
		p.level, p.again = 0, false
		p.fillRing()
		p.enter(adding)
	}
}

func (p *PlacementAlgorithm) fillRing() {
	p.ring, p.at = p.ring[:0], 0
	for _, d := range p.jobs {
		if d.left[p.kind] > 0 {
			p.ring = append(p.ring, d)
		}
	}
}

// add assigns the remaining job-slots to trackers. It makes several sweeps over the trackers for
// reduces (see spread), and then fills one tracker after another with maps, one job-slot of each job
// in turn.
func (p *PlacementAlgorithm) add(v scheduler.View, budget *int) {
	for ; p.i < len(p.list) && *budget > 0 && len(p.ring) > 0; p.i++ {
		*budget--
		if t := v.Tracker(p.list[p.i].handle); t != nil {
			room := p.room(p.list[p.i], t, v.Now())
			if p.kind == job.Reduce {
				p.spread(p.list[p.i], room, budget)
			} else {
				p.addTo(p.list[p.i], room, budget)
			}
		}
	}
	if p.i < len(p.list) && len(p.ring) > 0 {
		return
	}
	switch {
	case p.kind == job.Map:
		p.enter(publishing)
	case p.again && len(p.ring) > 0:
		p.level++
		p.again = false
		p.i = 0
	default:
		p.kind = job.Map
		p.fillRing()
		p.i = 0
	}
}

// spread assigns at most one reduce job-slot to the tracker, so that reduces go to the trackers with
// the fewest reduces. The job is the next one in turn that fits, among the jobs with the fewest
// reduces on the tracker (Middleware'11, step 1 of the placement).
func (p *PlacementAlgorithm) spread(x *node, room Demand, budget *int) {
	if x.reduces() > p.level {
		p.again = true
		return
	}
	best, fewest := -1, int32(0)
	for n := range p.ring {
		*budget--
		i := (p.at + n) % len(p.ring)
		d := p.ring[i]
		if !d.demand[job.Reduce].fits(&room) {
			continue
		}
		if own := x.reducesOf(d); best < 0 || own < fewest {
			best, fewest = i, own
		}
		if fewest == 0 {
			break
		}
	}
	if best >= 0 {
		p.again = true
		p.place(x, best, &room)
	}
}

// place assigns a job-slot of the job with index i in ring to the tracker. The next job in turn is the
// one after it.
func (p *PlacementAlgorithm) place(x *node, i int, room *Demand) {
	d := p.ring[i]
	room.take(&d.demand[p.kind], 1)
	x.cell(d).next[p.kind]++
	p.at = i + 1
	if d.left[p.kind]--; d.left[p.kind] == 0 {
		p.ring = append(p.ring[:i], p.ring[i+1:]...)
		p.at = i
	}
}

// room returns the tracker's resources minus the job-slots that this cycle has assigned to it.
func (p *PlacementAlgorithm) room(x *node, t *scheduler.Tracker, now int64) Demand {
	room := p.capacity.of(t, p.kind, now)
	for i := range x.cells {
		c := &x.cells[i]
		for k := range job.TaskType(2) {
			taken := c.d.demand[k]
			if k != p.kind {
				taken[Slot] = 0
			}
			room.take(&taken, int64(c.next[k]))
		}
	}
	return room
}

// addTo fills the tracker with map job-slots.
func (p *PlacementAlgorithm) addTo(x *node, room Demand, budget *int) {
	for missed := 0; missed < len(p.ring) && room[Slot] > 0; {
		*budget--
		if p.at >= len(p.ring) {
			p.at = 0
		}
		d := p.ring[p.at]
		if !d.demand[p.kind].fits(&room) {
			missed++
			p.at++
			continue
		}
		missed = 0
		p.place(x, p.at, &room)
	}
}

// publish makes the new placement current and reports whether the cycle has ended.
func (p *PlacementAlgorithm) publish(budget *int) bool {
	for ; p.i < len(p.list) && *budget > 0; p.i++ {
		*budget--
		p.list[p.i].publish()
	}
	if p.i < len(p.list) {
		return false
	}
	p.enter(idle)
	return true
}
