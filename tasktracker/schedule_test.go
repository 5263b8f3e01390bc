package tasktracker

import (
	"flag"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
)

var (
	seedFlag  = flag.Uint64("seed", 0, "replay the schedule of this seed, with a trace")
	schedules = flag.Int("schedules", 12_000, "number of random schedules")
)

// TestSchedules runs random schedules of work and faults against the machine. The methods check and
// finish of world define the invariants.
func TestSchedules(t *testing.T) {
	if *seedFlag != 0 {
		if err := runSchedule(*seedFlag, newCoverage(), t.Logf); err != nil {
			t.Fatal(err)
		}
		return
	}
	base := uint64(time.Now().UnixNano())
	t.Logf("base seed %d, %d schedules", base, *schedules)
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	covers := make([]*coverage, workers)
	for i := range workers {
		covers[i] = newCoverage()
		wg.Go(func() {
			for n := i; n < *schedules && !t.Failed(); n += workers {
				seed := base + uint64(n)
				if err := runSchedule(seed, covers[i], nil); err != nil {
					t.Errorf("%v\nreplay: go test ./tasktracker -run TestSchedules -v -seed %d", err, seed)
				}
			}
		})
	}
	wg.Wait()
	for _, c := range covers[1:] {
		covers[0].add(c)
	}
	covers[0].judge(t)
}

// runSchedule runs one schedule: work with faults, then work without faults, then the shutdown.
func runSchedule(seed uint64, cover *coverage, trace func(string, ...any)) (err error) {
	w := newWorld(seed, cover, trace)
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
			if trace != nil {
				panic(p)
			}
		}
	}()
	w.step(Input{Kind: InTick})
	for n := 20 + w.rng.IntN(120); n > 0 && w.err == nil; n-- {
		w.something()
	}
	if w.err == nil && w.rng.IntN(4) > 0 {
		w.finish()
	}
	if w.err == nil {
		w.shutDown()
	}
	return w.err
}

// something makes one random event happen.
func (w *world) something() {
	actions := []struct {
		weight int
		do     func()
	}{
		{6, w.passTime}, {10, w.answer}, {2, w.loseCall}, {1, w.repeatAnswer}, {1, w.moveJobTracker},
		{5, w.addWork}, {1, w.killWork}, {1, w.dropJob},
		{4, w.localize}, {16, w.childSpeaks}, {6, w.childEnds},
		{1, w.changeSlots}, {1, w.changeHealth}, {1, w.measure}, {3, w.nonsense},
	}
	total := 0
	for _, a := range actions {
		total += a.weight
	}
	n := w.rng.IntN(total)
	for _, a := range actions {
		if n -= a.weight; n < 0 {
			a.do()
			return
		}
	}
}

func (w *world) passTime() {
	next := w.m.NextDeadline()
	if next == 0 || w.rng.IntN(3) == 0 {
		next = w.now + w.rng.Int64N(3000)
	}
	w.now = max(w.now, next)
	w.step(Input{Kind: InTick})
}

// answer makes the JobTracker process the call in flight and respond.
func (w *world) answer() {
	if w.call == nil {
		return
	}
	c := w.call
	if c.Kind == OutRegister {
		w.hearRegister(c)
		w.call, w.joined = nil, c.Incarnation
		w.step(Input{Kind: InRegistered, Tracker: 1, Epoch: w.epoch, Cluster: "c"})
		return
	}
	d := w.hear()
	w.call = nil
	w.owed = slices.DeleteFunc(w.owed, func(f heartbeat.FetchFailure) bool { return slices.Contains(w.report.Fetch, f) })
	w.full = d.Full || d.Epoch != w.m.epoch
	if d.Register {
		w.owed = nil
	}
	w.step(Input{Kind: InDesired, Desired: &d})
}

func (w *world) hearRegister(c *Output) {
	w.full = true
	if w.registered && w.incarnation == c.Incarnation {
		return // the response was lost
	}
	w.registered, w.incarnation = true, c.Incarnation
	// The work of the previous incarnation is lost.
	w.run, w.jobs = nil, nil
	w.heard = map[job.Attempt]job.AttemptState{}
	w.answers = nil
}

