package job

// Transition is one legal change of state and when it happens. docs/states.md is made from these tables and the
// JobTracker's machine refuses every fact that would make another change.
type Transition[S any] struct {
	From, To S
	When     string
}

// JobTransitions, TaskTransitions and AttemptTransitions are all the changes of state there are.
var (
	JobTransitions = []Transition[State]{
		{Prep, Running, "the job is admitted and, if it has a committer of its own, its set-up task has succeeded"},
		{Prep, Aborting, "its set-up failed, it was killed before that was done, or no tracker can run it"},
		{Running, Committing, "all tasks succeeded (or failed within the job's failures.maxpercent); from here on a kill is too late"},
		{Running, Aborting, "it was killed, too many of its tasks failed, or no tracker can run it"},
		{Committing, Succeeded, "the job commit has published the output"},
		{Committing, Aborting, "the job commit failed"},
		{Aborting, Failed, "the output of a failed job is cleaned up"},
		{Aborting, Killed, "the output of a killed job is cleaned up"},
	}
	TaskTransitions = []Transition[TaskState]{
		{TaskPending, TaskRunning, "an attempt starts"},
		{TaskRunning, TaskPending, "its last running attempt failed or was killed"},
		{TaskRunning, TaskSucceeded, "an attempt succeeded; the first journaled success wins"},
		{TaskRunning, TaskFailed, "its failed attempts reached the limit while another attempt was running"},
		{TaskPending, TaskFailed, "its failed attempts reached the limit"},
		{TaskSucceeded, TaskPending, "the map's output is lost and still needed"},
		{TaskPending, TaskKilled, "the job ended first"},
	}
	AttemptTransitions = []Transition[AttemptState]{
		{AttemptAssigned, AttemptRunning, "the tracker reports it"},
		{AttemptAssigned, AttemptSucceeded, "it succeeded before the tracker's first report of it"},
		{AttemptAssigned, AttemptFailed, "it failed before the tracker's first report of it"},
		{AttemptAssigned, AttemptKilled, "it was killed, its tracker was lost, or it never arrived there"},
		{AttemptRunning, AttemptSucceeded, "the tracker reports success"},
		{AttemptRunning, AttemptFailed, "the tracker reports a failure, or the user fails it"},
		{AttemptRunning, AttemptKilled, "it was killed, another attempt won, or its tracker was lost"},
		{AttemptSucceeded, AttemptFailed, "too many reducers cannot fetch the map's output"},
		{AttemptSucceeded, AttemptKilled, "the tracker that holds the map's output is lost"},
	}
)

func legal[S comparable](table []Transition[S], from, to S) bool {
	for i := range table {
		if table[i].From == from && table[i].To == to {
			return true
		}
	}
	return false
}

// CanBecome reports whether a job in state s may change to state to.
func (s State) CanBecome(to State) bool { return legal(JobTransitions, s, to) }

// CanBecome reports whether a task in state s may change to state to.
func (s TaskState) CanBecome(to TaskState) bool { return legal(TaskTransitions, s, to) }

// CanBecome reports whether an attempt in state s may change to state to.
func (s AttemptState) CanBecome(to AttemptState) bool { return legal(AttemptTransitions, s, to) }
