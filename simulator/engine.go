package simulator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/howdah/howdah/internal/plural"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/simulator/replay"
	"github.com/howdah/howdah/simulator/trace"
)

const never = math.MaxInt64

// An engine is one simulation run, with the machine, the nodes, and the pending events.
type engine struct {
	cfg      *Config
	mcfg     jobtracker.Config
	m        *jobtracker.Machine
	journal  *journal // nil in a Live without a journal
	live     bool     // belongs to a Live, which needs the trace's jobs
	src      trace.Source
	next     *trace.Job   // next job to submit; nil means none left
	later    []*trace.Job // jobs of Config.Follow that wait for their submission, in its order
	nextSpec *job.Spec
	specs    replay.Specs
	shift    int64
	now      int64
	deadline int64    // next deadline of the machine; 0 means none
	sample   int64    // time of the next Sample
	switches []Switch // that are still to come

	nodes    []*node
	onHost   map[string]int // number of TaskTrackers by host
	byHandle map[int32]*node
	wakeups  wakeups
	active   *node // the node that sends a heartbeat
	plan     planned
	shares   *shares // nil means that tasks do not contend
	jobs     map[int32]*simJob
	blind    bool  // the progress of running attempts is unused
	busy     int   // number of attempts on nodes
	topology int64 // number of trackers that joined or were lost
	lastDone int64 // time of the last job submission or task end
	ahead    int64 // time of the last job submission or increase of a job's best
	longest  int64 // longest attempt started so far, in ms

	in      jobtracker.Input
	outs    [][]jobtracker.Output // buffers, one per depth of nested steps
	depth   int
	inputs  [numInputs]int64
	skipped int64
	results []trace.JobResult
	err     error
}

// A simJob is a job that has not ended.
type simJob struct {
	job     *trace.Job // set only in a Live
	times   replay.Times
	best    int32   // maximum number of done tasks so far; crashes may undo some
	mapsEnd int64   // end of the last map; 0 means not yet
	fillers []*task // reduces that hold slots and wait for mapsEnd
	result  trace.JobResult
}

// Kinds of inputs to the machine. A run counts the inputs of each kind.
const (
	inSubmit = iota
	inRegister
	inBeat
	inTick
	inEnd
	inLeave
	inLimits
	inDrain
	inPolicy
	numInputs
)

var inputNames = [numInputs]string{"submit", "register", "beat", "tick", "commit", "leave", "limits", "drain",
	"policy"}

func newEngine(c *Config, src trace.Source) (*engine, error) {
	e := &engine{cfg: c, mcfg: c.machine(), src: src, onHost: map[string]int{}, byHandle: map[int32]*node{},
		jobs: map[int32]*simJob{}, sample: never, blind: blind(c), switches: c.Switches}
	var err error
	if e.m, err = jobtracker.New(e.mcfg, c.Policy); err != nil {
		return nil, err
	}
	if e.journal, err = newJournal(c.Journal); err != nil {
		return nil, err
	}
	if e.plan, err = c.Plan.begin(c); err != nil {
		return nil, err
	}
	return e, nil
}

// run processes events in order. Events at the same time are processed in this order: calls to
// Config.Sample, faults, submissions, samples and decisions about shares, the machine's own
// deadlines, and trackers by number.
func (e *engine) run(ctx context.Context) error {
	if err := e.begin(); err != nil {
		return err
	}
	for i := 0; e.err == nil && !e.over(); i++ {
		if i&0xfff == 0 {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			e.checkStuck()
		}
		e.once()
	}
	e.journal.flush()
	return errors.Join(e.err, e.journal.err)
}

func (e *engine) over() bool { return e.next == nil && len(e.jobs) == 0 && len(e.later) == 0 }

// begin starts the cluster one heartbeat interval before the first submission, so that every
// tracker has sent a heartbeat by then.
func (e *engine) begin() error {
	if err := e.fetch(); err != nil {
		return err
	}
	if e.next == nil {
		return nil
	}
	e.shift = replay.Shift(e.next.Submit)
	e.specs = replay.Specs{Shift: e.shift, Hosts: len(e.cfg.Nodes) > 0}
	for i := range e.cfg.trackers() {
		e.nodes = append(e.nodes, e.newNode(i))
	}
	interval := e.startInterval()
	e.now = e.next.Submit + e.shift - interval
	e.plan.start(e)
	e.shares = e.cfg.Shares.begin(e)
	if e.cfg.Sample != nil && e.cfg.SampleEvery > 0 {
		e.sample = e.next.Submit + e.shift
	}
	e.take(e.m.Recovered(e.now, e.buffer()))
	if e.cfg.Speculator != nil {
		e.m.SetSpeculator(e.cfg.Speculator)
	}
	for _, n := range e.nodes {
		n.due = e.now
		e.wakeups.add(n)
		if !e.plan.real { // a real tracker starts at its first wake-up
			n.start(e)
		}
		n.due = e.now + int64(replay.Below(replay.Draw(e.cfg.Seed, replay.StreamStagger, uint64(n.index)), int(interval)))
		n.beatAt = n.due
		e.wakeups.fix(n)
	}
	return e.fetchSpec()
}

