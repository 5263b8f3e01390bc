// Package scheduler is the contract between the JobTracker's machine and its scheduling policies. A policy is pure: no
// clock, no goroutine, no I/O, no map iteration. The same policy value schedules real jobs and simulated ones.
//
// How a policy is called. First Reset, with whatever state there is: a policy may be put in place while jobs run. Then Observe
// for every fact, in order; also, before Launch or Kill returns, for the facts that the policy's own orders make, so Observe
// is entered from within Assign and Tick. Facts name jobs, tasks and attempts; what they are now is in the View. When a tracker
// beats, is healthy and not blacklisted, has a free slot of any kind, and some job has a pending task, Assign is called once:
// it should give the tracker all that it shall get before its next beat. NextDeadline is read after every input, so it must
// cost nothing; when it is due, Tick is called once, and again if NextDeadline is still due.
//
// What the machine sees to, whatever a policy orders: no slot, memory or task is given twice; a job's limit on running tasks,
// slow start, blacklists of jobs and of the cluster, and that a task does not return to a tracker on which it failed. A
// wrong order is refused and changes nothing. What a policy sees to itself: cores, fairness, that work gets done.
//
// A rule of speculative execution is a Policy too (a speculator). It is called in the same way right after the policy, as long
// as some running job allows speculation (waiting tasks or not), and its Plan launches second attempts of running tasks
// and nothing else.
//
// scheduler/fifo is a small policy to start from, scheduler/policytest checks that a new one keeps all this, and what it costs.
package scheduler

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
)

// Policy decides which task runs where. The machine calls it from one goroutine. A policy may keep state, but only to be
// quick: a fresh value put in its place at any moment must lead to no wrong decision (the machine then calls Reset).
type Policy interface {
	// Reset forgets everything and indexes what v shows.
	Reset(v View)
	// Observe hears each fact right after it was applied to v. e must not be kept.
	Observe(v View, e *event.Event)
	// Assign is asked when a tracker has a free slot and some job has a task waiting. It calls p.Launch for each task it wants,
	// on this tracker or on another. The free slot may be of a kind that no waiting task fits.
	Assign(v View, tracker int32, p Plan)
	// NextDeadline tells when Tick wants to be called, in milliseconds of v.Now; 0 = never.
	NextDeadline() int64
	// Tick does work that depends on time, a bounded amount of it: preemption, a step of a placement cycle.
	Tick(v View, p Plan)
}

// Plan carries out what a policy decides. Each call takes effect at once and is seen through the View when it returns, after
// Observe heard of it.
type Plan interface {
	// Launch starts an attempt of a task on the tracker in a slot of the given kind. A borrowed slot is one of the other kind. A
	// task that asks for more memory than a slot stands for takes several (Job.Width, in slots of its own kind). job.Container
	// takes no slot, but what the task asks for must fit what is left of the tracker's memory; a tracker that has not told its
	// memory gets no containers, and cores are the policy's to watch.
	// It returns false, and nothing happened, if the task is not pending, the tracker has not enough such slots free, or the
	// job may not run there or has as many running tasks as it may. The plan of a speculator takes instead a task of which one
	// attempt runs, if its job allows it and no attempt of the task was on that tracker before.
	Launch(t job.Task, tracker int32, slot job.TaskType) bool
	// Kill kills a running attempt; the task goes back to pending and the attempt does not count as a failure. Its slot stays
	// in use until the tracker has confirmed that it is gone. It returns false if no such attempt runs.
	Kill(a job.Attempt, why string) bool
}

// View is the machine's state as policies see it: live and read-only. Pointers and slices that it returns are valid until
// the policy returns and must not be changed.
type View interface {
	// Now is the machine's time in milliseconds since the epoch.
	Now() int64
	// Cluster gives the totals over all live trackers.
	Cluster() Totals
	// Jobs lists jobs in state Running by sequence number.
	Jobs() []int32
	// Job gives a job in any state that the machine still knows, or nil.
	Job(seq int32) *Job
	// Trackers lists live trackers by handle.
	Trackers() []int32
	// Tracker gives a live tracker, or nil.
	Tracker(handle int32) *Tracker
	// PickMap finds the job's pending map that is closest to the tracker, no farther than max, among those that may run there
	// (job.NoData maps fit everywhere). Among equals the one with the largest input, then the lowest index.
	PickMap(seq, tracker int32, max job.Locality) (index int32, l job.Locality, ok bool)
	// PickReduce finds the pending reduce with the lowest index that may run on the tracker.
	PickReduce(seq, tracker int32) (index int32, ok bool)
	// Running appends the job's running attempts of a type to buf, oldest first, then by index: the machine keeps the list, so
	// this is only a copy.
	Running(seq int32, t job.TaskType, buf []*Attempt) []*Attempt
	// Ended appends the job's attempts of a type that are over to buf, by task, then by number: what a policy that was just put
	// in place learns durations from.
	Ended(seq int32, t job.TaskType, buf []*Attempt) []*Attempt
	// Attempt gives an attempt, running or over, of a job that the machine still knows, or nil.
	Attempt(id job.Attempt) *Attempt
}

// Totals sums over live trackers; index by job.Map and job.Reduce.
type Totals struct {
	Trackers int32
	Slots    [2]int32
	Used     [2]int32
	Memory   int64 // MiB, of those trackers that told
	VCores   int64
}

// Job is what a policy sees of a job. Arrays are indexed by job.Map and job.Reduce.
type Job struct {
	Seq      int32
	State    job.State
	Priority job.Priority
	Submit   int64 // milliseconds since the epoch
	Start    int64
	Spec     *job.Spec

	Tasks    [2]int32 // all tasks
	Pending  [2]int32 // tasks that want an attempt now; reduces count only after the slow start
	Running  [2]int32 // attempts that run
	Finished [2]int32 // tasks that succeeded
	Failed   [2]int32 // tasks that failed for good, within what the job tolerates
	Width    [2]int32 // slots that one attempt takes: more than 1 for a task with more memory than a slot stands for
}

// Wants reports whether a task of the type waits and the job's own limit on running tasks allows one more.
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

// Tracker is what a policy sees of a TaskTracker.
type Tracker struct {
	Handle int32
	Name   string
	Host   string
	Rack   string
	Slots  [2]int32 // as the tracker reported them last
	Used   [2]int32
	Lent   [2]int32 // of those in use: by tasks of another type, borrowed reduces say
	Memory int32    // MiB for tasks, 0 = not told
	VCores int32    // 0 = not told
	// UsedMemory and UsedVCores sum what the jobs of its attempts ask for (mapreduce.map.memory.mb and the like).
	UsedMemory int32
	UsedVCores int32
	// OtherLoad is the share of the node's CPU that others than its tasks used lately, in millionths.
	OtherLoad int32
}

// Free gives the number of free slots of a kind; never negative.
func (t *Tracker) Free(k job.TaskType) int32 { return max(0, t.Slots[k]-t.Used[k]) }

// Attempt is what a policy sees of a running attempt.
type Attempt struct {
	ID       job.Attempt
	Tracker  int32
	Slot     job.TaskType // kind of slot it takes; job.Container = none
	Width    int32        // slots it takes
	Locality job.Locality
	State    job.AttemptState
	Phase    job.Phase
	Progress int32 // millionths
	// All times are milliseconds since the epoch, 0 = not yet (or not known).
	Start       int64
	Finish      int64
	ShuffleDone int64 // of a reduce
	SortDone    int64
}
