// Package job defines basic types that many other packages use: identifiers in Hadoop's text form,
// states and their legal transitions, job specifications, and counters. It depends only on the
// standard library. Start with [ID], [Spec], and [State].
package job

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// ID identifies a job, such as "job_202611210753_0001". Cluster is the time of the JobTracker's
// first start, to the minute, or another name if the job runs without a JobTracker. Seq numbers the
// jobs of a cluster from 1. The zero ID does not identify a job.
type ID struct {
	Cluster string
	Seq     int32
}

// String returns Hadoop's text form, with at least four digits for the sequence number.
func (id ID) String() string { return fmt.Sprintf("job_%s_%04d", id.Cluster, id.Seq) }

// IsZero reports whether id is the zero ID.
func (id ID) IsZero() bool { return id.Seq == 0 }

// TaskType is the type of a task. The order is Hadoop's. Map is the zero value.
type TaskType uint8

// The task types. Setup and Cleanup exist only for jobs with a custom committer.
const (
	Map TaskType = iota
	Reduce
	Setup
	Cleanup
	numTaskTypes
)

// Container is the slot type of an attempt that occupies no slot, because the policy placed it by
// memory and cores.
const Container TaskType = 255

// Letter returns the type's letter in identifiers: m, r, s, or c. For other types it returns '?'.
func (t TaskType) Letter() byte {
	if t >= numTaskTypes {
		return '?'
	}
	return "mrsc"[t]
}

// String returns Hadoop's name: MAP, REDUCE, JOB_SETUP, or JOB_CLEANUP. For other types it returns
// TASK_TYPE_ and the number.
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
	return otherType + strconv.Itoa(int(t))
}

// ParseTaskType parses a name in the form that String returns, and reports whether it is valid.
func ParseTaskType(name string) (TaskType, bool) {
	for t := Map; t < numTaskTypes; t++ {
		if t.String() == name {
			return t, true
		}
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(name, otherType), 10, 8)
	return TaskType(n), err == nil && strings.HasPrefix(name, otherType)
}

// otherType is the prefix of the names of types that Hadoop does not have, such as Container.
const otherType = "TASK_TYPE_"

// Task identifies a task within one JobTracker by the job's sequence number, the type, and the
// index among the job's tasks of that type. The index counts from 0. State machines and policies
// use Task instead of text.
type Task struct {
	Job   int32
	Index int32
	Type  TaskType
}

// Attempt identifies an attempt of a task. N counts from 0.
type Attempt struct {
	Task
	N int32
}

// TaskID identifies a task together with its cluster, such as "task_202611210753_0001_m_000000".
type TaskID struct {
	Job   ID
	Type  TaskType
	Index int32
}

// AttemptID identifies an attempt together with its cluster, such as
// "attempt_202611210753_0001_m_000000_0".
type AttemptID struct {
	TaskID
	N int32
}

// ID returns the task's ID in the cluster with the given name.
func (t Task) ID(cluster string) TaskID {
	return TaskID{Job: ID{cluster, t.Job}, Type: t.Type, Index: t.Index}
}

// ID returns the attempt's ID in the cluster with the given name.
func (a Attempt) ID(cluster string) AttemptID { return AttemptID{a.Task.ID(cluster), a.N} }

// Ref returns the task's identifier without the cluster's name.
func (t TaskID) Ref() Task { return Task{Job: t.Job.Seq, Index: t.Index, Type: t.Type} }

// Ref returns the attempt's identifier without the cluster's name.
func (a AttemptID) Ref() Attempt { return Attempt{a.TaskID.Ref(), a.N} }

func (t TaskID) String() string {
	return string(t.append(make([]byte, 0, 64), "task_"))
}

func (a AttemptID) String() string {
	b := append(a.append(make([]byte, 0, 64), "attempt_"), '_')
	return string(strconv.AppendInt(b, int64(a.N), 10))
}

// append appends the prefix and the task's ID. It does not use package fmt, because a status can
// have the IDs of 100,000 attempts.
func (t TaskID) append(b []byte, prefix string) []byte {
	b = append(append(append(b, prefix...), t.Job.Cluster...), '_')
	b = append(appendPadded(b, t.Job.Seq, 4), '_', t.Type.Letter(), '_')
	return appendPadded(b, t.Index, 6)
}

// appendPadded appends a number with at least the given number of digits.
func appendPadded(b []byte, n int32, digits int) []byte {
	if n < 0 {
		return fmt.Appendf(b, "%0*d", digits, n)
	}
	for limit := int64(10); digits > 1; digits, limit = digits-1, limit*10 {
		if int64(n) < limit {
			return strconv.AppendInt(append(b, "00000000"[:digits-1]...), int64(n), 10)
		}
	}
	return strconv.AppendInt(b, int64(n), 10)
}

// Compare orders attempts of the same job by type, index, and number.
func (a AttemptID) Compare(b AttemptID) int {
	return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Index, b.Index), cmp.Compare(a.N, b.N))
}

// ParseID parses "job_CLUSTER_NNNN".
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

// ParseTaskID parses "task_CLUSTER_NNNN_m_NNNNNN".
func ParseTaskID(s string) (TaskID, error) {
	t, rest, ok := parseTask(s, "task")
	if !ok || len(rest) != 0 {
		return TaskID{}, badID(s, "task", "task_202611210753_0001_m_000000")
	}
	return t, nil
}

// ParseAttemptID parses "attempt_CLUSTER_NNNN_m_NNNNNN_N".
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

// parseNumber parses a non-negative number that is padded with zeros to at least min digits. A
// number that is longer than min digits must not have leading zeros.
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
	return fmt.Errorf("%q is not a valid %s ID (example: %s)", s, what, example)
}
