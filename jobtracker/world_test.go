package jobtracker

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/jobtracker/history"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fifo"
)

// world injects faults into a machine with a journal, a few model trackers, clients, and commit
// workers. Its network loses, repeats, delays, and reorders messages, and its oracles check every
// step. One seed determines the whole run.
type world struct {
	seed   uint64
	rng    *rand.Rand
	cfg    Config
	chaos  bool // use the chaos policy instead of FIFO
	double bool // use a speculator
	strict bool // a single failure puts a tracker on a job's blacklist
	cover  *coverage

	m       *Machine
	shadow  *Machine // replica that has replayed the durable facts
	ledger  *ledger
	journal []byte
	frozen  *frozen // a snapshot in progress; nil = none
	hash    *history.Hash
	now     int64
	down    bool
	crashIn int // number of steps until a crash; 0 = no crash planned
	req     uint64
	steps   int

	incarnation int64
	tts         []*fakeTT
	net         []message
	work        []work
	published   map[int32]string
	keys        []string // submission keys chosen by clients
	specs       map[string]*job.Spec
	byKey       map[string]int32
	lists       map[int32][]Completion // append-only lists as last seen
	faults      bool
	err         error
	trace       func(string, ...any) // logs the steps of a schedule that is being debugged; nil = no log
}

type message struct {
	in    Input   // a message to the JobTracker, or the message that the reply answers
	to    *fakeTT // receiver of the reply; nil = a message to the JobTracker
	from  *fakeTT // sender of a message to the JobTracker
	reply heartbeat.Desired
}

// work is a commit or cleanup in progress.
type work struct {
	job   int32
	abort bool
}

func newWorld(seed uint64, cover *coverage) *world {
	rng := rand.New(rand.NewPCG(seed, 77))
	cfg := DefaultConfig()
	cfg.Expiry, cfg.EndWait, cfg.RecoveryGrace = 3000, 1500, 2000
	cfg.CompletedPerUser, cfg.CompletedTotal = 1+rng.IntN(3), 2
	cfg.MaxBlacklists, cfg.BlacklistWindow = 1, 20_000
	w := &world{seed: seed, rng: rng, cfg: cfg, cover: cover, ledger: newLedger(), hash: history.NewHash(), now: 1_000_000,
		published: map[int32]string{},
		specs:     map[string]*job.Spec{}, byKey: map[string]int32{}, lists: map[int32][]Completion{}, faults: true}
	w.chaos = rng.IntN(2) == 0
	w.double = rng.IntN(2) == 0
	if rng.IntN(2) == 0 {
		w.cfg.SlotMemory = [2]int32{100, 150}
	}
	w.strict = rng.IntN(4) == 0
	w.journal = history.AppendHeader(nil)
	w.shadow = w.machine()
	w.m = w.machine()
	for i := range 2 + rng.IntN(5) {
		t := &fakeTT{w: w, name: fmt.Sprintf("tt%d", i), host: fmt.Sprintf("h%d", i%4), rack: fmt.Sprintf("/r%d", i%2),
			refuses: map[int32]bool{}}
		t.slots = [2]int32{int32(rng.IntN(3)), int32(rng.IntN(3))}
		t.restart()
		w.tts = append(w.tts, t)
	}
	w.release(w.m.Recovered(w.now, nil))
	return w
}

func (w *world) policy() scheduler.Policy {
	if w.chaos {
		return &chaos{rng: w.rng}
	}
	p, err := fifo.New(scheduler.Setup{Conf: conf.New()})
	if err != nil {
		panic(err)
	}
	return p
}

func (w *world) machine() *Machine {
	m, err := New(w.cfg, w.policy())
	if err != nil {
		panic(err)
	}
	if w.double {
		m.SetSpeculator(&doubler{rng: w.rng})
	}
	return m
}

func (w *world) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

// step processes an input and releases the outputs, unless the JobTracker crashes during the step.
func (w *world) step(in Input) Output {
	if w.down {
		return Output{}
	}
	w.steps++
	w.req++
	in.Now, in.Req = w.now, w.req
	w.cover.before(w.m, &in)
	out := w.m.Step(&in, nil)
	w.show(&in, out)
	if w.crashIn > 0 {
		if w.crashIn--; w.crashIn == 0 {
			w.crash(out)
			return Output{}
		}
	}
	reply := w.release(out)
	w.thaw()
	w.cover.after(w, out, reply)
	if reply.Req != in.Req {
		w.fail("input %d was answered with request %d", in.Req, reply.Req)
	}
	return reply
}

