package hadoop

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
)

// Classic writes the facts of one job in Hadoop 1's history format and returns their summary. facts
// is a journal, and confPath is the path of the job's configuration that the history names. If the
// journal is damaged, the error is history.ErrTorn or of kind Corrupt.
//
// Each line is an event with a record type and KEY="value" pairs.
func Classic(w io.Writer, facts io.Reader, confPath string) (*Job, error) {
	f := &classic{w: bufio.NewWriter(w)}
	f.line("Meta", "VERSION", "1")
	j, err := tell(facts, confPath, f)
	if err != nil {
		return nil, err
	}
	return j, errors.Join(f.err, f.w.Flush())
}

type classic struct {
	w   *bufio.Writer
	err error
}

// classicEscaper escapes the characters that have a special meaning in the file.
var classicEscaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `=`, `\=`, `.`, `\.`)

// line writes a record with its key-value pairs.
func (f *classic) line(record string, pairs ...any) {
	f.w.WriteString(record)
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(f.w, ` %s="%s"`, pairs[i], classicEscaper.Replace(fmt.Sprint(pairs[i+1])))
	}
	if _, err := f.w.WriteString(" .\n"); err != nil && f.err == nil {
		f.err = err
	}
}

func (f *classic) jobSubmitted(j *Job) {
	s := j.Spec
	f.line("Job", "JOBID", j.ID, "JOBNAME", s.Name, "USER", s.User, "SUBMIT_TIME", j.Submit, "JOBCONF", j.ConfPath,
		"VIEW_JOB", acl(s, conf.JobACLViewJob.Name), "MODIFY_JOB", acl(s, conf.JobACLModifyJob.Name),
		"JOB_QUEUE", s.Queue)
	f.jobPriority(j)
}

// acl returns the list of users and groups in the job's setting key. If the setting is missing, it
// returns " ", which lists nobody.
func acl(s *job.Spec, key string) string {
	v, ok := s.Get(key)
	if !ok {
		return " "
	}
	return v
}

func (f *classic) jobPriority(j *Job) {
	f.line("Job", "JOBID", j.ID, "JOB_PRIORITY", j.Priority)
}

func (f *classic) jobQueue(j *Job) { f.line("Job", "JOBID", j.ID, "JOB_QUEUE", j.Spec.Queue) }

func (f *classic) jobLaunched(j *Job) {
	f.line("Job", "JOBID", j.ID, "LAUNCH_TIME", j.Launched, "TOTAL_MAPS", len(j.Spec.Splits),
		"TOTAL_REDUCES", j.Spec.Reduces, "JOB_STATUS", "PREP")
	f.line("Job", "JOBID", j.ID, "JOB_STATUS", "RUNNING")
}

// classicType returns Hadoop 1's name for a task type.
func classicType(t job.TaskType) string { return strings.TrimPrefix(t.String(), "JOB_") }

func (f *classic) taskStarted(_ *Job, t job.TaskID, at int64, hosts []string) {
	splits := make([]string, len(hosts))
	for i, h := range hosts {
		splits[i] = "/default-rack/" + h
	}
	f.line("Task", "TASKID", t, "TASK_TYPE", classicType(t.Type), "START_TIME", at, "SPLITS", strings.Join(splits, ","))
}

// attemptRecord returns the record type of an attempt. Setup and cleanup attempts count as maps.
func attemptRecord(t job.TaskType) string {
	if t == job.Reduce {
		return "ReduceAttempt"
	}
	return "MapAttempt"
}

func (f *classic) attemptStarted(_ *Job, a *attempt) {
	avataar := "VIRGIN"
	if a.slow {
		avataar = "SPECULATIVE"
	}
	f.line(attemptRecord(a.id.Type), "TASK_TYPE", classicType(a.id.Type), "TASKID", a.id.TaskID, "TASK_ATTEMPT_ID", a.id,
		"START_TIME", a.start, "TRACKER_NAME", a.tracker.name, "HTTP_PORT", a.tracker.port(),
		"LOCALITY", localities[a.local], "AVATAAR", avataar)
}

// classicStatus returns Hadoop 1's name for the state of an attempt, task, or job.
func classicStatus(s string) string {
	if s == "SUCCEEDED" {
		return "SUCCESS"
	}
	return s
}

