// Package scheduler defines the contract between the JobTracker's machine and its scheduling
// policies. A policy is pure. It has no clock and no goroutines, does no I/O, and does not iterate
// over maps. The same policy schedules real and simulated jobs.
//
// The machine first calls Reset with the current state, because a policy may be installed while
// jobs run. Then it calls Observe for every fact, in order, except facts about setup tasks, cleanup
// tasks, commit grants, and limits. For facts that result from the policy's own orders, it calls
// Observe before Launch or Kill returns. A policy must therefore expect Observe within Assign and
// Tick. Facts name jobs, tasks, and attempts, and the View contains their current state.
//
// The machine calls Assign once for each heartbeat if three conditions hold:
//
//   - The tracker is healthy, not blacklisted, and not draining.
//   - The tracker has a free slot of any kind or, if the policy is a ContainerUser, free memory.
//   - Some task is pending, which can be a setup or cleanup task that only the machine assigns.
//
// The policy should then assign all tasks that the tracker should get before its next heartbeat.
//
// The machine calls NextDeadline after every input, so NextDeadline must be fast. At the deadline
// it calls Tick once, and again if the new deadline has also passed.
//
// The machine enforces the following rules for all orders. It never assigns a slot, a container's
// memory, or a task twice. It enforces slow start, each job's limit on running tasks, and the
// blacklists of jobs and of the cluster. A task does not return to a tracker on which it has
// failed, unless it has failed on every tracker that could run it. The machine rejects an illegal
// order without any effect. The policy is responsible for cores, fairness, and progress.
//
// A rule of speculative execution (a speculator) is also a Policy. The machine calls it right after
// the scheduling policy. It calls the speculator's Assign only while some running job allows
// speculation, but even if no tasks are pending. The speculator's Plan launches only second attempts
// of running tasks.
//
// Package scheduler/fifo is a small policy to start from. Package scheduler/policytest tests
// whether a policy meets this contract, and measures its cost.
package scheduler

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
)

// A Policy decides which task runs where. The machine calls it from one goroutine. A policy may
// keep state. However, the machine can call Reset at any moment, and the policy must make correct
// decisions afterward. An Heir can also take over state that Reset cannot rebuild.
type Policy interface {
	// Reset drops all state and rebuilds it from v.
	Reset(v View)
	// Observe processes a fact right after the machine has applied it to v. Observe must not keep e,
	// because the machine reuses its memory.
	Observe(v View, e *event.Event)
	// Assign decides which tasks to start when a tracker can receive work (see the package comment).
	// It calls p.Launch for each task to start, on this tracker or on another. The tracker's room
	// might not suit any pending task.
	Assign(v View, tracker int32, p Plan)
	// NextDeadline returns the time of the next Tick, on the clock of View.Now; 0 means never.
	NextDeadline() int64
	// Tick performs a limited amount of time-dependent work, such as preemption or a step of a
	// placement cycle.
	Tick(v View, p Plan)
}

// A Plan executes the decisions of a policy. Each call takes effect immediately. When it returns,
// Observe has processed the resulting facts, and the View reflects them.
type Plan interface {
	// Launch starts an attempt of a task on the tracker, in a slot of the given kind. If that is not
	// the task's own kind, the attempt borrows the slot. A task that needs more memory than a slot
	// represents takes several slots (Job.Width, in slots of its own kind). job.Container takes no
	// slot, but the task must fit into the tracker's free memory. A tracker that has not reported
	// its memory gets no containers. The policy itself must track cores.
	//
	// Launch returns false without any effect if it rejects the order. It rejects tasks that are
	// not pending, trackers with too little room, jobs and tasks that must not run on the tracker,
	// reduces before slow start, and jobs at their limit of running tasks. The plan of a speculator
	// requires a running task instead of a pending one. The task must have exactly one running
	// attempt, and none of its attempts may have been on that tracker. Its job must allow
	// speculation, and the task must not be in skipping mode.
	Launch(t job.Task, tracker int32, slot job.TaskType) bool
	// Kill kills a running attempt. The attempt does not count as a failure. Unless the task has
	// another running attempt, it becomes pending again. The slot stays in use until the tracker
	// confirms the end. why is the reason that users see. Kill returns false if the attempt is not
	// running.
	Kill(a job.Attempt, why string) bool
}

