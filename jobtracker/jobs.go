package jobtracker

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
)

func (m *Machine) submit(in *Input) {
	if in.Spec != nil && in.Spec.SubmitKey != "" {
		if seq, known := m.keys[in.Spec.SubmitKey]; known {
			m.reply(in, Output{Job: seq})
			return
		}
	}
	if err := m.checkSubmit(in); err != nil {
		m.refuse(in, err)
		return
	}
	if err := m.admit(in.Spec); err != nil {
		m.refuse(in, err)
		return
	}
	m.retire(in.Spec.User, 0)
	e := m.fact(event.JobSubmitted)
	e.Job, e.Spec = in.Job, in.Spec
	if e.Job == 0 {
		e.Job = m.used.last() + 1
	}
	m.emit(e)
	m.settleJob(m.jobs.Get(e.Job))
	m.reply(in, Output{Job: e.Job})
}

func (m *Machine) checkSubmit(in *Input) *failure.Error {
	s := in.Spec
	bad := func(kind failure.Kind, format string, args ...any) *failure.Error {
		name := ""
		if s != nil {
			name = s.Name
		}
		return failure.New(kind, "submit job", name, fmt.Errorf(format, args...))
	}
	if s == nil {
		return bad(failure.Usage, "no specification")
	}
	tasks := int64(len(s.Splits)) + int64(s.Reduces)
	unfinished := len(m.order) - len(m.finished)
	switch {
	case s.Reduces < 0:
		return bad(failure.Config, "mapreduce.job.reduces=%d: want 0 or more", s.Reduces)
	case s.MapAttempts < 1:
		return bad(failure.Config, "mapreduce.map.maxattempts=%d: want 1 or more", s.MapAttempts)
	case s.ReduceAttempts < 1:
		return bad(failure.Config, "mapreduce.reduce.maxattempts=%d: want 1 or more", s.ReduceAttempts)
	case s.SlowStart < 0 || s.SlowStart > million:
		return bad(failure.Config, "mapreduce.job.reduce.slowstart.completedmaps=%g: want 0 to 1",
			float64(s.SlowStart)/million)
	case s.MapFailuresPercent < 0 || s.MapFailuresPercent > 100 || s.ReduceFailuresPercent < 0 ||
		s.ReduceFailuresPercent > 100:
		return bad(failure.Config,
			"mapreduce.map.failures.maxpercent and mapreduce.reduce.failures.maxpercent: want 0 to 100")
	case s.Priority < job.VeryLow || s.Priority > job.VeryHigh:
		return bad(failure.Config, "mapreduce.job.priority=%d: want VERY_LOW to VERY_HIGH", s.Priority)
	case max(s.MapMemory, s.ReduceMemory) > maxMemory:
		return bad(failure.Config, "mapreduce.map.memory.mb=%d, mapreduce.reduce.memory.mb=%d: want %d or less", s.MapMemory,
			s.ReduceMemory, maxMemory)
	case m.cfg.MaxMemory[job.Map] > 0 && s.MapMemory > m.cfg.MaxMemory[job.Map]:
		return bad(failure.Limit, "mapreduce.map.memory.mb=%d is more than mapred.cluster.max.map.memory.mb=%d", s.MapMemory,
			m.cfg.MaxMemory[job.Map])
	case m.cfg.MaxMemory[job.Reduce] > 0 && s.ReduceMemory > m.cfg.MaxMemory[job.Reduce]:
		return bad(failure.Limit, "mapreduce.reduce.memory.mb=%d is more than mapred.cluster.max.reduce.memory.mb=%d",
			s.ReduceMemory, m.cfg.MaxMemory[job.Reduce])
	case tooManyTasks(s):
		return bad(failure.Limit, "%d tasks exceed the limit of %d", tasks, maxTasks).
			Fix("use larger splits or fewer reduces")
	case m.cfg.MaxTasksPerJob >= 0 && tasks > m.cfg.MaxTasksPerJob:
		return bad(failure.Limit, "%d tasks exceed the limit of %d", tasks, m.cfg.MaxTasksPerJob).
			Fix("use larger splits, fewer reduces, or raise mapred.jobtracker.maxtasks.per.job")
	case m.cfg.MaxJobs > 0 && unfinished >= m.cfg.MaxJobs:
		return bad(failure.Limit, "%d jobs are unfinished", unfinished).
			Fix("wait until some have finished, or raise howdah.jobtracker.jobs.maximum")
	case in.Job < 0 || m.used.has(in.Job):
		return bad(failure.Exists, "job number %d was already used", in.Job)
	}
	return nil
}

