// Package status defines the status of jobs, attempts, queues, TaskTrackers, and the cluster, as a
// JobTracker reports it. Start with [Job] and [Cluster]. Package client fetches them.
//
// Times are in milliseconds since the epoch. 0 means not yet or unknown.
package status

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// Query selects the parts of a job to return in addition to the summary.
type Query struct {
	Attempts bool // the job's attempts
	Counters bool // the job's counters and, with Attempts, the counters of each attempt
	ByType   bool // the counters of maps and reduces; clients do not receive them

	// Only limits Attempts to this attempt of the job. nil means all. Clients receive all.
	Only *job.AttemptID

	User string // user who asks; "" means the authenticated caller

	// Version is the version of a Job that was returned earlier. If it is not 0, the JobTracker
	// waits until the job's version differs, but no longer than Wait.
	Version uint64
	Wait    time.Duration
}

// Filter selects the jobs in a list. The zero value selects all unfinished jobs.
type Filter struct {
	All   bool   // include finished jobs
	Queue string // only jobs of this queue or pool; "" means any
	User  string // user who asks; "" means the authenticated caller
}

// Job is the state of a job.
type Job struct {
	ID       job.ID
	Name     string
	User     string
	Queue    string
	Priority job.Priority
	State    job.State // Committing and Aborting are reported as Running

	SubmitMs          int64
	StartMs           int64
	FinishMs          int64
	DeadlineMs        int64 // 0 means no deadline
	PredictedFinishMs int64 // predicted end of a running job; 0 means unknown

	Maps    Tasks
	Reduces Tasks

	Diagnostics string       // the reason why the job failed or was killed, or WaitsPrefix and why it waits
	Kind        failure.Kind // cause of a failed job
	Retired     bool         // the JobTracker read the job from the history
	TrackingURL string       // URL of the job's web page
	JobFile     string       // configuration file of the job; "" means unknown
	OutputDir   string       // "" means that the job writes no files
	InputBytes  int64        // total size of all splits
	Pool        string       // the job's pool or queue in the scheduler; "" means none, or that the job has ended
	Profile     string       // howdah.job.profile: the phase statistics that planning schedulers use
	ProfileFrom string       // job whose history is the source of the profile; "" means that the user set it

	// Limited lists the running attempts whose resource share an orchestrator changed.
	Limited []*Attempt

	Attempts []*Attempt    // set only if the Query requests attempts
	Counters *job.Counters // set only if the Query requests counters
	// ByType contains the counters of maps and of reduces. An entry is nil if they are unknown, or if the
	// Query does not request them.
	ByType [2]*job.Counters

	// Version changes with every change to the job; see Query.
	Version uint64
}

// WaitsPrefix begins the Diagnostics of a job that waits.
const WaitsPrefix = "waits: "

// Waits returns why the job waits, or "" if it does not wait or the reason is unknown.
func (j *Job) Waits() string {
	why, ok := strings.CutPrefix(j.Diagnostics, WaitsPrefix)
	if !ok || j.State.Terminal() {
		return ""
	}
	return why
}

// Tasks contains the numbers of a job's tasks of one type.
type Tasks struct {
	Total    int32
	Done     int32   // number of tasks that succeeded
	Running  int32   // number of running attempts
	Waiting  int32   // number of tasks that can run now; reduces count only after the slow start
	Borrowed int32   // number of running attempts in slots of the other type
	Progress float32 // completed fraction of the work, from 0 to 1
}

// Attempt is the state of one attempt of a task.
type Attempt struct {
	ID      job.AttemptID
	State   job.AttemptState
	Tracker string       // name of the TaskTracker; "" means unknown
	Slot    job.TaskType // type of the occupied slot: the attempt's own type, another type, or job.Container

	StartMs   int64
	FinishMs  int64
	ShuffleMs int64 // when the reduce finished fetching the map outputs
	SortMs    int64 // when the reduce finished merging the map outputs

	Progress    float32 // from 0 to 1
	Phase       job.Phase
	Status      string // the task's own status line
	Locality    job.Locality
	Diagnostics string       // the reason why the attempt failed or was killed
	Kind        failure.Kind // cause of a failed attempt
	LogURL      string       // page with the logs; "" means unknown

	CPULimit    int32 // share set by an orchestrator, in thousandths of a core; 0 means as at launch
	MemoryLimit int32 // share set by an orchestrator, in MiB; 0 means as at launch
	Limits      []LimitChange

	// ShuffleBytes is the size of a map's output, or of the map outputs that a reduce has fetched. 0
	// also means unknown. Clients do not receive it.
	ShuffleBytes int64

	Counters *job.Counters // set only if the Query requests counters
}

// ForeignSlot reports whether a map or reduce attempt occupies a slot of the other type, or no slot
// (job.Container).
func (a *Attempt) ForeignSlot() bool { return a.ID.Type <= job.Reduce && a.Slot != a.ID.Type }

// LimitChange is a change to an attempt's share of its node. Attempt.Limits lists changes in
// chronological order.
type LimitChange struct {
	AtMs   int64
	CPU    int32 // in thousandths of a core; 0 means as at launch
	Memory int32 // in MiB; 0 means as at launch
	Why    string
}

// Event is the end of an attempt, or the later loss of its output. A job's events are in chronological
// order.
type Event struct {
	Number     int32 // position among the job's events, from 0
	Attempt    job.AttemptID
	State      EventState
	TrackerURL string // URL of the TaskTracker; "" means unknown
	RunMs      int64  // run time in milliseconds
}

// EventState is the kind of an Event, named as in Hadoop.
type EventState string

