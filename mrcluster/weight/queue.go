package weight

import "github.com/howdah/howdah/mrcluster"

// A Queue selects which jobs and tasks count as "waiting in the queue". The paper (FAW section 4.3)
// leaves this open.
type Queue uint8

// The possible meanings of "waiting in the queue".
const (
	// InQueue counts jobs until they end and tasks until they start. It counts running jobs,
	// because section 4.3.3 uses the slowdown "of each running job" but averages over jobs "waiting
	// in the queue".
	InQueue Queue = iota
	// Waiting counts a job only while at least one of its tasks is waiting for a slot.
	Waiting
	// Unfinished counts both jobs and tasks until they end.
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
