package job

// Transition is a legal change of state with its cause. docs/reference/states.md is generated from
// these tables. The JobTracker's state machine rejects every fact that would cause any other
// change.
type Transition[S any] struct {
	From, To S
	When     string
}

// JobTransitions, TaskTransitions, and AttemptTransitions list all legal changes of state.
var (
	JobTransitions = []Transition[State]{
		{Prep, Running, "the JobTracker has admitted the job and, if the job has its own committer, the setup task " +
			"has succeeded"},
		{Prep, Aborting, "setup failed, a user killed the job before setup ended, or no TaskTracker can run the job"},
		{Running, Committing, "all tasks succeeded, or failed within the job's failures.maxpercent. From this state " +
			"on, users cannot kill the job"},
		{Running, Aborting, "a user killed the job, too many tasks failed, or no TaskTracker can run the job"},
		{Committing, Succeeded, "the job commit has published the output"},
		{Committing, Aborting, "the job commit failed"},
		{Aborting, Failed, "the cleanup of a failed job's output has ended"},
		{Aborting, Killed, "the cleanup of a killed job's output has ended"},
	}
	TaskTransitions = []Transition[TaskState]{
		{TaskPending, TaskRunning, "an attempt starts"},
		{TaskRunning, TaskPending, "the last running attempt failed or was killed"},
		{TaskRunning, TaskSucceeded, "an attempt succeeded. The first success in the journal counts"},
		{TaskRunning, TaskFailed, "the number of failed attempts reached the limit while another attempt was running"},
		{TaskPending, TaskFailed, "the number of failed attempts reached the limit"},
		{TaskSucceeded, TaskPending, "the map's output is lost, and reducers still need it"},
		{TaskPending, TaskKilled, "the job ended before the task"},
	}
	AttemptTransitions = []Transition[AttemptState]{
		{AttemptAssigned, AttemptRunning, "the TaskTracker reports the attempt"},
		{AttemptAssigned, AttemptSucceeded, "the attempt succeeded before the TaskTracker first reported it"},
		{AttemptAssigned, AttemptFailed, "the attempt failed before the TaskTracker first reported it"},
		{AttemptAssigned, AttemptKilled, "the attempt was killed or never reached its TaskTracker, or the " +
			"TaskTracker was lost"},
		{AttemptRunning, AttemptSucceeded, "the TaskTracker reports success"},
		{AttemptRunning, AttemptFailed, "the TaskTracker reports a failure, or a user fails the attempt"},
		{AttemptRunning, AttemptKilled, "the attempt was killed, another attempt succeeded first, or the TaskTracker " +
			"was lost"},
		{AttemptSucceeded, AttemptFailed, "too many reducers failed to fetch the map's output"},
		{AttemptSucceeded, AttemptKilled, "the TaskTracker that holds the map's output is lost"},
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

// CanBecome reports whether a job in state s can change to the state to.
func (s State) CanBecome(to State) bool { return legal(JobTransitions, s, to) }

// CanBecome reports whether a task in state s can change to the state to.
func (s TaskState) CanBecome(to TaskState) bool { return legal(TaskTransitions, s, to) }

// CanBecome reports whether an attempt in state s can change to the state to.
func (s AttemptState) CanBecome(to AttemptState) bool { return legal(AttemptTransitions, s, to) }
