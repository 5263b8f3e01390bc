// Package tasktracker is the TaskTracker's machine: what the JobTracker desires, what the children say and the time go in;
// orders to start, stop and report come out. It is pure: no clock, no I/O, no goroutine. tasktracker/daemon drives it with
// sockets and processes, the simulator with an event heap.
//
// The JobTracker never sends commands. Its answer to a beat is the complete desired state, and the machine works off the
// difference to the current one, so messages may be lost, repeated or late.
package tasktracker

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// InputKind says what an Input is.
type InputKind uint8

// The inputs. The comment names the fields of Input that count, besides Now.
const (
	InTick        InputKind = iota // time has passed; due deadlines fire
	InRegistered                   // Tracker, Epoch, Cluster: the JobTracker knows this incarnation
	InDesired                      // Desired: the answer to a beat
	InLost                         // Text: the register call or the beat in flight got no answer
	InNews                         // WaitForWork says that something waits
	InJobReady                     // Job, JobInfo: localised
	InJobFailed                    // Job, Failure, Text: localisation failed; the attempts that wait for it fail
	InJobRefused                   // Job, Text: this node cannot run the job at all
	InReady                        // Child: the process is up
	InProgress                     // Child, Progress
	InInHand                       // Child, Range: the records that its attempt has in hand, in skipping mode
	InFetchFailed                  // Child, Map: its reducer could not fetch that map's output
	InDone                         // Child, Progress (may be nil), Files
	InFailed                       // Child, Progress (may be nil), Failure, Text
	InExited                       // Child, Failure, Text: the process and all its descendants are gone, or it never started
	InSlots                        // Slots: from now on
	InHealth                       // Text: why no work should come, "" = healthy
	InShed                         // Text: give up the youngest running attempt
	InStop                         // shut down: kill everything, delete all job files
	numInputKinds
)

var inputNames = [numInputKinds]string{"tick", "registered", "desired", "lost", "news", "job-ready", "job-failed", "job-refused", "ready",
	"progress", "in-hand", "fetch-failed", "done", "failed", "exited", "slots", "health", "shed", "stop"}

func (k InputKind) String() string {
	if k < numInputKinds {
		return inputNames[k]
	}
	return "unknown"
}

// Input is one thing that happens to the machine. What it points to is not kept.
type Input struct {
	Kind     InputKind
	Now      int64 // milliseconds since the epoch; never decreases
	Child    int32
	Job      int32
	Tracker  int32
	Epoch    int64
	Cluster  string // first part of job ids
	Slots    [2]int32
	Map      job.Attempt
	Failure  failure.Kind
	Text     string
	JobInfo  JobInfo
	Desired  *Desired
	Progress *Progress
	Files    []job.OutputFile
	Range    job.Range
}

// JobInfo is what the machine needs to know of a localised job.
type JobInfo struct {
	Timeout       int64 // milliseconds of silence after which an attempt is failed; 0 = never
	TasksPerChild int32 // mapreduce.job.jvm.numtasks: tasks that one child may run; -1 = any number, 0 = 1
	OwnProgram    bool  // the tracker's own binary knows the job, so that a warm child can run it
}

// Desired is the state to bring about, complete: what is not in Run is killed and forgotten, the files of a job that is not
// in Jobs are deleted.
type Desired struct {
	Seq      uint64 // of the report that it answers
	Run      []job.Attempt
	Jobs     []int32
	Interval int64 // milliseconds until the next beat
	Full     bool  // the next report should carry every counter
	Register bool  // unknown or given up: kill everything, register with a new incarnation
	Epoch    int64 // restart count of the JobTracker
	// Containers: tasks are placed by memory and cores, so there may be more of them than slots.
	Containers bool
	Draining   bool // no more work will come, so no child is started ahead
}

// Progress is what a child says of its attempt. Counters are absolute and only those that changed.
type Progress struct {
	Phase       job.Phase
	Millionths  int32
	Builtin     []BuiltinValue
	User        []job.UserCounter
	Status      string
	ShuffleDone int64 // milliseconds since the epoch, 0 = not yet
	SortDone    int64
	Alive       bool // something moved since the last message; only this holds off the task timeout
}

// BuiltinValue is the value of one built-in counter.
type BuiltinValue struct {
	ID    job.CounterID
	Value int64
}

// OutputKind says what an Output is.
type OutputKind uint8

// The outputs. The comment names the fields of Output that count.
const (
	OutRegister OutputKind = iota // Incarnation: answer with InRegistered or InLost
	OutBeat                       // Report: answer with InDesired or InLost
	OutLocalise                   // Job: fetch its files; answer with InJobReady, InJobFailed or InJobRefused
	OutPurge                      // Job: delete its files; a localisation under way is given up and not answered
	OutSpawn                      // Child, Job: start a process of the job's program; Job 0 = the own program, not bound to a job
	OutLaunch                     // Child, Attempt: let the child run it; it may not be up yet
	OutClean                      // Attempt, Keep: remove its scratch files; Keep = leave the map output
	OutExit                       // Child: ask it to leave
	OutTerm                       // Child: tell it to stop at once
	OutKill                       // Child: kill it and all its descendants
	OutStopped                    // answer to InStop: no child is left
	OutIgnored                    // Text: the input had no meaning in this state, and why
	numOutputKinds
)

var outputNames = [numOutputKinds]string{"register", "beat", "localise", "purge", "spawn", "launch", "clean", "exit", "term", "kill", "stopped", "ignored"}

func (k OutputKind) String() string {
	if k < numOutputKinds {
		return outputNames[k]
	}
	return "unknown"
}

// Output is one thing that the machine wants done. What it points to is valid until the next Step.
type Output struct {
	Kind        OutputKind
	Child       int32
	Job         int32
	Attempt     job.Attempt
	Keep        bool
	Incarnation int64
	Text        string
	Report      *Report
}

// Report is a beat: the current state of the tracker. Values are absolute, so a lost report costs nothing.
type Report struct {
	Tracker     int32
	Incarnation int64
	Seq         uint64
	Full        bool // every attempt carries its counters
	Slots       [2]int32
	Attempts    []AttemptReport // all that the JobTracker wants to run here, and those that still die
	Fetch       []FetchFailure
	Refused     []Refusal
	Unhealthy   string
	Epoch       int64
}

// AttemptReport is what the tracker says of one attempt.
type AttemptReport struct {
	Attempt     job.Attempt
	State       job.AttemptState
	Phase       job.Phase
	Progress    int32         // millionths
	Counters    *job.Counters // nil = as last reported
	ShuffleDone int64
	SortDone    int64
	Range       job.Range // records in hand, of an attempt in skipping mode
	Kind        failure.Kind
	Text        string // diagnostics, at most MaxText bytes
	Status      string // the task's own line, at most MaxStatus bytes
	Manifest    []job.OutputFile
}

// FetchFailure says that a reducer could not fetch a map's output. It is repeated until a beat that carried it is answered.
type FetchFailure struct {
	Reduce job.Attempt
	Map    job.Attempt
}

// Refusal says that this node cannot run a job.
type Refusal struct {
	Job  int32
	Text string
}

// Limits on what children can make the machine keep.
const (
	MaxText         = 4 << 10 // bytes of diagnostics of one attempt
	MaxStatus       = 512     // bytes of a status line
	MaxUserCounters = 4096    // counters of one attempt's own: the most that mapreduce.job.counters.max allows
	MaxFetch        = 4096    // fetch failures that wait for an answered beat
)
