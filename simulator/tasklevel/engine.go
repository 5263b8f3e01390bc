package tasklevel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/simulator/replay"
	"github.com/howdah/howdah/simulator/trace"
)

// engine is one run. Its times are the trace's times, shifted.
type engine struct {
	cfg    *Config
	policy scheduler.Policy
	src    trace.Source
	next   *trace.Job // next job to arrive; nil if none is left
	shift  int64
	specs  replay.Specs
	now    int64

	jobs     ordered.Window[jobState] // unfinished jobs
	running  []int32
	lastSeq  int32
	totals   scheduler.Totals
	trackers []scheduler.Tracker
	handles  []int32
	pending  [2]int64 // waiting tasks of all jobs that may now start
	open     open     // trackers with a free slot
	lends    bool     // the policy can run tasks in slots of the other kind

	queue   queue
	net     *network
	order   uint64
	launchN int64 // number of launches so far
	counts  [numKinds]int64
	sum     *sum
	facts   facts
	pool    pool
	ended   *task              // the attempt whose end is being processed, or nil
	sample  int64              // time of the next sample
	changes []Capacity         // remaining changes
	results []trace.JobResult  // unused results, for jobs to come
	ends    []*trace.JobResult // of the jobs that have ended, in this order
	err     error
}

func newEngine(c *Config, src trace.Source) *engine {
	e := &engine{cfg: c, policy: c.Policy, src: src, queue: newQueue(), sum: newSum(), sample: never}
	if c.Start != nil {
		e.trackers = c.Start.trackers()
	} else {
		e.trackers = shared(c.Slots, int32(max(1, c.Trackers)))
	}
	e.totals.Trackers = int32(len(e.trackers))
	for i := range e.trackers {
		t := &e.trackers[i]
		e.handles = append(e.handles, t.Handle)
		for k, n := range t.Slots {
			e.totals.Slots[k] += n
		}
	}
	for k := range e.open {
		e.open[k] = make([]uint64, (len(e.trackers)+63)/64)
	}
	for i := range e.trackers {
		e.open.noteAll(&e.trackers[i])
	}
	e.changes = c.Capacity
	e.net = c.Network.begin(len(e.trackers))
	return e
}

// shared returns n trackers that share the slots.
func shared(slots [2]int32, n int32) []scheduler.Tracker {
	list := make([]scheduler.Tracker, n)
	for i := range n {
		t := &list[i]
		t.Handle, t.Name, t.Host, t.Rack = i+1, fmt.Sprintf("slots-%d:0", i+1), fmt.Sprintf("slots-%d", i+1), "/default-rack"
		for k, all := range slots {
			t.Slots[k] = all / n
			if i < all%n {
				t.Slots[k]++
			}
		}
	}
	return list
}

// run processes events in chronological order. At each time, it handles arriving jobs, ending
// attempts, capacity changes, and the policy's deadline, in this order, and then schedules tasks.
func (e *engine) run(ctx context.Context) error {
	if err := e.begin(); err != nil {
		return err
	}
	for step := 0; e.err == nil; step++ {
		if step&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		at, more := e.nextMoment()
		if !more {
			break
		}
		e.advance(at)
		e.moment()
	}
	return errors.Join(e.err, e.facts.flush())
}

// begin reads the first job, sets the clock to its submission time or to that of Config.Start, and
// resets the policy.
func (e *engine) begin() error {
	if err := e.fetch(); err != nil {
		return err
	}
	if e.next != nil {
		e.shift = replay.Shift(e.next.Submit)
		e.specs.Shift = e.shift
		e.specs.Plain = e.plain()
		e.now = e.next.Submit + e.shift
	}
	if e.cfg.Start != nil {
		e.adopt(e.cfg.Start)
	}
	e.facts.begin(e)
	e.policy.Reset(e)
	l, ok := e.policy.(scheduler.Lender)
	e.lends = ok && l.LendsSlots()
	if e.cfg.Sample != nil && e.cfg.SampleEvery > 0 {
		e.sample = e.now
	}
	if e.cfg.Start != nil {
		e.settle()
		e.advance(e.now)
		e.moment()
	}
	return nil
}

