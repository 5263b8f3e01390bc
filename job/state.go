package job

import "slices"

// State is a job's state. Journals contain the numbers, so the order never changes.
type State uint8

// The states of a job. Hadoop has only Prep, Running, Succeeded, Failed, and Killed, so Committing
// and Aborting are displayed as Running.
const (
	Prep       State = iota // submitted, but not yet admitted and set up
	Running                 // tasks are running or waiting for a slot
	Committing              // all tasks are done, and the job commit publishes the output
	Aborting                // the job failed or was killed; its attempts are ending and its output is being removed
	Succeeded
	Failed
	Killed
	numStates
)

var stateNames = [numStates]string{"PREP", "RUNNING", "COMMITTING", "ABORTING", "SUCCEEDED", "FAILED", "KILLED"}

func (s State) String() string {
	if s < numStates {
		return stateNames[s]
	}
	return "UNKNOWN"
}

// Shown returns the name that Hadoop's tools use for the state.
func (s State) Shown() string {
	if s == Committing || s == Aborting {
		return stateNames[Running]
	}
	return s.String()
}

// HadoopCode returns the number that Hadoop's `job -list` prints for the state: 1 for RUNNING, 2 for
// SUCCEEDED, 3 for FAILED, 4 for PREP, or 5 for KILLED.
func (s State) HadoopCode() int {
	switch s {
	case Prep:
		return 4
	case Succeeded:
		return 2
	case Failed:
		return 3
	case Killed:
		return 5
	}
	return 1
}

// Terminal reports whether the job has ended.
func (s State) Terminal() bool { return s >= Succeeded && s < numStates }

// TaskState is a task's state.
type TaskState uint8

// The states of a task. A successful map returns to TaskPending if its output is lost.
const (
	TaskPending TaskState = iota // no attempt runs
	TaskRunning                  // at least one attempt is running
	TaskSucceeded
	TaskFailed // too many attempts failed
	TaskKilled // the job ended before the task did
	numTaskStates
)

var taskStateNames = [numTaskStates]string{"SCHEDULED", "RUNNING", "SUCCEEDED", "FAILED", "KILLED"}

func (s TaskState) String() string {
	if s < numTaskStates {
		return taskStateNames[s]
	}
	return "UNKNOWN"
}

// AttemptState is an attempt's state.
type AttemptState uint8

// The states of an attempt.
const (
	AttemptAssigned AttemptState = iota // assigned, but not yet reported as running
	AttemptRunning
	AttemptSucceeded
	AttemptFailed // counts toward the task's maximum number of attempts
	AttemptKilled // does not count toward that maximum
	numAttemptStates
)

var attemptStateNames = [numAttemptStates]string{"UNASSIGNED", "RUNNING", "SUCCEEDED", "FAILED", "KILLED"}

func (s AttemptState) String() string {
	if s < numAttemptStates {
		return attemptStateNames[s]
	}
	return "UNKNOWN"
}

// Terminal reports whether the attempt has ended.
func (s AttemptState) Terminal() bool { return s >= AttemptSucceeded && s < numAttemptStates }

// Phase is the current phase of a running attempt.
type Phase uint8

// The phases, in Hadoop's order and with Hadoop's names.
const (
	PhaseStarting Phase = iota
	PhaseMap
	PhaseShuffle
	PhaseSort
	PhaseReduce
	PhaseCleanup
	numPhases
)

var phaseNames = [numPhases]string{"STARTING", "MAP", "SHUFFLE", "SORT", "REDUCE", "CLEANUP"}

func (p Phase) String() string {
	if p < numPhases {
		return phaseNames[p]
	}
	return "UNKNOWN"
}

// Priority is a job's priority within a scheduler. A higher value means a higher priority. Normal
// is the zero value.
type Priority int8

// The priorities, named as in Hadoop.
const (
	VeryLow  Priority = -2
	Low      Priority = -1
	Normal   Priority = 0
	High     Priority = 1
	VeryHigh Priority = 2
)

// String returns the name, from VERY_LOW to VERY_HIGH. For an unknown priority it returns NORMAL.
func (p Priority) String() string {
	switch p {
	case VeryLow:
		return "VERY_LOW"
	case Low:
		return "LOW"
	case High:
		return "HIGH"
	case VeryHigh:
		return "VERY_HIGH"
	}
	return "NORMAL"
}

// ParsePriority parses the name of a priority and reports whether the name is valid.
func ParsePriority(s string) (p Priority, ok bool) {
	for p := VeryLow; p <= VeryHigh; p++ {
		if p.String() == s {
			return p, true
		}
	}
	return Normal, false
}

// Locality is the distance between a map and its data. The values are levels of the topology, as in
// Hadoop's mapreduce.jobtracker.taskcache.levels.
type Locality int8

// The levels, from nearest to farthest.
const (
	DataLocal Locality = 0 // the split has a replica on the node
	RackLocal Locality = 1 // the split has a replica in the node's rack
	OffSwitch Locality = 2 // the split's replicas are in other racks
	NoData    Locality = 3 // the split has no location, or the task is not a map
)

// String returns Hadoop's name, NODE_LOCAL, RACK_LOCAL, or OFF_SWITCH. It returns "" for NoData.
func (l Locality) String() string {
	switch l {
	case DataLocal:
		return "NODE_LOCAL"
	case RackLocal:
		return "RACK_LOCAL"
	case OffSwitch:
		return "OFF_SWITCH"
	}
	return ""
}

// unknown is the value that ParseState, ParseAttemptState, and ParsePhase return for an unknown
// name.
const unknown = 255

// ParseState parses the name of a state and reports whether the name is valid. For an unknown name
// it returns a state that is not terminal and whose String is "UNKNOWN".
func ParseState(name string) (State, bool) {
	i := slices.Index(stateNames[:], name)
	if i < 0 {
		return unknown, false
	}
	return State(i), true
}

// ParseAttemptState is like ParseState for the states of attempts.
func ParseAttemptState(name string) (AttemptState, bool) {
	i := slices.Index(attemptStateNames[:], name)
	if i < 0 {
		return unknown, false
	}
	return AttemptState(i), true
}

// ParsePhase is like ParseState for phases.
func ParsePhase(name string) (Phase, bool) {
	i := slices.Index(phaseNames[:], name)
	if i < 0 {
		return unknown, false
	}
	return Phase(i), true
}

// ParseLocality parses the name of a level, as returned by String. For any other text it returns
// NoData.
func ParseLocality(name string) Locality {
	for l := DataLocal; l < NoData; l++ {
		if l.String() == name {
			return l
		}
	}
	return NoData
}