func (w *world) hear() heartbeat.Desired {
	d := heartbeat.Desired{Seq: w.report.Seq, Interval: 300 + w.rng.Int64N(1000), Epoch: w.epoch}
	if !w.registered || w.report.Incarnation != w.incarnation {
		d.Register = true
		return d
	}
	for i := range w.report.Attempts {
		a := &w.report.Attempts[i]
		w.heard[a.Attempt] = a.State
		if a.State.Terminal() {
			w.run = slices.DeleteFunc(w.run, func(b job.Attempt) bool { return a.Attempt == b })
		}
	}
	for _, r := range w.report.Refused {
		w.run = slices.DeleteFunc(w.run, func(b job.Attempt) bool { return r.Job == b.Job })
	}
	d.Run, d.Jobs = slices.Clone(w.run), slices.Clone(w.jobs)
	d.Full = !w.calm && w.rng.IntN(10) == 0
	w.answers = append(w.answers, d)
	return d
}

// loseCall loses either the call in flight or the response to it.
func (w *world) loseCall() {
	if w.call == nil {
		return
	}
	if w.rng.IntN(2) == 0 {
		if w.call.Kind == OutRegister {
			w.hearRegister(w.call)
		} else {
			w.hear()
		}
	}
	w.call = nil
	w.step(Input{Kind: InLost})
}

func (w *world) repeatAnswer() {
	if len(w.answers) == 0 {
		return
	}
	d := w.answers[w.rng.IntN(len(w.answers))]
	if w.call != nil && w.call.Kind == OutBeat && d.Seq == w.report.Seq {
		return // not an old response
	}
	w.step(Input{Kind: InDesired, Desired: &d})
}

// moveJobTracker restarts the JobTracker or makes the JobTracker expire this tracker.
func (w *world) moveJobTracker() {
	if w.rng.IntN(2) == 0 {
		w.epoch++
		return
	}
	w.registered = false
}

func (w *world) addWork() {
	if len(w.jobs) == 0 || w.rng.IntN(4) == 0 {
		w.nextJob++
		w.jobs = append(w.jobs, w.nextJob)
	}
	j := w.jobs[w.rng.IntN(len(w.jobs))]
	w.nextIndex++
	a := job.Attempt{Task: job.Task{Job: j, Index: w.nextIndex, Type: job.TaskType(w.rng.IntN(2))}}
	w.run = append(w.run, a)
	if w.rng.IntN(2) == 0 {
		w.step(Input{Kind: InNews})
	}
}

func (w *world) killWork() {
	if len(w.run) > 0 {
		i := w.rng.IntN(len(w.run))
		w.run = slices.Delete(w.run, i, i+1)
	}
}

func (w *world) dropJob() {
	if len(w.jobs) > 0 {
		j := w.jobs[w.rng.IntN(len(w.jobs))]
		w.jobs = slices.DeleteFunc(w.jobs, func(k int32) bool { return j == k })
		w.run = slices.DeleteFunc(w.run, func(a job.Attempt) bool { return a.Job == j })
	}
}

func (w *world) localize() {
	if len(w.fetching) == 0 {
		return
	}
	j := w.fetching[0]
	w.fetching = w.fetching[1:]
	switch {
	case w.refusedOnce(j):
		w.step(Input{Kind: InJobRefused, Job: j, Text: "cannot"})
	case !w.calm && w.rng.IntN(5) == 0:
		w.step(Input{Kind: InJobFailed, Job: j, Failure: failure.IO, Text: "no"})
	default:
		// A job's settings depend only on its number, so they are the same in every localization.
		info := JobInfo{Timeout: []int64{0, 3000, 600_000}[j%3], TasksPerChild: []int32{1, -1, 0, 3}[j%4],
			OwnProgram: j%2 == 0, Class: []string{"", "", "a", "", "a", "", "b", ""}[j%8]}
		w.local[j] = info
		w.step(Input{Kind: InJobReady, Job: j, JobInfo: info})
	}
}

// someChild returns a random live child.
func (w *world) someChild() *fakeChild {
	w.handles = slices.DeleteFunc(w.handles, func(h int32) bool { return w.children[h] == nil })
	if len(w.handles) == 0 {
		return nil
	}
	return w.children[w.handles[w.rng.IntN(len(w.handles))]]
}

