// Package task runs one attempt of a map or a reduce: it drives the user's code between a split and the sorted map output, or
// between the shuffle and the output files. It knows nobody above it: the child side of the umbilical (ChildMain) and the
// in-process runner (mapreduce/local) hand it a Spec and an Env.
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

// Spec says which attempt to run. Nothing in it is changed.
type Spec struct {
	Attempt job.AttemptID
	Job     *mapreduce.Job
	JobName string // as users see it; "" = the program's name
	Conf    *conf.Config
	Maps    int // of the job
	Reduces int // of the job; 0 = the maps write the output

	Split *mapreduce.Split // of a map

	WorkDir      string // local scratch directory of the attempt; it exists
	OutputDir    string // directory (URI) of the job's output; the attempt writes below _temporary there. "" = no files
	AttemptDir   string // directory (URI) of the attempt's own output; "" = OutputDir/_temporary/0/ATTEMPT
	MapOutputDir string // local directory where a map of a job with reducers leaves file.out and file.out.index; it exists

	// Skips tells which records, or groups of a reducer, the attempt leaves out; nil = it does not run in skipping mode.
	Skips *skip.Plan

	// Unclean names, for a clean-up task, attempts of maps and reduces that ended without success.
	Unclean []job.AttemptID

	// Memory is what the attempt may use for buffers, in bytes; 0 = what mapreduce.{map,reduce}.memory.mb leaves: see BufferBytes.
	Memory int64
}

// Env is what surrounds an attempt.
type Env struct {
	FS   dfs.Resolver
	Live *Live     // what others see of the attempt while it runs; nil = nobody looks
	Log  io.Writer // stacks of user code that panicked; nil = nobody reads it
	// Note takes a line of what went wrong and is tried again; nil = nobody reads it.
	Note func(format string, args ...any)
	// Usage, if set, reads the resources that the process used since the attempt started; the counters of CPU, memory and garbage
	// collection follow it. It is nil where several attempts share a process.
	Usage func() Usage
	// InHand is called in skipping mode before the user's code gets a record, with all records that it has not said to be done
	// with; nil = nobody wants to know.
	InHand func(job.Range)
	// CanCommit waits until the attempt may commit its task, in a job with a committer of its own; nil = it may at once.
	CanCommit func(ctx context.Context) error
	// MapOutputs says where a reducer finds its input; unused by maps.
	MapOutputs MapOutputs
}

// Outcome is what a successful attempt leaves.
type Outcome struct {
	Counters *job.Counters
	Files    []job.OutputFile // the manifest: what the attempt wrote into its output directory, sorted by name
}
