// Package trace is what the simulator replays: jobs with their tasks' durations, recorded by some cluster or made up by a
// generator. Importers, the profiler, the generators and the trace database speak these types.
package trace

import (
	"io"

	"github.com/howdah/howdah/job"
)

// SimulatedCluster names the JobTracker of a simulation in its journal and in the ids of its jobs; that of a real one is the time
// of its start.
const SimulatedCluster = "200001010000"

// Trace is a recorded or generated workload. Large ones are read job by job from a Source.
type Trace struct {
	Name   string
	Origin string // format it came from: "classic", "jhist", "rumen", "swim", "journal", "simulation", "generated"
	Nodes  []Node // as far as known
	Slots  [2]int32
	Jobs   []*Job // by Submit
	// Damage lists what the importer had to leave out.
	Damage []Damage
}

// Node is a machine of the recorded cluster.
type Node struct{ Host, Rack string }

// Damage is a place in an input that could not be used.
type Damage struct {
	Path string
	Line int64 // from 1; 0 = the file as a whole
	Text string
}

// Job is one job of a trace. Times are milliseconds since the epoch, or since the start of a generated trace; 0 = not known.
type Job struct {
	ID       string // as recorded; unique within a trace
	Name     string
	User     string
	Queue    string // queue or pool
	Priority job.Priority
	Submit   int64
	Launch   int64
	Finish   int64
	Deadline int64     // absolute; 0 = none
	State    job.State // how it ended; job.Succeeded for generated ones
	Maps     []Map
	Reduces  []Reduce
	// Bytes of map input, shuffle and reduce output; 0 = not known.
	Input, Shuffled, Output int64
	// Conf holds settings that matter for scheduling (slow start, slot limits, memory, pool, deadline...), sorted by name.
	Conf []job.Property
	// Skewed marks a job whose clocks contradict each other (a task before the submission).
	Skewed bool
}

// Map is a map task: the attempt that won.
type Map struct {
	Time   int64 // ms from launch to end
	Start  int64 // as recorded, 0 = not known
	Host   string
	Hosts  []string // that hold its input
	Input  int64    // bytes
	Failed []int64  // durations in ms of attempts that failed
}

// Reduce is a reduce task: the attempt that won. A reduce that started before the last map ended has a first shuffle, which
// counts from the end of the last map to the end of the sort; any other has a typical one, from its start (SIM section III).
type Reduce struct {
	First   bool
	Shuffle int64 // ms: shuffle and sort
	Time    int64 // ms: from the end of the sort to the end
	Start   int64 // as recorded, 0 = not known
	Host    string
	Input   int64 // bytes
	Failed  []int64
}

// Source hands out the jobs of a trace in order of submission; io.EOF after the last one. A job belongs to the caller.
type Source interface{ Next() (*Job, error) }

// Source gives the jobs one after the other.
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
