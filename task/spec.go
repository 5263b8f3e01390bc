// Package task runs a single attempt of a task, which is a map, a reduce, or the setup or cleanup
// of a job. In a map, it passes records from a split through the user's code to the sorted map
// output. In a reduce, it passes records from the shuffle through the user's code to the output
// files. Its callers provide a Spec and an Env. They are the child side of the umbilical
// (task/child), tasks of Hadoop Streaming jobs (task/piped), and the in-process runner
// (mapreduce/local). Start with RunMap and RunReduce.
package task

import (
	"context"
	"io"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/skip"
	"github.com/howdah/howdah/mapreduce"
)

// Spec describes the attempt to run. The package does not modify it.
type Spec struct {
	Attempt job.AttemptID
	Job     *mapreduce.Job
	JobName string // name for users; "" means the program's name
	Conf    *conf.Config
	Maps    int // number of the job's maps
	Reduces int // number of the job's reducers; 0 means that the maps write the output

	Split *mapreduce.Split // a map's input

	WorkDir      string // existing local scratch directory of the attempt
	OutputDir    string // URI of the job's output directory; the attempt writes below its _temporary; "" means no files
	AttemptDir   string // URI of the attempt's own output directory; "" means OutputDir/_temporary/0/ATTEMPT
	Durable      bool   // the output must survive a power failure after the attempt has succeeded
	MapOutputDir string // existing local directory for a map's file.out in a job with reducers

	// Skips selects the records of a map, or the groups of a reducer, that the attempt must skip.
	// It is nil if the attempt is not in skipping mode.
	Skips *skip.Plan

	// Unclean lists the unsuccessful map and reduce attempts that a cleanup task must abort.
	Unclean []job.AttemptID

	// Memory is the number of bytes that the attempt may use for buffers. If it is 0, the attempt
	// derives the number from mapreduce.{map,reduce}.memory.mb (see BufferBytes).
	Memory int64
}

// Env is the environment of an attempt.
type Env struct {
	FS   dfs.Resolver
	Live *Live     // observable state of the running attempt; nil if nothing observes it
	Log  io.Writer // receives stack traces of panics in user code; nil means discard
	// LogPlace describes the location of Log in error messages. If it is empty, they say "in the
	// task's log".
	LogPlace string
	// Note logs a line about a failure that does not end the attempt, such as a failed fetch; nil
	// means discard.
	Note func(format string, args ...any)
	// Usage, if set, returns the resources that the process has used since the attempt started. The
	// counters for CPU, memory, and garbage collection use these values. Usage is nil if several
	// attempts share a process.
	Usage func() Usage
	// InHand, if not nil, is called in skipping mode before the user's code gets a record. Its
	// argument is the range of all records that the code has not reported as processed.
	InHand func(job.Range)
	// CanCommit waits for permission to commit a task in a job with its own committer. Nil means
	// that no permission is needed.
	CanCommit func(ctx context.Context) error
	// MapOutputs configures a reducer's input. A map adds its output to MapOutputs.Own if that is
	// set.
	MapOutputs MapOutputs
}

// Outcome is the result of a successful attempt.
type Outcome struct {
	Counters *job.Counters
	Files    []job.OutputFile // manifest of the files in the attempt's output directory, sorted by name
}
