package orchestrator

import "github.com/howdah/howdah/job"

// Local is the Local Resource Manager of a node. It belongs to one goroutine.
type Local struct {
	cfg      Config
	estimate estimator
	capacity Vector
	tasks    []*localTask // in the order of the samples
	byID     map[job.Attempt]*localTask
	report   Report
	spare    []*localTask
}

// localTask is a task of the node.
type localTask struct {
	sample   Sample
	launched Vector // with this allocation
	history  history
	advice   Advice
	want     Vector // by the advice of epoch answers
	answers  int64
	now      int64 // of the last sample
}

// NewLocal makes the manager of a node with so much for tasks. The configuration must be valid.
func NewLocal(c Config, capacity Vector) *Local {
	return &Local{cfg: c, estimate: estimators[c.Estimator], capacity: capacity, byID: map[job.Attempt]*localTask{}}
}

// Observe takes samples of all tasks that run; what is not among them is forgotten.
func (l *Local) Observe(now int64, samples []Sample) {
	old := l.tasks
	l.tasks = l.spare[:0]
	for i := range samples {
		s := &samples[i]
		t := l.byID[s.Attempt]
		if t == nil {
			t = &localTask{now: now - 1, launched: s.Allocation}
			l.byID[s.Attempt] = t
		}
		if t.now == now { // twice in the list
			continue
		}
		t.now = now
		t.history.add(&l.cfg, now-s.Start, s.CPUMillis, s.Memory, l.capacity)
		t.sample = *s
		l.tasks = append(l.tasks, t)
	}
	for _, t := range old {
		if t.now != now {
			delete(l.byID, t.sample.Attempt)
		}
	}
	clear(old)
	l.spare = old[:0]
}

// Resize says what the node has for tasks from now on: others may use a part of it.
func (l *Local) Resize(capacity Vector) { l.capacity = capacity }

// Hear takes the advice of Global.
func (l *Local) Hear(advice []Advice) {
	for i := range advice {
		if t := l.byID[advice[i].Attempt]; t != nil {
			t.advice = advice[i]
		}
	}
}

// Report tells what the node's tasks use and, of those on which there is advice, want. It is valid until the next call.
func (l *Local) Report() *Report {
	l.report.Capacity, l.report.Tasks = l.capacity, l.report.Tasks[:0]
	if !l.cfg.Lend {
		l.report.Capacity[Memory] = min(l.capacity[Memory], l.launched())
	}
	for _, t := range l.tasks {
		l.report.Tasks = append(l.report.Tasks, l.tell(t))
	}
	return &l.report
}

func (l *Local) tell(t *localTask) TaskReport {
	elapsed := max(0, t.now-t.sample.Start)
	r := TaskReport{Attempt: t.sample.Attempt, Allocation: t.sample.Allocation, Elapsed: elapsed, Left: Left(t.sample.Progress, elapsed),
		Usage: t.history.recent(elapsed - l.cfg.Epoch)}
	if len(t.history.windows) == 0 || t.advice.Epoch == 0 {
		return r
	}
	if t.answers != t.advice.Epoch {
		t.answers = t.advice.Epoch
		for k := range t.want {
			t.want[k] = l.want(Resource(k), t, &r)
		}
	}
	r.Answers, r.Want = t.answers, t.want
	return r
}

// launched is the memory with which the node's tasks were launched.
func (l *Local) launched() (sum int64) {
	for _, t := range l.tasks {
		sum += t.launched[Memory]
	}
	return sum
}

// want is the estimate, kept within what can be. Estimates do not see what a task would use above its limit, so it is a step more
// for one that presses against it, and what it was launched with if it gave that away while it needed little.
func (l *Local) want(r Resource, t *localTask, p *TaskReport) int64 {
	w := l.estimate(&l.cfg, r, &t.history, &t.advice, p.Elapsed, p.time(t.advice.Whole))
	if r == Memory {
		if t.advice.Pressed {
			w = max(part(w, Million+l.cfg.Step), t.launched[r])
		}
		w = max(w, l.cfg.FloorMemory)
	}
	return min(max(1, w), l.capacity[r])
}

// Left is equation 1: the ms that a task still needs, by its progress score (millionths) and the time it took for that. 0 = it
// has not got far enough to tell.
func Left(progress, elapsed int64) int64 {
	const enough = Million / 100
	if progress < enough || elapsed <= 0 {
		return 0
	}
	return max(1, int64(float64(Million-min(progress, Million))/float64(progress)*float64(elapsed)))
}