// maxTasks is the maximum number of tasks of a job, even if the configuration sets no limit. It
// bounds the memory that the tasks of one job can use.
const maxTasks = 2_000_000

// maxMemory is the maximum memory demand of a task in MiB: 16 TiB.
const maxMemory = 1 << 24

func tooManyTasks(s *job.Spec) bool { return int64(len(s.Splits))+int64(s.Reduces) > maxTasks }

var errUnknownJob = errors.New("no such job, or it was retired")

func (m *Machine) unknownJob(in *Input, op string) {
	m.refuse(in, failure.New(failure.NotFound, op, job.ID{Cluster: m.cluster, Seq: in.Job}.String(), errUnknownJob))
}

// killJob kills a job that has not reached its commit. It rejects a request to kill a job whose
// output is being published. If the job is already aborting or over, killJob does nothing and does
// not report an error.
func (m *Machine) killJob(in *Input) {
	j := m.jobs.Get(in.Job)
	switch {
	case j == nil:
		m.unknownJob(in, "kill job")
		return
	case j.view.State == job.Committing:
		m.refuse(in, failure.New(failure.Stale, "kill job", job.ID{Cluster: m.cluster, Seq: in.Job}.String(),
			errors.New("all tasks are done and the output is being published")).Fix("wait until the job succeeds"))
		return
	case j.view.State == job.Running || j.view.State == job.Prep:
		e := m.fact(event.JobKillRequested)
		e.Job, e.Text = in.Job, clip(in.Text)
		if e.Text == "" {
			e.Text = "killed on request"
		}
		m.emit(e)
		m.settleJob(j)
	}
	m.reply(in, Output{Job: in.Job})
}

// changeable returns the unfinished job that in changes. If there is none, or if bad is not nil, it
// rejects in and returns nil.
func (m *Machine) changeable(in *Input, op string, bad *failure.Error) *jobState {
	j := m.jobs.Get(in.Job)
	switch {
	case j == nil:
		m.unknownJob(in, op)
	case bad != nil:
		m.refuse(in, bad)
	case j.view.State.Terminal():
		m.refuse(in, failure.New(failure.Stale, op, job.ID{Cluster: m.cluster, Seq: in.Job}.String(),
			errors.New("the job has ended")))
	default:
		return j
	}
	return nil
}

func (m *Machine) setPriority(in *Input) {
	const op = "set priority"
	var bad *failure.Error
	if in.Priority < job.VeryLow || in.Priority > job.VeryHigh {
		bad = failure.New(failure.Usage, op, "", fmt.Errorf("priority %d does not exist", in.Priority))
	}
	j := m.changeable(in, op, bad)
	if j == nil {
		return
	}
	if j.view.Priority != in.Priority {
		e := m.fact(event.JobPriorityChanged)
		e.Job, e.Priority = in.Job, in.Priority
		m.emit(e)
	}
	m.reply(in, Output{Job: in.Job})
}

// setDeadline accepts a deadline in the past, like submit. The driver rejects it.
func (m *Machine) setDeadline(in *Input) {
	const op = "set deadline"
	var bad *failure.Error
	if in.Millis < 0 {
		bad = failure.New(failure.Usage, op, job.ID{Cluster: m.cluster, Seq: in.Job}.String(),
			errors.New("the deadline is before 1970"))
	}
	j := m.changeable(in, op, bad)
	if j == nil {
		return
	}
	if j.view.Spec.Deadline != in.Millis {
		e := m.fact(event.JobDeadlineChanged)
		e.Job, e.N = in.Job, in.Millis
		m.emit(e)
	}
	m.reply(in, Output{Job: in.Job})
}

// settleJob makes the decisions that follow from a job's durable state. It is idempotent. The
// machine calls it after live changes and after a restart, because a crash can separate a fact from
// its consequences.
func (m *Machine) settleJob(j *jobState) {
	if j.view.State == job.Prep {
		m.settlePrep(j)
	}
	switch {
	case j.view.State == job.Committing:
		if kind, why, failed := m.choreFailed(j); failed {
			m.abort(j, job.Failed, kind, why)
		}
	case j.view.State == job.Running && j.killWanted:
		m.abort(j, job.Killed, failure.Killed, j.killText)
	case j.view.State == job.Running:
		if kind, why, failed := m.hopeless(j); failed {
			m.abort(j, job.Failed, kind, why)
		} else if j.done() {
			e := m.fact(event.JobCommitting)
			e.Job = j.view.Seq
			m.emit(e)
		}
	}
	if j.view.State == job.Aborting {
		m.killAll(j)
	}
	m.reviewChore(j)
	m.finishEnding()
}

