package simulator

import (
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/orchestrator"
)

// taskShare holds a task's share of its node's resources, its resource usage, and its progress.
type taskShare struct {
	demand Demand
	has    orchestrator.Vector
	use    orchestrator.Vector
	start  int64 // start of the attempt
	rate   int64 // speed in millionths of the speed without contention; 0 if the run has no Shares
	// done is the progress in millionths, and at is the time, of the last update of rate.
	done      int64
	at        int64
	cpuMillis float64
}

// join starts or restarts the work on the task. The first call also sets the task's demand and
// share.
func (w *shares) join(e *engine, t *task, name string) {
	if w == nil {
		return
	}
	s := &t.share
	if s.rate == 0 {
		s.demand, s.start = w.Demand(name, t.id.Task), e.now
		s.has = w.launched(s)
	}
	s.rate, s.at, s.done = million, e.now, 0
}

// launched returns the task's initial share.
func (w *shares) launched(s *taskShare) orchestrator.Vector {
	has := w.initial
	if s.demand.Granted > 0 {
		has[orchestrator.Memory] = s.demand.Granted
	}
	return has
}

func (s *taskShare) limit(l heartbeat.Limit) {
	if l.CPU > 0 {
		s.has[orchestrator.CPU] = int64(l.CPU)
	}
	if l.Memory > 0 {
		s.has[orchestrator.Memory] = int64(l.Memory)
	}
}

func (s *taskShare) progress(now, end int64) int64 {
	if end == never {
		return 0
	}
	if end <= s.at {
		return million
	}
	return s.done + (million-s.done)*(min(now, end)-s.at)/(end-s.at)
}

// wants returns the memory that the task would use at the given progress.
func (s *taskShare) wants(progress int64) int64 {
	if s.demand.Grown <= 0 || progress >= s.demand.Grown {
		return s.demand.Memory
	}
	return s.demand.Memory/10 + s.demand.Memory*9/10*progress/s.demand.Grown
}

// rates updates the progress and the resource usage of each task on the node, and adjusts the
// tasks' end times accordingly.
func (w *shares) rates(e *engine, n *node) {
	if w == nil {
		return
	}
	claims := make([]claim, 0, len(n.tasks))
	for _, t := range n.tasks {
		s := &t.share
		s.cpuMillis += float64(s.use[orchestrator.CPU]) * float64(min(e.now, t.end)-s.at) / 1000
		s.done, s.at = s.progress(e.now, t.end), e.now
		s.use = orchestrator.Vector{}
		if !t.filler && !t.over(e.now) {
			claims = append(claims, claim{task: t, needs: s.wants(s.done)})
		}
	}
	w.shareMemory(claims)
	w.shareCPU(claims)
	for _, c := range claims {
		s := &c.task.share
		old := s.rate
		s.rate = max(1, c.memory*s.use[orchestrator.CPU]/c.wants)
		c.task.stretch(e.now, old, s.rate)
	}
}

// claim is the resource claim of a working task.
type claim struct {
	task   *task
	needs  int64 // needed memory in MiB
	memory int64 // rate in millionths that the task's memory permits
	wants  int64 // CPU that the task needs for that rate, in thousandths of a core
}

// shareMemory lets each task use the memory that it needs, up to its share. If tasks use more than
// the node has, all of them lose memory proportionally. shareMemory also sets each claim's memory
// and wants fields.
func (w *shares) shareMemory(claims []claim) {
	if w.Known {
		w.known(claims)
	}
	whole, used := w.Capacity[orchestrator.Memory], int64(0)
	for _, c := range claims {
		s := &c.task.share
		s.use[orchestrator.Memory] = min(c.needs, s.has[orchestrator.Memory])
		used += s.use[orchestrator.Memory]
	}
	for i := range claims {
		c, s := &claims[i], &claims[i].task.share
		c.memory = million
		if c.needs > 0 {
			if used > whole {
				s.use[orchestrator.Memory] = s.use[orchestrator.Memory] * whole / used
			}
			c.memory = int64(million / (1 +
				float64(s.demand.Thrash)/million*float64(c.needs-s.use[orchestrator.Memory])/float64(c.needs)))
		}
		busy := c.memory + (million-c.memory)*s.demand.Burn/million
		c.wants = max(1, s.demand.CPU*busy/million)
	}
}

// known assigns tasks the memory that they need, up to the node's capacity.
func (w *shares) known(claims []claim) {
	parts := make([]portion, len(claims))
	for i := range claims {
		parts[i] = portion{wants: claims[i].needs, weight: 1}
	}
	divide(w.Capacity[orchestrator.Memory], parts)
	for i := range claims {
		claims[i].task.share.has[orchestrator.Memory] = parts[i].gets
	}
}

// shareCPU divides the node's CPU by weight or, if Cap is set, gives each task at most its weight.
func (w *shares) shareCPU(claims []claim) {
	parts := make([]portion, len(claims))
	for i := range claims {
		parts[i] = portion{wants: claims[i].wants, weight: claims[i].task.share.has[orchestrator.CPU]}
		parts[i].gets = min(parts[i].wants, parts[i].weight)
	}
	if !w.Cap {
		divide(w.Capacity[orchestrator.CPU], parts)
	}
	for i := range claims {
		claims[i].task.share.use[orchestrator.CPU] = max(1, parts[i].gets)
	}
}

// portion holds a consumer's demand, its weight, and the part of a whole that the consumer gets.
type portion struct{ wants, weight, gets int64 }

// divide divides a whole by weights. Shares that one consumer cannot use go to the others.
func divide(whole int64, parts []portion) {
	open := make([]*portion, len(parts))
	for i := range parts {
		open[i] = &parts[i]
	}
	for len(open) > 0 {
		weights, given := int64(0), int64(0)
		for _, p := range open {
			weights += p.weight
		}
		rest := open[:0:0]
		for _, p := range open {
			if p.gets = whole * p.weight / weights; p.wants <= p.gets {
				p.gets = p.wants
				given += p.wants
			} else {
				rest = append(rest, p)
			}
		}
		if len(rest) == len(open) { // no consumer needs less than its share
			return
		}
		whole -= given
		open = rest
	}
}

// stretch adjusts the remaining times of the task after a change of its speed.
func (t *task) stretch(now, old, new int64) {
	if old == new {
		return
	}
	for _, at := range []*int64{&t.sorted, &t.end} {
		if *at != never && *at > now {
			*at = now + int64(float64(*at-now)*float64(old)/float64(new)+0.5)
		}
	}
}
