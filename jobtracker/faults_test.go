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

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
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

// client performs valid and invalid actions of users and administrators.
func (w *world) client() {
	j := int32(w.rng.IntN(int(w.m.LastJob()) + 2))
	if e := w.m.ending; len(e) > 0 && w.rng.IntN(2) == 0 {
		j = pickOne(w.rng, e)
	}
	switch w.rng.IntN(16) {
	case 14, 15:
		w.changeDrain()
	case 0, 1:
		w.submitNew()
	case 2:
		if len(w.keys) > 0 {
			w.submitAgain(pickOne(w.rng, w.keys))
		}
	case 3:
		if w.rng.IntN(3) == 0 {
			w.step(Input{Kind: InKillJob, Job: j, Text: "by the user"})
		}
	case 4:
		w.step(Input{Kind: InSetPriority, Job: j, Priority: job.Priority(w.rng.IntN(6) - 2)})
	case 5, 6:
		kind := InKillAttempt
		if w.rng.IntN(2) == 0 {
			kind = InFailAttempt
		}
		w.step(Input{Kind: kind, Attempt: w.anyAttempt()})
	case 7:
		w.step(Input{Kind: InCommitDone, Job: w.idle(j, job.Committing), Err: w.maybe("no answer")})
	case 8:
		w.step(Input{Kind: InAbortDone, Job: w.idle(j, job.Aborting), Err: w.maybe("no answer")})
	case 9:
		var hosts []string
		if w.rng.IntN(6) == 0 {
			hosts = []string{"h1"}
		}
		w.step(Input{Kind: InHosts, Hosts: hosts})
	case 10:
		if w.rng.IntN(2) == 0 {
			w.changeLimits()
			return
		}
		w.changePolicy()
	default:
		w.nonsense()
	}
}

func (w *world) maybe(text string) string {
	if w.rng.IntN(2) == 0 {
		return text
	}
	return ""
}

// idle returns seq, or an unknown job if a worker is performing this part of the job's end, because
// only that worker can complete it.
func (w *world) idle(seq int32, s job.State) int32 {
	if j := w.m.jobs[seq]; j != nil && j.asked && j.view.State == s {
		return 0
	}
	return seq
}

// anyAttempt returns a random attempt, which usually exists.
func (w *world) anyAttempt() job.Attempt {
	if seqs := w.m.AllJobs(); len(seqs) > 0 && w.rng.IntN(3) > 0 {
		var all []job.Attempt
		w.m.Attempts(pickOne(w.rng, seqs), func(a AttemptInfo) bool {
			all = append(all, a.ID)
			return true
		})
		if len(all) > 0 {
			return pickOne(w.rng, all)
		}
	}
	t := job.Task{Job: int32(w.rng.IntN(int(w.m.LastJob()) + 2)), Type: job.TaskType(w.rng.IntN(3)),
		Index: int32(w.rng.IntN(5) - 1)}
	return job.Attempt{Task: t, N: int32(w.rng.IntN(4) - 1)}
}

// nonsense sends messages that only a faulty or outdated tracker would send.
func (w *world) nonsense() {
	t := pickOne(w.rng, w.tts)
	for _, o := range w.tts {
		if mt := w.m.trackers[o.handle]; mt != nil && mt.blacklisted && w.rng.IntN(2) == 0 {
			t = o
		}
	}
	switch w.rng.IntN(10) {
	case 0:
		w.step(Input{Kind: InBeat})
	case 1:
		w.step(Input{Kind: InRegister})
	case 2:
		w.step(Input{Kind: InSubmit})
	case 3:
		w.step(Input{Kind: InBeat, Report: &heartbeat.Report{Tracker: t.handle,
			Incarnation: t.inc + int64(w.rng.IntN(2))*2 - 1, Seq: 1 << 40}})
	case 4:
		w.step(Input{Kind: InRegister, Register: &Register{Name: t.name, Host: pickOne(w.rng, []string{t.host, "h1"}),
			Incarnation: t.inc - int64(w.rng.IntN(3)), Slots: t.slots, Memory: 1024, VCores: 2, Addr: t.name + ":2"}})
	case 5:
		w.step(Input{Kind: numInputKinds + InputKind(w.rng.IntN(3))})
	default: // unknown attempts and those of another tracker
		if t.handle == 0 || !t.up {
			return
		}
		in := t.report()
		if in.Report == nil {
			return
		}
		for i := range in.Report.Attempts {
			if w.rng.IntN(8) == 0 {
				in.Report.Attempts[i].State = 5
			}
		}
		for range 3 {
			id := w.anyAttempt()
			if _, _, a := w.m.attempt(id); t.find(id) == nil && (a == nil || a.over() || a.view.Tracker != t.handle) {
				in.Report.Attempts = append(in.Report.Attempts,
					heartbeat.AttemptReport{Attempt: id, State: job.AttemptState(w.rng.IntN(6)), Progress: -5})
			}
			in.Report.Fetch = append(in.Report.Fetch, heartbeat.FetchFailure{Reduce: w.anyAttempt(), Map: w.anyAttempt()})
			in.Report.Refused = append(in.Report.Refused, heartbeat.Refusal{Job: w.notRunning()})
		}
		w.step(in)
	}
}

// notRunning returns a job that is not running or does not exist, so that a false refusal cannot
// stop a running job.
func (w *world) notRunning() int32 {
	for _, seq := range w.m.AllJobs() {
		if w.m.jobs[seq].view.State != job.Running && w.rng.IntN(2) == 0 {
			return seq
		}
	}
	return 1000
}

