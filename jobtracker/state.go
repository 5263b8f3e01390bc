package jobtracker

import (
	"cmp"
	"slices"

	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/skip"
	"github.com/howdah/howdah/scheduler"
)

// jobState is the machine's state for a job.
type jobState struct {
	view      scheduler.Job // part visible to policies
	submitted *job.Spec     // view.Spec unless the job has moved; it has the job's current deadline
	tasks     [4][]task     // by type; Setup and Cleanup only if the job has its own committer
	// remains holds what is left of compacted tasks, in blocks of remainsBlock tasks; nil = none.
	remains [2][][]remains

	killWanted bool
	killAt     int64
	killText   string
	commitAt   int64
	abortAt    int64
	endState   job.State // in state Aborting: the job's final state
	finish     int64
	size       int64        // footprint at the end of the job
	kind       failure.Kind // why the job failed or was killed
	text       string
	counters   job.Counters // the job's own counters (launched, failed, milliseconds…), derived from facts
	final      *job.Counters
	tallied    job.Counters // user counters of successful attempts, for MaxCounters and MaxCounterGroups

	pending  [2]int32 // number of tasks in TaskPending, including reduces that wait for the slow start
	log      []logEntry
	reasons  []reason // see logEntry
	outputs  []Completion
	pick     pickIndex
	live     [2][]*scheduler.Attempt // running attempts, ordered by byStart
	blamed   []blame                 // failures and refusals by tracker name
	leading  [2]int64                // sum of the progress of each running task's leader, in millionths
	special  bool                    // attempts have borrowed slots or had their limits changed
	input    int64                   // total size of all splits, in bytes
	dying    int32                   // number of ended attempts that trackers might still be running
	still    bool                    // Committing, Aborting: all attempts ended, or the wait timed out
	asked    bool                    // the machine has sent OutCommit or OutAbort
	endAfter int64                   // in state Committing or Aborting: when the wait for dying attempts ends
}

// blame records a job's failures on a tracker and whether the tracker has refused the job.
type blame struct {
	who       int32 // number of the tracker's name
	tracker   int32 // handle of the incarnation that was blamed first; kept as long as the job
	failures  int32
	listed    bool // on the job's blacklist because of too many failures
	refused   bool // the tracker cannot read the job's files
	listedAt  int64
	refusedAt int64
	text      string // why the job blacklisted the tracker
	refusal   string // why the tracker cannot read the files
}

// logEntry is an entry of a job's log for reducers, clients, and snapshots. It records the end of
// an attempt or the loss of its output. It contains no pointers, because a garbage collection would
// have to follow those of all entries.
type logEntry struct {
	index, n int32 // of the attempt
	why      int32 // the entry's reason is jobState.reasons[why-1]; 0 = noReason
	typ      job.TaskType
	// taskEnd is TaskSucceeded or TaskFailed if the task ended with this entry, otherwise TaskPending.
	taskEnd  job.TaskState
	state    job.AttemptState
	reopened bool
}

// entry is a logEntry with what it refers to. It is valid until the job's next entry.
type entry struct {
	*logEntry
	*reason
	attempt *attempt
}

// entry returns entry i of the job's log.
func (j *jobState) entry(i int) entry { return j.entryOf(&j.log[i]) }

// entryOf returns the entry of l, which is an entry of the job's log or a copy.
func (j *jobState) entryOf(l *logEntry) entry {
	e := entry{logEntry: l, reason: &noReason, attempt: j.attempts(l.typ, int(l.index))[l.n]}
	if l.why > 0 {
		e.reason = &j.reasons[l.why-1]
	}
	return e
}

// record adds an entry about an attempt to the job's log.
func (j *jobState) record(a *attempt, l logEntry, r reason) {
	l.typ, l.index, l.n = a.view.ID.Type, a.view.ID.Index, a.view.ID.N
	if r != noReason {
		l.why = j.because(r)
	}
	a.logged = int32(len(j.log))
	j.log = append(j.log, l)
}

// because adds a reason and returns its number for logEntry.why.
func (j *jobState) because(r reason) int32 {
	j.reasons = append(j.reasons, r)
	return int32(len(j.reasons))
}

