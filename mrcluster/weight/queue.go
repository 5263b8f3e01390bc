package weight

import "github.com/howdah/howdah/mrcluster"

// Queue says what the paper's "waiting in the queue" means for jobs and for tasks (FAW section 4.3).
type Queue uint8

// The readings.
const (
	// InQueue counts jobs until they are over and tasks until they run. A running job is in the queue: JS takes the slowdown "of each
	// running job" and averages over those "waiting in the queue" (section 4.3.3), and a weight of 0 means "no task execution" (3.1).
	InQueue Queue = iota
	// Waiting counts jobs only while some of their tasks wait for a slot.
	Waiting
	// Unfinished counts tasks too until they are over.
	Unfinished
)

func (q Queue) jobs(s *mrcluster.Sample) int64 {
	if q == Waiting {
		return s.WaitingJobs
	}
	return s.Jobs
}

func (q Queue) bytes(s *mrcluster.Sample) int64 {
	if q == Waiting {
		return s.WaitingBytes
	}
	return s.Bytes
}

func (q Queue) tasks(s *mrcluster.Sample) int64 {
	if q == Unfinished {
		return s.WaitingTasks + s.RunningTasks
	}
	return s.WaitingTasks
}