func (f *classic) attemptEnded(_ *Job, a *attempt) {
	pairs := []any{"TASK_TYPE", classicType(a.id.Type), "TASKID", a.id.TaskID, "TASK_ATTEMPT_ID", a.id,
		"TASK_STATUS", classicStatus(a.state.String())}
	if a.id.Type == job.Reduce && a.state == job.AttemptSucceeded {
		shuffled := max(a.shuffled, a.start)
		pairs = append(pairs, "SHUFFLE_FINISHED", shuffled, "SORT_FINISHED", max(a.sorted, shuffled))
	}
	pairs = append(pairs, "FINISH_TIME", a.finish, "HOSTNAME", a.tracker.rack+"/"+a.tracker.host)
	if a.state == job.AttemptSucceeded {
		pairs = append(pairs, "STATE_STRING", "", "COUNTERS", compact(a.counters))
	} else {
		pairs = append(pairs, "ERROR", a.text)
	}
	f.line(attemptRecord(a.id.Type), pairs...)
}

func (f *classic) taskEnded(_ *Job, t job.TaskID, at int64, s job.TaskState, last *attempt, text string) {
	if s == job.TaskSucceeded && last != nil {
		f.line("Task", "TASKID", t, "TASK_TYPE", classicType(t.Type), "TASK_STATUS", "SUCCESS", "FINISH_TIME", at,
			"COUNTERS", compact(last.counters))
		return
	}
	due := ""
	if last != nil {
		due = last.id.String()
	}
	f.line("Task", "TASKID", t, "TASK_TYPE", classicType(t.Type), "TASK_STATUS", s, "FINISH_TIME", at, "ERROR", text,
		"TASK_ATTEMPT_ID", due)
}

func (f *classic) jobEnded(j *Job) {
	maps, reduces := &j.Of[job.Map], &j.Of[job.Reduce]
	pairs := []any{"JOBID", j.ID, "FINISH_TIME", j.Finished, "JOB_STATUS", classicStatus(j.State.String()),
		"FINISHED_MAPS", maps.Succeeded, "FINISHED_REDUCES", reduces.Succeeded}
	if j.State == job.Succeeded {
		pairs = append(pairs, "FAILED_MAPS", maps.Failed, "FAILED_REDUCES", reduces.Failed,
			"MAP_COUNTERS", compact(&maps.Counters), "REDUCE_COUNTERS", compact(&reduces.Counters),
			"COUNTERS", compact(j.Counters))
	} else if j.Text != "" {
		pairs = append(pairs, "FAIL_REASON", j.Text)
	}
	f.line("Job", pairs...)
}

// classicGroups maps groups of built-in counters to Hadoop 1's names.
var classicGroups = map[string]string{
	job.GroupTask:         "org.apache.hadoop.mapred.Task$Counter",
	job.GroupJob:          "org.apache.hadoop.mapred.JobInProgress$Counter",
	job.GroupFileSystem:   "FileSystemCounters",
	job.GroupInputFormat:  "org.apache.hadoop.mapreduce.lib.input.FileInputFormat$Counter",
	job.GroupOutputFormat: "org.apache.hadoop.mapreduce.lib.output.FileOutputFormat$Counter",
}

var compactEscaper = strings.NewReplacer(`\`, `\\`, `{`, `\{`, `}`, `\}`, `[`, `\[`, `]`, `\]`, `(`, `\(`, `)`, `\)`)

// compact formats counters as a string of the form {(group)(display)[(name)(display)(value)]...}...
func compact(c *job.Counters) string {
	var b strings.Builder
	part := func(s string) { b.WriteString("(" + compactEscaper.Replace(s) + ")") }
	for _, g := range groupsOf(c) {
		b.WriteByte('{')
		name := g.Name
		if old := classicGroups[name]; old != "" {
			name = old
		}
		part(name)
		part(g.Display)
		for _, k := range g.Counters {
			b.WriteByte('[')
			part(k.Name)
			part(k.Display)
			fmt.Fprintf(&b, "(%d)]", k.Value)
		}
		b.WriteByte('}')
	}
	return b.String()
}