// at returns when the attempt ended or its output was lost.
func (l *entry) at() int64 { return cmp.Or(l.time, l.attempt.view.Finish) }

// taskEndedAt returns when the task ended with this entry.
func (l *entry) taskEndedAt() int64 { return cmp.Or(l.taskEndAt, l.attempt.view.Finish) }

// reason explains why an attempt failed or was killed, or why its output was lost.
type reason struct {
	kind   failure.Kind
	text   string
	inHand job.Range // the suspect records of an attempt that failed in skipping mode
	passed bool      // a test in skipping mode that ran to completion; it failed only because it has no output
	time   int64     // when the output was lost; 0 = the output was not lost
	// taskEndAt is when the task ended; 0 = with the attempt, or the task has not ended. The two times
	// differ if a restart came in between.
	taskEndAt int64
}

// noReason is the reason of entries that need none. It never changes.
var noReason reason

// task is the machine's state for a task. It is small because a backlog can have millions of
// tasks. Tasks without attempts share a course.
type task struct{ *course }

// course records the state and the attempts of a task. It stores the first attempt in the struct
// itself, because most tasks need no other.
type course struct {
	trouble *trouble // nil = none
	winner  int32    // number of the successful attempt; -1 = none
	live    int32    // number of running attempts
	granted int32    // number of the attempt that may commit, plus one; 0 = no attempt
	state   job.TaskState
	list    [1]*attempt // the first attempt; nil = none
	first   attempt
}

// The courses of all tasks without attempts. They never change. See also compacted.
var (
	untouched = course{winner: -1, state: job.TaskPending}
	abandoned = course{winner: -1, state: job.TaskKilled}
)

// attempts returns the attempts by number.
func (k *course) attempts() []*attempt {
	switch {
	case k.trouble != nil && k.trouble.attempts != nil:
		return k.trouble.attempts
	case k.list[0] == nil:
		return nil
	}
	return k.list[:]
}

// add adds an attempt to a task. For the first attempt, it replaces untouched with a course of the
// task's own.
func (k *task) add(a attempt) *attempt {
	if k.list[0] != nil {
		all := append(k.attempts(), &a)
		k.inTrouble().attempts = all
		return &a
	}
	c := &course{winner: -1, state: k.state, first: a}
	c.list[0] = &c.first
	k.course = c
	return &c.first
}

// trouble records what went wrong with a task, and the attempts of a task that has several.
type trouble struct {
	attempts []*attempt // by number; nil = at most one
	failures int32
	lastFail int32       // number of the attempt that failed last; valid if failures > 0
	notices  int32       // number of reducers' reports that they cannot fetch the output
	failedOn []int32     // numbers of the names of the trackers on which the task failed
	skip     *skip.State // what is known about bad records; nil = no attempt in skipping mode has failed
}

var noTrouble trouble

// past returns a task's trouble for reading. The caller must not change it.
func (k *task) past() *trouble {
	if k.trouble == nil {
		return &noTrouble
	}
	return k.trouble
}

// inTrouble returns a task's trouble for writing, and creates it if necessary.
func (k *task) inTrouble() *trouble {
	if k.trouble == nil {
		k.trouble = &trouble{}
	}
	return k.trouble
}

// won sets the number of the successful attempt; -1 means none. It discards reducers' reports about
// earlier outputs.
func (k *task) won(n int32) {
	k.winner = n
	if k.trouble != nil {
		k.trouble.notices = 0
	}
}

// failed counts the failure of attempt number n.
func (k *task) failed(n int32) {
	p := k.inTrouble()
	p.failures++
	p.lastFail = n
}

type attempt struct {
	view scheduler.Attempt
	*detail
	kind     failure.Kind
	born     int32  // length of the job's log when the attempt started
	logged   int32  // index of the attempt's last entry in the job's log; valid after its end
	seen     uint64 // sequence number of the latest report that listed the attempt
	assigned int64  // start of the wait for the attempt's first report
}

// detail holds what only some attempts have. In a simulation, most attempts share noDetail.
type detail struct {
	text        string
	status      string
	counters    *counters // nil = not reported yet
	manifest    []job.OutputFile
	plan        *skip.Plan // the records to skip; nil = not in skipping mode
	inHand      job.Range  // records being processed at the latest report
	changes     []LimitChange
	cpu, memory int32 // limits, as in Limit; 0 = the same as at launch
}

