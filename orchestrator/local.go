package orchestrator

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
)

// Local is the Local Resource Manager, which runs in each TaskTracker. It is not safe for
// concurrent use.
type Local struct {
	cfg      Config
	estimate estimator
	capacity Vector
	tasks    []*localTask // in the order of the last samples passed to Observe
	byID     map[job.Attempt]*localTask
	report   heartbeat.Shares
	spare    []*localTask
}

// A localTask is the state of a task running on the node.
type localTask struct {
	sample   Sample
	launched Vector // allocation in the first sample
	history  history
	advice   heartbeat.Advice
	want     Vector // estimates, based on the last advice
	answers  int64  // epoch of the advice on which want is based
	now      int64  // time of the last sample
}

// NewLocal returns a Local for a node with the given capacity for tasks. The configuration must be
// valid.
func NewLocal(c Config, capacity Vector) *Local {
	return &Local{cfg: c, estimate: c.chosen(), capacity: capacity, byID: map[job.Attempt]*localTask{}}
}

// Observe processes samples, which must contain one sample of each running task. It drops the tasks
// that have no sample. It ignores a second call with the same time.
func (l *Local) Observe(now int64, samples []Sample) {
	if len(l.tasks) > 0 && l.tasks[0].now == now { // these samples have been processed
		return
	}
	old := l.tasks
	l.tasks = l.spare[:0]
	for i := range samples {
		s := &samples[i]
		t := l.byID[s.Attempt]
		if t == nil {
			t = &localTask{launched: s.Allocation}
			l.byID[s.Attempt] = t
		} else if t.now == now { // the same sample again
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

// Resize sets the capacity that the node has for tasks. The capacity shrinks when other programs
// use part of the node.
func (l *Local) Resize(capacity Vector) { l.capacity = capacity }

// Hear stores advice from Global.
func (l *Local) Hear(advice []heartbeat.Advice) {
	for i := range advice {
		if t := l.byID[advice[i].Attempt]; t != nil {
			t.advice = advice[i]
		}
	}
}

// Report returns the usage of the node's tasks. For measured tasks with advice, it includes the
// estimates. The result is valid until the next call to Report.
func (l *Local) Report() *heartbeat.Shares {
	l.report.Capacity, l.report.Tasks = l.capacity, l.report.Tasks[:0]
	if !l.cfg.Lend {
		l.report.Capacity[Memory] = min(l.capacity[Memory], l.launched())
	}
	for _, t := range l.tasks {
		l.report.Tasks = append(l.report.Tasks, l.tell(t))
	}
	return &l.report
}

func (l *Local) tell(t *localTask) heartbeat.TaskShare {
	elapsed := max(0, t.now-t.sample.Start)
	r := heartbeat.TaskShare{Attempt: t.sample.Attempt, Allocation: t.sample.Allocation, Elapsed: elapsed,
		Left: Left(t.sample.Progress, elapsed), Usage: t.history.recent(elapsed - l.cfg.Epoch)}
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

// launched returns the total memory that the node's tasks had at launch.
func (l *Local) launched() (sum int64) {
	for _, t := range l.tasks {
		sum += t.launched[Memory]
	}
	return sum
}

// want returns the estimate of what a task should have. The estimate is at most the node's capacity
// and, for memory, at least FloorMemory. For a task at its memory limit, the usage does not show
// what the task needs. want therefore raises the estimate for such a task by Step, and to at least
// the task's memory at launch, because the task might have given memory away when it needed little.
func (l *Local) want(r Resource, t *localTask, p *heartbeat.TaskShare) int64 {
	w := l.estimate(&l.cfg, r, &t.history, &t.advice, p.Elapsed, timeOf(p, t.advice.Whole))
	if r == Memory {
		if t.advice.Pressed {
			w = max(part(w, Million+l.cfg.Step), t.launched[r])
		}
		w = max(w, l.cfg.FloorMemory)
	}
	return min(max(1, w), l.capacity[r])
}

// Left returns how many milliseconds a task still needs (equation 1). progress is the task's
// progress score in millionths, and elapsed is its elapsed time in milliseconds. If they are too
// small for an estimate, Left returns 0.
func Left(progress, elapsed int64) int64 {
	const enough = Million / 100
	if progress < enough || elapsed <= 0 {
		return 0
	}
	return max(1, int64(float64(Million-min(progress, Million))/float64(progress)*float64(elapsed)))
}
