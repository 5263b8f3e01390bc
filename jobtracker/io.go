// Package jobtracker is the JobTracker's machine: inputs and the time go in, facts and orders come out. It is pure: no
// clock, no I/O, no goroutine. jobtracker/daemon drives it with sockets and a journal, the simulator with an event heap.
package jobtracker

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
)

// InputKind says what an Input is.
type InputKind uint8

// The inputs. Every kind is answered by exactly one Reply output if Req is not 0.
const (
	InTick          InputKind = iota // time has passed; due deadlines fire
	InSubmit                         // Spec, Job (a number that was handed out ahead, 0 = the next one)
	InKillJob                        // Job, Text, User
	InSetPriority                    // Job, Priority, User
	InKillAttempt                    // Attempt, Text, User; the attempt does not count as failed
	InFailAttempt                    // Attempt, Text, User; it does
	InRegister                       // Register
	InBeat                           // Report
	InCommitDone                     // Job, Err ("" = published) — answer to OutCommit
	InAbortDone                      // Job, Err — answer to OutAbort
	InGrace                          // Millis: the process was stopped that long; liveness deadlines move by it
	InTrackerLeave                   // Tracker: it shuts down in good order
	InHosts                          // Hosts excluded from now on: their trackers are given up. Not durable: send it after a restart
	InSetPolicy                      // Policy, Setup, Text (who or what wants it): it schedules from now on. Not durable: after a restart the driver chooses again
	InSetSpeculator                  // Policy (nil = none), Setup, Text: the rule of speculative execution from now on. Not durable
	InCanCommit                      // Attempt: its task is done and wants to commit; answered with Granted
	InLimits                         // Limits, Millis: how long they and all before are good unless another InLimits comes; 0 = all are lifted
	InDrain                          // Name (of a tracker), Drain, Text (why): how it is drained from now on, also after its restart, until that is called off or it leaves drained
	numInputKinds
)

// Input is one thing that happens to the machine.
type Input struct {
	Kind     InputKind
	Now      int64  // milliseconds since the epoch; never decreases
	Req      uint64 // chosen by the driver, repeated in the Reply; 0 = no reply wanted
	Job      int32
	Attempt  job.Attempt
	Tracker  int32
	Priority job.Priority
	Millis   int64
	Text     string
	Err      string
	Spec     *job.Spec
	Register *Register
	Report   *Report
	Hosts    []string
	Limits   []Limit
	Name     string
	Drain    Drain
	// User asks for a change of a job. The job's own user always may; others if the policy, should it be an Admitter, agrees.
	// "" = not checked: a superuser.
	User string
	// Policy is ready for use; Setup is what it was made from. A recording holds only the second, and the first is made again.
	Policy scheduler.Policy
	Setup  *PolicySetup
}

// PolicySetup is what a policy was made from: enough to make the same one again.
type PolicySetup struct {
	Name     string            // in the catalog
	Settings map[string]string // that differ from the defaults
	Files    []scheduler.File  // as they were read
}

// Register introduces a TaskTracker. A name that is known with another incarnation means that the tracker restarted: what it
// ran is lost. The same incarnation again changes nothing but the address.
type Register struct {
	Name        string // unique: host and port
	Host        string
	Rack        string
	Addr        string // host:port of its HTTP server (map outputs, logs)
	Incarnation int64
	Slots       [2]int32
	Memory      int32 // MiB for tasks, 0 = not told
	VCores      int32
}

// Report is a beat: the current state of a tracker. Values are absolute, so a lost report costs nothing.
type Report struct {
	Tracker     int32 // handle from the answer to Register
	Incarnation int64
	Seq         uint64 // grows with every beat; a repeated or older one changes nothing and is answered with the current desired state
	Full        bool   // every attempt carries its counters
	Slots       [2]int32
	Attempts    []AttemptReport // every attempt that is on the tracker, also those that it is killing
	Fetch       []FetchFailure
	Refused     []Refusal
	Unhealthy   string // why no work should come; "" = healthy
	Unheld      []Unheld
	OtherLoad   int32 // share of the node's CPU that others than its tasks used lately, in millionths; not durable
}

// AttemptReport is what a tracker says of one attempt.
type AttemptReport struct {
	Attempt     job.Attempt
	State       job.AttemptState
	Phase       job.Phase
	Progress    int32         // millionths
	Counters    *job.Counters // nil = as last reported
	ShuffleDone int64         // milliseconds since the epoch, 0 = not yet
	Range       job.Range     // records in hand, of an attempt in skipping mode; Length 0 = as last reported
	SortDone    int64
	Kind        failure.Kind // of a failed attempt
	Text        string       // its diagnostics, at most 4 KiB
	Status      string       // the task's own status line
	Manifest    []job.OutputFile
}

// FetchFailure says that a reducer could not fetch a map's output.
type FetchFailure struct {
	Reduce job.Attempt
	Map    job.Attempt
}

// Refusal says that a tracker cannot run a job at all: it does not see the job's files.
type Refusal struct {
	Job  int32
	Text string
}

// Unheld says that a limit which was ordered does not hold, and what holds instead.
type Unheld struct {
	Attempt             job.Attempt
	CPU, Memory         int32 // that were ordered, as in Limit
	HeldCPU, HeldMemory int32 // the same of what holds
	Why                 string
}

// Desired is the state that a tracker should bring about. It is complete: the tracker starts what is in Run and not there,
// kills and forgets what is there and not in Run, and deletes the files of every job that is not in Jobs.
type Desired struct {
	Seq      uint64 // of the report it answers
	Run      []job.Attempt
	Jobs     []int32
	Limits   []Limit // of those in Run that have some, in the same order, without Why
	Interval int64   // milliseconds until the next beat
	Full     bool    // the next report should be full
	Draining bool    // no more work will come
	Register bool    // this tracker is unknown or was given up: kill everything, register again with a new incarnation
}

// OutputKind says what an Output is.
type OutputKind uint8

// The outputs. The driver makes all facts of a Step durable before it lets any other output of that Step out.
const (
	OutFact   OutputKind = iota // Event
	OutReply                    // Req; Err, or Job (Submit), Tracker (Register, Drain), Desired (Beat)
	OutWake                     // Tracker: has news; a parked WaitForWork returns
	OutCommit                   // Job: run its commit in a worker, then send InCommitDone. Repeated after a restart
	OutAbort                    // Job: clean up its output in a worker, then send InAbortDone. Repeated after a restart
	OutForget                   // Job: retired; drop what the driver keeps of it
)

// Output is one thing that the machine decided. What it points to is valid until the next Step.
type Output struct {
	Kind    OutputKind
	Req     uint64
	Job     int32
	Tracker int32
	Event   *event.Event
	Desired *Desired
	Granted bool // the attempt may commit
	Err     *failure.Error
}