// The kinds of events.
const (
	Succeeded EventState = "SUCCEEDED"
	Failed    EventState = "FAILED"
	Killed    EventState = "KILLED"
	Obsolete  EventState = "OBSOLETE"  // the output of the successful attempt was lost
	TIPFailed EventState = "TIPFAILED" // the attempt failed, and so did its task
)

// Attempt returns the state in which the attempt ended, and reports whether s is a known value.
func (s EventState) Attempt() (job.AttemptState, bool) {
	switch s {
	case Failed, TIPFailed:
		return job.AttemptFailed, true
	case Killed:
		return job.AttemptKilled, true
	case Succeeded, Obsolete:
		return job.AttemptSucceeded, true
	}
	return 0, false
}

// Cluster is the state of a JobTracker and its TaskTrackers.
type Cluster struct {
	ID        string // part of every job's ID
	Version   string // version of the JobTracker's program
	StartedMs int64
	Epoch     int64  // number of restarts of the JobTracker
	Web       string // host:port of the JobTracker's web pages
	Scheduler string // name of the scheduling policy
	Problem   string // the reason why a new scheduler configuration is not in effect; "" means that it is
	Closed    string // the reason why the JobTracker rejects new jobs; "" means that it accepts them
	Disk      string // what is wrong with the disk that contains the journal; "" means nothing

	Trackers []*Tracker

	Prep     int32 // number of jobs in state Prep
	Running  int32 // number of other unfinished jobs
	Finished int64 // number of jobs finished since the first start
}

// Tracker returns the TaskTracker with the given name, or nil if there is none.
func (c *Cluster) Tracker(name string) *Tracker {
	for _, t := range c.Trackers {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// Tracker is the state of a TaskTracker.
type Tracker struct {
	Name        string
	Host        string
	Rack        string
	Addr        string // host:port of the TaskTracker's web pages
	Trusted     bool   // Addr was reported by a process that has the secret
	LastBeatMs  int64
	Blacklisted bool
	Why         string // the reason why the TaskTracker is blacklisted or unhealthy; "" means neither

	Maps      Slots
	Reduces   Slots
	Memory    Slots   // in MiB; a Total of 0 means unknown
	VCores    Slots   // cores; a Total of 0 means unknown
	OtherLoad float32 // fraction of the node's CPU that processes other than tasks use

	Drain *Drain // nil means that the TaskTracker is not draining
}

// Slots contains the total amount of a resource and the amount in use.
type Slots struct{ Total, Used int32 }

// DrainMode specifies what a drain does with the attempts and map outputs of a TaskTracker.
type DrainMode string

// The modes of draining.
const (
	DrainOff       DrainMode = "off"       // ends a drain
	DrainDelayed   DrainMode = "delayed"   // attempts end on their own; map outputs stay while jobs need them
	DrainRerun     DrainMode = "rerun"     // attempts end on their own; then maps with needed outputs run elsewhere
	DrainImmediate DrainMode = "immediate" // attempts are killed, and maps with needed outputs run elsewhere
)

// Drain is the progress of a TaskTracker's drain.
type Drain struct {
	How      DrainMode
	Why      string
	SinceMs  int64
	DoneMs   int64 // when the drain was complete; 0 means not yet
	Attempts int32 // number of attempts that are running or being killed
	Outputs  int32 // number of outputs of finished maps that reduces might still need
}

// QueueState indicates whether a queue accepts new jobs.
type QueueState string

// The states of a queue.
const (
	QueueRunning QueueState = "running"
	QueueStopped QueueState = "stopped" // rejects new jobs
)

// Queue is the state of a queue or pool.
type Queue struct {
	Name    string
	State   QueueState
	Info    string // the scheduler's description of the queue
	Running int32  // number of jobs with running tasks
	Waiting int32  // number of other unfinished jobs
	// Submit and Admin list the users who can submit and administer jobs. "*" means all users. If
	// the requesting user is not in a list, that user does not have the right. For other users who
	// are not in the list, the right is unknown.
	Submit []string
	Admin  []string
}

// Scheduler is the state of the scheduling policy.
type Scheduler struct {
	Name         string
	Speculation  string // name of the rule for speculative execution
	SinceMs      int64
	By           string   // the user or event that set the policy
	Problem      string   // the reason why changes to the policy's files are not in effect; "" means that they are
	Files        []string // configuration files of the policy
	UntilRestart bool     // after the next restart, the configured policy and settings apply again
	Groups       []*Group
	Jobs         []*Job // unfinished jobs
}

// Group is a pool or queue of the scheduler.
type Group struct {
	Name    string
	Jobs    int32 // number of running jobs
	Weight  float64
	Memory  bool   // Maps contains MiB, for maps and reduces together; Reduces is unused
	Maps    Shares // slots
	Reduces Shares
}

// Shares contains a group's limits and its usage of one type of slot.
type Shares struct {
	Min      int32
	Max      int32 // negative means no limit
	Fair     int32 // current fair share
	Demand   int32
	Running  int32
	Borrowed int32 // part of Running that occupies slots of the other type
}

// LogAddress returns the address of the part of a log from byte start up to and including byte end,
// as text. Negative numbers count from the end of the log. LogURL must not be empty.
func (a *Attempt) LogAddress(name string, start, end int64) (*url.URL, error) {
	u, err := url.Parse(a.LogURL)
	if err != nil {
		return nil, err
	}
	q := u.Query()
	q.Set("filter", name)
	q.Set("plaintext", "true")
	if start != 0 {
		q.Set("start", strconv.FormatInt(start, 10))
	}
	if end != -1 {
		q.Set("end", strconv.FormatInt(end, 10))
	}
	u.RawQuery = q.Encode()
	return u, nil
}
