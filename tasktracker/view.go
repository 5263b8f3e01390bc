package tasktracker

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
)

// View is a copy of the machine's state for a TaskTracker's page.
type View struct {
	Registered bool
	Slots      [2]int32
	Used       [2]int32
	Unhealthy  string
	Draining   bool
	Attempts   []AttemptView
	Ended      Ended
}

// Ended counts the attempts that have ended since the machine started. It excludes attempts that
// the JobTracker dropped before they started.
type Ended struct {
	Succeeded, Failed, Killed int64
	TimedOut                  int64 // part of Failed
}

func (e *Ended) count(r *heartbeat.AttemptReport) {
	switch r.State {
	case job.AttemptSucceeded:
		e.Succeeded++
	case job.AttemptFailed:
		e.Failed++
	case job.AttemptKilled:
		e.Killed++
	}
	if r.Kind == failure.Timeout {
		e.TimedOut++
	}
}

// AttemptView is an attempt on the tracker. The attempt is waiting, holds its slot, or has ended
// but has not yet been dropped by the JobTracker.
type AttemptView struct {
	Attempt  job.Attempt
	State    job.AttemptState
	Phase    job.Phase
	Progress int32 // millionths
	Child    int32 // handle of its process; 0 means none
	Status   string
	Text     string // reason why the attempt failed or was killed
}

// View returns a copy of the current state. The attempts are in the order in which the JobTracker
// first asked for them.
func (m *Machine) View() View {
	v := View{Registered: m.registered, Slots: m.slots, Unhealthy: m.unhealthy, Draining: m.draining, Ended: m.ended}
	for _, a := range m.attempts {
		r := &a.report
		s := AttemptView{Attempt: a.id, State: r.State, Phase: r.Phase, Progress: r.Progress, Child: a.child,
			Status: r.Status, Text: r.Text}
		if a.stage == running || a.stage == dying {
			s.State = job.AttemptRunning
			v.Used[slotOf(a.id.Type)]++
		}
		v.Attempts = append(v.Attempts, s)
	}
	return v
}

// slotOf returns the kind of slot that a task of type t occupies. All tasks except reduces occupy
// map slots.
func slotOf(t job.TaskType) job.TaskType {
	if t == job.Reduce {
		return job.Reduce
	}
	return job.Map
}
