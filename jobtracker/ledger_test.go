package jobtracker

import (
	"fmt"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
)

// ledger is a test oracle. It checks every fact with its own rules, independent of the machine's
// tables, and returns an error for a wrong fact.
type ledger struct {
	jobs     map[int32]*ledgerJob
	trackers map[int32]*ledgerTracker
	drains   map[string]bool // names of draining trackers
	time     int64
}

type ledgerTracker struct {
	name    string
	lost    bool
	drained bool
	live    map[job.Attempt]bool
}

type ledgerJob struct {
	seq       int32
	spec      *job.Spec
	state     job.State
	end       job.State
	attempts  map[job.Attempt]job.AttemptState
	on        map[job.Attempt]string // tracker names
	at        map[job.Attempt]*ledgerTracker
	n         map[job.Task]int32
	winner    map[job.Task]int32
	done      map[job.Task]job.TaskState
	failures  map[job.Task]int32
	killed    bool
	commitErr bool
	launched  [2]int64
	borrowed  [2]int64
	doubled   [2]int64
	lost      [2][2]int64 // number of failed and of killed attempts, by type
	refused   map[string]bool
	granted   map[job.Task]job.Attempt
}

func (j *ledgerJob) chore(t job.TaskType, index int32) job.Task {
	return job.Task{Job: j.seq, Type: t, Index: index}
}

// mayStart reports whether attempts of a task may start in the job's state.
func (j *ledgerJob) mayStart(k job.Task) bool {
	switch {
	case k.Type == job.Setup:
		return j.state == job.Prep
	case k.Type == job.Cleanup && k.Index == job.CleanupCommit:
		return j.state == job.Committing
	case k.Type == job.Cleanup:
		return j.state == job.Aborting && j.n[j.chore(job.Setup, 0)] > 0 &&
			(k.Index == job.CleanupKilled) == (j.end == job.Killed)
	}
	return j.state == job.Running
}

func newLedger() *ledger {
	return &ledger{jobs: map[int32]*ledgerJob{}, trackers: map[int32]*ledgerTracker{}, drains: map[string]bool{}}
}

// take checks a fact against all earlier facts.
func (l *ledger) take(e *event.Event) error {
	if e.Time < l.time {
		return fmt.Errorf("%v at %d after a fact at %d", e.Type, e.Time, l.time)
	}
	l.time = e.Time
	switch e.Type {
	case event.Started:
		return nil
	case event.TrackerJoined:
		if l.trackers[e.Tracker] != nil {
			return fmt.Errorf("handle %d used twice", e.Tracker)
		}
		for _, t := range l.trackers {
			if t.name == e.Name && !t.lost {
				return fmt.Errorf("two live trackers %s", e.Name)
			}
		}
		l.trackers[e.Tracker] = &ledgerTracker{name: e.Name, live: map[job.Attempt]bool{}}
		return nil
	case event.TrackerLost:
		l.trackers[e.Tracker].lost = true
		return nil
	case event.TrackerDraining:
		l.drains[e.Name] = e.N > 0
		for _, t := range l.trackers {
			t.drained = t.drained && (t.name != e.Name || e.N > 0)
		}
		return nil
	case event.TrackerDrained:
		return l.drained(l.trackers[e.Tracker])
	case event.TrackerChanged, event.TrackerCleared, event.SchedulerChanged:
		return nil
	case event.JobSubmitted:
		if l.jobs[e.Job] != nil {
			return fmt.Errorf("job %d submitted twice", e.Job)
		}
		l.jobs[e.Job] = &ledgerJob{seq: e.Job, spec: e.Spec, attempts: map[job.Attempt]job.AttemptState{},
			on: map[job.Attempt]string{}, at: map[job.Attempt]*ledgerTracker{}, n: map[job.Task]int32{},
			winner: map[job.Task]int32{},
			done:   map[job.Task]job.TaskState{}, failures: map[job.Task]int32{}, refused: map[string]bool{},
			granted: map[job.Task]job.Attempt{}}
		return nil
	}
	if e.Type == event.TrackerBlacklisted && e.Job == 0 {
		return nil
	}
	j := l.jobs[e.Job]
	if j == nil {
		return fmt.Errorf("%v of unknown job %d", e.Type, e.Job)
	}
	if j.state.Terminal() && e.Type != event.JobRetired {
		return fmt.Errorf("%v of job %d that is %v", e.Type, e.Job, j.state)
	}
	switch e.Type {
	case event.AttemptStarted, event.AttemptFinished, event.TaskReopened, event.TaskFinished:
		return l.attempt(j, e)
	case event.LimitsChanged:
		if j.attempts[e.Attempt] != job.AttemptRunning {
			return fmt.Errorf("limits of %v, which does not run", e.Attempt)
		}
		return nil
	case event.CommitGranted:
		before, known := j.granted[e.Attempt.Task]
		if known && j.attempts[before] == job.AttemptRunning || j.attempts[e.Attempt] != job.AttemptRunning {
			return fmt.Errorf("%v may commit, %v might be at it", e.Attempt, before)
		}
		j.granted[e.Attempt.Task] = e.Attempt
		return nil
	}
	return l.job(j, e)
}