// plain reports whether nobody reads the jobs' recorded profiles.
func (e *engine) plain() bool {
	i, ok := e.policy.(scheduler.ProfileIgnorer)
	return ok && i.IgnoresProfiles() && e.cfg.Journal == nil && e.cfg.Sample == nil
}

func (e *engine) fetch() error {
	j, err := e.src.Next()
	if err == io.EOF {
		e.next = nil
		return nil
	}
	e.next = j
	return err
}

const never = math.MaxInt64

// nextMoment returns the time of the next event. It returns false if the run has ended or is stuck.
func (e *engine) nextMoment() (int64, bool) {
	at := e.queue.first
	if e.next != nil {
		at = min(at, max(e.now, e.next.Submit+e.shift))
	}
	if e.net != nil {
		at = min(at, e.net.due())
	}
	if at == never && len(e.running) == 0 {
		return 0, false
	}
	at = min(at, e.nextCapacity())
	if d := e.policy.NextDeadline(); d > 0 {
		at = min(at, max(e.now, d))
	}
	if at == never {
		e.stuck()
		return 0, false
	}
	return at, true
}

// stuck fails a run in which jobs have not ended and no event is pending.
func (e *engine) stuck() {
	e.err = failure.New(failure.Failed, "simulate", e.cfg.Scheduler,
		fmt.Errorf("job %s cannot end: nothing is running and the scheduler starts nothing",
			e.jobs.Get(e.running[0]).result.ID)).Fix("check that the cluster has slots of both kinds")
}

func (e *engine) advance(at int64) {
	for e.sample <= at {
		e.now = max(e.now, e.sample)
		e.cfg.Sample(e)
		e.sample += e.cfg.SampleEvery
	}
	e.now = at
}

func (e *engine) moment() {
	for e.next != nil && e.next.Submit+e.shift <= e.now && e.err == nil {
		e.arrive(e.next)
		if err := e.fetch(); err != nil {
			e.err = err
		}
	}
	for e.queue.first <= e.now {
		e.end(e.queue.pop())
	}
	if e.net != nil {
		e.net.act(e)
	}
	e.change()
	if d := e.policy.NextDeadline(); d > 0 && d <= e.now {
		e.policy.Tick(e, e)
	}
	if e.net != nil {
		e.net.offer(e)
	}
	e.assign()
}

// count adds an event to the counts and the hash.
func (e *engine) count(k kind, t job.Task, tracker int32, slot job.TaskType) {
	e.counts[k]++
	e.sum.add(e.now, k, t, tracker, slot)
}

func (e *engine) arrive(tj *trace.Job) {
	spec, err := e.specs.Spec(tj)
	if err != nil {
		e.err = err
		return
	}
	j := e.newJob(spec, e.now, replay.NewTimes(tj, e.cfg.Model, e.cfg.Seed))
	seq := j.view.Seq
	j.result.ID, j.result.Name, j.result.Submit, j.result.Deadline = tj.ID, tj.Name, tj.Submit, tj.Deadline
	if e.net != nil {
		e.net.arrived(seq, tj)
	}
	e.count(jobArrival, job.Task{Job: seq}, 0, 0)
	e.tellJob(event.JobSubmitted, j)
	j.view.State, j.view.Start = job.Running, e.now
	e.running = append(e.running, seq)
	e.recount(j)
	e.tellJob(event.JobStarted, j)
	if j.view.Tasks[job.Map] == 0 {
		e.allMaps(j)
	}
	if j.done() {
		e.depart(j)
	}
}

// blockResults is the number of results that are allocated together. They outlive their jobs.
const blockResults = 64

// newJob adds a job none of whose tasks has started.
func (e *engine) newJob(spec job.Spec, submit int64, times replay.Times) *jobState {
	e.lastSeq++
	j := &jobState{spec: spec, times: times}
	j.view = scheduler.Job{Seq: e.lastSeq, Priority: spec.Priority, Submit: submit, Spec: &j.spec, Width: [2]int32{1, 1},
		Tasks: [2]int32{spec.Tasks(job.Map), spec.Tasks(job.Reduce)}}
	j.pending = j.view.Tasks
	j.order = byInput(spec.Splits)
	j.need = int32((int64(j.view.Tasks[job.Map])*int64(spec.SlowStart) + 999_999) / 1_000_000)
	if len(e.results) == 0 {
		e.results = make([]trace.JobResult, blockResults)
	}
	j.result, e.results = &e.results[0], e.results[1:]
	*j.result = trace.JobResult{Seq: e.lastSeq, Maps: j.view.Tasks[0], Reduces: j.view.Tasks[1]}
	e.jobs.Put(e.lastSeq, j)
	return j
}

