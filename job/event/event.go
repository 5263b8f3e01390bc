// Package event defines the facts that the JobTracker's machine decides. They are written to the journal before anyone is
// told, and they alone rebuild the machine's durable state: applying them calls no policy. The same records are the job
// history and the trace that a simulator replays.
package event

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// Type says what happened. Numbers are in journals: new types are appended.
type Type uint8

// The facts. The comment names the fields of Event that count, besides Time.
const (
	None               Type = iota
	Started                 // a JobTracker began to serve: N (restart count, from 0), Name (cluster), Tracker (highest handle used so far)
	TrackerJoined           // Tracker, Name, Host, Rack, Addr, Incarnation, Slots, Memory, VCores
	TrackerChanged          // Tracker, Slots, Addr ("" = as before)
	TrackerLost             // Tracker, Text (why)
	JobSubmitted            // Job, Spec
	JobStarted              // Job: admitted, its tasks may run
	JobPriorityChanged      // Job, Priority
	AttemptStarted          // Job, Attempt, Tracker, Slot, Locality, N (slots it takes if more than 1)
	AttemptFinished         // Job, Attempt, Tracker, State, Kind, Text, Counters, Manifest, ShuffleDone, SortDone, Range, N (1 = a test of skipping that got through, and Failed)
	TaskReopened            // Job, Attempt (whose output is lost), State (Failed or Killed), Kind, Text: the map runs again
	TaskFinished            // Job, Attempt (the winner, or the last that failed), TaskState
	TrackerBlacklisted      // Job (0 = by the cluster), Tracker, Kind (NotFound = it cannot see the job's files), Text
	TrackerCleared          // Tracker: no longer blacklisted by the cluster
	JobKillRequested        // Job, Text
	JobCommitting           // Job: all tasks are done, the commit may begin
	JobAborting             // Job, JobState (Failed or Killed to come), Kind, Text
	JobFinished             // Job, JobState, Counters, Text
	JobRetired              // Job: forgotten by the machine; the history keeps it. In a snapshot N > 0: so are all numbers from N to Job
	SchedulerChanged        // Name: another scheduling policy, or the same one with other settings, took over; Text (who or what made it so); N (1 = the rule of speculative execution, Name "" = none)
	CommitGranted           // Job, Attempt: of all attempts of its task it alone may commit, until it ends
	LimitsChanged           // Job, Attempt, Tracker, VCores (thousandths of a core), Memory (MiB; both 0 = as at its launch), Text (why): what a running attempt may use
	TrackerDraining         // Name, N (how it is drained, see jobtracker.Drain; 0 = no longer), Tracker (the live one of that name, 0 = none), Text (why)
	TrackerDrained          // Tracker: nothing on it is needed any more
	numTypes
)

var names = [numTypes]string{"NONE", "STARTED", "TRACKER_JOINED", "TRACKER_CHANGED", "TRACKER_LOST", "JOB_SUBMITTED", "JOB_STARTED",
	"JOB_PRIORITY_CHANGED", "ATTEMPT_STARTED", "ATTEMPT_FINISHED", "TASK_REOPENED", "TASK_FINISHED", "TRACKER_BLACKLISTED", "TRACKER_CLEARED",
	"JOB_KILL_REQUESTED", "JOB_COMMITTING", "JOB_ABORTING", "JOB_FINISHED", "JOB_RETIRED",
	"SCHEDULER_CHANGED", "COMMIT_GRANTED", "LIMITS_CHANGED",
	"TRACKER_DRAINING", "TRACKER_DRAINED"}

func (t Type) String() string {
	if t < numTypes {
		return names[t]
	}
	return "UNKNOWN"
}

// Event is one fact. It is flat so that deciding one allocates nothing; which fields count depends on Type.
type Event struct {
	Time int64 // milliseconds since the epoch, by the machine's clock

	Job     int32
	Tracker int32 // handle; never used again for another tracker within a journal
	Attempt job.Attempt

	Type      Type
	Slot      job.TaskType // kind of slot that an attempt occupies
	Locality  job.Locality
	State     job.AttemptState
	TaskState job.TaskState
	JobState  job.State
	Priority  job.Priority
	Kind      failure.Kind

	Slots       [2]int32 // of a tracker: map and reduce slots
	Memory      int32    // of a tracker: MiB for tasks, 0 = not told
	VCores      int32
	N           int64
	Incarnation int64
	ShuffleDone int64 // milliseconds since the epoch, 0 = not known
	SortDone    int64

	Range job.Range // records that an attempt in skipping mode had in hand

	Name, Host, Rack, Addr, Text string

	Spec     *job.Spec
	Counters *job.Counters
	Manifest []job.OutputFile
}