// show logs a step with all its outputs.
func (w *world) show(in *Input, out []Output) {
	if w.trace == nil {
		return
	}
	w.trace("%d: input %d job %d attempt %v tracker %d err %q register %+v report %+v", w.now, in.Kind, in.Job, in.Attempt,
		in.Tracker, in.Err, in.Register, in.Report)
	for _, o := range out {
		switch {
		case o.Event != nil:
			w.trace("   %v job %d attempt %v tracker %d %v %v %v %q", o.Event.Type, o.Event.Job, o.Event.Attempt,
				o.Event.Tracker, o.Event.State, o.Event.TaskState, o.Event.JobState, o.Event.Text)
		case o.Desired != nil:
			w.trace("   desired %+v", *o.Desired)
		default:
			w.trace("   output %d job %d tracker %d err %v", o.Kind, o.Job, o.Tracker, o.Err)
		}
	}
}

// release makes the facts durable, executes the other outputs, and returns the reply.
func (w *world) release(out []Output) (reply Output) {
	for _, o := range out {
		if o.Kind == OutFact {
			w.write(o.Event)
		}
	}
	if err := w.m.Err(); err != nil {
		w.fail("the machine decided what its rules refuse: %v", err)
	}
	w.check()
	for _, o := range out {
		switch o.Kind {
		case OutReply:
			reply = o
		case OutCommit, OutAbort:
			w.begin(o)
		}
	}
	return reply
}

// write makes a fact durable.
func (w *world) write(e *event.Event) {
	var err error
	if w.journal, err = history.AppendRecord(w.journal, e); err != nil {
		w.fail("journal: %v", err)
	}
	if w.frozen != nil {
		w.frozen.later, _ = history.AppendRecord(w.frozen.later, e)
	}
	w.hash.Add(e)
	if err := w.ledger.take(e); err != nil {
		w.fail("ledger: %v", err)
	}
	var twin event.Event
	if err := history.DecodeEvent(history.AppendEvent(nil, e), &twin); err != nil {
		w.fail("codec: %v", err)
	}
	if e.Type == event.TrackerDrained {
		w.checkDrained(e.Tracker)
	}
	before := statesOf(w.shadow, e)
	if err := w.shadow.Apply(&twin); err != nil {
		w.fail("replay: %v", err)
	}
	w.cover.countLaunch(w.shadow, e)
	w.cover.changes(before, statesOf(w.shadow, e))
}

// checkDrained checks that no attempt runs on a drained tracker.
func (w *world) checkDrained(handle int32) {
	for _, t := range w.tts {
		if i := slices.IndexFunc(t.tasks, func(k *fakeTask) bool { return !k.state.Terminal() }); t.handle == handle &&
			i >= 0 {
			w.fail("%s is drained and still runs %v", t.name, t.tasks[i].id)
		}
	}
}

// begin checks that a commit or a cleanup may begin and passes it to a worker.
func (w *world) begin(o Output) {
	j := w.ledger.jobs[o.Job]
	abort := o.Kind == OutAbort
	if abort != (j.state == job.Aborting) || !abort && j.state != job.Committing {
		w.fail("%d asked for in state %v", o.Kind, j.state)
	}
	if w.now < w.m.jobs.Get(o.Job).endAfter {
		for _, t := range w.tts {
			if mt := w.m.trackers.Get(t.handle); mt == nil || mt.lost || mt.incarnation != t.inc || !t.up {
				continue
			}
			for _, k := range t.tasks {
				if k.id.Job == o.Job && !k.state.Terminal() {
					w.fail("job %d ends while %v is at work on %s", o.Job, k.id, t.name)
				}
			}
		}
	}
	if !abort {
		winners := ""
		for typ := range job.TaskType(2) {
			w.m.Winners(o.Job, typ, func(a AttemptInfo) { winners += fmt.Sprint(a.ID, a.Manifest, " ") })
		}
		if before, again := w.published[o.Job]; again && before != winners {
			w.fail("commit of %d publishes %s, and before %s", o.Job, winners, before)
		}
		w.published[o.Job] = winners
	}
	w.work = append(w.work, work{o.Job, abort})
}