// recount updates the count of the job's waiting tasks, as seen by policies.
func (e *engine) recount(j *jobState) {
	maps, reduces := j.pending[job.Map], int32(0)
	if j.view.Finished[job.Map] >= j.need {
		reduces = j.pending[job.Reduce]
	}
	if j.view.State != job.Running {
		maps, reduces = 0, 0
	}
	e.pending[job.Map] += int64(maps - j.view.Pending[job.Map])
	e.pending[job.Reduce] += int64(reduces - j.view.Pending[job.Reduce])
	j.view.Pending[job.Map], j.view.Pending[job.Reduce] = maps, reduces
}

// Launch implements scheduler.Plan.
func (e *engine) Launch(id job.Task, handle int32, slot job.TaskType) bool {
	j, tr := e.jobs.Get(id.Job), e.Tracker(handle)
	if j == nil || tr == nil || id.Type > job.Reduce || slot > job.Reduce || id.Index < 0 ||
		id.Index >= j.view.Tasks[id.Type] {
		return false
	}
	at := &j.table(id.Type)[id.Index]
	if *at != waiting || !j.view.Wants(id.Type) || tr.Free(slot) < 1 {
		return false
	}
	t, i := e.pool.take()
	*at = i
	a := &t.attempt
	a.ID.Task, a.Tracker, a.Slot, a.Width = id, handle, slot, 1
	a.Locality, a.State, a.Start = job.NoData, job.AttemptRunning, e.now
	if j.tried != nil {
		a.ID.N = j.tried[id]
	}
	j.pending[id.Type]--
	j.view.Running[id.Type]++
	e.link(j, t, i)
	e.use(tr, id.Type, slot, +1)
	e.recount(j)
	if j.result.Start == 0 {
		j.result.Start = e.now
	}
	e.launchN++
	e.count(arrival(id.Type), id, handle, slot)
	e.schedule(j, t, i)
	e.tellStarted(t)
	return true
}

// use counts a slot as taken (n = 1) or as free (n = -1).
func (e *engine) use(t *scheduler.Tracker, typ, slot job.TaskType, n int32) {
	t.Used[slot] += n
	if typ != slot {
		t.Lent[slot] += n
	}
	e.totals.Used[slot] += n
	e.open.note(t, slot)
}

// schedule queues the end of the attempt. A reduce that starts before the last map has ended is a
// filler, with an unknown end, unless the trace records a failure of this attempt.
func (e *engine) schedule(j *jobState, t *task, i place) {
	id := t.attempt.ID
	if ms, fails := j.times.Failed(id); fails {
		e.foresee(t, i, e.now+ms, true)
		return
	}
	if id.Type == job.Map {
		e.foresee(t, i, e.now+j.times.Map(id.Index), false)
		return
	}
	if e.net != nil {
		e.net.launched(e, t, i)
		return
	}
	if t.filler = !j.mapsDone(); t.filler {
		return
	}
	shuffle, rest := j.times.Reduce(id.Index, false)
	e.foresee(t, i, e.now+shuffle+rest, false)
}

// foresee queues the end of the attempt. If at has passed, the attempt ends now.
func (e *engine) foresee(t *task, i place, at int64, fails bool) {
	e.order++
	x := newEnding(max(at, e.now), e.order, i)
	t.end, t.fails = x.key, fails
	e.queue.push(x)
}

