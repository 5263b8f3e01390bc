package speculation

import (
	"cmp"
	"slices"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
)

// A rule decides which tasks are slow. Each speculator has its own rule.
type rule interface {
	// first returns the time of the first judgment of a phase. started is the start time of the
	// phase's oldest running attempt. Times are in milliseconds since the Unix epoch.
	first(s *settings, started int64) int64
	// judge sets f.limit and f.candidates. The candidates are empty before the call. A rule that
	// avoids slow trackers also sets f.slow. judge returns the time of the next judgment.
	judge(p *Policy, v scheduler.View, f *phase) int64
	// twins returns the number of second attempts that count toward f's limit.
	twins(p *Policy, f *phase) int32
}

// A Policy is a speculator. At scheduled times, Tick judges the tasks of phases without pending
// tasks. Assign then considers only the few tasks that Tick found slow.
type Policy struct {
	rule   rule
	conf   *conf.Config
	set    *settings
	phases map[job.Task]*phase // by job and type; the key's Index is 0
	due    []*phase            // phases to judge, by time
	hot    []*phase            // phases with candidates, by job and type
	next   int                 // position in hot where the next heartbeat starts
	looks  int                 // number of candidates that this heartbeat can still consider
	twins  [2]int32            // number of tasks with several running attempts in all jobs, by type

	work  workOfNodes
	rates []float64            // reused
	found []found              // reused
	buf   []*scheduler.Attempt // reused
}

func newPolicy(r rule, c *conf.Config, s *settings) *Policy {
	return &Policy{rule: r, conf: c, set: s, phases: map[job.Task]*phase{}}
}

// Reset implements scheduler.Policy.
func (p *Policy) Reset(v scheduler.View) {
	clear(p.phases)
	p.due, p.hot, p.next, p.twins, p.work = nil, nil, 0, [2]int32{}, workOfNodes{}
	for _, seq := range v.Jobs() {
		p.add(v, v.Job(seq))
	}
}

// Observe implements scheduler.Policy.
func (p *Policy) Observe(v scheduler.View, e *event.Event) {
	if e.Job == 0 {
		return
	}
	j := v.Job(e.Job)
	if j == nil || j.State != job.Running {
		p.remove(e.Job)
		return
	}
	switch e.Type {
	case event.JobStarted:
		p.add(v, j)
	case event.AttemptStarted:
		if f := p.phase(e.Job, e.Attempt.Type); f != nil {
			before := f.twins
			f.started(e.Attempt)
			p.twins[f.typ] += f.twins - before
		}
	case event.AttemptFinished:
		if f := p.phase(e.Job, e.Attempt.Type); f != nil {
			before := f.twins
			f.ended(e.Attempt)
			p.twins[f.typ] += f.twins - before
			if a := v.Attempt(e.Attempt); a != nil && e.State == job.AttemptSucceeded {
				f.succeeded(a.Tracker, a.Finish-a.Start)
			}
		}
	}
	p.arm(v, j)
}

func (p *Policy) phase(seq int32, t job.TaskType) *phase {
	return p.phases[job.Task{Job: seq, Type: t}]
}

// add adds those phases of the job that allow speculation. If the job's own settings are invalid,
// it uses the policy's settings. Check normally rejects such a job at submission.
func (p *Policy) add(v scheduler.View, j *scheduler.Job) {
	set, err := forJob(p.conf, p.set, j.Spec)
	if err != nil {
		set = p.set
	}
	for t, allowed := range [2]bool{j.Spec.MapSpeculative, j.Spec.ReduceSpeculative} {
		if allowed && j.Tasks[t] > 0 {
			p.addPhase(v, j.Seq, job.TaskType(t), set)
		}
	}
	p.arm(v, j)
}

func (p *Policy) addPhase(v scheduler.View, seq int32, t job.TaskType, set *settings) {
	f := &phase{job: seq, typ: t, set: set, at: map[int32]int32{}}
	p.phases[job.Task{Job: seq, Type: t}] = f
	p.buf = v.Running(seq, t, p.buf[:0])
	for _, a := range p.buf {
		f.started(a.ID)
	}
	p.twins[t] += f.twins
	p.buf = v.Ended(seq, t, p.buf[:0])
	slices.SortStableFunc(p.buf, func(a, b *scheduler.Attempt) int { return cmp.Compare(a.Finish, b.Finish) })
	for _, a := range p.buf {
		if a.State == job.AttemptSucceeded {
			f.succeeded(a.Tracker, a.Finish-a.Start)
		}
	}
}

func (p *Policy) remove(seq int32) {
	for t := range job.TaskType(2) {
		f := p.phase(seq, t)
		if f == nil {
			continue
		}
		p.twins[t] -= f.twins
		p.disarm(f)
		delete(p.phases, job.Task{Job: seq, Type: t})
	}
}

// looksPerBeat is the number of slow tasks after which a heartbeat considers no more phases. The
// next heartbeat continues with the next phase.
const looksPerBeat = 128

// Assign implements scheduler.Policy.
func (p *Policy) Assign(v scheduler.View, tracker int32, plan scheduler.Plan) {
	t := v.Tracker(tracker)
	p.looks = looksPerBeat
	for n := range p.hot {
		at := (p.next + n) % len(p.hot)
		if p.looks <= 0 {
			p.next = at
			break
		}
		p.assign(v, p.hot[at], t, plan)
	}
	p.hot = slices.DeleteFunc(p.hot, func(f *phase) bool { return len(f.candidates) == 0 })
}

// assign starts second attempts of the phase's candidates on the tracker, unless the tracker is
// slow.
func (p *Policy) assign(v scheduler.View, f *phase, t *scheduler.Tracker, plan scheduler.Plan) {
	if len(f.candidates) == 0 {
		return
	}
	if _, slow := slices.BinarySearch(f.slow, t.Handle); slow {
		return
	}
	for i := 0; i < len(f.candidates) && p.rule.twins(p, f) < f.limit; p.looks-- {
		index := f.candidates[i]
		a := f.alone(v, index)
		switch {
		case a == nil: // the task has ended or already has a second attempt
			f.candidates = slices.Delete(f.candidates, i, i+1)
		case !f.ranOn(v, index, t.Handle) && launch(a, t, plan):
			f.candidates = slices.Delete(f.candidates, i, i+1)
		default:
			i++
		}
	}
}

// alone returns the only running attempt of the task, or nil if there is not exactly one.
func (f *phase) alone(v scheduler.View, index int32) *scheduler.Attempt {
	i, ok := f.at[index]
	if !ok {
		return nil
	}
	return f.only(v, &f.running[i])
}

// launch starts a second attempt in a slot of the task's own type, and reports whether it could. If
// the first attempt runs in a container, so does the second.
func launch(a *scheduler.Attempt, t *scheduler.Tracker, plan scheduler.Plan) bool {
	slot := a.ID.Type
	if a.Slot == job.Container {
		slot = job.Container
	} else if t.Free(slot) <= 0 {
		return false
	}
	return plan.Launch(a.ID.Task, t.Handle, slot)
}