// noDetail is the detail of attempts that need none. It never changes.
var noDetail detail

// more returns the attempt's detail for writing.
func (a *attempt) more() *detail {
	if a.detail == &noDetail {
		a.detail = &detail{}
	}
	return a.detail
}

// conclude sets the text, the counters, and the manifest of an attempt that has ended.
func (a *attempt) conclude(text string, c *job.Counters, manifest []job.OutputFile) {
	if a.detail != &noDetail || text != "" || c != nil || manifest != nil {
		d := a.more()
		d.text, d.manifest = text, manifest
		if c == nil {
			d.counters = nil
		} else {
			a.keepCounters(c)
		}
	}
}

// keepCounters replaces the attempt's counters with a copy of c. It allocates only if the set of
// counters changes.
func (a *attempt) keepCounters(c *job.Counters) {
	if a.counters == nil {
		a.more().counters = &counters{}
	}
	a.counters.set(c)
}

func (a *attempt) over() bool { return a.view.State.Terminal() }

// tracker is the machine's state for one incarnation of a TaskTracker.
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
	drained     int64    // time at which the drain was complete; 0 = incomplete, or not draining
	slots       [2]int32 // actual slots; the view of a draining tracker has no slots
	memory      int32
	vcores      int32
	who         int32 // number of the tracker's name, the same for all incarnations
	refs        int32 // number of attempts of known jobs that ran here, plus number of known jobs that blame the tracker

	run  []*attempt // attempts that the tracker must run, in order of launch
	jobs []int32    // unfinished jobs with attempts here, past or running, sorted

	// The following fields are not durable. Beats restore their values.
	dying     []dead
	seq       uint64
	lastBeat  int64
	unhealthy string
	needFull  bool // the next reply requests a report with all counters
	unheard   bool // registered before the JobTracker restarted, and has not reported since
	news      bool // the machine will wake the tracker at the end of this step
	woken     bool // the machine has woken the tracker, which has not reported since
	room      room
	prev      *tracker
	next      *tracker // links of the list of live trackers, ordered by last beat
}

// dead is an attempt that must not run but still uses resources of its tracker.
type dead struct {
	id   job.Attempt
	load load
	job  *jobState // nil = unknown job
}

// machineName is the machine's state for a tracker name across all incarnations.
type machineName struct {
	name        string
	handle      int32   // handle of the latest incarnation
	incarnation int64   // latest incarnation
	faults      []int64 // times at which successful jobs had the tracker on their blacklists
	drain       Drain
	drainAt     int64
	drainWhy    string
}

func (m *Machine) task(t job.Task) (*jobState, *task) {
	j := m.jobs.Get(t.Job)
	if j == nil || t.Type > job.Cleanup || t.Index < 0 || int(t.Index) >= len(j.tasks[t.Type]) {
		return j, nil
	}
	k := &j.tasks[t.Type][t.Index]
	if k.course == &compacted {
		j.expand(t.Type, int(t.Index))
		m.ripe = append(m.ripe, t)
	}
	return j, k
}

func (m *Machine) attempt(id job.Attempt) (*jobState, *task, *attempt) {
	j, t := m.task(id.Task)
	if t == nil || id.N < 0 || int(id.N) >= len(t.attempts()) {
		return j, t, nil
	}
	return j, t, t.attempts()[id.N]
}

// recount recomputes the job's visible pending counts and adds the differences to m.pending.
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

// slowStartOver reports whether enough maps are done for reduces to start. Permanently failed maps
// count as done.
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
	if t.course == &untouched && s == job.TaskKilled {
		t.course = &abandoned
	} else {
		t.state = s
	}
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

// done reports whether each map and reduce of the job has succeeded or permanently failed.
func (j *jobState) done() bool {
	for k := range j.view.Tasks {
		if j.view.Finished[k]+j.view.Failed[k] < j.view.Tasks[k] {
			return false
		}
	}
	return true
}

// needsMapOutput reports whether the job is running and has a reduce that is not done.
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

// who returns the number of a tracker name, and gives a new name the next number.
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
