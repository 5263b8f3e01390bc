// Package heartbeat defines the messages between TaskTrackers and the JobTracker. A TaskTracker
// sends a [Report] with every heartbeat, and the JobTracker answers with [Desired]. Both state
// machines, the simulator, and the recording of inputs use these types. The daemons translate them
// to the wire format.
//
// Values are absolute, so a lost or repeated message does no harm.
package heartbeat

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// Report is a heartbeat with the current state of a TaskTracker.
type Report struct {
	Tracker     int32 // handle from the reply to the registration
	Incarnation int64
	Seq         uint64 // increases with every heartbeat; the JobTracker answers older reports but ignores their content
	Full        bool   // every attempt includes its counters
	Slots       [2]int32
	Attempts    []AttemptReport // all attempts on the TaskTracker, including those that it is killing
	Fetch       []FetchFailure
	Refused     []Refusal
	Unhealthy   string // the reason why the TaskTracker accepts no work; "" means that it is healthy
	Epoch       int64  // restart count of the JobTracker that sent the latest reply
	OtherLoad   int32  // recent fraction of the node's CPU that processes other than tasks use, in millionths
	Unheld      []Unheld
	Shares      *Shares // nil means no change since the last report
}

// AttemptReport is the state of one attempt.
type AttemptReport struct {
	Attempt     job.Attempt
	State       job.AttemptState
	Phase       job.Phase
	Progress    int32         // fraction from 0 to 1, in millionths
	Counters    *job.Counters // nil means as last reported
	ShuffleDone int64         // of a reduce, in ms since the epoch; 0 means not yet
	SortDone    int64         // of a reduce, in ms since the epoch; 0 means not yet
	Range       job.Range     // records that an attempt in skipping mode is processing; Length 0 means as last reported
	Kind        failure.Kind  // cause of a failed attempt
	Text        string        // diagnostics, at most 4 KiB
	Status      string        // the task's own status line, at most 512 bytes
	Manifest    []job.OutputFile
}

// FetchFailure reports that a reducer could not fetch a map's output. A TaskTracker repeats it in
// every heartbeat until the JobTracker has answered one that contains it.
type FetchFailure struct {
	Reduce job.Attempt
	Map    job.Attempt
}

// Refusal reports that a TaskTracker cannot run any task of a job, because it cannot read the job's
// files.
type Refusal struct {
	Job  int32
	Text string
}

// Unheld reports a Limit that the TaskTracker could not apply, and the values that are in effect
// instead.
type Unheld struct {
	Attempt             job.Attempt
	CPU, Memory         int32 // the requested values, as in Limit
	HeldCPU, HeldMemory int32 // the values in effect, as in Limit
	Why                 string
}
