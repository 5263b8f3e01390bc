// Package hadoop writes a job's facts in the history formats of Apache Hadoop, for Hadoop's own
// tools, and reads .jhist files. [JHist] writes the .jhist file of Hadoop 2 and 3 (JSON encoding), and
// [Classic] writes the lines of Hadoop 1. The methods of [Job] return the names of the files. [Read]
// reads a .jhist file in either encoding.
package hadoop

import (
	"io"
	"strconv"
	"strings"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker/history"
)

// Job summarizes the facts of a job. While the facts are being read, it summarizes the facts so
// far.
type Job struct {
	ID       job.ID
	Spec     *job.Spec
	ConfPath string // path of the job's configuration next to its history; "" means unknown

	Launched int64 // in ms since the epoch; 0 means never
	Finished int64
	Submit   int64
	Priority job.Priority
	State    job.State
	Text     string // the reason why the job failed or was killed

	Counters *job.Counters
	// Of holds the totals of maps and reduces: the sums of the winners' counters and the numbers of
	// tasks and attempts by result.
	Of [2]Tally
}

// Tally holds the totals of a job's maps or reduces.
type Tally struct {
	Counters       job.Counters
	Succeeded      int // number of tasks
	Failed, Killed int // numbers of attempts
	FailedTasks    int
	KilledTasks    int
}

// attempt describes an attempt and where it ran.
type attempt struct {
	id      job.AttemptID
	tracker tracker
	local   job.Locality
	start   int64
	slow    bool // another attempt of the task was running when this one started
	number  int  // number among all attempts of the job, from 1

	finish, shuffled, sorted int64
	state                    job.AttemptState
	text                     string
	counters                 *job.Counters
}

// tracker is a TaskTracker that runs attempts.
type tracker struct{ name, host, rack, addr string }

// port returns the port number in the tracker's HTTP address, or -1.
func (t tracker) port() int {
	i := strings.LastIndexByte(t.addr, ':')
	n, err := strconv.ParseUint(t.addr[i+1:], 10, 16)
	if i < 0 || err != nil {
		return -1
	}
	return int(n)
}

// format writes the events of a job in order. A format keeps its first error, which Classic and
// JHist return at the end.
type format interface {
	jobSubmitted(*Job)
	jobLaunched(*Job)
	jobPriority(*Job)
	jobQueue(*Job) // the job has moved
	taskStarted(j *Job, t job.TaskID, at int64, hosts []string)
	attemptStarted(*Job, *attempt)
	attemptEnded(*Job, *attempt)
	// taskEnded writes the end of a task. last is the winner or the last failed attempt. It is nil
	// if the end of the job ended the task.
	taskEnded(j *Job, t job.TaskID, at int64, s job.TaskState, last *attempt, text string)
	jobEnded(*Job)
}

// tell reads the facts of one job and passes its events to f. It returns the summary of all facts.
// confPath is the path of the job's configuration in the output. For damaged facts the error is
// history.ErrTorn or of kind Corrupt.
func tell(facts io.Reader, confPath string, f format) (*Job, error) {
	t := &teller{f: f, j: Job{ConfPath: confPath}, trackers: map[int32]tracker{}, attempts: map[job.Attempt]*attempt{},
		live: map[job.Task]int{}, open: map[job.Task]bool{}}
	d := history.NewDecoder(facts)
	for {
		var e event.Event
		err := d.Next(&e)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		t.fact(&e)
	}
	if t.j.Spec == nil {
		return nil, failure.New(failure.Corrupt, "write history", t.j.ID.String(), nil).
			Fix("the facts do not begin with the job's submission")
	}
	return &t.j, nil
}

// teller translates facts into calls to a format.
type teller struct {
	f        format
	j        Job
	trackers map[int32]tracker
	attempts map[job.Attempt]*attempt
	live     map[job.Task]int  // number of running attempts by task; a task with an entry has been started
	begun    []job.Task        // tasks in live, in order
	open     map[job.Task]bool // tasks in live that have not ended
}

func (t *teller) fact(e *event.Event) {
	switch e.Type {
	case event.Started:
		t.j.ID.Cluster = e.Name
		return
	case event.TrackerJoined:
		t.trackers[e.Tracker] = tracker{e.Name, e.Host, e.Rack, e.Addr}
		return
	case event.JobSubmitted:
		if e.Spec != nil {
			t.j.ID.Seq, t.j.Spec, t.j.Submit, t.j.Priority = e.Job, e.Spec, e.Time, e.Spec.Priority
			t.f.jobSubmitted(&t.j)
		}
		return
	}
	if t.j.Spec == nil {
		return
	}
	switch e.Type {
	case event.JobStarted:
		t.j.Launched = e.Time
		t.f.jobLaunched(&t.j)
	case event.JobPriorityChanged:
		t.j.Priority = e.Priority
		t.f.jobPriority(&t.j)
	case event.JobMoved:
		moved := *t.j.Spec
		moved.Queue = e.Name
		t.j.Spec = &moved
		t.f.jobQueue(&t.j)
	case event.AttemptStarted:
		t.started(e)
	case event.AttemptFinished:
		t.ended(e)
	case event.TaskReopened:
		t.reopened(e)
	case event.TaskFinished:
		t.taskEnded(e)
	case event.JobFinished:
		t.j.Finished, t.j.State, t.j.Counters, t.j.Text = e.Time, e.JobState, e.Counters, e.Text
		if e.JobState != job.Succeeded {
			t.endOpen(e.Time)
		}
		t.f.jobEnded(&t.j)
	}
}