// drained checks that a tracker reported as drained has no data that a job still needs.
func (l *ledger) drained(t *ledgerTracker) error {
	t.drained = true
	for _, j := range l.jobs {
		if j.state != job.Running || !j.wantsOutputs() {
			continue
		}
		for k, n := range j.winner {
			if k.Type == job.Map && j.at[job.Attempt{Task: k, N: n}] == t {
				return fmt.Errorf("%s is drained and holds the output of %v", t.name, k)
			}
		}
	}
	return want(l.drains[t.name] && !t.lost && len(t.live) == 0, "%s is drained: wanted %v, lost %v, runs %d", t.name,
		l.drains[t.name], t.lost, len(t.live))
}

// wantsOutputs reports whether the job has an unfinished reduce.
func (j *ledgerJob) wantsOutputs() bool {
	for i := range j.spec.Reduces {
		if j.done[job.Task{Job: j.seq, Type: job.Reduce, Index: i}] == job.TaskPending {
			return true
		}
	}
	return false
}

func (l *ledger) attempt(j *ledgerJob, e *event.Event) error {
	id, k, typ := e.Attempt, e.Attempt.Task, e.Attempt.Type
	_, won := j.winner[k]
	state, known := j.attempts[id]
	switch e.Type {
	case event.AttemptStarted:
		t := l.trackers[e.Tracker]
		switch {
		case !j.mayStart(k):
			return fmt.Errorf("%v started in a job that is %v", id, j.state)
		case known || id.N != j.n[k]:
			return fmt.Errorf("%v started, but the next is %d", id, j.n[k])
		case won || j.done[k] != job.TaskPending:
			return fmt.Errorf("%v started though its task is done", id)
		case t.lost:
			return fmt.Errorf("%v started on a lost tracker", id)
		case l.drains[t.name]:
			return fmt.Errorf("%v started on %s, which is drained", id, t.name)
		case j.refused[t.name]:
			return fmt.Errorf("%v started on %s, which refused the job", id, t.name)
		}
		if err := j.second(id, t.name); err != nil {
			return err
		}
		j.on[id], j.at[id] = t.name, t
		if j.n[k]++; typ <= job.Reduce {
			if e.Slot != job.Container && e.Slot != typ {
				j.borrowed[typ]++
			}
			j.launched[typ]++
		}
		j.attempts[id] = job.AttemptRunning
		t.live[id] = true
	case event.AttemptFinished:
		if state != job.AttemptRunning {
			return fmt.Errorf("%v finished and is %v", id, state)
		}
		if e.State == job.AttemptSucceeded && won {
			return fmt.Errorf("%v is a second winner", id)
		}
		if e.State == job.AttemptSucceeded {
			if g, ok := j.granted[k]; typ <= job.Reduce && j.spec.Committer && (!ok || g != id) {
				return fmt.Errorf("%v won, but might not commit", id)
			}
			j.winner[k] = id.N
		} else {
			l.lose(j, e)
		}
		j.attempts[id] = e.State
		delete(l.trackers[e.Tracker].live, id)
	case event.TaskReopened:
		if l.trackers[e.Tracker].drained {
			return fmt.Errorf("%v reopened, though its tracker was drained", id)
		}
		if !won || j.winner[k] != id.N || typ != job.Map || j.state != job.Running || j.spec.Reduces == 0 {
			return fmt.Errorf("%v reopened", id)
		}
		delete(j.winner, k)
		delete(j.done, k)
		j.attempts[id] = e.State
		l.lose(j, e)
	case event.TaskFinished:
		if j.done[k] != job.TaskPending {
			return fmt.Errorf("%v finished twice", k)
		}
		j.done[k] = e.TaskState
		if (e.TaskState == job.TaskSucceeded) != won || won && j.winner[k] != id.N {
			return fmt.Errorf("%v finished %v by %d", k, e.TaskState, id.N)
		}
		if e.TaskState == job.TaskFailed && j.failures[k] < maxAttempts(j.spec, typ) {
			return fmt.Errorf("%v failed after %d failures", k, j.failures[k])
		}
	}
	return nil
}