// startInterval returns the heartbeat interval that applies once all nodes have registered.
func (e *engine) startInterval() int64 {
	return max(1, e.mcfg.HeartbeatMin, 1000*int64(len(e.nodes))/e.mcfg.HeartbeatsPerSecond)
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

// fetchSpec creates the specification of the next job.
func (e *engine) fetchSpec() error {
	if e.next == nil {
		return nil
	}
	s, err := e.specs.Spec(e.next)
	e.nextSpec = &s
	return err
}

// ended records the result of a job that has ended, and the jobs that follow it.
func (e *engine) ended(r trace.JobResult) {
	e.results = append(e.results, r)
	if e.cfg.Follow == nil {
		return
	}
	for _, j := range e.cfg.Follow(r) {
		e.wait(j)
	}
}

// wait adds the job to those that wait for their submission.
func (e *engine) wait(j *trace.Job) {
	i := len(e.later)
	for i > 0 && e.later[i-1].Submit > j.Submit {
		i--
	}
	e.later = slices.Insert(e.later, i, j)
}

// choose makes the next job the earliest of the source's next job and the waiting ones.
func (e *engine) choose() {
	if len(e.later) == 0 || e.next != nil && e.next.Submit <= e.later[0].Submit {
		return
	}
	was := e.next
	e.next, e.later = e.later[0], e.later[1:]
	if was != nil {
		e.wait(was)
	}
	if err := e.fetchSpec(); err != nil {
		e.fail(err)
	}
}

// once advances to the next event and processes it.
func (e *engine) once() {
	e.choose()
	submit, deadline := int64(never), int64(never)
	if e.next != nil {
		submit = e.next.Submit + e.shift
	}
	if e.deadline > 0 {
		deadline = e.deadline
	}
	n := e.wakeups[0]
	at := max(e.now, min(submit, deadline, e.plan.next, e.shares.due(), n.due))
	if at == never {
		e.fail(failure.New(failure.Failed, "simulate", e.cfg.Scheduler, fmt.Errorf("%s cannot end: no trackers are left",
			plural.Of(len(e.jobs), "job"))))
		return
	}
	if len(e.switches) > 0 && e.switches[0].At+e.shift <= at {
		e.switchPolicy()
		return // the new policy may have work for trackers before the event
	}
	for e.sample <= at {
		e.now = max(e.now, e.sample)
		e.cfg.Sample(e.m)
		e.sample += e.cfg.SampleEvery
	}
	e.now = at
	switch {
	case e.plan.next <= at:
		e.plan.act(e)
	case submit <= at:
		e.submit()
	case e.shares.due() <= at:
		e.shares.act(e)
	case deadline <= at:
		e.step(inTick, &jobtracker.Input{Kind: jobtracker.InTick})
	default:
		n.wake(e)
		e.wakeups.fix(n)
	}
}

func (e *engine) submit() {
	tj := e.next
	reply := e.step(inSubmit, &jobtracker.Input{Kind: jobtracker.InSubmit, Req: 1, Spec: e.nextSpec})
	if reply.Err != nil {
		e.reject(tj)
	}
	if err := e.fetch(); err != nil {
		e.fail(err)
	}
	if err := e.fetchSpec(); err != nil {
		e.fail(err)
	}
}

// reject records that the JobTracker rejected the job. The job counts as failed immediately.
func (e *engine) reject(tj *trace.Job) {
	r := newResult(tj)
	r.Finish, r.Failed = tj.Submit, true
	e.ended(r)
}

func newResult(tj *trace.Job) trace.JobResult {
	return trace.JobResult{ID: tj.ID, Name: tj.Name, Submit: tj.Submit, Deadline: tj.Deadline, Maps: int32(len(tj.Maps)),
		Reduces: int32(len(tj.Reduces))}
}

// switchPolicy replaces the policy with that of the next switch.
func (e *engine) switchPolicy() {
	next := e.switches[0]
	e.switches = e.switches[1:]
	e.now = max(e.now, next.At+e.shift)
	r := e.step(inPolicy, &jobtracker.Input{Kind: jobtracker.InSetPolicy, Req: 1, Policy: next.Policy})
	if r.Err != nil {
		e.fail(r.Err)
	}
}

func (e *engine) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

// buffer returns a buffer for the outputs of a step. Each level of nested steps has its own buffer.
func (e *engine) buffer() []jobtracker.Output {
	if e.depth == len(e.outs) {
		e.outs = append(e.outs, nil)
	}
	return e.outs[e.depth][:0]
}

// A reply is the answer to a step. If nested steps follow, take copies Desired so that they do not
// overwrite it.
type reply struct {
	Tracker int32
	Desired *heartbeat.Desired // valid until the next step
	Err     error
}

// step passes an input to the machine, processes the outputs, and returns the reply.
func (e *engine) step(kind int, in *jobtracker.Input) reply {
	in.Now = e.now
	e.inputs[kind]++
	return e.take(e.m.Step(in, e.buffer()))
}

// take processes the outputs of a step. Commits and aborts come last and succeed immediately.
func (e *engine) take(out []jobtracker.Output) (r reply) {
	e.outs[e.depth] = out
	asked := false
	for i := range out {
		o := &out[i]
		switch o.Kind {
		case jobtracker.OutFact:
			e.fact(o.Event)
		case jobtracker.OutReply:
			r.Tracker, r.Desired = o.Tracker, o.Desired
			if o.Err != nil {
				r.Err = o.Err
			}
		case jobtracker.OutWake:
			if n := e.byHandle[o.Tracker]; n != nil {
				n.news(e)
			}
		case jobtracker.OutCommit, jobtracker.OutAbort:
			asked = true
		}
	}
	e.deadline = e.m.NextDeadline()
	if err := e.m.Err(); err != nil {
		e.fail(err)
	}
	if asked {
		r.Desired = cloneDesired(r.Desired)
		e.finish(out)
	}
	return r
}

func cloneDesired(d *heartbeat.Desired) *heartbeat.Desired {
	if d == nil {
		return nil
	}
	c := *d
	c.Run = append([]job.Attempt(nil), d.Run...)
	c.Limits = append([]heartbeat.Limit(nil), d.Limits...)
	c.Jobs = append([]int32(nil), d.Jobs...)
	return &c
}

func (e *engine) finish(out []jobtracker.Output) {
	e.depth++
	defer func() { e.depth-- }()
	for i := range out {
		switch o := &out[i]; o.Kind {
		case jobtracker.OutCommit:
			e.step(inEnd, &jobtracker.Input{Kind: jobtracker.InCommitDone, Job: o.Job})
		case jobtracker.OutAbort:
			e.step(inEnd, &jobtracker.Input{Kind: jobtracker.InAbortDone, Job: o.Job})
		}
	}
}

// fact adds the fact to the journal, if any, and updates the nodes and the job's result. With the
// default Config.Machine, the journal omits retirements of jobs, unless Config.KeepJournal is set.
func (e *engine) fact(x *event.Event) {
	if e.journal != nil && (x.Type != event.JobRetired || e.cfg.KeepJournal || e.cfg.Machine != (jobtracker.Config{})) {
		e.journal.add(x)
	}
	switch x.Type {
	case event.TrackerJoined, event.TrackerLost: // the heartbeat interval might change
		e.topology++
		return
	case event.JobSubmitted:
		e.lastDone, e.ahead = e.now, e.now
		j := &simJob{times: replay.NewTimes(e.next, e.model(), e.cfg.Seed), result: newResult(e.next)}
		if e.live {
			j.job = e.next
		}
		j.result.Seq = x.Job
		e.jobs[x.Job] = j
		if len(e.next.Maps) == 0 {
			j.mapsEnd = e.now
		}
		return
	}
	j := e.jobs[x.Job]
	if j == nil {
		return
	}
	switch x.Type {
	case event.AttemptStarted:
		if j.result.Start == 0 {
			j.result.Start = e.now
		}
	case event.AttemptFinished:
		if a := e.m.Attempt(x.Attempt); a != nil {
			j.result.SlotTime[x.Attempt.Type] += (e.now - a.Start) * int64(max(1, a.Width))
		}
	case event.TaskFinished:
		e.lastDone = e.now
		e.advance(j, x.Job)
		if x.Attempt.Type == job.Map {
			e.mapDone(j, x.Job)
		}
	case event.TaskReopened:
		j.mapsEnd = 0
	case event.JobFinished:
		j.result.Finish, j.result.Failed = e.now, x.JobState != job.Succeeded
		delete(e.jobs, x.Job)
		e.ended(replay.Unshift(j.result, e.shift))
	}
}

func (e *engine) model() replay.Model {
	if e.cfg.Mumak {
		return replay.Mumak
	}
	return replay.SimMR
}

// mapDone handles the end of one of the job's maps. The end of the last map determines when the
// waiting reduces end.
func (e *engine) mapDone(j *simJob, seq int32) {
	v := e.m.Job(seq)
	if v.Finished[job.Map]+v.Failed[job.Map] < v.Tasks[job.Map] {
		return
	}
	j.mapsEnd = e.now
	j.result.MapsDone = e.now
	for _, t := range j.fillers {
		if t.node != nil {
			t.release(e, j)
			t.node.changed(e)
		}
	}
	j.fillers = j.fillers[:0]
}

func (e *engine) result() *trace.Result {
	r := &trace.Result{Model: "heartbeat", Trackers: "stub", Scheduler: e.cfg.Scheduler, Nodes: e.cfg.trackers(),
		Seed: e.cfg.Seed, Hash: e.journal.hash(), Jobs: e.results}
	if e.cfg.Mumak {
		r.Model = "mumak"
	}
	if e.plan.real {
		r.Trackers = "machine"
	}
	for k, n := range e.inputs {
		r.Kinds = append(r.Kinds, trace.Count{Kind: inputNames[k], N: n})
		r.Events += n
	}
	r.Kinds = append(r.Kinds, trace.Count{Kind: "beat-left-out", N: e.skipped})
	r.Makespan = trace.Makespan(r.Jobs)
	return r
}
