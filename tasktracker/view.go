package tasktracker

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// View is what a TaskTracker's page shows. It is a copy.
type View struct {
	Registered bool
	Slots      [2]int32
	Used       [2]int32
	Unhealthy  string
	Draining   bool
	Attempts   []AttemptView
	Ended      Ended
}

// Ended counts the attempts that had a process or a verdict here and are over, since the start.
type Ended struct {
	Succeeded, Failed, Killed int64
	TimedOut                  int64 // of the failed ones
}

func (e *Ended) count(r *AttemptReport) {
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

// AttemptView is one attempt on the tracker: in its place, or ended and not yet dropped by the JobTracker.
type AttemptView struct {
	Attempt  job.Attempt
	State    job.AttemptState
	Phase    job.Phase
	Progress int32 // millionths
	Child    int32 // handle of the process that runs it, 0 = none
	Status   string
	Text     string // why it failed
}

// View copies what is there now. The attempts come in the order in which they were first desired.
func (m *Machine) View() View {
	v := View{Registered: m.registered, Slots: m.slots, Unhealthy: m.unhealthy, Draining: m.draining, Ended: m.ended}
	for _, a := range m.attempts {
		r := &a.report
		s := AttemptView{Attempt: a.id, State: r.State, Phase: r.Phase, Progress: r.Progress, Child: a.child, Status: r.Status, Text: r.Text}
		if a.stage == running || a.stage == dying {
			s.State = job.AttemptRunning
			v.Used[slotOf(a.id.Type)]++
		}
		v.Attempts = append(v.Attempts, s)
	}
	return v
}

// slotOf gives the kind of slot that a task occupies.
func slotOf(t job.TaskType) job.TaskType {
	if t == job.Reduce {
		return job.Reduce
	}
	return job.Map
}