// finishWork completes a commit or a cleanup.
func (w *world) finishWork(i int) {
	x := w.work[i]
	w.work = slices.Delete(w.work, i, i+1)
	in := Input{Kind: InCommitDone, Job: x.job}
	if x.abort {
		in.Kind = InAbortDone
	}
	if w.faults && w.rng.IntN(6) == 0 {
		in.Err = "no space left on device"
	}
	if j := w.ledger.jobs[x.job]; j != nil && !x.abort {
		j.commitErr = in.Err != ""
	}
	if o := w.step(in); o.Err != nil {
		w.fail("the end of work on %d was refused: %v", x.job, o.Err)
	}
}

// crash ends the JobTracker during a step. Only some of the step's facts are durable, a torn one
// may follow them, and no message was sent.
func (w *world) crash(out []Output) {
	facts := slices.DeleteFunc(out, func(o Output) bool { return o.Kind != OutFact })
	keep := w.rng.IntN(len(facts) + 1)
	for _, o := range facts[:keep] {
		w.write(o.Event)
	}
	if keep < len(facts) && w.rng.IntN(2) == 0 {
		b, _ := history.AppendRecord(nil, facts[keep].Event)
		w.journal = append(w.journal, b[:w.rng.IntN(len(b))]...)
	}
	w.down = true
	w.melt()
	w.work, w.net = nil, nil // the crash ends all workers and connections
}

// recover restarts the JobTracker on its journal.
func (w *world) recover() {
	w.down = false
	w.m = w.replay()
	if diff, ok := alike(w.m, w.shadow); !ok {
		w.fail("replay gives another state: %s", diff)
	}
	w.compact()
	w.release(w.m.Recovered(w.now, nil))
}

func (w *world) replay() *Machine {
	m := w.machine()
	d := history.NewDecoder(bytes.NewReader(w.journal))
	for {
		var e event.Event
		err := d.Next(&e)
		if errors.Is(err, io.EOF) {
			return m
		}
		if errors.Is(err, history.ErrTorn) {
			w.journal = w.journal[:d.Offset()]
			return m
		}
		if err == nil {
			err = m.Apply(&e)
		}
		if err != nil {
			w.fail("journal: %v", err)
			return m
		}
	}
}

// frozen is a snapshot in progress, and the facts since its start.
type frozen struct {
	next         func() (*event.Event, bool)
	stop         func()
	image, later []byte
}

// thaw continues a snapshot between two steps, or occasionally begins one. The complete snapshot and
// the facts since its start must rebuild the present state.
func (w *world) thaw() {
	if w.frozen == nil {
		if w.rng.IntN(20) > 0 {
			return
		}
		w.frozen = &frozen{image: history.AppendHeader(nil)}
		w.frozen.next, w.frozen.stop = iter.Pull(w.m.Freeze())
	}
	f := w.frozen
	for range 1 + w.rng.IntN(10) {
		e, ok := f.next()
		if !ok {
			w.melt()
			journal := w.journal
			w.journal = append(f.image, f.later...)
			if diff, ok := alike(w.m, w.replay()); !ok {
				w.fail("the snapshot and the facts since its start give another state: %s", diff)
			}
			w.journal = journal
			return
		}
		f.image, _ = history.AppendRecord(f.image, e)
	}
}

// melt ends the snapshot in progress, if any.
func (w *world) melt() {
	if w.frozen != nil {
		w.frozen.stop()
		w.frozen = nil
	}
}

// compact occasionally replaces the journal with a snapshot, which must rebuild the same state.
func (w *world) compact() {
	if w.rng.IntN(3) > 0 {
		return
	}
	b := history.AppendHeader(nil)
	w.m.Snapshot(func(e *event.Event) {
		var err error
		if b, err = history.AppendRecord(b, e); err != nil {
			w.fail("snapshot: %v", err)
		}
	})
	w.journal = b
	if diff, ok := alike(w.m, w.replay()); !ok {
		w.fail("the snapshot gives another state: %s", diff)
	}
	if w.rng.IntN(2) == 0 {
		w.shadow = w.replay()
	}
}