func (t *teller) started(e *event.Event) {
	task := e.Attempt.Task
	n, begun := t.live[task]
	t.live[task] = n + 1
	if !begun {
		t.taskStarted(task, e.Time)
	}
	a := &attempt{id: e.Attempt.ID(t.j.ID.Cluster), tracker: t.trackers[e.Tracker], local: e.Locality, start: e.Time,
		slow: n > 0, number: len(t.attempts) + 1}
	t.attempts[e.Attempt] = a
	t.f.attemptStarted(&t.j, a)
}

// endOpen ends the tasks that the end of the job interrupted, because readers expect every task to
// end.
func (t *teller) endOpen(at int64) {
	for _, task := range t.begun {
		if t.open[task] {
			t.countTask(task.Type, job.TaskKilled)
			t.f.taskEnded(&t.j, task.ID(t.j.ID.Cluster), at, job.TaskKilled, nil, "the job has ended")
		}
	}
}

func (t *teller) taskStarted(task job.Task, at int64) {
	t.begun, t.open[task] = append(t.begun, task), true
	var hosts []string
	if task.Type == job.Map && int(task.Index) < len(t.j.Spec.Splits) {
		hosts = t.j.Spec.Splits[task.Index].Hosts
	}
	t.f.taskStarted(&t.j, task.ID(t.j.ID.Cluster), at, hosts)
}

func (t *teller) ended(e *event.Event) {
	a := t.attempts[e.Attempt]
	if a == nil {
		return
	}
	t.live[e.Attempt.Task]--
	a.finish, a.state, a.text, a.counters = e.Time, e.State, e.Text, e.Counters
	a.shuffled, a.sorted = e.ShuffleDone, e.SortDone
	t.count(a)
	t.f.attemptEnded(&t.j, a)
}

func (t *teller) count(a *attempt) {
	if a.id.Type > job.Reduce {
		return
	}
	switch of := &t.j.Of[a.id.Type]; a.state {
	case job.AttemptFailed:
		of.Failed++
	case job.AttemptKilled:
		of.Killed++
	}
}

// countTask counts a task that failed or was killed.
func (t *teller) countTask(typ job.TaskType, s job.TaskState) {
	if typ > job.Reduce {
		return
	}
	switch of := &t.j.Of[typ]; s {
	case job.TaskFailed:
		of.FailedTasks++
	case job.TaskKilled:
		of.KilledTasks++
	}
}

// reopened handles the loss of a successful map's output. The map's attempt then counts as failed
// or killed.
func (t *teller) reopened(e *event.Event) {
	a := t.attempts[e.Attempt]
	if a == nil {
		return
	}
	of := &t.j.Of[job.Map]
	of.Succeeded--
	if a.counters != nil {
		lost := job.Counters{}
		lost.Merge(a.counters)
		for i := range lost.Builtin {
			lost.Builtin[i] = -lost.Builtin[i]
		}
		for i := range lost.User {
			lost.User[i].Value = -lost.User[i].Value
		}
		of.Counters.Merge(&lost)
	}
	a.finish, a.state, a.text = e.Time, e.State, e.Text
	t.count(a)
	t.f.attemptEnded(&t.j, a)
	t.open[e.Attempt.Task] = true
}

func (t *teller) taskEnded(e *event.Event) {
	task := e.Attempt.Task
	if _, begun := t.live[task]; !begun {
		t.live[task] = 0
		t.taskStarted(task, e.Time)
	}
	last := t.attempts[e.Attempt]
	if e.TaskState == job.TaskSucceeded && last != nil && task.Type <= job.Reduce {
		of := &t.j.Of[task.Type]
		of.Succeeded++
		of.Counters.Merge(last.counters)
	}
	text := e.Text
	if text == "" && last != nil && e.TaskState != job.TaskSucceeded {
		text = last.text
	}
	t.open[task] = false
	t.countTask(task.Type, e.TaskState)
	t.f.taskEnded(&t.j, task.ID(t.j.ID.Cluster), e.Time, e.TaskState, last, text)
}