// A View is a live, read-only view of the machine's state for policies. Pointers and slices that it
// returns are valid until the policy returns. The policy must not change them.
type View interface {
	// Now returns the machine's time in milliseconds since the Unix epoch.
	Now() int64
	// Cluster returns the totals of all live trackers.
	Cluster() Totals
	// Jobs returns the sequence numbers of the jobs in state Running, in ascending order.
	Jobs() []int32
	// Job returns a job in any state, or nil if the machine does not have it.
	Job(seq int32) *Job
	// Trackers returns the handles of the live trackers, in ascending order.
	Trackers() []int32
	// Tracker returns a live tracker, or nil if there is none with this handle.
	Tracker(handle int32) *Tracker
	// PickMap returns the closest pending map of a job that may run on the tracker and whose input
	// is at most max away. Maps with job.NoData may run everywhere and rank right after data-local
	// ones. Ties go to the largest input, then to the lowest index.
	PickMap(seq, tracker int32, max job.Locality) (index int32, l job.Locality, ok bool)
	// PickReduce returns the pending reduce with the lowest index that may run on the tracker.
	PickReduce(seq, tracker int32) (index int32, ok bool)
	// Running appends the job's running attempts of type t to buf, oldest first, then by index. The
	// machine maintains this list, so the call only copies it.
	Running(seq int32, t job.TaskType, buf []*Attempt) []*Attempt
	// Ended appends the job's finished attempts of type t to buf, by task, then by number. A newly
	// installed policy can take durations from them.
	Ended(seq int32, t job.TaskType, buf []*Attempt) []*Attempt
	// Attempt returns a running or finished attempt, or nil if the machine has no such attempt.
	Attempt(id job.Attempt) *Attempt
}

// Pick returns the index of the pending task of type t that the job should start on the tracker.
// This is the map whose input is closest, or the reduce with the lowest index. ok is false if the
// job does not have such a task for the tracker.
func Pick(v View, seq, tracker int32, t job.TaskType) (index int32, ok bool) {
	if t == job.Reduce {
		return v.PickReduce(seq, tracker)
	}
	index, _, ok = v.PickMap(seq, tracker, job.OffSwitch)
	return index, ok
}

// Totals holds sums over all live trackers. job.Map and job.Reduce index its arrays.
type Totals struct {
	Trackers int32
	Slots    [2]int32
	Used     [2]int32
	Memory   int64 // MiB, of the trackers that have reported it
	VCores   int64
}

// A Job is a policy's view of a job. job.Map and job.Reduce index its arrays.
type Job struct {
	Seq      int32
	State    job.State
	Priority job.Priority
	Submit   int64 // milliseconds since the Unix epoch
	Start    int64 // like Submit; 0 = not started
	Spec     *job.Spec

	Tasks    [2]int32 // all tasks
	Pending  [2]int32 // tasks that need an attempt now; reduces count only after slow start
	Running  [2]int32 // running attempts
	Finished [2]int32 // tasks that succeeded
	Failed   [2]int32 // tasks that failed permanently, within the job's tolerance
	Width    [2]int32 // slots per attempt; above 1 if a task needs more memory than a slot represents
}

// Wants reports whether a task of type t is pending and the job's own limit permits one more
// running task.
func (j *Job) Wants(t job.TaskType) bool {
	if j.State != job.Running || j.Pending[t] <= 0 {
		return false
	}
	limit := j.Spec.MapLimit
	if t == job.Reduce {
		limit = j.Spec.ReduceLimit
	}
	return limit <= 0 || j.Running[t] < limit
}

// A Tracker is a policy's view of a TaskTracker.
type Tracker struct {
	Handle int32
	Name   string
	Host   string
	Rack   string
	Slots  [2]int32 // as of the last report; like Memory and VCores, 0 while the tracker drains
	Used   [2]int32
	Lent   [2]int32 // used slots that tasks of the other type occupy
	Memory int32    // MiB for tasks; 0 = not reported
	VCores int32    // 0 = not reported
	// UsedMemory and UsedVCores are the sums of the requests of the tracker's attempts (such as
	// mapreduce.map.memory.mb), in MiB and in cores.
	UsedMemory int32
	UsedVCores int32
	// OtherLoad is the recent share of the node's CPU that other programs use, in millionths.
	OtherLoad int32
}

// Free returns the number of free slots of kind k. It is never negative.
func (t *Tracker) Free(k job.TaskType) int32 { return max(0, t.Slots[k]-t.Used[k]) }

// An Attempt is a policy's view of an attempt.
type Attempt struct {
	ID       job.Attempt
	Tracker  int32
	Slot     job.TaskType // kind of its slot; job.Container = none
	Width    int32        // slots it takes
	Locality job.Locality
	State    job.AttemptState
	Phase    job.Phase
	Progress int32 // millionths
	// All times are in milliseconds since the Unix epoch. 0 means not yet or unknown.
	Start       int64
	Finish      int64
	ShuffleDone int64 // of a reduce
	SortDone    int64 // of a reduce
}
