// Package event defines the facts that the JobTracker's state machine decides. The JobTracker
// writes facts to the journal before it sends any message about them. The facts are enough to
// rebuild the machine's durable state. They also form the job history and the trace that a
// simulator replays.
package event

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// Type is the type of a fact. Journals contain the numbers, so add new types at the end.
type Type uint8

// The types of facts. Each comment lists the fields of Event that are used in addition to Time.
const (
	None Type = iota
	// A JobTracker started: N (number of restarts), Name (cluster), Tracker (highest handle so
	// far).
	Started
	TrackerJoined      // Tracker, Name, Host, Rack, Addr, Incarnation, Slots, Memory, VCores
	TrackerChanged     // Tracker, Slots, Addr ("" means unchanged)
	TrackerLost        // Tracker, Text (reason)
	JobSubmitted       // Job, Spec
	JobStarted         // Job; the job is admitted and set up, so its tasks can run
	JobPriorityChanged // Job, Priority
	AttemptStarted     // Job, Attempt, Tracker, Slot, Locality, N (number of slots if more than 1)
	// Job, Attempt, Tracker, State, Kind, Text, Counters, Manifest, ShuffleDone, SortDone, Range,
	// N. N is 1 if a skipping test passed, even though State is Failed.
	AttemptFinished
	// Job, Attempt (whose output was lost), Tracker, State (Failed or Killed), Kind, Text. The map
	// runs again.
	TaskReopened
	TaskFinished       // Job, Attempt (the winner or the last failed one), Tracker, TaskState
	TrackerBlacklisted // Job (0 = by the cluster), Tracker, Kind (NotFound if the job's files are not accessible), Text
	TrackerCleared     // Tracker; the cluster no longer blacklists the tracker
	JobKillRequested   // Job, Text
	JobCommitting      // Job; all tasks of the job are done, so the commit can begin
	JobAborting        // Job, JobState (the final state), Kind, Text
	JobFinished        // Job, JobState, Counters, Text
	// Job. The machine drops the job, but the history keeps it. In a snapshot, N > 0 means all job
	// numbers from N to Job.
	JobRetired
	// Name (scheduling policy), Text (the user or cause of the change), N. The policy is new or has
	// new settings. N = 1 means that Name is the rule of speculative execution, and "" disables
	// speculative execution.
	SchedulerChanged
	CommitGranted // Job, Attempt; no other attempt of the task can commit until this attempt ends
	// Job, Attempt, Tracker, VCores (thousandths of a core), Memory (MiB), Text (reason). These are
	// the new limits of a running attempt; if both are 0, the limits are those at its launch.
	LimitsChanged
	// Name, N (kind of drain, see jobtracker.Drain; 0 = canceled), Tracker (the live tracker with
	// that name; 0 = none), Text (reason)
	TrackerDraining
	TrackerDrained     // Tracker; nothing on the tracker is needed anymore
	JobDeadlineChanged // Job, N (the new deadline in ms since the epoch; 0 = none)
	// Job, Name (its queue), Text (the pool that it names explicitly; "" = the pool in its
	// specification, if any). A scheduler may have pools that differ from queues.
	JobMoved
	numTypes
)

var names = [numTypes]string{
	"NONE", "STARTED", "TRACKER_JOINED", "TRACKER_CHANGED", "TRACKER_LOST", "JOB_SUBMITTED", "JOB_STARTED",
	"JOB_PRIORITY_CHANGED", "ATTEMPT_STARTED", "ATTEMPT_FINISHED", "TASK_REOPENED", "TASK_FINISHED",
	"TRACKER_BLACKLISTED", "TRACKER_CLEARED", "JOB_KILL_REQUESTED", "JOB_COMMITTING", "JOB_ABORTING", "JOB_FINISHED",
	"JOB_RETIRED", "SCHEDULER_CHANGED", "COMMIT_GRANTED", "LIMITS_CHANGED", "TRACKER_DRAINING", "TRACKER_DRAINED",
	"JOB_DEADLINE_CHANGED", "JOB_MOVED",
}

func (t Type) String() string {
	if t < numTypes {
		return names[t]
	}
	return "UNKNOWN"
}

// Event is one fact. Type determines which fields are used. The struct is flat, so that a fact can
// reuse the memory of an earlier one.
type Event struct {
	Time int64 // in ms since the epoch, from the machine's clock

	Job     int32
	Tracker int32 // handle, which is never reused for another tracker within a journal
	Attempt job.Attempt

	Type      Type
	Slot      job.TaskType // kind of slot that an attempt occupies
	Locality  job.Locality
	State     job.AttemptState
	TaskState job.TaskState
	JobState  job.State
	Priority  job.Priority
	Kind      failure.Kind

	Slots       [2]int32 // numbers of map and reduce slots of a tracker
	Memory      int32    // MiB: memory of a tracker for tasks (0 means unknown), or limit of an attempt
	VCores      int32    // cores of a tracker (0 means unknown), or limit of an attempt in thousandths of a core
	N           int64
	Incarnation int64
	ShuffleDone int64 // in ms since the epoch; 0 means unknown
	SortDone    int64

	Range job.Range // records that an attempt in skipping mode was processing

	Name, Host, Rack, Addr, Text string

	Spec     *job.Spec
	Counters *job.Counters
	Manifest []job.OutputFile
}