// second checks the start of an attempt of a task that may already have a running attempt. If it
// does, the task must be a map or a reduce whose job allows speculation, no third attempt may be
// running, and no attempt of the task may have started on the tracker before.
func (j *ledgerJob) second(id job.Attempt, tracker string) error {
	live, here := 0, false
	for n := range id.N {
		o := job.Attempt{Task: id.Task, N: n}
		here = here || j.on[o] == tracker
		if j.attempts[o] == job.AttemptRunning {
			live++
		}
	}
	if id.Type > job.Reduce {
		return want(live == 0, "%v started while another one runs", id)
	}
	allowed := j.spec.MapSpeculative
	if id.Type == job.Reduce {
		allowed = j.spec.ReduceSpeculative
	}
	j.doubled[id.Type] += int64(live)
	return want(live == 0 || live == 1 && allowed && !here, "%v started on %s while %d others run, allowed %v, there "+
		"before %v", id, tracker, live, allowed, here)
}

func maxAttempts(s *job.Spec, typ job.TaskType) int32 {
	if typ == job.Reduce {
		return s.ReduceAttempts
	}
	return s.MapAttempts
}

func (l *ledger) lose(j *ledgerJob, e *event.Event) {
	failed := e.State == job.AttemptFailed
	if failed {
		j.failures[e.Attempt.Task]++
	}
	switch {
	case e.Attempt.Type > job.Reduce:
	case failed:
		j.lost[e.Attempt.Type][0]++
	default:
		j.lost[e.Attempt.Type][1]++
	}
}

// tolerable reports whether the number of permanently failed tasks is within the job's tolerance,
// and whether all tasks are done.
func (j *ledgerJob) tolerable() (within, all bool) {
	within, all = true, true
	for typ, percent := range [2]int32{j.spec.MapFailuresPercent, j.spec.ReduceFailuresPercent} {
		failed := int32(0)
		n := j.spec.Tasks(job.TaskType(typ))
		for i := range n {
			switch s := j.done[job.Task{Job: j.seq, Type: job.TaskType(typ), Index: i}]; s {
			case job.TaskFailed:
				failed++
			case job.TaskPending:
				all = false
			}
		}
		if failed*100 > percent*n {
			within = false
		}
	}
	return within, all
}

