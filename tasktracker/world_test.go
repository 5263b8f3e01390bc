package tasktracker

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
)

// world is a machine with a simulated JobTracker, driver, and children. They take random actions
// that the protocol allows, and lose, repeat, and delay messages. A seed determines all actions.
// After every step, world checks the machine's invariants.
type world struct {
	rng   *rand.Rand
	m     *Machine
	conf  Config
	now   int64
	cover *coverage
	trace func(string, ...any)

	// These fields simulate the JobTracker.
	call        *Output          // in flight
	report      heartbeat.Report // copy of the report in flight
	registered  bool
	incarnation int64
	joined      int64 // the last incarnation whose registration was acknowledged to the machine
	epoch       int64
	answers     []heartbeat.Desired // older responses, which can be repeated
	run         []job.Attempt
	jobs        []int32
	nextJob     int32
	nextIndex   int32
	heard       map[job.Attempt]job.AttemptState // the last report of each attempt
	owed        []heartbeat.FetchFailure         // not yet in an acknowledged heartbeat
	full        bool
	measured    heartbeat.Report // required contents of the next report

	// These fields simulate the driver.
	children map[int32]*fakeChild
	handles  []int32
	local    map[int32]JobInfo // localized jobs
	fetching []int32
	launched map[job.Attempt]bool // all launched attempts
	unclean  map[job.Attempt]bool // launched and not yet cleaned
	stopped  bool

	calm bool // no further faults: all work must end
	err  error
}

type fakeChild struct {
	handle   int32
	job      int32
	attempt  *job.Attempt
	class    string          // of the last job
	jobs     int32           // number of jobs that it has worked for
	ran      map[int32]int32 // number of tasks that it has run of each job
	failed   bool            // an attempt has failed
	memory   int64           // most memory at the end of an attempt
	up       bool
	leaving  bool // asked to exit or ordered to stop
	killed   bool
	stubborn bool // ignores all orders except kill
}

func newWorld(seed uint64, cover *coverage, trace func(string, ...any)) *world {
	rng := rand.New(rand.NewPCG(seed, 0))
	w := &world{rng: rng, cover: cover, trace: trace, now: 1000, heard: map[job.Attempt]job.AttemptState{},
		children: map[int32]*fakeChild{},
		local:    map[int32]JobInfo{}, launched: map[job.Attempt]bool{}, unclean: map[job.Attempt]bool{}}
	w.conf = Config{Slots: [2]int32{rng.Int32N(3), 1 + rng.Int32N(2)}, Incarnation: 5, Warm: rng.Int32N(3), WarmDelay: 50,
		KillDelay: 5000, IdleExit: 8000, JobsPerChild: rng.Int32N(4), Retry: 100, MaxRetry: 2000, Shares: rng.IntN(2) == 0}
	w.m = New(w.conf)
	return w
}

func (w *world) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

// step passes one input to the machine and reacts to the outputs.
func (w *world) step(in Input) {
	in.Now = w.now
	w.cover.before(w.m, &in)
	if w.trace != nil {
		w.trace("%d %s child=%d job=%d", w.now, in.Kind, in.Child, in.Job)
	}
	out := w.m.Step(&in, nil)
	for i := range out {
		if w.trace != nil {
			w.trace("    %s", showOutput(&out[i]))
		}
		w.react(&out[i], &in)
	}
	w.cover.after(w.m, out)
	w.check()
	if w.trace != nil {
		w.trace("%s", dump(w.m))
	}
}

