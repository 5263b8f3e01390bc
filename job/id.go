// Package job is the vocabulary that every other package speaks: identifiers in Hadoop's text form, states and their
// legal transitions, specifications of jobs, counters. It depends on the standard library only.
package job

import (
	"fmt"
	"strconv"
	"strings"
)

// ID names a job: "job_202611210753_0001". Cluster is the JobTracker's identifier, the minute it was first started;
// Seq counts jobs from 1. The zero ID names no job.
type ID struct {
	Cluster string
	Seq     int32
}

// String gives Hadoop's text form, with at least four digits of sequence number.
func (id ID) String() string { return fmt.Sprintf("job_%s_%04d", id.Cluster, id.Seq) }

// IsZero reports whether id names no job.
func (id ID) IsZero() bool { return id.Seq == 0 }

// TaskType tells what a task does. The order is Hadoop's; Map is the zero value.
type TaskType uint8

// The task types. Setup and Cleanup exist for jobs with a committer of their own.
const (
	Map TaskType = iota
	Reduce
	Setup
	Cleanup
	numTaskTypes
)

// Container as the kind of slot of an attempt says that it takes none: it was placed by memory and cores.
const Container TaskType = 255

// Letter gives the letter that stands for the type inside an identifier.
func (t TaskType) Letter() byte {
	if t >= numTaskTypes {
		return '?'
	}
	return "mrsc"[t]
}

// String gives the name as Hadoop spells it: MAP, REDUCE, JOB_SETUP, JOB_CLEANUP.
func (t TaskType) String() string {
	switch t {
	case Map:
		return "MAP"
	case Reduce:
		return "REDUCE"
	case Setup:
		return "JOB_SETUP"
	case Cleanup:
		return "JOB_CLEANUP"
	}
	return "TASK_TYPE_" + strconv.Itoa(int(t))
}

// Task names a task inside one JobTracker: the job's sequence number, the type and the index among the job's tasks of
// that type, from 0. It is what machines and policies use; text appears only at the edges.
type Task struct {
	Job   int32
	Index int32
	Type  TaskType
}

// Attempt names one attempt of a task; N counts from 0.
type Attempt struct {
	Task
	N int32
}

// TaskID is a task with its cluster, as users see it: "task_202611210753_0001_m_000000".
type TaskID struct {
	Job   ID
	Type  TaskType
	Index int32
}

// AttemptID is an attempt with its cluster: "attempt_202611210753_0001_m_000000_0".
type AttemptID struct {
	TaskID
	N int32
}

// ID gives the task's text form within a cluster.
func (t Task) ID(cluster string) TaskID {
	return TaskID{Job: ID{cluster, t.Job}, Type: t.Type, Index: t.Index}
}

// ID gives the attempt's text form within a cluster.
func (a Attempt) ID(cluster string) AttemptID { return AttemptID{a.Task.ID(cluster), a.N} }

// Ref drops the cluster's name.
func (t TaskID) Ref() Task { return Task{Job: t.Job.Seq, Index: t.Index, Type: t.Type} }

// Ref drops the cluster's name.
func (a AttemptID) Ref() Attempt { return Attempt{a.TaskID.Ref(), a.N} }

func (t TaskID) String() string {
	return fmt.Sprintf("task_%s_%04d_%c_%06d", t.Job.Cluster, t.Job.Seq, t.Type.Letter(), t.Index)
}

func (a AttemptID) String() string {
	return fmt.Sprintf("attempt_%s_%04d_%c_%06d_%d", a.Job.Cluster, a.Job.Seq, a.Type.Letter(), a.Index, a.N)
}

// ParseID reads "job_CLUSTER_NNNN".
func ParseID(s string) (ID, error) {
	f := strings.Split(s, "_")
	if len(f) != 3 || f[0] != "job" || f[1] == "" {
		return ID{}, badID(s, "job", "job_202611210753_0001")
	}
	n, ok := parseNumber(f[2], 4)
	if !ok || n == 0 {
		return ID{}, badID(s, "job", "job_202611210753_0001")
	}
	return ID{f[1], n}, nil
}

// ParseTaskID reads "task_CLUSTER_NNNN_m_NNNNNN".
func ParseTaskID(s string) (TaskID, error) {
	t, rest, ok := parseTask(s, "task")
	if !ok || len(rest) != 0 {
		return TaskID{}, badID(s, "task", "task_202611210753_0001_m_000000")
	}
	return t, nil
}

// ParseAttemptID reads "attempt_CLUSTER_NNNN_m_NNNNNN_N".
func ParseAttemptID(s string) (AttemptID, error) {
	t, rest, ok := parseTask(s, "attempt")
	if ok && len(rest) == 1 {
		if n, ok := parseNumber(rest[0], 1); ok {
			return AttemptID{t, n}, nil
		}
	}
	return AttemptID{}, badID(s, "attempt", "attempt_202611210753_0001_m_000000_0")
}

func parseTask(s, prefix string) (TaskID, []string, bool) {
	f := strings.Split(s, "_")
	if len(f) < 5 || f[0] != prefix || f[1] == "" || len(f[3]) != 1 {
		return TaskID{}, nil, false
	}
	seq, ok1 := parseNumber(f[2], 4)
	typ := strings.IndexByte("mrsc", f[3][0])
	idx, ok2 := parseNumber(f[4], 6)
	if !ok1 || !ok2 || typ < 0 || seq == 0 {
		return TaskID{}, nil, false
	}
	return TaskID{Job: ID{f[1], seq}, Type: TaskType(typ), Index: idx}, f[5:], true
}

// parseNumber reads a non-negative number of at least min digits, padded with zeros to that width and no further.
func parseNumber(s string, min int) (int32, bool) {
	if len(s) < min || len(s) > min && s[0] == '0' {
		return 0, false
	}
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(s, 10, 32)
	return int32(n), err == nil
}

func badID(s, what, example string) error {
	return fmt.Errorf("%q is no %s id (one looks like %s)", s, what, example)
}
