package simulator

import (
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/orchestrator"
)

// taskShare is what a task has of its node and what it makes of it.
type taskShare struct {
	demand Demand
	has    orchestrator.Vector
	use    orchestrator.Vector
	start  int64 // of the attempt
	rate   int64 // how fast it gets on, in millionths of the speed it would have alone
	// How far it had got (millionths) when its rate last changed, and when that was.
	done      int64
	at        int64
	cpuMillis float64
}

// join is called when work on a task begins.
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

// launched is what a task has as long as nobody changes it.
func (w *shares) launched(s *taskShare) orchestrator.Vector {
	has := w.initial
	if s.demand.Granted > 0 {
		has[orchestrator.Memory] = s.demand.Granted
	}
	return has
}

func (s *taskShare) limit(l jobtracker.Limit) {
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

// wants is the memory that a task would use, how far it has got.
func (s *taskShare) wants(progress int64) int64 {
	if s.demand.Grown <= 0 || progress >= s.demand.Grown {
		return s.demand.Memory
	}
	return s.demand.Memory/10 + s.demand.Memory*9/10*progress/s.demand.Grown
}

// rates works out what each task of a node gets, and moves its end accordingly.
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

// claim is a task that works.
type claim struct {
	task   *task
	needs  int64 // memory
	memory int64 // rate at which its memory lets it go
	wants  int64 // CPU at that rate
}

// shareMemory lets each task use what it needs and has. Where what tasks have adds up to more than the node, and they use it, the
// kernel takes from all alike.
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
			c.memory = int64(million / (1 + float64(s.demand.Thrash)/million*float64(c.needs-s.use[orchestrator.Memory])/float64(c.needs)))
		}
		busy := c.memory + (million-c.memory)*s.demand.Burn/million
		c.wants = max(1, s.demand.CPU*busy/million)
	}
}

// known gives tasks what they need as far as the node has it.
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

// shareCPU gives the node's CPU to the tasks by their weights, or each his own if weights are caps.
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

// portion is what one gets of a whole.
type portion struct{ wants, weight, gets int64 }

// divide gives out a whole by weights; what one cannot use the others have.
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
		if len(rest) == len(open) { // nobody has less than his part
			return
		}
		whole -= given
		open = rest
	}
}

// stretch moves the ends of a task whose speed has changed.
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