// react carries out an output as a driver would, and checks that the output is valid.
func (w *world) react(o *Output, in *Input) {
	switch o.Kind {
	case OutRegister, OutBeat:
		w.startCall(o)
	case OutLocalize:
		if _, ok := w.local[o.Job]; ok || slices.Contains(w.fetching, o.Job) {
			w.fail("job %d localized twice", o.Job)
		}
		w.fetching = append(w.fetching, o.Job)
	case OutPurge:
		w.purged(o.Job)
	case OutSpawn:
		if w.children[o.Child] != nil || o.Child == 0 {
			w.fail("child %d started twice", o.Child)
		}
		if _, ok := w.local[o.Job]; o.Job != 0 && !ok {
			w.fail("child started for job %d, which is not here", o.Job)
		}
		w.children[o.Child] = &fakeChild{handle: o.Child, job: o.Job, stubborn: w.rng.IntN(6) == 0, ran: map[int32]int32{}}
		w.handles = append(w.handles, o.Child)
	case OutLaunch:
		w.launch(o)
	case OutClean:
		if !w.unclean[o.Attempt] {
			w.fail("%v cleaned twice or never launched", o.Attempt)
		}
		if o.Keep != (in.Kind == InDone && o.Attempt.Type == job.Map) {
			w.fail("%v: keep=%t after %s", o.Attempt, o.Keep, in.Kind)
		}
		delete(w.unclean, o.Attempt)
	case OutExit, OutTerm, OutKill:
		w.signal(o)
	case OutShares:
		if !w.conf.Shares || in.Kind != InDesired || o.Desired != in.Desired {
			w.fail("nobody asked for limits and advice")
		}
	case OutStopped:
		if w.stopped || len(w.children) > 0 {
			w.fail("stopped twice or with children")
		}
		w.stopped = true
	}
}

func (w *world) startCall(o *Output) {
	if w.call != nil {
		w.fail("a second call while one is in flight")
	}
	if in := w.m; in.stopping {
		w.fail("a call while stopping")
	}
	if o.Kind == OutBeat {
		w.passedOn(o.Report)
	}
	c := *o
	w.call = &c
	if o.Kind == OutRegister {
		if o.Incarnation <= w.joined {
			w.fail("incarnation %d after %d", o.Incarnation, w.joined)
		}
		if len(w.unclean) > 0 || len(w.local) > 0 {
			w.fail("registers while something of the past is left")
		}
		return
	}
	old := w.report.Seq
	w.report = *o.Report
	if w.report.Seq <= old {
		w.fail("sequence number %d after %d", w.report.Seq, old)
	}
	w.report.Attempts = slices.Clone(w.report.Attempts)
	w.report.Fetch = slices.Clone(w.report.Fetch)
	w.checkReport()
}

func (w *world) checkReport() {
	if w.full && !w.report.Full {
		w.fail("a full report was wanted")
	}
	for _, f := range w.owed {
		if !slices.Contains(w.report.Fetch, f) {
			w.fail("fetch failure %v is missing", f)
		}
	}
	for i := range w.report.Attempts {
		a := &w.report.Attempts[i]
		if w.report.Full && a.Counters == nil {
			w.fail("full report without counters of %v", a.Attempt)
		}
		if a.State < w.heard[a.Attempt] && !w.heard[a.Attempt].Terminal() {
			w.fail("%v went back to %s", a.Attempt, a.State)
		}
		if old := w.heard[a.Attempt]; old.Terminal() && old != a.State && slices.Contains(w.run, a.Attempt) {
			w.fail("%v was %s and is now %s", a.Attempt, old, a.State)
		}
		if a.State.Terminal() && w.unclean[a.Attempt] {
			w.fail("%v is %s before its process was gone", a.Attempt, a.State)
		}
	}
}

func (w *world) purged(seq int32) {
	fetching := slices.Contains(w.fetching, seq)
	if _, ok := w.local[seq]; !ok && !fetching && w.m.job(seq) == nil {
		// A rejected job has no files, but the machine still purges it.
		if !w.refusedOnce(seq) {
			w.fail("job %d purged but not here", seq)
		}
	}
	w.fetching = slices.DeleteFunc(w.fetching, func(j int32) bool { return j == seq })
	delete(w.local, seq)
	for _, c := range w.children {
		if c.job == seq && (c.attempt != nil || c.class == "") {
			w.fail("job %d purged while child %d lives", seq, c.handle)
		}
	}
}

func (w *world) refusedOnce(seq int32) bool { return seq%5 == 3 }

