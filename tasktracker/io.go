// Package tasktracker is the TaskTracker's state machine. Its inputs are the state that the
// JobTracker desires, the children's messages, and the time. Its outputs are requests to start and
// stop processes and to send reports. The machine is pure. It has no clock, no I/O, and no
// goroutine. Package tasktracker/daemon drives it with sockets and processes, and the simulator
// drives it with an event heap. Start with Machine.Step, Input, and Output.
//
// The JobTracker never sends commands. Its response to a heartbeat is the complete desired state,
// and the machine applies the difference from the current state. Messages can therefore be lost,
// repeated, or late.
package tasktracker

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
)

// InputKind is the kind of an Input.
type InputKind uint8

// Each comment lists the relevant fields of Input in addition to Now.
const (
	InTick        InputKind = iota // time has passed; expired deadlines fire
	InRegistered                   // Tracker, Epoch, Cluster: the JobTracker has registered this incarnation
	InDesired                      // Desired: the JobTracker's response to a heartbeat
	InLost                         // Text: the pending register call or heartbeat got no response
	InNews                         // WaitForWork has returned: work is available
	InJobReady                     // Job, JobInfo: the job is localized
	InJobFailed                    // Job, Failure, Text: localization failed, so the waiting attempts fail
	InJobRefused                   // Job, Text: this node cannot run the job
	InReady                        // Child: the process is ready
	InProgress                     // Child, Progress
	InInHand                       // Child, Range: in skipping mode, the records that its attempt is processing
	InFetchFailed                  // Child, Map: its reducer could not fetch the map's output
	InDone                         // Child, Progress (can be nil), Files
	InFailed                       // Child, Progress (can be nil), Failure, Text
	InExited                       // Child, Failure, Text: the process and its descendants are gone, or it never started
	InSlots                        // Slots: the new numbers of slots
	InHealth                       // Text: reason why the node takes no work; "" if healthy
	InLoad                         // OtherLoad: the node's new load from other programs
	InShares                       // Shares: for the next report
	InUnheld                       // Unheld: all limits that are not in force
	InShed                         // Text: kill the youngest running attempt
	InStop                         // shut down: kill all processes, delete all job files
	numInputKinds
)

var inputNames = [numInputKinds]string{"tick", "registered", "desired", "lost", "news", "job-ready", "job-failed",
	"job-refused", "ready",
	"progress", "in-hand", "fetch-failed", "done", "failed", "exited", "slots", "health", "load", "shares", "unheld",
	"shed", "stop"}

func (k InputKind) String() string {
	if k < numInputKinds {
		return inputNames[k]
	}
	return "unknown"
}

// Input is one event for the machine. The machine retains no data that an Input points to.
type Input struct {
	Kind     InputKind
	Now      int64 // in ms since the epoch; never decreases
	Child    int32
	Job      int32
	Tracker  int32
	Epoch    int64
	Cluster  string // first part of job IDs
	Slots    [2]int32
	Map      job.Attempt
	Failure  failure.Kind
	Text     string
	JobInfo  JobInfo
	Desired  *heartbeat.Desired
	Progress *Progress
	Files    []job.OutputFile
	Range    job.Range

	OtherLoad int32
	Shares    *heartbeat.Shares
	Unheld    []heartbeat.Unheld
}

// JobInfo contains the data of a localized job that the machine needs.
type JobInfo struct {
	Timeout int64 // ms of silence after which an attempt fails; 0 means never
	// TasksPerChild is mapreduce.job.jvm.numtasks, the number of tasks per child. -1 means any number. 0
	// means that the job does not set it, so it is 1 unless the job has a class (see Class).
	TasksPerChild int32
	OwnProgram    bool // the TaskTracker's own binary contains the job, so a warm child can run it
	// Class is the class of jobs that may share children, one after another. "" means that the job
	// shares no children. A job with a class is in the TaskTracker's own binary. If TasksPerChild is 0,
	// a child may return to such a job.
	Class string
}

// Progress is a child's report on its attempt. Counter values are absolute, and only changed
// counters are present.
type Progress struct {
	Phase       job.Phase
	Millionths  int32
	Builtin     []BuiltinValue
	User        []job.UserCounter
	Status      string
	ShuffleDone int64 // in ms since the epoch; 0 if not yet
	SortDone    int64
	Alive       bool // the attempt has made progress since the last message; only this resets the task timeout
}

// BuiltinValue is the value of one built-in counter.
type BuiltinValue struct {
	ID    job.CounterID
	Value int64
}

// OutputKind is the kind of an Output.
type OutputKind uint8

// Each comment lists the relevant fields of Output.
const (
	OutRegister OutputKind = iota // Incarnation: expects InRegistered or InLost
	OutBeat                       // Report: expects InDesired or InLost
	OutLocalize                   // Job: fetch its files; expects InJobReady, InJobFailed, or InJobRefused
	OutPurge                      // Job: delete its files; cancel a running localization without responding
	// OutSpawn requests a process that runs the job's program (Child, Job). Job 0 means the
	// TaskTracker's own program, which can later work for any job.
	OutSpawn
	OutLaunch  // Child, Attempt, Offset: send the attempt to the child, which may still be starting
	OutClean   // Attempt, Keep: remove its scratch files; with Keep, keep the map output
	OutExit    // Child: ask it to exit
	OutTerm    // Child: order it to stop immediately
	OutKill    // Child: kill it and all its descendants
	OutShares  // Desired: limits and advice for the share manager; only with Config.Shares
	OutStopped // response to InStop: no child is left
	OutIgnored // Text: reason why the input was invalid in this state
	numOutputKinds
)

var outputNames = [numOutputKinds]string{"register", "beat", "localize", "purge", "spawn", "launch", "clean", "exit",
	"term", "kill", "shares", "stopped", "ignored"}

func (k OutputKind) String() string {
	if k < numOutputKinds {
		return outputNames[k]
	}
	return "unknown"
}

// Output is one action that the machine requests. The data that it points to is valid until the
// next Step.
type Output struct {
	Kind        OutputKind
	Child       int32
	Job         int32
	Attempt     job.Attempt
	Offset      int64 // of a map's split, as in heartbeat.Desired
	Keep        bool
	Incarnation int64
	Text        string
	Report      *heartbeat.Report
	Desired     *heartbeat.Desired
}

// Limits on the amount of data that the machine retains for its children.
const (
	MaxText         = 4 << 10 // bytes of one attempt's diagnostics
	MaxStatus       = 512     // bytes of a status line
	MaxUserCounters = 4096    // number of an attempt's user-defined counters: the maximum of mapreduce.job.counters.max
	MaxCounterNames = 1 << 20 // bytes of their names and groups: MaxUserCounters of 256 bytes each
	MaxFetch        = 4096    // number of fetch failures that the JobTracker has not yet acknowledged
)