// changeLimits acts as an orchestrator that sets limits on any attempt, running or not. The
// orchestrator can then stop.
func (w *world) changeLimits() {
	if w.down {
		return
	}
	in := Input{Kind: InLimits, Millis: int64(w.rng.IntN(3)) * 500}
	for range w.rng.IntN(6) {
		in.Limits = append(in.Limits, heartbeat.Limit{Attempt: w.anyAttempt(), CPU: int32(w.rng.IntN(5) - 1),
			Memory: int32(w.rng.IntN(4)), Why: "chance"})
	}
	w.step(in)
}

// changeDrain starts, changes, or cancels the drain of a tracker. A drained tracker can deregister.
func (w *world) changeDrain() {
	t := pickOne(w.rng, w.tts)
	if mt := w.m.trackers[t.handle]; mt != nil && mt.drained > 0 && w.rng.IntN(2) == 0 {
		w.step(Input{Kind: InTrackerLeave, Tracker: t.handle})
		t.up = false
		return
	}
	in := Input{Kind: InDrain, Name: t.name, Drain: Drain(w.rng.IntN(int(numDrains))), Text: "chance"}
	if w.rng.IntN(10) == 0 {
		in.Drain = numDrains
	}
	if w.rng.IntN(10) == 0 {
		in.Name = "nobody"
	}
	w.step(in)
}

func (w *world) changePolicy() {
	if w.down {
		return
	}
	switch w.rng.IntN(4) {
	case 0:
		w.m.SetPolicy(w.policy())
	case 1:
		w.step(Input{Kind: InSetPolicy, Policy: w.policy(), Setup: &PolicySetup{Name: "another"},
			Text: "by the administrator"})
	case 2:
		in := Input{Kind: InSetSpeculator}
		if w.double = !w.double; w.double {
			in.Policy = &doubler{rng: w.rng}
		}
		w.step(in)
	default:
		w.step(Input{Kind: InSetPolicy})
	}
}

func (w *world) submitNew() {
	if len(w.keys) >= 4 {
		return
	}
	s := &job.Spec{Name: "model", User: fmt.Sprint("u", w.rng.IntN(2)), SubmitKey: fmt.Sprint("key", len(w.keys)),
		Reduces: int32(w.rng.IntN(3)), MapAttempts: 1 + int32(w.rng.IntN(4)), ReduceAttempts: 1 + int32(w.rng.IntN(4)),
		TrackerFailures: int32(w.rng.IntN(3)), MapFailuresPercent: pickOne(w.rng, []int32{0, 0, 0, 50, 100}),
		ReduceFailuresPercent: pickOne(w.rng, []int32{0, 0, 50, 100}),
		SlowStart:             pickOne(w.rng, []int32{0, 50_000, million}), MapLimit: int32(w.rng.IntN(3)),
		ReduceLimit: int32(w.rng.IntN(3)),
		Priority:    job.Priority(w.rng.IntN(5) - 2), MapMemory: pickOne(w.rng, []int32{0, 100, 180}),
		ReduceMemory: pickOne(w.rng, []int32{-1, 200, 300}),
		Committer:    w.rng.IntN(3) == 0, SkipAfter: int32(w.rng.IntN(3)), MapSkip: int64(max(0, w.rng.IntN(8)-4)),
		ReduceSkip: int64(max(0, w.rng.IntN(8)-4)),
		MapVCores:  1, ReduceVCores: 2, MapSpeculative: w.rng.IntN(4) > 0, ReduceSpeculative: w.rng.IntN(4) > 0}
	if s.MapSkip+s.ReduceSkip > 0 && w.rng.IntN(2) == 0 {
		s.MapAttempts, s.ReduceAttempts = 15, 15 // enough to find all bad records
	}
	if w.strict {
		s.TrackerFailures, s.MapAttempts, s.ReduceAttempts = 1, 4, 4
	}
	for range w.rng.IntN(5) {
		var split job.SplitMeta
		for range w.rng.IntN(3) {
			split.Hosts = append(split.Hosts, fmt.Sprintf("h%d", w.rng.IntN(5)))
		}
		split.Length = int64(w.rng.IntN(3))
		s.Splits = append(s.Splits, split)
	}
	if w.rng.IntN(10) == 0 {
		s.Splits, s.Reduces = nil, 0
	}
	w.keys = append(w.keys, s.SubmitKey)
	w.specs[s.SubmitKey] = s
	w.submitAgain(s.SubmitKey)
}

// submitAgain repeats a submission as a client does if it has received no reply. While the job is
// known, submissions with the same key result in one job.
func (w *world) submitAgain(key string) {
	before := w.byKey[key]
	if before != 0 && w.ledger.jobs[before] == nil {
		return // the job is retired
	}
	o := w.step(Input{Kind: InSubmit, Spec: w.specs[key]})
	if o.Err != nil {
		w.fail("submit: %v", o.Err)
	}
	if o.Job == 0 {
		return // the JobTracker crashed
	}
	if before != 0 && before != o.Job {
		w.fail("key %s is job %d and job %d", key, before, o.Job)
	}
	w.byKey[key] = o.Job
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
		if d.How == DrainImmediate || d.How != DrainOff && d.Outputs == 0 && len(w.m.trackers[t.handle].run) == 0 {
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
		if !w.m.jobs[seq].view.State.Terminal() {
			return false
		}
	}
	if diff, ok := alike(w.m, w.shadow); !ok {
		w.fail("at the end live and replayed state differ: %s", diff)
	}
	return true
}