func (w *world) childSpeaks() {
	c := w.someChild()
	if c == nil {
		return
	}
	if !c.up {
		c.up = true
		w.step(Input{Kind: InReady, Child: c.handle})
		return
	}
	if c.attempt == nil {
		return
	}
	n := w.rng.IntN(8)
	if w.calm {
		n = 6
	}
	listened := !c.leaving
	switch {
	case n < 1:
		w.step(Input{Kind: InInHand, Child: c.handle, Range: job.Range{Start: w.rng.Int64N(9), Length: 1 + w.rng.Int64N(9)}})
	case n < 4:
		w.step(Input{Kind: InProgress, Child: c.handle, Progress: w.progress()})
	case n < 5:
		f := heartbeat.FetchFailure{Reduce: *c.attempt, Map: job.Attempt{Task: job.Task{Job: c.job, Index: w.rng.Int32N(3)}}}
		if listened && !w.m.stopping {
			w.owed = append(w.owed, f)
		}
		w.step(Input{Kind: InFetchFailed, Child: c.handle, Map: f.Map})
	case n < 7:
		p := w.progress()
		p.Builtin = append(p.Builtin, BuiltinValue{job.PhysicalMemoryBytes, w.rng.Int64N(maxShared * 4 / 3)})
		if listened {
			c.attempt, c.memory = nil, max(c.memory, p.Builtin[1].Value)
		}
		w.step(Input{Kind: InDone, Child: c.handle, Progress: p, Files: []job.OutputFile{{Name: "part"}}})
	default:
		if listened {
			c.attempt, c.failed = nil, true
		}
		w.step(Input{Kind: InFailed, Child: c.handle, Failure: failure.User, Text: "it broke"})
	}
}

func (w *world) progress() *Progress {
	return &Progress{Phase: job.PhaseMap, Millionths: w.rng.Int32N(1_000_000), Alive: w.rng.IntN(2) == 0,
		Builtin: []BuiltinValue{{job.MapInputRecords, w.rng.Int64N(100)}}}
}

// childEnds makes a process end, either as ordered or on its own.
func (w *world) childEnds() {
	c := w.someChild()
	if c == nil || c.leaving && c.stubborn && !c.killed || !c.leaving && (w.calm || w.rng.IntN(3) > 0) {
		return
	}
	w.end(c)
}

func (w *world) end(c *fakeChild) {
	delete(w.children, c.handle)
	w.step(Input{Kind: InExited, Child: c.handle, Failure: w.kindOfExit(), Text: "gone"})
}

func (w *world) changeSlots() {
	w.step(Input{Kind: InSlots, Slots: [2]int32{w.rng.Int32N(3), w.rng.Int32N(3)}})
}

func (w *world) changeHealth() {
	switch w.rng.IntN(3) {
	case 0:
		w.step(Input{Kind: InHealth, Text: "disk full"})
	case 1:
		w.step(Input{Kind: InHealth})
	case 2:
		w.step(Input{Kind: InShed, Text: "no space"})
	}
}

// measure sends measurements to the machine. Its reports must contain them.
func (w *world) measure() {
	switch w.rng.IntN(3) {
	case 0:
		w.measured.OtherLoad = w.rng.Int32N(1_000_000)
		w.step(Input{Kind: InLoad, OtherLoad: w.measured.OtherLoad})
	case 1:
		w.measured.Unheld = make([]heartbeat.Unheld, w.rng.IntN(3))
		w.step(Input{Kind: InUnheld, Unheld: w.measured.Unheld})
	case 2:
		w.measured.Shares = &heartbeat.Shares{Tasks: make([]heartbeat.TaskShare, w.rng.IntN(3))}
		w.step(Input{Kind: InShares, Shares: w.measured.Shares})
	}
}

// passedOn checks that a report contains the measurements: new shares once, and the other values in
// every report.
func (w *world) passedOn(r *heartbeat.Report) {
	want := &w.measured
	if r.OtherLoad != want.OtherLoad || len(r.Unheld) != len(want.Unheld) || (r.Shares == nil) != (want.Shares == nil) ||
		r.Shares != nil && len(r.Shares.Tasks) != len(want.Shares.Tasks) {
		w.fail("the report does not carry what was measured")
	}
	want.Shares = nil
}