func (w *world) launch(o *Output) {
	c := w.children[o.Child]
	a := o.Attempt
	info, here := w.local[a.Job]
	switch {
	case c == nil || c.killed || c.leaving:
		w.fail("%v given to child %d, which is gone or going", a, o.Child)
		return
	case c.attempt != nil:
		w.fail("child %d has %v and is given %v", o.Child, *c.attempt, a)
	case !here:
		w.fail("%v launched without the job's files", a)
	case w.launched[a]:
		w.fail("%v launched twice", a)
	case c.failed:
		w.fail("%v given to child %d, whose last attempt failed", a, o.Child)
	case c.job != 0 && c.job != a.Job && (c.class == "" || c.class != info.Class || c.memory > maxShared):
		w.fail("child %d of job %d given %v", o.Child, c.job, a)
	case info.TasksPerChild == 0 && c.job == a.Job && c.memory > maxShared:
		w.fail("child %d has grown and returns with %v", o.Child, a)
	case c.job == 0 && !info.OwnProgram:
		w.fail("warm child %d given %v of another program", o.Child, a)
	case !slices.Contains(w.run, a) && !w.lagging(a):
		w.fail("%v launched but not desired", a)
	}
	c.ran[a.Job]++
	if c.ran[a.Job] > 1 && info.TasksPerChild == 0 {
		w.cover.hits[returned]++
	}
	if n, limit := c.ran[a.Job], info.TasksPerChild; limit == 0 && info.Class == "" && n > 1 || limit > 0 && n > limit {
		w.fail("child %d got task number %d of at most %d", o.Child, n, limit)
	}
	if c.ran[a.Job] == 1 {
		if c.jobs++; c.jobs > max(w.conf.JobsPerChild, 1) {
			w.fail("child %d got job number %d of at most %d", o.Child, c.jobs, w.conf.JobsPerChild)
		}
		if c.jobs > 1 {
			w.cover.hits[shared]++
		}
	}
	busy := int32(1)
	for _, d := range w.children {
		if d.attempt != nil {
			busy++
		}
	}
	if s := w.m.slots; busy > s[0]+s[1] {
		w.fail("%d attempts at once on %v slots", busy, s)
	}
	c.job, c.class, c.attempt = a.Job, info.Class, &a
	w.launched[a], w.unclean[a] = true, true
}

// lagging reports whether an attempt is in the last response that the machine accepted. The
// JobTracker may have dropped the attempt since then.
func (w *world) lagging(a job.Attempt) bool { return w.m.byID[a] != nil && w.m.byID[a].wanted }

func (w *world) signal(o *Output) {
	c := w.children[o.Child]
	if c == nil {
		w.fail("%s of child %d, which is gone", o.Kind, o.Child)
		return
	}
	if o.Kind == OutExit && (c.attempt != nil || c.leaving) {
		w.fail("child %d told to leave with %v", o.Child, c.attempt)
	}
	if o.Kind == OutTerm && (c.attempt == nil || c.leaving) {
		w.fail("child %d told to stop without an attempt or twice", o.Child)
	}
	c.leaving = true
	if o.Kind == OutKill {
		c.killed = true
	}
}

// check verifies the invariants that must be true after every step.
func (w *world) check() {
	m := w.m
	if next := m.NextDeadline(); next != 0 && next <= w.now {
		w.fail("the next deadline %d is past at %d", next, w.now)
	}
	if len(m.children) != len(w.children) {
		w.fail("the machine has %d children, the world %d", len(m.children), len(w.children))
	}
	warm := int32(0)
	for _, c := range m.children {
		if c.warm() {
			warm++
		}
	}
	if warm > w.conf.Warm {
		w.fail("%d warm children, wanted %d", warm, w.conf.Warm)
	}
	used, v := int32(0), m.View()
	for _, c := range w.children {
		if c.attempt != nil {
			used++
		}
	}
	if got := v.Used[0] + v.Used[1]; got != used {
		w.fail("%d places in use, the machine shows %d", used, got)
	}
	if len(m.byID) != len(m.attempts) {
		w.fail("%d attempts in the index, %d in the list", len(m.byID), len(m.attempts))
	}
}

// kindOfExit returns a random failure kind for a process that exited.
func (w *world) kindOfExit() failure.Kind {
	return []failure.Kind{failure.User, failure.OutOfMemory, failure.Unknown}[w.rng.IntN(3)]
}