// check runs the oracles that check the machine's state.
func (w *world) check() {
	m := w.m
	var used, slots [2]int32
	var memory, vcores int64
	for _, h := range m.live {
		t := m.trackers.Get(h)
		var here tally
		for _, a := range t.run {
			here.add(m.load(m.jobs.Get(a.view.ID.Job).view.Spec, a.view.ID.Type, a.view.Slot))
			if a.over() || a.view.Tracker != h || !w.ledger.trackers[h].live[a.view.ID] {
				w.fail("%v is to run on %d and should not", a.view.ID, h)
			}
		}
		if len(t.run) != len(w.ledger.trackers[h].live) {
			w.fail("tracker %d shall run %v, by the facts %v", h, placed(t), w.ledger.trackers[h].live)
		}
		for _, d := range t.dying {
			here.add(d.load)
		}
		if here != (tally{t.view.Used, t.view.UsedMemory, t.view.UsedVCores}) {
			w.fail("tracker %d has %v slots, %d MiB and %d cores in use, counted %v", h, t.view.Used, t.view.UsedMemory,
				t.view.UsedVCores, here)
		}
		memory += int64(t.view.Memory)
		vcores += int64(t.view.VCores)
		for k := range used {
			used[k] += here.used[k]
			slots[k] += t.view.Slots[k]
		}
	}
	w.checkRoom()
	want := scheduler.Totals{Trackers: int32(len(m.live)), Slots: slots, Used: used, Memory: memory, VCores: vcores}
	if m.totals != want {
		w.fail("totals %+v, counted %+v", m.totals, want)
	}
	for _, seq := range m.order {
		w.checkJob(m.jobs.Get(seq))
	}
	if w.steps%16 == 0 {
		if diff, ok := alike(m, w.shadow); !ok {
			w.fail("live and replayed state differ: %s", diff)
		}
	}
}

// checkRoom checks the set of trackers with room.
func (w *world) checkRoom() {
	var open []int32
	awaited := int64(0)
	for _, h := range w.m.live {
		switch t := w.m.trackers.Get(h); {
		case !trackerWorks(t) || !w.m.hasRoom(t):
		case t.woken:
			awaited++
		default:
			open = append(open, h)
		}
	}
	var got []int32
	for h := w.m.open.next(0); h >= 0; h = w.m.open.next(h + 1) {
		got = append(got, h)
	}
	if !slices.Equal(got, open) || awaited != w.m.awaited {
		w.fail("trackers with room are %v and %d woken ones, counted %v and %d", got, w.m.awaited, open, awaited)
	}
}

// tally is the sum of the resources that a tracker's attempts use.
type tally struct {
	used           [2]int32
	memory, vcores int32
}

func (y *tally) add(l load) {
	y.memory += l.memory
	y.vcores += l.vcores
	if l.slot <= job.Reduce {
		y.used[l.slot] += l.width
	}
}

func (w *world) checkJob(j *jobState) {
	m := w.m
	dying := int32(0)
	for _, h := range m.live {
		for _, d := range m.trackers.Get(h).dying {
			if d.job == j {
				dying++
			}
		}
	}
	if dying != j.dying {
		w.fail("job %d has %d dying attempts, counted %d", j.view.Seq, j.dying, dying)
	}
	if s := w.ledger.jobs[j.view.Seq].state; s != j.view.State || s == job.Prep && !j.view.Spec.Committer {
		w.fail("job %d is %v, by the facts %v", j.view.Seq, j.view.State, s)
	}
	var running, pending, finished [4]int32
	var leading [4]int64
	for typ := range j.tasks {
		for i := range j.tasks[typ] {
			k := &j.tasks[typ][i]
			live := int32(0)
			for _, a := range k.attempts() {
				if !a.over() {
					live++
				}
			}
			running[typ] += live
			if live > 0 {
				leading[typ] += int64(k.leader().view.Progress)
			}
			if k.state == job.TaskPending {
				pending[typ]++
			}
			if k.state == job.TaskSucceeded {
				finished[typ]++
			}
			if live != k.live || (k.state == job.TaskRunning) != (live > 0) ||
				(k.state == job.TaskSucceeded) != (k.winner >= 0) {
				w.fail("task %d/%d/%d: %v with %d of %d live, winner %d", j.view.Seq, typ, i, k.state, live, k.live, k.winner)
			}
			if k.state == job.TaskPending && j.view.State == job.Running && k.past().failures >= maxAttempts(j.view.Spec,
				job.TaskType(typ)) {
				w.fail("task %d/%d/%d waits after %d failures", j.view.Seq, typ, i, k.past().failures)
			}
		}
	}
	if [2]int64(leading[:2]) != j.leading {
		w.fail("job %d counts the progress %v, counted %v", j.view.Seq, j.leading, leading)
	}
	maps := func(x [4]int32) [2]int32 { return [2]int32{x[job.Map], x[job.Reduce]} } // the counts of maps and of reduces
	if maps(running) != j.view.Running || maps(pending) != j.pending || maps(finished) != j.view.Finished {
		w.fail("job %d counts running %v pending %v finished %v, counted %v %v %v", j.view.Seq, j.view.Running, j.pending,
			j.view.Finished, running, pending, finished)
	}
	for typ, live := range j.live {
		if len(live) != int(running[typ]) || !slices.IsSortedFunc(live, byStart) ||
			slices.ContainsFunc(live, func(a *scheduler.Attempt) bool { return a.State.Terminal() }) {
			w.fail("job %d lists %d running attempts, counted %d", j.view.Seq, len(live), running[typ])
		}
	}
	old, list := w.lists[j.view.Seq], j.outputs
	if len(list) < len(old) || !slices.Equal(old, list[:len(old)]) {
		w.fail("the list of map outputs of job %d changed: %v, before %v", j.view.Seq, list, old)
	}
	w.lists[j.view.Seq] = slices.Clone(list)
}