// nonsense sends an input that is invalid in this state and must have no effect.
func (w *world) nonsense() {
	in := Input{Kind: InputKind(w.rng.IntN(int(numInputKinds) + 1)), Child: 1000, Job: 1000,
		Desired: &heartbeat.Desired{Seq: 0}}
	switch k := in.Kind; {
	case k == InTick || k == InNews || k == InSlots || k == InHealth || k == InShed,
		k >= InLoad && k <= InUnheld, k == InStop && !w.m.stopping:
		return // always valid
	case (k == InLost || k == InRegistered) && w.call != nil:
		return
	case slices.Contains(childInputs, k):
		if c := w.someChild(); c != nil && c.attempt == nil && (k != InReady || c.up) && k != InExited {
			in.Child = c.handle
		}
	case k == InJobReady || k == InJobFailed || k == InJobRefused:
		if n := len(w.m.jobs); n > 0 {
			if j := w.m.jobs[w.rng.IntN(n)]; j.stage != localizing {
				in.Job = j.seq
			}
		}
	}
	w.step(Input{Kind: InTick}) // work that is due must not look like an effect of the invalid input
	before := dump(w.m)
	w.step(in)
	if in.Kind < numInputKinds && before != dump(w.m) {
		w.fail("%s changed something\n%s\n%s", in.Kind, before, dump(w.m))
	}
}

// finish stops the faults and runs all work to completion.
func (w *world) finish() {
	w.calm = true
	w.registered = w.registered && w.m.registered
	w.step(Input{Kind: InSlots, Slots: [2]int32{1, 1}})
	for range 4000 {
		if w.err != nil || w.settled() {
			break
		}
		for _, do := range []func(){w.answer, w.localize, w.childSpeaks, w.childEnds} {
			do()
		}
		w.passTimeIfIdle()
	}
	if w.err == nil && !w.settled() {
		w.fail("work does not end: %d attempts desired\n%s", len(w.run), dump(w.m))
	}
	if len(w.unclean) > 0 {
		w.fail("scratch files of %d attempts stay", len(w.unclean))
	}
	if len(w.owed) > 0 {
		w.fail("%d fetch failures were never heard", len(w.owed))
	}
}

// settled reports whether the JobTracker has received the outcome of all desired work and the
// machine has dropped the work.
func (w *world) settled() bool {
	return w.m.registered && w.registered && len(w.run) == 0 && len(w.m.attempts) == 0 && len(w.owed) == 0
}

func (w *world) passTimeIfIdle() {
	if next := w.m.NextDeadline(); next != 0 && w.rng.IntN(3) == 0 {
		w.now = max(w.now, next)
	}
	w.step(Input{Kind: InTick})
}

// shutDown drops all jobs and then stops the machine.
func (w *world) shutDown() {
	w.calm = true
	w.run, w.jobs, w.owed = nil, nil, nil
	w.step(Input{Kind: InStop})
	for n := 0; n < 1000 && w.err == nil && !w.stopped; n++ {
		switch w.rng.IntN(4) {
		case 0:
			w.something()
		default:
			w.childEnds()
		}
		if next := w.m.NextDeadline(); next != 0 && n%10 == 0 {
			w.now = max(w.now, next)
		}
		w.step(Input{Kind: InTick})
	}
	switch {
	case w.err != nil:
	case !w.stopped:
		w.fail("does not stop")
	case len(w.local) > 0 || len(w.fetching) > 0 || len(w.unclean) > 0:
		w.fail("files stay: jobs %v, attempts %v", w.local, w.unclean)
	}
}

// TestSameSeedSameRun checks that a seed reproduces a schedule.
func TestSameSeedSameRun(t *testing.T) {
	for seed := range uint64(50) {
		var logs [2]string
		for i := range logs {
			_ = runSchedule(seed, newCoverage(), func(f string, args ...any) { logs[i] += fmt.Sprintf(f, args...) + "\n" })
		}
		if logs[0] != logs[1] {
			t.Fatalf("two runs of seed %d differ", seed)
		}
	}
}
