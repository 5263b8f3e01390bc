package importer

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/howdah/howdah/job"
)

// classicRecord adds the content of the record to the book. It returns the reason why the record is
// unusable, or "".
func (im *Import) classicRecord(word string, a attributes) string {
	switch word {
	case "Jobtracker":
		return ""
	case "Job":
		return im.classicJob(a)
	case "Task":
		return im.classicTask(a)
	}
	return im.classicAttempt(word, a)
}

func (im *Import) classicJob(a attributes) string {
	id := a.get("JOBID")
	if !jobID.MatchString(id) {
		return "the job has no ID"
	}
	r := im.book.at(id)
	if r == nil {
		return "too many jobs"
	}
	r.told = true
	for _, x := range a {
		why := ""
		switch x.key {
		case "JOBNAME":
			r.Name = strings.Clone(x.value)
		case "USER":
			r.User = strings.Clone(x.value)
		case "JOB_QUEUE", "QUEUE_NAME":
			r.Queue = strings.Clone(x.value)
		case "JOB_PRIORITY":
			r.Priority, _ = job.ParsePriority(x.value)
		case "SUBMIT_TIME":
			why = millis(x.value, &r.Submit)
		case "LAUNCH_TIME":
			why = millis(x.value, &r.Launch)
		case "FINISH_TIME":
			why = millis(x.value, &r.Finish)
		case "JOB_STATUS":
			r.State = jobState(x.value, r.State)
		case "TOTAL_MAPS":
			r.want[job.Map] = count(x.value)
		case "TOTAL_REDUCES":
			r.want[job.Reduce] = count(x.value)
		}
		if why != "" {
			return x.key + " " + why
		}
	}
	return ""
}

func jobState(s string, before job.State) job.State {
	switch strings.ToUpper(s) {
	case "SUCCESS", "SUCCEEDED":
		return job.Succeeded
	case "FAILED", "ERROR":
		return job.Failed
	case "KILLED":
		return job.Killed
	case "RUNNING":
		return job.Running
	}
	return before
}

func attemptState(s string, before job.AttemptState) job.AttemptState {
	switch strings.ToUpper(s) {
	case "SUCCESS", "SUCCEEDED":
		return job.AttemptSucceeded
	case "FAILED":
		return job.AttemptFailed
	case "KILLED":
		return job.AttemptKilled
	}
	return before
}

// millis parses a time in ms and, if it is positive, stores it in *to. It returns the reason why s
// is not a time, or "".
func millis(s string, to *int64) string {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil || n > maxTime {
		return "is not a time: " + strconv.Quote(s[:min(len(s), 40)])
	}
	if n > 0 {
		*to = n
	}
	return ""
}

// maxTime is the latest plausible time, in the year 5138.
const maxTime = 1e14

// taskType distinguishes maps and reduces from a job's setup and cleanup tasks, which the simulator
// does not schedule. If the type is "", the ID determines it.
func taskType(s, id string) (t job.TaskType, other bool) {
	switch {
	case s == "MAP" || s == "" && strings.Contains(id, "_m_"):
		return job.Map, false
	case s == "REDUCE" || s == "" && strings.Contains(id, "_r_"):
		return job.Reduce, false
	}
	return 0, true
}

// classicOf returns the job and task that a record belongs to. If it does not return a task, why is
// the reason, or "" for a setup or cleanup task.
func (im *Import) classicOf(id, typ string) (r *record, t *task, why string) {
	kind, other := taskType(typ, id)
	if other {
		return nil, nil, ""
	}
	index, ok := indexOf(id)
	of := jobOf(id)
	if !ok || of == "" {
		return nil, nil, "the task has no ID"
	}
	if r = im.book.at(of); r == nil {
		return nil, nil, "too many jobs"
	}
	if t = im.book.task(r, kind, index); t == nil {
		return nil, nil, "too many tasks"
	}
	r.told = true
	return r, t, ""
}

func (im *Import) classicTask(a attributes) string {
	_, t, why := im.classicOf(a.get("TASKID"), a.get("TASK_TYPE"))
	if t == nil {
		return why
	}
	if s := a.get("SPLITS"); s != "" {
		t.hosts = im.hosts(s)
	}
	if c := a.get("COUNTERS"); c != "" {
		t.input = max(t.input, inputOf(c))
	}
	return ""
}

// hosts parses the comma-separated hosts of a split and returns at most 100 of them.
func (im *Import) hosts(s string) []string {
	var list []string
	for _, path := range strings.Split(s, ",") {
		if host := im.book.node(strings.TrimSpace(path)); host != "" && len(list) < 100 {
			list = append(list, host)
		}
	}
	return list
}

func (im *Import) classicAttempt(word string, a attributes) string {
	id := a.get("TASK_ATTEMPT_ID")
	of := cmp.Or(a.get("TASKID"), id)
	typ := cmp.Or(a.get("TASK_TYPE"), map[string]string{"MapAttempt": "MAP", "ReduceAttempt": "REDUCE"}[word])
	_, t, why := im.classicOf(of, typ)
	if t == nil {
		im.classicHost(a.get("HOSTNAME")) // a job's setup task does not count, but its host does
		return why
	}
	if id == "" {
		return "the attempt has no ID"
	}
	at := t.attempt(id)
	if at == nil {
		return "too many attempts"
	}
	for _, x := range a {
		why := ""
		switch x.key {
		case "START_TIME":
			why = millis(x.value, &at.start)
		case "SHUFFLE_FINISHED":
			why = millis(x.value, &at.shuffle)
		case "SORT_FINISHED":
			why = millis(x.value, &at.sort)
		case "FINISH_TIME":
			why = millis(x.value, &at.finish)
		case "TASK_STATUS":
			at.state = attemptState(x.value, at.state)
		case "HOSTNAME":
			at.host = im.classicHost(x.value)
		case "TRACKER_NAME":
			if at.host == "" {
				at.host = im.classicHost(x.value)
			}
		case "COUNTERS":
			at.input = inputOf(x.value)
		}
		if why != "" {
			return x.key + " " + why
		}
	}
	return ""
}

// classicHost records the machine in /rack/host or tracker_host:address, and returns its host.
func (im *Import) classicHost(s string) string {
	if rest, ok := strings.CutPrefix(s, "tracker_"); ok {
		s, _, _ = strings.Cut(rest, ":")
	}
	return im.book.node(s)
}

// inputOf returns the number of bytes that the attempt read, or 0 if it is unknown. A map reads its
// input, and a reduce reads shuffled data. Counters have the form "(NAME)(display)(value)" in
// Hadoop 0.20 and later, and "group.display:value" in 0.18.
func inputOf(counters string) int64 {
	for _, name := range []string{"(MAP_INPUT_BYTES)(", "(REDUCE_SHUFFLE_BYTES)(", "(HDFS_BYTES_READ)("} {
		_, rest, ok := strings.Cut(counters, name)
		if !ok {
			continue
		}
		_, rest, _ = strings.Cut(rest, ")(")
		digits, _, _ := strings.Cut(rest, ")")
		if n, err := strconv.ParseInt(digits, 10, 64); err == nil && n > 0 {
			return n
		}
	}
	if _, rest, ok := strings.Cut(counters, "Map input bytes:"); ok {
		digits, _, _ := strings.Cut(rest, ",")
		if n, err := strconv.ParseInt(digits, 10, 64); err == nil && n > 0 {
			return n
		}
	}
	return 0
}

// count parses a task count. It returns 0 for an invalid number.
func count(s string) int32 {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 0 {
		return 0
	}
	return int32(n)
}
