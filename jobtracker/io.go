// Package jobtracker implements the JobTracker as a state machine. It turns inputs with timestamps
// into facts and orders. It uses no clock, no I/O, and no goroutines. Package jobtracker/daemon
// drives the machine with sockets and a journal. The simulator drives it with an event heap. Start
// with [Machine], [Input], and [Output].
package jobtracker

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/scheduler"
)

// InputKind is the type of an Input.
type InputKind uint8

// The kinds of inputs. The machine answers every input whose Req is not 0 with exactly one
// OutReply.
const (
	InTick         InputKind = iota // time has passed; the machine processes expired deadlines
	InSubmit                        // Spec, Job (a number that the driver reserved; 0 = the next free number)
	InKillJob                       // Job, Text
	InSetPriority                   // Job, Priority
	InKillAttempt                   // Attempt, Text; the attempt does not count as failed
	InFailAttempt                   // Attempt, Text; the attempt counts as failed
	InRegister                      // Register
	InBeat                          // Report
	InCommitDone                    // Job, Err ("" = published): the answer to OutCommit
	InAbortDone                     // Job, Err: the answer to OutAbort
	InGrace                         // Millis: how long the process was stopped; extends the deadlines of missing messages
	InTrackerLeave                  // Tracker: orderly shutdown
	// Hosts: the complete list of excluded hosts, whose trackers count as lost. Not durable: the
	// driver sends it again after a restart.
	InHosts
	// Policy, Setup, Text (the origin of the request): the new scheduling policy. Not durable:
	// after a restart, the driver sets the policy again.
	InSetPolicy
	// Policy (nil = no speculation), Setup, Text: the new speculation rule. Not durable.
	InSetSpeculator
	InCanCommit // Attempt: requests permission to commit; the answer is in the reply's Granted
	// Limits, Millis: how long all limits remain valid without another InLimits; 0 lifts all
	// limits.
	InLimits
	// Name (of a tracker), Drain, Text (reason): sets how to drain the tracker. The setting
	// survives the tracker's restart. It ends when the drain is canceled or the drained tracker
	// leaves.
	InDrain
	// Job: its output is complete, so it has succeeded, although the journal does not say so. This
	// happens only if the journal has lost its end.
	InPublished
	InSetDeadline // Job, Millis: the new deadline in ms since the epoch; 0 = none
	// Job, Name (the queue or pool to which the job moves), Text (Name if the configuration has
	// such a queue, otherwise "")
	InMoveJob
	numInputKinds
)

// Input is an event for the machine.
type Input struct {
	Kind     InputKind
	Now      int64  // milliseconds since the epoch; never decreases
	Req      uint64 // chosen by the driver, repeated in OutReply; 0 = no reply
	Job      int32
	Attempt  job.Attempt
	Tracker  int32
	Priority job.Priority
	Millis   int64
	Text     string
	Err      string
	Spec     *job.Spec
	Register *Register
	Report   *heartbeat.Report
	Hosts    []string
	Limits   []heartbeat.Limit
	Name     string
	Drain    Drain
	// Policy is the new policy, ready for use. Setup describes how to create it. A recording
	// contains only Setup, from which a replay creates the policy again.
	Policy scheduler.Policy
	Setup  *PolicySetup
}

// PolicySetup describes a policy completely, so that a replay can create the policy again.
type PolicySetup struct {
	Name     string            // in the catalog
	Settings map[string]string // settings whose values differ from the defaults
	Files    []scheduler.File  // with their contents at the time of the change
}

// Register introduces a TaskTracker. If the machine knows the name, a greater incarnation means
// that the tracker has restarted and that its attempts are lost. If the incarnation equals that of
// the live tracker, the registration only updates the tracker's address and slots. The machine
// rejects all other incarnations.
type Register struct {
	Name        string // host and port; unique
	Host        string
	Rack        string
	Addr        string // host:port of its HTTP server (map outputs, logs)
	Incarnation int64
	Slots       [2]int32
	Memory      int32 // MiB for tasks; 0 = unknown
	VCores      int32
}

// OutputKind is the type of an Output.
type OutputKind uint8

// The kinds of outputs. The driver must make all facts of a Step durable before it releases the
// other outputs of that Step.
const (
	OutFact   OutputKind = iota // Event
	OutReply                    // Req; Err, or Job (Submit), Tracker (Register, Drain), Desired (Beat), Granted
	OutWake                     // Tracker: there is news for it, so its WaitForWork call returns
	OutCommit                   // Job: run its commit in a worker, then send InCommitDone; repeated after a restart
	OutAbort                    // Job: clean up its output in a worker, then send InAbortDone; repeated after a restart
	OutForget                   // Job: retired; drop the driver's data about it
)

// Output is a single decision of the machine. The values that it points to are valid until the next
// Step.
type Output struct {
	Kind    OutputKind
	Req     uint64
	Job     int32
	Tracker int32
	Event   *event.Event
	Desired *heartbeat.Desired
	Granted bool // the attempt may commit
	Err     *failure.Error
}
