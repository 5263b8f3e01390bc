package jobtracker

import (
	"fmt"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
)

// client performs valid and invalid actions of users and administrators.
func (w *world) client() {
	j := int32(w.rng.IntN(int(w.m.LastJob()) + 2))
	if e := w.m.ending; len(e) > 0 && w.rng.IntN(2) == 0 {
		j = pickOne(w.rng, e)
	}
	switch w.rng.IntN(18) {
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
	case 17:
		w.step(Input{Kind: InSetDeadline, Job: j, Millis: int64(w.rng.IntN(4) - 2)})
	case 16:
		queue := pickOne(w.rng, []string{"", "default", "prod", "test"})
		w.step(Input{Kind: InMoveJob, Job: j, Name: "a queue", Text: queue})
	case 5, 6:
		kind := InKillAttempt
		if w.rng.IntN(2) == 0 {
			kind = InFailAttempt
		}
		w.step(Input{Kind: kind, Attempt: w.anyAttempt()})
	case 7:
		known, every := w.m.jobs.Get(j), 3
		running := known != nil && known.view.State == job.Running
		if running {
			every = 20 // because it ends the job
		}
		if w.rng.IntN(every) == 0 {
			if running && known.view.Spec.Committer {
				j = 0
			}
			w.step(Input{Kind: InPublished, Job: j})
			return
		}
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
	if j := w.m.jobs.Get(seq); j != nil && j.asked && j.view.State == s {
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
		if mt := w.m.trackers.Get(o.handle); mt != nil && mt.blacklisted && w.rng.IntN(2) == 0 {
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
		if w.m.jobs.Get(seq).view.State != job.Running && w.rng.IntN(2) == 0 {
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
	if mt := w.m.trackers.Get(t.handle); mt != nil && mt.drained > 0 && w.rng.IntN(2) == 0 {
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