func (l *ledger) job(j *ledgerJob, e *event.Event) error {
	from := j.state
	switch e.Type {
	case event.JobStarted:
		j.state = job.Running
		return want(from == job.Prep && (!j.spec.Committer || j.done[j.chore(job.Setup, 0)] == job.TaskSucceeded),
			"started from %v", from)
	case event.JobKillRequested:
		j.killed = true
		return want(from == job.Running || from == job.Prep && j.spec.Committer, "kill requested in %v", from)
	case event.JobPriorityChanged, event.JobDeadlineChanged, event.JobMoved:
		return nil
	case event.TrackerBlacklisted:
		if e.Kind == failure.NotFound {
			j.refused[l.trackers[e.Tracker].name] = true
		}
		return nil
	case event.JobCommitting:
		j.state = job.Committing
		within, all := j.tolerable()
		return want(from == job.Running && within && all && !j.killed, "committing from %v within %v all %v killed %v", from,
			within, all, j.killed)
	case event.JobAborting:
		j.state, j.end = job.Aborting, e.JobState
		within, _ := j.tolerable()
		switch {
		case e.JobState == job.Succeeded:
			return want(from == job.Running && !j.spec.Committer, "published from %v", from)
		case e.JobState == job.Killed:
			return want((from == job.Running || from == job.Prep) && j.killed, "killed from %v", from)
		case from == job.Committing:
			return want(j.commitErr || l.allRefused(j) || j.done[j.chore(job.Cleanup, job.CleanupCommit)] == job.TaskFailed,
				"commit given up without an error")
		case from == job.Prep:
			return want(l.allRefused(j) || j.done[j.chore(job.Setup, 0)] == job.TaskFailed, "setup failed without an error")
		}
		return want(!within || l.allRefused(j), "failed without cause: %s", e.Text)
	case event.JobFinished:
		j.state = e.JobState
		switch e.JobState {
		case job.Succeeded:
			done := !j.spec.Committer || j.done[j.chore(job.Cleanup, job.CleanupCommit)] == job.TaskSucceeded
			published := from == job.Aborting && j.end == job.Succeeded
			if err := want(published || from == job.Committing && !j.commitErr && done, "succeeded from %v, cleaned up %v",
				from, done); err != nil {
				return err
			}
		default:
			if err := want(from == job.Aborting && e.JobState == j.end, "%v from %v", e.JobState, from); err != nil {
				return err
			}
		}
		for id, s := range j.attempts {
			if s == job.AttemptRunning {
				return fmt.Errorf("%v still runs when its job ends", id)
			}
		}
		return j.checkCounters(e.Counters)
	case event.JobRetired:
		delete(l.jobs, e.Job)
		return want(from.Terminal(), "retired in %v", from)
	}
	return fmt.Errorf("unexpected fact %v", e.Type)
}

func (l *ledger) allRefused(j *ledgerJob) bool {
	for _, t := range l.trackers {
		if !t.lost && !j.refused[t.name] {
			return false
		}
	}
	return true
}

// checkCounters checks that each successful attempt counts exactly once and that no other attempt
// counts. In the model, each task's counter is its index plus one.
func (j *ledgerJob) checkCounters(c *job.Counters) error {
	var want [2]int64
	for k := range j.winner {
		if k.Type > job.Reduce {
			continue
		}
		want[k.Type] += int64(k.Index) + 1
	}
	b := &c.Builtin
	user, _ := c.Get("model", "weight")
	scheduler := func(name string) int64 { n, _ := c.Get(job.GroupScheduler, name); return n }
	got := []int64{scheduler(job.BorrowedMaps), scheduler(job.BorrowedReduces), scheduler(job.SpeculativeMaps),
		scheduler(job.SpeculativeReduces), b[job.MapInputRecords], b[job.ReduceInputRecords], user, b[job.LaunchedMaps],
		b[job.LaunchedReduces], b[job.FailedMaps], b[job.KilledMaps], b[job.FailedReduces], b[job.KilledReduces],
		b[job.DataLocalMaps] + b[job.RackLocalMaps] + b[job.OtherLocalMaps]}
	exp := []int64{j.borrowed[0], j.borrowed[1], j.doubled[0], j.doubled[1], want[0], want[1], want[0] + want[1],
		j.launched[0], j.launched[1], j.lost[0][0], j.lost[0][1], j.lost[1][0], j.lost[1][1], j.launched[0]}
	for i := range got {
		if got[i] != exp[i] {
			return fmt.Errorf("counters %v, want %v", got, exp)
		}
	}
	return nil
}

func want(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}