// hopeless reports whether a running job must fail, and why: too many of its tasks failed, its
// counters exceed the limits, or no tracker can run it.
func (m *Machine) hopeless(j *jobState) (failure.Kind, string, bool) {
	allowed := [2]int32{j.view.Spec.MapFailuresPercent, j.view.Spec.ReduceFailuresPercent}
	for k, failed := range j.view.Failed {
		if int64(failed)*100 > int64(allowed[k])*int64(j.view.Tasks[k]) {
			kind, why := m.lastFailure(j)
			return kind, why, true
		}
	}
	if err := j.tooManyCounters(); err != nil {
		return failure.Limit, err.Error() + "; raise mapreduce.job.counters.max or mapreduce.job.counters.groups.max", true
	}
	return m.refusedEverywhere(j)
}

// lastFailure returns the kind and the text of the latest permanent failure of a task. They also
// describe the job's failure, because the job fails as soon as too many of its tasks have failed.
func (m *Machine) lastFailure(j *jobState) (failure.Kind, string) {
	for i := len(j.log) - 1; i >= 0; i-- {
		if l := j.entry(i); l.taskEnd == job.TaskFailed {
			id := l.attempt.view.ID.ID(m.cluster)
			return l.kind, clip(fmt.Sprintf("Task failed %v: %v: %v", id.TaskID, l.kind, l.text))
		}
	}
	return failure.Failed, "too many failed tasks"
}

func (m *Machine) refusedEverywhere(j *jobState) (failure.Kind, string, bool) {
	why := ""
	for _, h := range m.live {
		b := j.blameOf(m.trackers.Get(h).who)
		if b == nil || !b.refused {
			return 0, "", false
		}
		why = b.refusal
	}
	return failure.NotFound, why, len(m.live) > 0
}

func (m *Machine) abort(j *jobState, end job.State, kind failure.Kind, why string) {
	e := m.fact(event.JobAborting)
	e.Job, e.JobState, e.Kind, e.Text = j.view.Seq, end, kind, why
	m.emit(e)
}

// killAll kills the running attempts of all tasks except cleanup tasks.
func (m *Machine) killAll(j *jobState) {
	for k := range job.Cleanup {
		for i := range j.tasks[k] {
			if t := &j.tasks[k][i]; t.live > 0 {
				m.killLive(t, "the job ends")
			}
		}
	}
}

// killLive kills the running attempts of a task.
func (m *Machine) killLive(k *task, why string) {
	for _, a := range k.attempts() {
		if !a.over() {
			m.kill(a, failure.Killed, why)
		}
	}
}

// finishEnding requests the commit or the cleanup of ending jobs that are ready for it. The
// attempts of such a job have ended, or the wait for them has timed out. If the job has a cleanup
// task, this task is done.
func (m *Machine) finishEnding() {
	for _, seq := range m.ending {
		j := m.jobs.Get(seq)
		if j.asked || !j.still && !m.quiet(j) && m.now < j.endAfter {
			continue
		}
		j.still = true
		if m.reviewChore(j); !m.choreDone(j) {
			continue
		}
		j.asked = true
		m.reviewChore(j) // a cleanup task can no longer start
		kind := OutCommit
		if j.view.State == job.Aborting {
			kind = OutAbort
		}
		m.out = append(m.out, Output{Kind: kind, Job: seq})
	}
}

// quiet reports whether the trackers have confirmed the end of all attempts of the job. After a
// restart, the trackers on which its attempts failed or were killed must report first.
func (m *Machine) quiet(j *jobState) bool {
	if j.dying > 0 || j.view.Running[job.Map]+j.view.Running[job.Reduce] > 0 {
		return false
	}
	m.unheard = slices.DeleteFunc(m.unheard, func(t *tracker) bool { return t.lost || !t.unheard })
	return !slices.ContainsFunc(m.unheard, func(t *tracker) bool {
		return hasJob(t, j.view.Seq) && j.lostOn(t.view.Handle)
	})
}

// lostOn reports whether an attempt of the job failed or was killed on a tracker.
func (j *jobState) lostOn(tracker int32) bool {
	for i := range j.log {
		if l := j.entry(i); l.state != job.AttemptSucceeded && l.attempt.view.Tracker == tracker {
			return true
		}
	}
	return false
}

