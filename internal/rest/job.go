package rest

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/jobtracker/history/hadoop"
)

// reply answers a request about a job.
type reply struct {
	*http.Request
	*hadoop.Report
	ended bool  // the request is for the JobHistoryServer, not for the ApplicationMaster
	now   int64 // in milliseconds since the epoch
}

// job answers as the JobHistoryServer does.
func (r *reply) job() (answer, error) {
	maps, reduces := r.Of[job.Map], r.Of[job.Reduce]
	j := wholeJob{endedJob: endedJob{r.Submit, r.Launch, r.Finish, r.ID.String(), r.Name, r.Queue, r.User, r.State,
		maps.Total, maps.Completed(), reduces.Total, reduces.Completed()},
		Uberized: r.Uberized, Diagnostics: r.Diagnostics}
	for _, l := range r.Lists {
		j.ACLs = append(j.ACLs, setting{Name: l.Name, Value: l.Value})
	}
	for _, t := range r.Tasks {
		for _, a := range t.Attempts {
			j.count(t.ID.Type, a)
		}
	}
	if n := j.SuccessfulMapAttempts; n > 0 {
		j.AvgMapTime /= n
	}
	if n := j.SuccessfulReduceAttempts; n > 0 {
		j.AvgShuffleTime, j.AvgMergeTime, j.AvgReduceTime = j.AvgShuffleTime/n, j.AvgMergeTime/n, j.AvgReduceTime/n
	}
	return answer{"job", j}, nil
}

// count adds an attempt to the totals.
func (j *wholeJob) count(t job.TaskType, a *hadoop.Attempt) {
	good, failed, killed := &j.SuccessfulMapAttempts, &j.FailedMapAttempts, &j.KilledMapAttempts
	switch t {
	case job.Map:
	case job.Reduce:
		good, failed, killed = &j.SuccessfulReduceAttempts, &j.FailedReduceAttempts, &j.KilledReduceAttempts
	default:
		return
	}
	switch {
	case a.State == job.AttemptFailed.String():
		*failed++
	case a.State != job.AttemptSucceeded.String():
		*killed++
	case t == job.Map:
		*good++
		j.AvgMapTime += a.Finish - a.Start
	default:
		*good++
		j.AvgShuffleTime += a.Shuffle - a.Start
		j.AvgMergeTime += a.Sort - a.Shuffle
		j.AvgReduceTime += a.Finish - a.Sort
	}
}

func (r *reply) jobAttempts() (answer, error) {
	var out jobAttempts
	for _, m := range r.Masters {
		out.Attempt = append(out.Attempt, jobAttempt{m.Host + ":" + strconv.FormatInt(m.HTTPPort, 10),
			m.Host + ":" + strconv.FormatInt(m.Port, 10), m.Attempt, m.Start, m.Container,
			scheme(r.Request) + "://" + r.Host + "/jobs/" + r.ID.String()})
	}
	return answer{"jobAttempts", out}, nil
}

// sums adds up counters.
type sums struct {
	groups []hadoop.Group
	at     map[[2]string][2]int // index of a counter's group, and of the counter in the group
	group  map[string]int
}

func (s *sums) add(groups []hadoop.Group) {
	if s.at == nil {
		s.at, s.group = map[[2]string][2]int{}, map[string]int{}
	}
	for _, g := range groups {
		i, ok := s.group[g.Name]
		if !ok {
			i = len(s.groups)
			s.group[g.Name] = i
			s.groups = append(s.groups, hadoop.Group{Name: g.Name, Display: g.Display})
		}
		to := &s.groups[i]
		for _, c := range g.Counters {
			key := [2]string{g.Name, c.Name}
			at, ok := s.at[key]
			switch {
			case !ok:
				s.at[key] = [2]int{i, len(to.Counters)}
				to.Counters = append(to.Counters, c)
			case strings.HasSuffix(c.Name, "_MAX") && strings.HasPrefix(g.Name, "org.apache.hadoop.mapreduce."):
				to.Counters[at[1]].Value = max(to.Counters[at[1]].Value, c.Value) // Hadoop: FrameworkCounter.increment
			default:
				to.Counters[at[1]].Value += c.Value
			}
		}
	}
}

func (s *sums) value(group, name string) int64 {
	if at, ok := s.at[[2]string{group, name}]; ok {
		return s.groups[at[0]].Counters[at[1]].Value
	}
	return 0
}

func (r *reply) counters() (answer, error) {
	var of [2]sums
	var all sums
	for _, t := range r.Tasks {
		if t.ID.Type <= job.Reduce {
			of[t.ID.Type].add(t.Counters)
		}
		if r.Counters == nil {
			all.add(t.Counters)
		}
	}
	total := r.Counters
	if total == nil {
		total = all.groups
	}
	out := jobCounters{ID: r.ID.String()}
	for _, g := range total {
		x := counterGroup{Name: g.Name}
		for _, c := range g.Counters {
			x.Counter = append(x.Counter, totalCounter{c.Name, c.Value, of[job.Map].value(g.Name, c.Name),
				of[job.Reduce].value(g.Name, c.Name)})
		}
		out.Group = append(out.Group, x)
	}
	return answer{"jobCounters", out}, nil
}

func (r *reply) tasks() (answer, error) {
	only := r.FormValue("type")
	if only != "" && only != "m" && only != "r" {
		return answer{}, badRequest("tasktype must be either m or r")
	}
	var out tasks
	for _, t := range r.Tasks {
		if t.ID.Type <= job.Reduce && (only == "" || only[0] == t.ID.Type.Letter()) {
			out.Task = append(out.Task, r.project(t))
		}
	}
	return answer{"tasks", out}, nil
}

