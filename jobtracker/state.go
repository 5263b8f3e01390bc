package jobtracker

import (
	"slices"

	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/skip"
	"github.com/howdah/howdah/scheduler"
)

// jobState is all that the machine knows of a job.
type jobState struct {
	view  scheduler.Job // what policies see; the rest is ours
	tasks [4][]task     // by job.Map, job.Reduce; job.Setup and job.Cleanup of a job with a committer of its own

	killWanted bool
	killAt     int64
	killText   string
	commitAt   int64
	abortAt    int64
	endState   job.State // Aborting: what comes after it
	finish     int64
	kind       failure.Kind // why it failed
	text       string
	counters   job.Counters // the job's own counters (launched, failed, milliseconds…), from facts alone
	final      *job.Counters
	tallied    job.Counters // those of attempts that succeeded, as far as MaxCounters needs them

	pending  [2]int32 // tasks in TaskPending, slow start or not
	log      []logEntry
	outputs  []Completion
	pick     pickIndex
	live     [2][]*scheduler.Attempt // running attempts in the order of byStart
	blamed   []blame                 // by tracker name: failures of this job there
	dying    int32                   // attempts that were killed and whose trackers have not yet confirmed it
	still    bool                    // Committing, Aborting: no attempt is at work any more, or there was time enough
	asked    bool                    // OutCommit or OutAbort is out
	endAfter int64                   // Committing, Aborting: when to stop waiting for dying attempts
}

// blame is what a job holds against a tracker.
type blame struct {
	who       int32
	tracker   int32 // a handle of that name; the tracker is kept as long as the job
	failures  int32
	listed    bool // too many failures here
	refused   bool // the tracker cannot see the job's files
	listedAt  int64
	refusedAt int64
	text      string // why listed
	refusal   string // why refused
}

// logEntry is one line of a job's life as reducers, clients and snapshots need it: an attempt ended, or its output was lost.
type logEntry struct {
	attempt  *attempt
	time     int64
	state    job.AttemptState
	kind     failure.Kind
	reopened bool
	text     string
	// taskEnd is TaskSucceeded or TaskFailed if the task ended with this entry, else TaskPending.
	inHand    job.Range // of an attempt that failed in skipping mode
	passed    bool      // it failed because it was a test, and got through
	taskEnd   job.TaskState
	taskEndAt int64
}

type task struct {
	state    job.TaskState
	winner   int32 // number of the attempt whose success was journaled first, -1 = none
	failures int32
	lastFail int32 // number of the attempt that failed last; counts if failures > 0
	live     int32 // attempts that run
	granted  int32 // number of the attempt that may commit, plus one; 0 = none may
	notices  int32 // of reducers that cannot fetch the winner's output
	end      int64 // when it got its final state
	attempts []*attempt
	failedOn []int32     // names of trackers on which it failed
	skip     *skip.State // what is known of its bad records; nil = nothing
}

type attempt struct {
	view        scheduler.Attempt
	end         int64
	kind        failure.Kind
	born        int32 // length of the job's log when it started
	logged      int32 // place of its last entry in the job's log; counts once it is over
	text        string
	status      string
	counters    *job.Counters
	manifest    []job.OutputFile
	shuffleDone int64
	sortDone    int64
	plan        *skip.Plan // what it leaves out; nil = it does not run in skipping mode
	inHand      job.Range  // records that it had in hand when it was last heard
	seen        uint64     // last report that listed it
	assigned    int64      // when the wait for its first report began
	cpu, memory int32      // limits, as in Limit; 0 = as at its launch
	changes     []LimitChange
}

func (a *attempt) over() bool { return a.view.State.Terminal() }

// tracker is all that the machine knows of one incarnation of a TaskTracker.
type tracker struct {
	view        scheduler.Tracker
	addr        string
	incarnation int64
	joined      int64
	lost        bool
	lostAt      int64
	lostWhy     string
	blacklisted bool // by the cluster
	blackText   string
	blackAt     int64
	draining    bool
	drained     int64    // nothing here is needed any more; 0 = not so, or not drained at all
	slots       [2]int32 // what it has; its view has nothing while it is drained
	memory      int32
	vcores      int32
	who         int32 // number of its name: survives restarts of the tracker
	refs        int32 // attempts of known jobs that ran here, and known jobs that hold something against it

	run  []*attempt // what it shall run, in order of launch
	jobs []int32    // unfinished jobs that ran something here, sorted

	// What follows is not durable: beats bring it back.
	dying     []dead
	seq       uint64
	lastBeat  int64
	unhealthy string
	needFull  bool
	unheard   bool // since the JobTracker started
	news      bool // to be woken at the end of this step
	woken     bool // and not yet heard of
	prev      *tracker
	next      *tracker // list of live trackers by last beat
}