// published ends a running job as succeeded without running more tasks (Hadoop:
// MRAppMaster.serviceInit, which looks for the marker of a successful commit). It rejects a job
// that is not running or has its own committer.
func (m *Machine) published(in *Input) {
	j := m.jobs.Get(in.Job)
	if j == nil || j.view.State != job.Running || j.view.Spec.Committer {
		m.refuse(in, failure.New(failure.Stale, "end", job.ID{Cluster: m.cluster, Seq: in.Job}.String(),
			errors.New("it is not running, or has its own committer")))
		return
	}
	m.abort(j, job.Succeeded, failure.Unknown, "the journal has lost the end of this job; its output is complete")
	m.settleJob(j)
	m.reply(in, Output{Job: in.Job})
}

func (m *Machine) commitDone(in *Input) {
	j := m.jobs.Get(in.Job)
	if j == nil || j.view.State != job.Committing || !j.asked {
		m.refuse(in, failure.New(failure.Stale, "end commit of", job.ID{Cluster: m.cluster, Seq: in.Job}.String(),
			errors.New("it was not requested")))
		return
	}
	if in.Err != "" {
		m.abort(j, job.Failed, failure.IO, clip("the job commit failed: "+in.Err))
		m.settleJob(j)
	} else {
		m.over(j, job.Succeeded, "")
	}
	m.reply(in, Output{Job: in.Job})
}

func (m *Machine) abortDone(in *Input) {
	j := m.jobs.Get(in.Job)
	if j == nil || j.view.State != job.Aborting || !j.asked {
		m.refuse(in, failure.New(failure.Stale, "end cleanup of", job.ID{Cluster: m.cluster, Seq: in.Job}.String(),
			errors.New("it was not requested")))
		return
	}
	text := ""
	if _, why, failed := m.choreFailed(j); failed {
		text = clip(j.text + "; the cleanup failed too: " + why)
	}
	if in.Err != "" {
		text = clip(j.text + "; the cleanup failed too: " + in.Err)
	}
	m.over(j, j.endState, text)
	m.reply(in, Output{Job: in.Job})
}

// over moves a job to its final state. If the job has succeeded, over counts the faults of
// trackers. It then retires older finished jobs if necessary.
func (m *Machine) over(j *jobState, s job.State, text string) {
	total := &job.Counters{}
	j.total(total, false)
	e := m.fact(event.JobFinished)
	e.Job, e.JobState, e.Counters, e.Text = j.view.Seq, s, total, text
	m.emit(e)
	if s == job.Succeeded {
		m.blameTrackers(j)
	}
	m.retire(j.view.Spec.User, 1)
}

// retire drops the oldest finished jobs while the user or the cluster has too many, or while those
// of the user are too large together. The limit on size applies only while the user has more than
// keep of them. keep is 1 when a job has just ended, because the driver still reads that job.
func (m *Machine) retire(user string, keep int) {
	jobs, size := m.finishedOf(user)
	tooLarge := func() bool { return m.cfg.CompletedMemory > 0 && size > m.cfg.CompletedMemory }
	for ; jobs > m.cfg.CompletedPerUser || jobs > keep && tooLarge(); jobs-- {
		size -= m.retireFirst(func(j *jobState) bool { return j.view.Spec.User == user })
	}
	for n := len(m.finished) - m.cfg.CompletedTotal; m.cfg.CompletedTotal > 0 && n > 0; n-- {
		m.retireFirst(func(*jobState) bool { return true })
	}
}

// finishedOf returns the number of a user's finished jobs and their size in bytes.
func (m *Machine) finishedOf(user string) (jobs int, size int64) {
	for _, seq := range m.finished {
		if j := m.jobs.Get(seq); j.view.Spec.User == user {
			jobs, size = jobs+1, size+j.size
		}
	}
	return jobs, size
}

// retireFirst drops the oldest finished job for which the given function returns true. It returns
// the job's size in bytes, or 0 if it finds no job.
func (m *Machine) retireFirst(which func(*jobState) bool) int64 {
	for _, seq := range m.finished {
		j := m.jobs.Get(seq)
		if !which(j) {
			continue
		}
		e := m.fact(event.JobRetired)
		e.Job = seq
		m.emit(e)
		m.out = append(m.out, Output{Kind: OutForget, Job: seq})
		return j.size
	}
	return 0
}

// maxText is the maximum length of a stored diagnostic text, in bytes.
const maxText = 4096

// clip truncates a text to maxText bytes. It does not split a character, because messages must be
// valid UTF-8.
func clip(s string) string {
	if len(s) <= maxText {
		return s
	}
	end := maxText
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}
