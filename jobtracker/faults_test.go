package jobtracker

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var (
	seedFlag  = flag.Uint64("seed", 0, "run the one fault schedule of this seed; 0 = many, from the time")
	schedules = flag.Int("schedules", 10_000, "fault schedules to run")
)

// TestFaultSchedules runs the machine through random schedules of faults. Heartbeats are lost,
// repeated, reordered, or delayed. Trackers crash, vanish, return, or hang, and attempts fail. The
// JobTracker crashes in the middle of steps, and users kill jobs and repeat requests. Oracles check
// every step. After the faults every job must end.
func TestFaultSchedules(t *testing.T) {
	if *seedFlag != 0 {
		_, err := runSchedule(*seedFlag, newCoverage(), t.Logf)
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	n := *schedules
	if testing.Short() || raceDetector {
		n /= 10
	}
	base := uint64(time.Now().UnixNano())
	t.Logf("base seed %d", base)
	workers := runtime.GOMAXPROCS(0)
	covers := make([]*coverage, workers)
	var next, steps atomic.Int64
	var failed atomic.Bool
	var wg sync.WaitGroup
	for i := range workers {
		covers[i] = newCoverage()
		wg.Go(func() {
			for k := next.Add(1); k <= int64(n) && !failed.Load(); k = next.Add(1) {
				seed := base + uint64(k)
				w, err := runSchedule(seed, covers[i], nil)
				if err == nil && k%50 == 0 {
					again, err2 := runSchedule(seed, newCoverage(), nil)
					if err = err2; err == nil && w.hash.String() != again.hash.String() {
						err = fmt.Errorf("two runs of one seed gave different journals")
					}
				}
				steps.Add(int64(w.steps))
				if err != nil && failed.CompareAndSwap(false, true) {
					t.Errorf("seed %d: %v\nrepeat: go test ./jobtracker -run TestFaultSchedules -seed %d", seed, err, seed)
				}
			}
		})
	}
	wg.Wait()
	if failed.Load() {
		return
	}
	for _, c := range covers[1:] {
		covers[0].add(c)
	}
	t.Logf("%d schedules, %d steps", n, steps.Load())
	covers[0].judge(t, n >= 10_000)
}

// runSchedule runs one schedule, which has a period with faults and a calm period until every job
// has ended.
func runSchedule(seed uint64, cover *coverage, trace func(string, ...any)) (*world, error) {
	w := newWorld(seed, cover)
	defer w.melt()
	w.trace = trace
	for _, t := range w.tts {
		w.exchange(t)
	}
	w.submitNew()
	for range 40 + w.rng.IntN(120) {
		w.turn()
		if w.err != nil {
			return w, w.err
		}
	}
	w.calm()
	return w, w.err
}

// turn performs one random action.
func (w *world) turn() {
	if w.down && w.rng.IntN(4) == 0 {
		w.recover()
		return
	}
	switch n := w.rng.IntN(100); {
	case n < 12:
		w.pass(int64(w.rng.IntN(400)))
	case n < 20:
		w.send(pickOne(w.rng, w.tts))
	case n < 28:
		w.deliver()
	case n < 54:
		w.exchange(pickOne(w.rng, w.tts))
	case n < 74:
		for _, t := range w.tts {
			if t.up && len(t.tasks) > 0 && w.rng.IntN(2) == 0 {
				t.work(pickOne(w.rng, t.tasks), true)
			}
		}
	case n < 78:
		w.trackerFault(pickOne(w.rng, w.tts))
	case n < 79:
		w.crashIn = 1 + w.rng.IntN(3)
	case n < 84:
		if len(w.work) > 0 && !w.down {
			w.finishWork(w.rng.IntN(len(w.work)))
		}
	default:
		w.client()
	}
}

func pickOne[T any](rng *rand.Rand, s []T) T { return s[rng.IntN(len(s))] }

// pass advances the time, sometimes by an additional pause, and processes due deadlines. It
// sometimes sends a tick without a due deadline.
func (w *world) pass(ms int64) {
	w.now += ms
	if w.rng.IntN(30) == 0 {
		w.now += 2000
	}
	if w.rng.IntN(60) == 0 { // the JobTracker was stopped and detects it
		pause := int64(5000)
		w.now += pause
		w.step(Input{Kind: InGrace, Millis: pause})
	}
	if at := w.m.NextDeadline(); !w.down && at > 0 && at <= w.now || w.rng.IntN(10) == 0 {
		w.step(Input{Kind: InTick})
	}
}

// send sends a tracker's message. The network can lose or duplicate it.
func (w *world) send(t *fakeTT) {
	if !t.up {
		return
	}
	msg := message{in: t.report(), from: t}
	if w.rng.IntN(8) > 0 && !t.cut {
		w.net = append(w.net, msg)
	}
	if w.rng.IntN(8) == 0 && !t.cut {
		w.net = append(w.net, msg)
	}
}

// exchange performs a heartbeat with an immediate reply.
func (w *world) exchange(t *fakeTT) {
	if !t.up || t.cut {
		return
	}
	in := t.report()
	if answer, ok := w.answer(message{in: in, from: t}); ok {
		w.arrive(answer)
	}
}

// deliver delivers a random message that is in transit.
func (w *world) deliver() {
	if len(w.net) == 0 {
		return
	}
	i := w.rng.IntN(len(w.net))
	x := w.net[i]
	if w.rng.IntN(10) > 0 { // otherwise the message arrives again later
		w.net = slices.Delete(w.net, i, i+1)
	}
	if x.to != nil {
		w.arrive(x)
		return
	}
	if answer, ok := w.answer(x); ok && w.rng.IntN(10) > 0 {
		w.net = append(w.net, answer)
	}
}

// answer passes a message to the JobTracker and returns the reply. It returns false if the
// JobTracker is down or rejects the message.
func (w *world) answer(x message) (message, bool) {
	o := w.step(x.in)
	answer := message{to: x.from, in: x.in}
	switch {
	case o.Desired != nil:
		d := *o.Desired
		d.Run, d.Jobs = slices.Clone(d.Run), slices.Clone(d.Jobs)
		answer.reply = d
	case o.Tracker != 0:
		answer.reply.Seq = uint64(o.Tracker)
	default:
		return message{}, false
	}
	return answer, true
}

// arrive delivers a reply to its tracker if the tracker is still waiting for it.
func (w *world) arrive(x message) {
	t := x.to
	switch {
	case !t.up || t.cut:
	case x.in.Kind == InRegister && x.in.Register.Incarnation == t.inc && t.handle == 0:
		t.handle = int32(x.reply.Seq)
	case x.in.Kind == InBeat && x.in.Report.Incarnation == t.inc:
		t.obey(&x.reply)
	}
}

func (w *world) trackerFault(t *fakeTT) {
	switch w.rng.IntN(8) {
	case 0:
		t.up = false
	case 1:
		if !t.up {
			t.restart()
		}
	case 2:
		t.cut = !t.cut
	case 3:
		t.cut = false
	case 4:
		t.slots = [2]int32{int32(w.rng.IntN(4)), int32(w.rng.IntN(4))}
	case 5:
		t.unhealthy = ""
		if w.rng.IntN(2) == 0 {
			t.unhealthy = "ERROR disk"
		}
	case 6:
		if w.rng.IntN(3) == 0 {
			w.step(Input{Kind: InTrackerLeave, Tracker: t.handle})
			t.up = false
		} else if len(t.tasks) > 0 { // drops a task, which is a bug in the tracker; the tracker might start it again
			delete(t.started, t.tasks[0].id)
			t.tasks = t.tasks[1:]
		}
	case 7:
		if seqs := w.m.AllJobs(); len(seqs) > 0 && w.rng.IntN(3) == 0 {
			t.refuses[pickOne(w.rng, seqs)] = true
		}
	}
}

// calm ends all faults and runs until every job has ended. It fails the schedule if that takes more
// than 200 rounds.
func (w *world) calm() {
	w.faults, w.crashIn = false, 0
	if w.down {
		w.recover()
	}
	w.step(Input{Kind: InHosts})
	w.net = nil
	for _, t := range w.tts {
		t.cut, t.unhealthy, t.slots = false, "", [2]int32{2, 2}
		if !t.up {
			t.restart()
		}
	}
	const rounds = 200
	var due []*fakeTT
	for i := range rounds {
		if w.err != nil || i > 3 && w.allOver() {
			return
		}
		switch i {
		case 18:
			due = w.drainsDue()
		case 20:
			w.endDrains(due)
		}
		w.round()
	}
	w.fail("after %d calm rounds some job has not ended:\n%s", rounds, dump(w.m))
}

// drainsDue returns the trackers whose drains must complete now: all immediate drains, and drains
// without running attempts and needed outputs.
func (w *world) drainsDue() (due []*fakeTT) {
	for _, t := range w.tts {
		d := w.m.DrainInfo(t.handle)
		if d.How == DrainImmediate || d.How != DrainOff && d.Outputs == 0 && len(w.m.trackers.Get(t.handle).run) == 0 {
			due = append(due, t)
		}
	}
	return due
}

// endDrains checks that the trackers in the argument due have drained and cancels all drains.
func (w *world) endDrains(due []*fakeTT) {
	for _, t := range due {
		if d := w.m.DrainInfo(t.handle); d.Done == 0 {
			w.fail("%s is not drained in the calm: %+v", t.name, d)
		}
	}
	for _, t := range w.tts {
		w.step(Input{Kind: InDrain, Name: t.name})
	}
}

// round simulates one heartbeat interval of a healthy cluster.
func (w *world) round() {
	w.now += w.cfg.HeartbeatMin
	if at := w.m.NextDeadline(); at > 0 && at <= w.now {
		w.step(Input{Kind: InTick})
	}
	for len(w.work) > 0 && w.err == nil {
		w.finishWork(0)
	}
	for _, t := range w.tts {
		for _, k := range slices.Clone(t.tasks) {
			t.work(k, false)
		}
		in := t.report()
		o := w.step(in)
		switch {
		case o.Desired != nil:
			d := *o.Desired
			t.obey(&d)
		case o.Err == nil:
			t.handle = o.Tracker
		default:
			w.incarnation++
			t.inc = w.incarnation
		}
	}
}

func (w *world) allOver() bool {
	for _, seq := range w.m.AllJobs() {
		if !w.m.jobs.Get(seq).view.State.Terminal() {
			return false
		}
	}
	if diff, ok := alike(w.m, w.shadow); !ok {
		w.fail("at the end live and replayed state differ: %s", diff)
	}
	return true
}
