package jobtracker

import "github.com/howdah/howdah/job"

// State that only tests need.

// TaskInfo is a task's state.
type TaskInfo struct {
	State    job.TaskState
	Winner   int32 // number of the winning attempt; -1 means none
	Failures int32
	Attempts int32
}

// TaskInfo returns the state of a task.
func (m *Machine) TaskInfo(id job.Task) (TaskInfo, bool) {
	_, k := m.task(id)
	if k == nil {
		return TaskInfo{}, false
	}
	return TaskInfo{State: k.state, Winner: k.winner, Failures: k.past().failures, Attempts: int32(len(k.attempts()))},
		true
}