// chaos is a policy that makes random decisions within the contract. It launches any waiting task
// in a slot of any type or in a container, and it kills attempts.
type chaos struct {
	rng  *rand.Rand
	next int64
}

func (c *chaos) Reset(v scheduler.View)               { c.next = v.Now() + 500 }
func (c *chaos) Observe(scheduler.View, *event.Event) {}
func (c *chaos) NextDeadline() int64                  { return c.next }
func (c *chaos) Tick(v scheduler.View, p scheduler.Plan) {
	c.next = v.Now() + 500
	for _, seq := range v.Jobs() {
		for typ := range job.TaskType(2) {
			for _, a := range v.Running(seq, typ, nil) {
				if c.rng.IntN(20) == 0 {
					p.Kill(a.ID, "preempted")
				}
			}
		}
	}
}

// UsesContainers implements scheduler.ContainerUser.
func (c *chaos) UsesContainers() bool { return true }

// anySlot returns a random type of slot, or job.Container.
func anySlot(rng *rand.Rand) job.TaskType {
	return pickOne(rng, []job.TaskType{job.Map, job.Reduce, job.Container})
}

func (c *chaos) Assign(v scheduler.View, tracker int32, p scheduler.Plan) {
	for _, seq := range v.Jobs() {
		for range c.rng.IntN(3) {
			slot := anySlot(c.rng)
			if i, _, ok := v.PickMap(seq, tracker, job.Locality(c.rng.IntN(3))); ok {
				p.Launch(job.Task{Job: seq, Type: job.Map, Index: i}, tracker, slot)
			}
			if i, ok := v.PickReduce(seq, tracker); ok && c.rng.IntN(2) == 0 {
				p.Launch(job.Task{Job: seq, Type: job.Reduce, Index: i}, tracker, slot)
			}
		}
	}
}

// doubler is a speculator that makes random decisions.
type doubler struct {
	rng  *rand.Rand
	next int64
}

func (d *doubler) Reset(v scheduler.View)               { d.next = v.Now() + 300 }
func (d *doubler) Observe(scheduler.View, *event.Event) {}
func (d *doubler) NextDeadline() int64                  { return d.next }

func (d *doubler) Tick(v scheduler.View, p scheduler.Plan) {
	d.next = v.Now() + 300
	if all := v.Trackers(); len(all) > 0 {
		d.double(v, pickOne(d.rng, all), p)
	}
}

func (d *doubler) Assign(v scheduler.View, tracker int32, p scheduler.Plan) { d.double(v, tracker, p) }

func (d *doubler) double(v scheduler.View, tracker int32, p scheduler.Plan) {
	for _, seq := range v.Jobs() {
		for typ := range job.TaskType(2) {
			for _, a := range v.Running(seq, typ, nil) {
				switch d.rng.IntN(12) {
				case 0, 1, 2:
					// A reduce in a borrowed map slot can block a map whose output it needs. The
					// policy must prevent this.
					if slot := anySlot(d.rng); typ == job.Map || slot != job.Map {
						p.Launch(a.ID.Task, tracker, slot)
					}
				case 3:
					if d.rng.IntN(8) == 0 {
						p.Kill(a.ID, "slow")
					}
				}
			}
		}
	}
}
