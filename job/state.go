package job

// State is a job's state. The order never changes: it is in journals.
type State uint8

// The states of a job. Hadoop knows Prep, Running, Succeeded, Failed and Killed; Committing and Aborting are shown as Running.
const (
	Prep       State = iota // submitted, not yet admitted to run
	Running                 // tasks run or wait
	Committing              // all tasks have succeeded; the job commit publishes the winners
	Aborting                // the job failed or was killed; attempts die and the output is cleaned up
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

// Shown gives the state by the names Hadoop's tools know.
func (s State) Shown() string {
	if s == Committing || s == Aborting {
		return stateNames[Running]
	}
	return s.String()
}

// HadoopCode gives the number that `job -list` prints: 1 RUNNING, 2 SUCCEEDED, 3 FAILED, 4 PREP, 5 KILLED.
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

// Terminal reports whether nothing can happen to the job any more.
func (s State) Terminal() bool { return s >= Succeeded && s < numStates }

// TaskState is a task's state.
type TaskState uint8

// The states of a task. A map that had succeeded returns to TaskPending when its output is lost.
const (
	TaskPending TaskState = iota // no attempt runs
	TaskRunning                  // at least one attempt runs
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
	AttemptAssigned AttemptState = iota // decided; the tracker has not yet said that it runs
	AttemptRunning
	AttemptSucceeded
	AttemptFailed // counts against the task's attempts
	AttemptKilled // does not count
	numAttemptStates
)

var attemptStateNames = [numAttemptStates]string{"UNASSIGNED", "RUNNING", "SUCCEEDED", "FAILED", "KILLED"}

func (s AttemptState) String() string {
	if s < numAttemptStates {
		return attemptStateNames[s]
	}
	return "UNKNOWN"
}

// Terminal reports whether the attempt is over.
func (s AttemptState) Terminal() bool { return s >= AttemptSucceeded && s < numAttemptStates }

// Phase is what a running attempt is doing.
type Phase uint8

// The phases, in Hadoop's order and names.
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

// Priority orders jobs within a scheduler; higher values go first. Normal is the zero value.
type Priority int8

// The priorities, by Hadoop's names.
const (
	VeryLow  Priority = -2
	Low      Priority = -1
	Normal   Priority = 0
	High     Priority = 1
	VeryHigh Priority = 2
)

// String gives VERY_LOW … VERY_HIGH.
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

// ParsePriority reads a priority's name; ok is false for any other text.
func ParsePriority(s string) (p Priority, ok bool) {
	for p := VeryLow; p <= VeryHigh; p++ {
		if p.String() == s {
			return p, true
		}
	}
	return Normal, false
}

// Locality says how far a map ran from its data. The numbers are levels of the topology, as in Hadoop's
// mapreduce.jobtracker.taskcache.levels.
type Locality int8

// The levels.
const (
	DataLocal Locality = 0 // the split has a replica on the node
	RackLocal Locality = 1 // in the node's rack
	OffSwitch Locality = 2 // elsewhere
	NoData    Locality = 3 // the split has no location, or the task is no map
)

// String gives Hadoop's names: NODE_LOCAL, RACK_LOCAL, OFF_SWITCH, and "" for NoData.
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