// end processes the end of the attempt, unless it was killed earlier.
func (e *engine) end(x ending) {
	t := e.pool.at(x.task())
	if t.end != x.key {
		return
	}
	id := t.attempt.ID.Task
	j := e.jobs.Get(id.Job)
	e.count(departure(id.Type), id, t.attempt.Tracker, t.attempt.Slot)
	if t.fails {
		e.stop(j, t, job.AttemptFailed)
		return
	}
	tracker := t.attempt.Tracker
	e.stop(j, t, job.AttemptSucceeded)
	if id.Type == job.Map && j.mapsDone() {
		e.allMaps(j)
	}
	if e.net != nil && id.Type == job.Map {
		e.net.mapped(e, j, tracker)
	}
	if j.done() {
		e.depart(j)
	}
}

// stop ends the attempt and frees its slot. If the attempt did not succeed, the task waits for
// another attempt.
func (e *engine) stop(j *jobState, t *task, how job.AttemptState) {
	a := &t.attempt
	id := a.ID.Task
	if id.Type == job.Reduce && how == job.AttemptSucceeded {
		e.reduceProgress(j, t)
	}
	if e.net != nil {
		e.net.stopped(id, a.Tracker)
	}
	a.State, a.Finish = how, e.now
	j.view.Running[id.Type]--
	e.unlink(j, t)
	e.use(&e.trackers[a.Tracker-1], id.Type, a.Slot, -1)
	j.result.SlotTime[id.Type] += e.now - a.Start
	t.end, e.ended = 0, t
	at := &j.tasks[id.Type][id.Index]
	i := *at
	if how == job.AttemptSucceeded {
		a.Progress = 1_000_000
		*at = succeeded
		e.tellFinished(t)
		j.view.Finished[id.Type]++
		e.recount(j)
		e.tellTask(t)
	} else {
		if j.tried == nil {
			j.tried = map[job.Task]int32{}
		}
		j.tried[id]++
		*at = waiting
		j.pending[id.Type]++
		j.returned(id.Type, id.Index)
		e.recount(j)
		e.tellFinished(t)
	}
	e.ended = nil
	e.pool.free(i)
}

// Kill implements scheduler.Plan.
func (e *engine) Kill(id job.Attempt, _ string) bool {
	j := e.jobs.Get(id.Job)
	if j == nil {
		return false
	}
	t := e.runs(j, id)
	if t != nil {
		e.stop(j, t, job.AttemptKilled)
	}
	return t != nil
}

// allMaps handles the end of the map stage. It queues the ends of the fillers.
func (e *engine) allMaps(j *jobState) {
	j.result.MapsDone = e.now
	e.count(allMapsFinished, job.Task{Job: j.view.Seq}, 0, 0)
	if e.net != nil {
		return
	}
	for i := j.oldest[job.Reduce]; i != waiting; i = e.pool.at(i).after {
		t := e.pool.at(i)
		if !t.filler {
			continue
		}
		t.filler = false
		shuffle, rest := j.times.Reduce(t.attempt.ID.Index, true)
		e.foresee(t, i, e.now+shuffle+rest, false)
	}
}

func (e *engine) depart(j *jobState) {
	seq := j.view.Seq
	e.running = ordered.Remove(e.running, seq)
	j.view.State = job.Committing
	e.recount(j)
	e.tellJob(event.JobCommitting, j)
	j.view.State = job.Succeeded
	e.tellJob(event.JobFinished, j)
	e.count(jobDeparture, job.Task{Job: seq}, 0, 0)
	j.result.Finish = e.now
	e.ends = append(e.ends, j.result)
	e.jobs.Delete(seq)
	if e.net != nil {
		delete(e.net.jobs, seq)
	}
	e.tellJob(event.JobRetired, j)
}

func (e *engine) result() *trace.Result {
	r := &trace.Result{Model: "task", Scheduler: e.cfg.Scheduler, Nodes: len(e.trackers), Seed: e.cfg.Seed,
		Hash: e.sum.String()}
	r.Jobs = slices.Grow(r.Jobs, len(e.ends))
	for _, j := range e.ends {
		r.Jobs = append(r.Jobs, replay.Unshift(*j, e.shift))
	}
	if e.cfg.Model == replay.Mumak {
		r.Model = "mumak"
	}
	for k, n := range e.counts {
		r.Kinds = append(r.Kinds, trace.Count{Kind: kindNames[k], N: n})
		r.Events += n
	}
	r.Makespan = trace.Makespan(r.Jobs)
	return r
}