// dead is an attempt that occupies a slot though it is no longer wanted.
type dead struct {
	id   job.Attempt
	load load
	job  *jobState // nil = unknown job
}

// machineName is what is known of a tracker's name over all its incarnations.
type machineName struct {
	name        string
	handle      int32   // of the latest incarnation
	incarnation int64   // the latest
	faults      []int64 // times at which a successful job had it on its list
	drain       Drain
	drainAt     int64
	drainWhy    string
}

func (m *Machine) task(t job.Task) (*jobState, *task) {
	j := m.jobs[t.Job]
	if j == nil || t.Type > job.Cleanup || t.Index < 0 || int(t.Index) >= len(j.tasks[t.Type]) {
		return j, nil
	}
	return j, &j.tasks[t.Type][t.Index]
}

func (m *Machine) attempt(id job.Attempt) (*jobState, *task, *attempt) {
	j, t := m.task(id.Task)
	if t == nil || id.N < 0 || int(id.N) >= len(t.attempts) {
		return j, t, nil
	}
	return j, t, t.attempts[id.N]
}

// recount brings the job's shown pending counts and the machine's totals in line with its tasks.
func (m *Machine) recount(j *jobState) {
	var now [2]int32
	if j.view.State == job.Running {
		now[job.Map] = j.pending[job.Map]
		if j.slowStartOver() {
			now[job.Reduce] = j.pending[job.Reduce]
		}
	}
	for k := range now {
		m.pending[k] += int64(now[k] - j.view.Pending[k])
		if now[k] > j.view.Pending[k] {
			m.grew = true
		}
	}
	j.view.Pending = now
}

// slowStartOver tells whether enough maps are done for reduces to start. A map that failed within the job's tolerance is done.
func (j *jobState) slowStartOver() bool {
	need := int64(j.view.Tasks[job.Map]) * int64(j.view.Spec.SlowStart)
	done := int64(j.view.Finished[job.Map]+j.view.Failed[job.Map]) * million
	return done >= need
}

func (j *jobState) setTask(t *task, typ job.TaskType, index int32, s job.TaskState) {
	if t.state == s {
		return
	}
	j.count(t.state, typ, -1)
	t.state = s
	j.count(s, typ, +1)
	if s == job.TaskPending && typ <= job.Reduce {
		j.pick.returned(typ, index)
	}
}

func (j *jobState) count(s job.TaskState, typ job.TaskType, n int32) {
	if typ > job.Reduce {
		return
	}
	switch s {
	case job.TaskPending:
		j.pending[typ] += n
	case job.TaskSucceeded:
		j.view.Finished[typ] += n
	case job.TaskFailed:
		j.view.Failed[typ] += n
	}
}

// done tells whether no task of the job waits or runs.
func (j *jobState) done() bool {
	for k := range j.view.Tasks {
		if j.view.Finished[k]+j.view.Failed[k] < j.view.Tasks[k] {
			return false
		}
	}
	return true
}

// needsMapOutput tells whether a map's output will be fetched again: some reduce is not done.
func (j *jobState) needsMapOutput() bool {
	return j.view.State == job.Running && j.view.Finished[job.Reduce]+j.view.Failed[job.Reduce] < j.view.Tasks[job.Reduce]
}

func (j *jobState) blameOf(who int32) *blame {
	i := slices.IndexFunc(j.blamed, func(b blame) bool { return b.who == who })
	if i < 0 {
		return nil
	}
	return &j.blamed[i]
}

func (j *jobState) blame(t *tracker) *blame {
	if b := j.blameOf(t.who); b != nil {
		return b
	}
	t.refs++
	j.blamed = append(j.blamed, blame{who: t.who, tracker: t.view.Handle})
	return &j.blamed[len(j.blamed)-1]
}

// who numbers tracker names in the order in which they first appear.
func (m *Machine) who(name string) int32 {
	if n, ok := m.nameIDs[name]; ok {
		return n
	}
	n := int32(len(m.names))
	m.nameIDs[name] = n
	m.names = append(m.names, machineName{name: name})
	return n
}

func (m *Machine) setJobState(j *jobState, s job.State) {
	if j.view.Spec.Speculative(job.Map) || j.view.Spec.Speculative(job.Reduce) {
		switch {
		case s == job.Running:
			m.speculable++
		case j.view.State == job.Running:
			m.speculable--
		}
	}
	j.view.State = s
	if s == job.Running {
		m.running = ordered.Insert(m.running, j.view.Seq)
	} else {
		m.running = ordered.Remove(m.running, j.view.Seq)
	}
	if s == job.Committing || s == job.Aborting {
		m.ending = ordered.Insert(m.ending, j.view.Seq)
	} else {
		m.ending = ordered.Remove(m.ending, j.view.Seq)
	}
}
