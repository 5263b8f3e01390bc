package job

// Transition is a legal change from one state to another, with its cause.
type Transition[S any] struct {
	From, To S
	When     string
}

// JobTransitions, TaskTransitions, and AttemptTransitions list all legal changes of state. The
// JobTracker's state machine rejects every fact that would cause any other change.
// docs/reference/states.md is generated from these tables.
var (
	JobTransitions = []Transition[State]{
		{Prep, Running, "the JobTracker has admitted the job and, if the job has its own committer, the setup task " +
			"has succeeded"},
		{Prep, Aborting, "setup fails, a user kills the job before setup ends, or every live TaskTracker has rejected " +
			"the job"},
		{Running, Committing, "all tasks have succeeded, apart from the failures that " +
			"mapreduce.map.failures.maxpercent and mapreduce.reduce.failures.maxpercent allow; from then on, users " +
			"cannot kill the job"},
		{Running, Aborting, "a user kills the job, too many tasks fail, the job has too many counters, every live " +
			"TaskTracker has rejected the job, or the journal has lost the record that the job ended, although its " +
			"output is complete"},
		{Committing, Succeeded, "the job commit succeeds"},
		{Committing, Aborting, "the job commit fails"},
		{Aborting, Succeeded, "the job had already completed its output, but the journal lost the record of the " +
			"job's end; all attempts that were rerun as a result have ended"},
		{Aborting, Failed, "cleanup of the failed job's output ends"},
		{Aborting, Killed, "cleanup of the killed job's output ends"},
	}
	TaskTransitions = []Transition[TaskState]{
		{TaskPending, TaskRunning, "an attempt starts"},
		{TaskRunning, TaskPending, "the task's last running attempt fails or is killed"},
		{TaskRunning, TaskSucceeded, "an attempt succeeds; the first success in the journal counts"},
		{TaskRunning, TaskFailed, "the number of failed attempts reaches the limit while another attempt is running"},
		{TaskPending, TaskFailed, "the number of failed attempts reaches the limit"},
		{TaskSucceeded, TaskPending, "the map's output is lost or is on a TaskTracker that is draining in `rerun` or " +
			"`immediate` mode, and reducers still need the output"},
		{TaskPending, TaskKilled, "the job ends before the task does"},
	}
	AttemptTransitions = []Transition[AttemptState]{
		{AttemptAssigned, AttemptRunning, "the TaskTracker reports the attempt"},
		{AttemptAssigned, AttemptSucceeded, "the attempt succeeds before the TaskTracker first reports it"},
		{AttemptAssigned, AttemptFailed, "the attempt fails, or a user fails it, before the TaskTracker first reports it"},
		{AttemptAssigned, AttemptKilled, "the attempt is killed, its TaskTracker never reports it, or the " +
			"TaskTracker is lost"},
		{AttemptRunning, AttemptSucceeded, "the TaskTracker reports success"},
		{AttemptRunning, AttemptFailed, "the TaskTracker reports a failure, or a user fails the attempt"},
		{AttemptRunning, AttemptKilled, "the attempt is killed, another attempt succeeds first, or the TaskTracker " +
			"is lost"},
		{AttemptSucceeded, AttemptFailed, "reducers report too often that they cannot fetch the map's output"},
		{AttemptSucceeded, AttemptKilled, "the TaskTracker with the map's output is lost or is draining in `rerun` or " +
			"`immediate` mode, and reducers still need the output"},
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

// CanBecome reports whether a job in state s can change to state to.
func (s State) CanBecome(to State) bool { return legal(JobTransitions, s, to) }

// CanBecome reports whether a task in state s can change to state to.
func (s TaskState) CanBecome(to TaskState) bool { return legal(TaskTransitions, s, to) }

// CanBecome reports whether an attempt in state s can change to state to.
func (s AttemptState) CanBecome(to AttemptState) bool { return legal(AttemptTransitions, s, to) }