// project returns the status of a task.
func (r *reply) project(t *hadoop.Task) task {
	x := task{StartTime: -1, FinishTime: t.Finish, Progress: 100, ID: t.ID.String(), State: t.State,
		Type: t.ID.Type.String()}
	for _, a := range t.Attempts {
		if x.StartTime < 0 || a.Start < x.StartTime {
			x.StartTime = a.Start
		}
		if a.State == job.AttemptSucceeded.String() && x.SuccessfulAttempt == "" {
			x.SuccessfulAttempt = a.ID.String()
		}
	}
	if r.ended {
		if t.State == "" {
			x.State = job.TaskKilled.String()
		}
		x.ElapsedTime = elapsed(x.StartTime, x.FinishTime, 0)
		return x
	}
	text := "NEW"
	x.FinishTime, x.Status = max(x.FinishTime, 0), &text
	if x.StartTime < 0 {
		x.StartTime = t.Start
	}
	if t.State == job.TaskPending.String() || t.State == job.TaskRunning.String() {
		x.Progress = 0
	}
	for _, a := range t.Attempts {
		x.Progress = max(x.Progress, percent(a.Progress*100))
		text = cmp.Or(a.Text, text)
	}
	if t.State != job.TaskPending.String() {
		x.ElapsedTime = elapsed(x.StartTime, x.FinishTime, r.now)
	}
	return x
}

// find returns the task in the request's path.
func (r *reply) find() (*hadoop.Task, error) {
	text := r.PathValue("task")
	id, err := job.ParseTaskID(text)
	if err != nil {
		return nil, notFound("TaskId string : " + echo(text) + " is not properly formed")
	}
	for _, t := range r.Tasks {
		if t.ID == id {
			return t, nil
		}
	}
	return nil, notFound("task not found with id " + echo(text))
}

func (r *reply) task() (answer, error) {
	t, err := r.find()
	if err != nil {
		return answer{}, err
	}
	return answer{"task", r.project(t)}, nil
}

func (r *reply) taskCounters() (answer, error) {
	t, err := r.find()
	if p, ok := err.(*problem); ok && r.ended && strings.HasSuffix(p.message, "is not properly formed") {
		// The JobHistoryServer does not translate the exception here.
		err = illegal(strings.TrimPrefix(p.message, "java.lang.Exception: "))
	}
	if err != nil {
		return answer{}, err
	}
	return answer{"jobTaskCounters", taskCounters{t.ID.String(), taskGroups(t.Counters)}}, nil
}

func (r *reply) attempts() (answer, error) {
	t, err := r.find()
	if err != nil {
		return answer{}, err
	}
	var out taskAttempts
	for _, a := range t.Attempts {
		out.Attempt = append(out.Attempt, r.projectAttempt(a))
	}
	return answer{"taskAttempts", out}, nil
}

// projectAttempt returns the status of an attempt.
func (r *reply) projectAttempt(a *hadoop.Attempt) any {
	now, floor := int64(0), int64(-1) // an ApplicationMaster reports 0 for unknown times
	if !r.ended {
		floor = 0
	}
	x := taskAttempt{StartTime: a.Start, FinishTime: max(a.Finish, floor), Progress: 100, ID: a.ID.String(), Rack: a.Rack,
		State: a.State, Status: a.Text, NodeHTTPAddress: a.Tracker + ":" + strconv.FormatInt(a.HTTPPort, 10),
		Diagnostics: a.Error, Type: a.ID.Type.String(), AssignedContainerID: a.Container}
	if r.ended && a.State == "" {
		x.State = job.AttemptKilled.String()
		x.Diagnostics += ", Attmpt state missing from History : marked as KILLED" // Hadoop's spelling
	}
	if !r.ended && a.Finish <= 0 {
		now, x.Progress, x.Status = r.now, percent(a.Progress*100), cmp.Or(a.Text, "NEW")
	}
	x.ElapsedTime = elapsed(x.StartTime, x.FinishTime, now)
	if a.ID.Type != job.Reduce {
		return x
	}
	shuffle, sort := max(a.Shuffle, floor), max(a.Sort, floor)
	return reduceAttempt{x, shuffle, sort, elapsed(a.Start, shuffle, 0), elapsed(shuffle, sort, 0),
		elapsed(sort, x.FinishTime, 0)}
}

// findAttempt returns the attempt in the request's path.
func (r *reply) findAttempt() (*hadoop.Attempt, error) {
	t, err := r.find()
	if err != nil {
		return nil, err
	}
	text := r.PathValue("attempt")
	id, err := job.ParseAttemptID(text)
	if err != nil {
		return nil, notFound("TaskAttemptId string : " + echo(text) + " is not properly formed")
	}
	for _, a := range t.Attempts {
		if a.ID == id {
			return a, nil
		}
	}
	return nil, notFound("Error getting info on task attempt id " + echo(text))
}

func (r *reply) attempt() (answer, error) {
	a, err := r.findAttempt()
	if err != nil {
		return answer{}, err
	}
	return answer{"taskAttempt", r.projectAttempt(a)}, nil
}

// stateName is the name of the element with the state of an attempt.
const stateName = "jobTaskAttemptState"

func (r *reply) attemptState() (answer, error) {
	a, err := r.findAttempt()
	if err != nil {
		return answer{}, err
	}
	return answer{stateName, attemptState{a.State}}, nil
}

func (r *reply) attemptCounters() (answer, error) {
	a, err := r.findAttempt()
	if err != nil {
		return answer{}, err
	}
	return answer{"jobTaskAttemptCounters", attemptCounters{a.ID.String(), taskGroups(a.Counters)}}, nil
}
