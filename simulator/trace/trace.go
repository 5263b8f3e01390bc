// Package trace defines the simulator's input, that is, jobs and the durations of their tasks,
// recorded on a cluster or produced by a generator. Importers, the profiler, the generators, and
// the trace database use these types.
package trace

import (
	"io"

	"github.com/howdah/howdah/job"
)

// SimulatedCluster identifies a simulation's JobTracker in its journal and in its job IDs. A real
// JobTracker is identified by its start time.
const SimulatedCluster = "200001010000"

// Trace is a recorded or generated workload. For a large workload, use a Source, which reads one
// job at a time.
type Trace struct {
	Name   string
	Origin string // original format: "classic", "jhist", "rumen", "swim", "journal", "simulation", "generated"
	Nodes  []Node // nodes of the cluster, as far as known
	Slots  [2]int32
	Jobs   []*Job // by Submit
	// Changes lists the changes of the scheduler during the execution, in order of time.
	Changes []Change
	// Damage lists the places that the importer had to skip.
	Damage []Damage
}

// Change is a change of the scheduler at a time in ms.
type Change struct {
	At   int64
	Name string
}

// Node is a machine of the recorded cluster.
type Node struct{ Host, Rack string }

// Damage is an unusable place in an input.
type Damage struct {
	Path string
	Line int64 // line number from 1; 0 means the whole file
	Text string
}

// Job is one job of a trace. Times are in ms since the epoch or, in a generated trace, since the
// trace's start. 0 means unknown.
type Job struct {
	ID       string // as recorded; unique within a trace
	Name     string
	User     string
	Queue    string // queue or pool
	Priority job.Priority
	Submit   int64
	Launch   int64
	Finish   int64
	Deadline int64     // absolute; 0 means no deadline
	State    job.State // final state; job.Succeeded for generated jobs
	Maps     []Map
	Reduces  []Reduce
	// Input, Shuffled, and Output are the numbers of bytes of map input, shuffle, and reduce
	// output; 0 means unknown.
	Input, Shuffled, Output int64
	// Conf holds the settings relevant for scheduling, such as slow start, slot limits, memory,
	// pool, and deadline. They are sorted by name.
	Conf []job.Property
	// Skewed marks a job with contradictory clocks, such as one with a task that started before the
	// job's submission.
	Skewed bool
}

// FirstStart returns the start time of the job's first task, or 0 if no start is known.
func (j *Job) FirstStart() int64 {
	first := int64(0)
	earlier := func(s int64) {
		if s > 0 && (first == 0 || s < first) {
			first = s
		}
	}
	for i := range j.Maps {
		earlier(j.Maps[i].Start)
	}
	for i := range j.Reduces {
		earlier(j.Reduces[i].Start)
	}
	return first
}

// Map is a map task, represented by its winning attempt.
type Map struct {
	Time   int64 // ms from launch to end
	Start  int64 // start as recorded; 0 means unknown
	Host   string
	Hosts  []string // hosts of the map's input
	Input  int64    // bytes
	Failed []int64  // durations of failed attempts in ms
}

// Reduce is a reduce task, represented by its winning attempt. If it started before the last map
// ended, it has a first shuffle, from the end of the last map to the end of the sort. Otherwise, it
// has a typical shuffle, from the start of the reduce (SIM section III).
type Reduce struct {
	First   bool
	Shuffle int64 // duration of shuffle and sort in ms
	Time    int64 // time from the end of the sort to the end of the task in ms
	Start   int64 // start as recorded; 0 means unknown
	Host    string
	Input   int64 // bytes
	Failed  []int64
}

// Source returns the jobs of a trace in submission order, and io.EOF after the last job. The caller
// may retain a returned job but must not modify it.
type Source interface{ Next() (*Job, error) }

// Source returns a Source of the trace's jobs.
func (t *Trace) Source() Source { return &slice{jobs: t.Jobs} }

type slice struct{ jobs []*Job }

func (s *slice) Next() (*Job, error) {
	if len(s.jobs) == 0 {
		return nil, io.EOF
	}
	j := s.jobs[0]
	s.jobs = s.jobs[1:]
	return j, nil
}
