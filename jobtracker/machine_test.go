package jobtracker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fifo"
)

// rig drives a machine in tests, one step at a time.
type rig struct {
	t     *testing.T
	m     *Machine
	now   int64
	req   uint64
	seq   map[int32]uint64
	inc   map[int32]int64
	facts []event.Event
	wakes []int32
	asks  []Output
}

func newRig(t *testing.T, change ...func(*Config)) *rig {
	cfg := DefaultConfig()
	for _, f := range change {
		f(&cfg)
	}
	p, err := fifo.New(scheduler.Setup{Conf: conf.New()})
	require.NoError(t, err)
	m, err := New(cfg, p)
	require.NoError(t, err)
	r := &rig{t: t, m: m, now: 1_000_000, seq: map[int32]uint64{}, inc: map[int32]int64{}}
	r.take(m.Recovered(r.now, nil))
	return r
}

func (r *rig) take(out []Output) (reply Output) {
	r.wakes, r.asks = nil, nil
	for _, o := range out {
		switch o.Kind {
		case OutFact:
			r.facts = append(r.facts, *o.Event)
		case OutReply:
			reply = o
		case OutWake:
			r.wakes = append(r.wakes, o.Tracker)
		default:
			r.asks = append(r.asks, o)
		}
	}
	require.NoError(r.t, r.m.Err())
	return reply
}

func (r *rig) step(in Input) Output {
	r.req++
	in.Req, in.Now = r.req, r.now
	reply := r.take(r.m.Step(&in, nil))
	require.Equal(r.t, r.req, reply.Req)
	return reply
}

func (r *rig) register(name, host, rack string, inc int64, slots ...int32) int32 {
	o := r.step(Input{Kind: InRegister, Register: &Register{Name: name, Host: host, Rack: rack, Addr: name + ":1",
		Incarnation: inc, Slots: [2]int32(slots)}})
	require.Nil(r.t, o.Err)
	r.inc[o.Tracker] = inc
	return o.Tracker
}

func (r *rig) beat(tracker int32, attempts ...heartbeat.AttemptReport) *heartbeat.Desired {
	return r.report(&heartbeat.Report{Tracker: tracker, Attempts: attempts})
}

func (r *rig) report(p *heartbeat.Report) *heartbeat.Desired {
	r.seq[p.Tracker]++
	p.Seq, p.Incarnation = r.seq[p.Tracker], r.inc[p.Tracker]
	if t := r.m.trackers.Get(p.Tracker); t != nil {
		p.Slots = t.slots
	}
	return r.step(Input{Kind: InBeat, Report: p}).Desired
}

func (r *rig) submit(s *job.Spec) int32 {
	o := r.step(Input{Kind: InSubmit, Spec: s})
	require.Nil(r.t, o.Err)
	return o.Job
}

func spec(maps, reduces int32) *job.Spec {
	return &job.Spec{Name: "test", User: "u", Splits: make([]job.SplitMeta, maps), Reduces: reduces, MapAttempts: 4,
		ReduceAttempts: 4, TrackerFailures: 3, SlowStart: 50_000, MapSpeculative: true, ReduceSpeculative: true}
}

// replayed returns a new machine, restored from a snapshot of the rig's machine.
func (r *rig) replayed() *Machine {
	m, err := New(r.m.cfg, &lazy{})
	require.NoError(r.t, err)
	r.m.Snapshot(func(e *event.Event) { require.NoError(r.t, m.Apply(e)) })
	return m
}

// twin launches a second attempt of a running task, as a speculator does.
func (r *rig) twin(t job.Task, tracker int32) bool {
	return (*speculation)(r.m).Launch(t, tracker, t.Type)
}

// force applies the start of an attempt directly, as the replay of an old journal can do.
func (r *rig) force(id job.Attempt, tracker int32) {
	require.NoError(r.t, r.m.Apply(&event.Event{Type: event.AttemptStarted, Time: r.now, Job: id.Job, Attempt: id,
		Tracker: tracker, Slot: id.Type}))
}

func says(s job.AttemptState, ids ...job.Attempt) []heartbeat.AttemptReport {
	var out []heartbeat.AttemptReport
	for _, id := range ids {
		out = append(out, heartbeat.AttemptReport{Attempt: id, State: s})
	}
	return out
}

func TestSmallJobFromSubmitToEnd(t *testing.T) {
	r := newRig(t)
	tt := r.register("tt1", "h1", "/r", 1, 2, 2)
	seq := r.submit(spec(2, 1))
	require.Equal(t, []int32{tt}, r.wakes)
	d := r.beat(tt)
	require.Len(t, d.Run, 2)
	require.Equal(t, []int32{seq}, d.Jobs)
	d = r.beat(tt, says(job.AttemptSucceeded, d.Run...)...)
	require.Len(t, d.Run, 1)
	require.Equal(t, job.Reduce, d.Run[0].Type)
	require.Len(t, r.m.Completions(seq), 2)
	d = r.beat(tt, says(job.AttemptSucceeded, d.Run...)...)
	require.Empty(t, d.Run)
	require.Equal(t, []int32{seq}, d.Jobs)
	require.Len(t, r.asks, 1)
	require.Equal(t, OutCommit, r.asks[0].Kind)
	require.Nil(t, r.step(Input{Kind: InCommitDone, Job: seq}).Err)
	info, ok := r.m.JobInfo(seq)
	require.True(t, ok)
	require.Equal(t, job.Succeeded, info.State)
	require.Empty(t, r.beat(tt).Jobs)
	c := r.m.Counters(seq, false)
	require.EqualValues(t, 2, c.Builtin[job.LaunchedMaps])
	require.EqualValues(t, 1, c.Builtin[job.LaunchedReduces])
}

// If the machine decides something that its own rules reject, the state and the outputs do not
// change. Err reports the first such decision, because the later ones can follow from it.
func TestRejectedDecisions(t *testing.T) {
	r, p := lazyRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	lost := r.m.trackers.Get(a)
	seq := r.submit(spec(1, 0))
	r.step(Input{Kind: InTrackerLeave, Tracker: a})
	before, heard := dump(r.m), len(p.heard)
	id := mapAttempt(seq, 0, 0).Task
	j, k := r.m.task(id)
	require.False(t, r.m.start(j, k, id, lost, load{slot: job.Map, width: 1}), "the tracker is lost")
	first := r.m.Err()
	require.ErrorContains(t, first, "no live tracker")
	r.m.emit(&event.Event{Type: event.TrackerLost, Tracker: 99})
	require.Same(t, first, r.m.Err())
	require.Equal(t, before, dump(r.m))
	require.Empty(t, r.m.out)
	require.Len(t, p.heard, heard)
}

// The memory of facts is used again, so that a long run does not collect it.
func TestStepsReuseFacts(t *testing.T) {
	r := newRig(t)
	r.register("a", "h1", "/r", 1, 1, 1)
	change := func(slots int32) *event.Event {
		out := r.m.Step(&Input{Kind: InRegister, Now: r.now, Register: &Register{Name: "a", Host: "h1", Incarnation: 1,
			Slots: [2]int32{slots, 1}}}, nil)
		require.Equal(t, OutFact, out[0].Kind)
		return out[0].Event
	}
	require.Same(t, change(2), change(3))
}
