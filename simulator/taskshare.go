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
		if t.filler || t.over(e.now) {
			continue
		}
		memory := million
		if want := s.wants(s.done); want > 0 {
			s.use[orchestrator.Memory] = min(want, s.has[orchestrator.Memory])
			memory = int(float64(million) / (1 + float64(s.demand.Thrash)/million*float64(want-s.use[orchestrator.Memory])/float64(want)))
		}
		busy := int64(memory) + (million-int64(memory))*s.demand.Burn/million
		claims = append(claims, claim{t, int64(memory), max(1, s.demand.CPU*busy/million), s.has[orchestrator.CPU]})
	}
	w.share(claims)
	for _, c := range claims {
		old := c.task.share.rate
		c.task.share.rate = max(1, c.memory*c.task.share.use[orchestrator.CPU]/c.wants)
		c.task.stretch(e.now, old, c.task.share.rate)
	}
}

// claim is a task that wants CPU.
type claim struct {
	task   *task
	memory int64 // rate at which its memory lets it go
	wants  int64
	weight int64
}

// share gives the node's CPU to the tasks by their weights; what one cannot use the others have, unless weights are caps.
func (w *shares) share(claims []claim) {
	left := w.Capacity[orchestrator.CPU]
	if w.Cap {
		for _, c := range claims {
			c.task.share.use[orchestrator.CPU] = max(1, min(c.wants, c.weight))
		}
		return
	}
	for open := claims; len(open) > 0; {
		weights := int64(0)
		for _, c := range open {
			weights += c.weight
		}
		var rest []claim
		given := int64(0)
		for _, c := range open {
			if part := left * c.weight / weights; c.wants <= part {
				c.task.share.use[orchestrator.CPU] = c.wants
				given += c.wants
			} else {
				rest = append(rest, c)
			}
		}
		left -= given
		if len(rest) == len(open) { // nobody has less than his part
			for _, c := range rest {
				c.task.share.use[orchestrator.CPU] = max(1, left*c.weight/weights)
			}
			return
		}
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
