// Package mapreduce is what authors of jobs write against: mappers, reducers, formats, jobs. Records are bytes in
// Hadoop's Writable encodings; a typed layer (MapFunc, ReduceFunc) sits on top. Nothing is allocated per record below it.
package mapreduce

import (
	"context"
	"io"
	"iter"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job"
)

// Emitter takes records. It copies key and value before it returns.
type Emitter interface {
	Emit(key, value []byte) error
}

// Mapper turns one record into any number of records. One Mapper serves one attempt and is called by one goroutine. key
// and value are valid during the call only. An error or a panic fails the attempt.
type Mapper interface {
	Map(c *Context, key, value []byte, out Emitter) error
}

// Reducer turns one group of records into any number of records. key is the group's current key: with a grouping
// comparator that ignores part of the key, it changes while values advance (see Context.Key). values can be ranged over
// once; each value is valid until the next one. Whatever the reducer leaves unread is skipped.
type Reducer interface {
	Reduce(c *Context, key []byte, values iter.Seq[[]byte], out Emitter) error
}

// Setupper is implemented by mappers and reducers that prepare themselves before the first record.
type Setupper interface {
	Setup(c *Context) error
}

// Cleanuper is implemented by mappers and reducers that have something to say after the last record.
type Cleanuper interface {
	Cleanup(c *Context, out Emitter) error
}

// Closer is implemented by mappers, reducers and combiners that hold something that must not outlive the attempt, such as a
// process. Close is called last, once, whether or not Setup and the attempt succeeded.
type Closer interface {
	Close()
}

// Comparator orders serialised keys.
type Comparator interface {
	// Compare gives <0, 0, >0.
	Compare(a, b []byte) int
	// Prefix maps a key to a number that orders as the key does as far as it goes:
	// Prefix(a) < Prefix(b) implies Compare(a, b) < 0, and Compare(a, b) == 0 implies Prefix(a) == Prefix(b).
	Prefix(key []byte) uint64
}

// Type says how keys or values of one kind look as bytes: one of Hadoop's Writables.
type Type interface {
	Comparator
	// Class gives the Java class: "org.apache.hadoop.io.Text".
	Class() string
	// Hash gives Java's hashCode of the value.
	Hash(b []byte) int32
	// AppendText appends what Java's toString gives, in UTF-8.
	AppendText(dst, b []byte) []byte
}

// MapperClass is a mapper with the types of its records. The zero value is the identity.
type MapperClass struct {
	New          func() Mapper // makes a fresh mapper for an attempt
	InKey, InVal Type          // what it reads; nil accepts anything
	Key, Val     Type          // what it emits; nil = what it reads
}

// ReducerClass is a reducer with the types of its records. The zero value is the identity.
type ReducerClass struct {
	New          func() Reducer
	InKey, InVal Type
	Key, Val     Type
}

// Partitioner chooses the reducer of a record, from 0 to n-1.
type Partitioner interface {
	Partition(key, value []byte, n int) int
}

// PartitionerClass makes the partitioner of an attempt. keys is the type of the map output's keys.
type PartitionerClass func(env *Env, keys Type) (Partitioner, error)

// Job is a MapReduce program. Its Name is how a task's child process finds it again in the same binary.
type Job struct {
	Name  string
	Short string // one line for the list of applications
	Usage string // arguments, e.g. "<in>… <out>"

	Input  InputFormat  // nil = text lines
	Output OutputFormat // nil = text

	Mapper      MapperClass
	Combiner    ReducerClass // New == nil: none
	Reducer     ReducerClass
	Partitioner PartitionerClass // nil = hash of the key, as Hadoop's HashPartitioner
	Sort        Comparator       // order of keys; nil = that of the map output's key type
	Group       Comparator       // which keys form a group; nil = Sort

	// Committer makes the job's own committer for an attempt; nil = the job has none, as most.
	Committer func() OutputCommitter

	// Conf holds settings that the job comes with; configuration files and -D override them.
	Conf map[string]string

	// Shape, if set, makes the job that a configuration describes: one whose parts or types its user chooses. Of this Job only Name
	// counts then. It is called at the client and in every task, and the same configuration must give the same job.
	Shape func(c *conf.Config) (*Job, error)
}

// App is what a binary offers under a name: jobs, and a driver that runs them.
type App struct {
	Name  string
	Short string
	Usage string
	Jobs  []*Job // every job that Run may submit, so that a task's child process finds it
	// Run is the driver. It returns a *failure.Error of kind Usage for bad arguments.
	Run func(ctx context.Context, r Runner, args []string) error
}

// Program is what howdah.Main takes: a *Job, whose arguments are inputs and an output, or an *App.
type Program interface {
	App() *App
}

// App returns a itself.
func (a *App) App() *App { return a }

// Runner runs jobs for a driver: on a cluster or in-process.
type Runner interface {
	// Conf gives the user's configuration; a driver changes a Clone of it for each job.
	Conf() *conf.Config
	// FS resolves paths.
	FS() dfs.Resolver
	// Run submits the job, shows its progress, waits for its end. The error is a *failure.Error; kind Failed or Killed when the
	// job did not succeed, and then Result is there as well.
	Run(ctx context.Context, j *Job, c *conf.Config) (*Result, error)
	// Stdout is where results go.
	Stdout() io.Writer
}

// Result is what is known of a job that ended.
type Result struct {
	ID       job.ID
	State    job.State
	Counters *job.Counters
	// Diagnostics says why a job failed.
	Diagnostics string
}

// Env is what formats and partitioners get to work with, before and inside tasks.
type Env struct {
	Conf *conf.Config
	FS   dfs.Resolver
}

// InputFormat finds the input's splits and reads them.
type InputFormat interface {
	// Types gives the types of the records that readers deliver.
	Types(c *conf.Config) (key, value Type)
	// Splits cuts the input. Missing input is kind NotFound, an unreadable one Permission.
	Splits(ctx context.Context, env *Env) ([]Split, error)
	// Open reads one split inside a task.
	Open(c *Context, s *Split) (RecordReader, error)
}

// RecordReader delivers a split's records.
type RecordReader interface {
	// Next gives the next record, valid until the next call; io.EOF at the end.
	Next() (key, value []byte, err error)
	// Progress gives the share of the split that was read, 0–1.
	Progress() float32
	Close() error
}

// Split is one map's input: stretches of files, or whatever the format puts into Extra.
type Split struct {
	Chunks []Chunk
	Extra  []byte
	Length int64    // bytes, for scheduling and counters
	Hosts  []string // nodes where reading is cheap, best first
	// Combined says that a CombineInputFormat made it, also when it has one chunk only: counters of Hadoop's know the difference.
	Combined bool
}

// Chunk is a stretch of one file.
type Chunk struct {
	Path          string // with scheme
	Start, Length int64
}

// OutputFormat writes a task's records.
type OutputFormat interface {
	// Check refuses a job whose output cannot be written: kind Exists when the output directory is there.
	Check(ctx context.Context, env *Env) error
	// Open starts the output of one task. Files are made by Context.CreateOutput.
	Open(c *Context, key, value Type) (RecordWriter, error)
}

// RecordWriter writes records of one task. Close completes the output; without it the output does not count.
type RecordWriter interface {
	Write(key, value []byte) error
	Close() error
}
