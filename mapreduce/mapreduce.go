// Package mapreduce is the API for writing MapReduce jobs: mappers, reducers, formats, and jobs.
// Start with Job, MapFunc, and ReduceFunc. Records are bytes in Hadoop's Writable encodings.
// MapFunc and ReduceFunc add a layer of Go types on top. Below that layer, the Mapper and Reducer
// interfaces require no memory allocation per record.
package mapreduce

import (
	"context"
	"io"
	"iter"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job"
)

// Emitter receives output records. Emit copies key and value before it returns.
type Emitter interface {
	Emit(key, value []byte) error
}

// Mapper transforms each input record into any number of output records. Each attempt has its own
// Mapper, used by a single goroutine. key and value are valid only during the call. An error or a
// panic fails the attempt.
type Mapper interface {
	Map(c *Context, key, value []byte, out Emitter) error
}

// Selective is an optional interface for mappers that ignore most records, such as a text search.
type Selective interface {
	// Needs returns bytes that the mapper requires. The mapper ignores every record whose value, a
	// Text, does not contain them. If no such bytes are known, Needs returns an empty slice. The
	// engine calls Needs after Setup. Depending on the input format, the engine may then not pass
	// records without these bytes to the mapper. Such records still count as input records.
	Needs() []byte
}

// Reducer transforms a group of records into any number of output records. key is the group's first
// key, which does not change during the call. If a grouping comparator ignores part of the key, the
// keys of later values can differ (see Context.Key). values can be iterated only once. Each value is
// valid until the next one. The engine skips values that the reducer does not read.
type Reducer interface {
	Reduce(c *Context, key []byte, values iter.Seq[[]byte], out Emitter) error
}

// Setupper is an optional interface for mappers and reducers that need setup before the first
// record.
type Setupper interface {
	Setup(c *Context) error
}

// Cleanuper is an optional interface for mappers and reducers that emit records or release
// resources after the last record.
type Cleanuper interface {
	Cleanup(c *Context, out Emitter) error
}

// Closer is an optional interface for mappers, reducers, and combiners with resources that must not
// outlive the attempt, such as a process. The engine calls Close exactly once after Setup, even
// if Setup or the attempt fails, and then calls no other method.
type Closer interface {
	Close()
}

// Comparator orders serialized keys.
type Comparator interface {
	// Compare returns a negative number, 0, or a positive number if a is less than, equal to, or
	// greater than b.
	Compare(a, b []byte) int
	// Prefix maps a key to a number whose order is consistent with Compare: Prefix(a) < Prefix(b)
	// implies Compare(a, b) < 0, and Compare(a, b) == 0 implies Prefix(a) == Prefix(b).
	Prefix(key []byte) uint64
}

// Type describes the encoding of keys or values. It corresponds to one of Hadoop's Writables. A
// Type may embed another Type only if both have the same encoding. Otherwise, the embedded Compare,
// Prefix, Hash, and AppendText methods would misread the bytes, and keys would silently sort in the
// wrong order. There is no check for this mistake.
type Type interface {
	Comparator
	// Class returns the name of the Java class, such as "org.apache.hadoop.io.Text".
	Class() string
	// Hash returns the value's hashCode as in Java.
	Hash(b []byte) int32
	// AppendText appends the value in the format of Java's toString, encoded in UTF-8.
	AppendText(dst, b []byte) []byte
}

// MapperClass is a mapper with its record types. The zero value is the identity.
type MapperClass struct {
	New          func() Mapper // returns a new mapper for an attempt
	InKey, InVal Type          // input types; nil accepts any type
	Key, Val     Type          // output types; nil = the types of the input
}

// ReducerClass is a reducer with its record types. The zero value is the identity.
type ReducerClass struct {
	New          func() Reducer // returns a new reducer for an attempt
	InKey, InVal Type           // input types; nil accepts any type
	Key, Val     Type           // output types; nil = the types of the map output
}

// Partitioner assigns each record to a reducer from 0 to n-1.
type Partitioner interface {
	Partition(key, value []byte, n int) int
}

// PartitionerClass returns a new partitioner for an attempt. keys is the key type of the map
// output.
type PartitionerClass func(env *Env, keys Type) (Partitioner, error)

// Job is a MapReduce program. A task's child process runs the same binary and looks up the job by
// Name.
type Job struct {
	Name  string
	Short string // one-line description for the list of applications
	Usage string // arguments for the usage line, such as "<in>… <out>"

	Input  InputFormat  // nil = the format that conf.JobInputFormatClass selects, by default text lines
	Output OutputFormat // nil = the format that conf.JobOutputFormatClass selects, by default text

	Mapper      MapperClass
	Combiner    ReducerClass // New == nil means no combiner
	Reducer     ReducerClass
	Partitioner PartitionerClass // nil = conf.JobPartitionerClass, by default a hash of the key
	Sort        Comparator       // sort order; nil = conf.JobOutputKeyComparatorClass, by default the key type's order
	Group       Comparator       // equality of keys in a group; nil = conf.JobOutputGroupComparatorClass, by default Sort

	// Committer returns a new committer for an attempt. Most jobs need none and leave the field
	// nil.
	Committer func() OutputCommitter

	// Conf contains the job's default settings. Configuration files and -D override them.
	Conf map[string]string

	// Shape returns the job that c describes. Set it if the configuration selects parts or types of
	// the job. The only other fields that then have an effect are Name, Short, and Usage. The
	// client and every task call Shape, which must return the same job for the same configuration.
	Shape func(c *conf.Config) (*Job, error)
}

// App is a named command of a binary. It consists of jobs and a driver that runs them.
type App struct {
	Name  string
	Short string
	Usage string
	Jobs  []*Job // all jobs that Run can submit, so that child processes find them
	// Run is the driver. For invalid arguments, it returns a *failure.Error of kind Usage.
	Run func(ctx context.Context, r Runner, args []string) error
}

// Program is an argument of howdah.Main. It is either an *App or a *Job. A *Job takes inputs and an
// output directory as command-line arguments.
type Program interface {
	App() *App
}

// App returns a itself.
func (a *App) App() *App { return a }

// Runner runs jobs for a driver, on a cluster or in-process.
type Runner interface {
	// Conf returns the user's configuration. A driver clones it for each job and modifies the
	// clone.
	Conf() *conf.Config
	// FS returns a resolver of paths.
	FS() dfs.Resolver
	// Run submits the job, shows its progress, and waits for the job to end. Any error wraps a
	// *failure.Error. If the job fails or is killed, the error is of kind Failed or Killed, and Run
	// also returns the Result. If ctx ends first, the error is of kind Interrupted. In background
	// mode, Run returns after submission, with State job.Running.
	Run(ctx context.Context, j *Job, c *conf.Config) (*Result, error)
	// Stdout returns the writer for results.
	Stdout() io.Writer
}

// Result describes a job that has ended or is running in the background.
type Result struct {
	ID       job.ID
	State    job.State
	Counters *job.Counters
	// Diagnostics is the reason why the job failed or was killed.
	Diagnostics string
}

// Env is the environment of formats and partitioners, inside and outside tasks.
type Env struct {
	Conf *conf.Config
	FS   dfs.Resolver
}

// InputFormat splits the input and reads the splits.
type InputFormat interface {
	// Types returns the types of the records that readers deliver. It returns nil for a type that
	// is unknown until a reader opens its input (see TypedReader).
	Types(c *conf.Config) (key, value Type)
	// Splits splits the input. It returns an error of kind NotFound for missing input and of kind
	// Permission for unreadable input.
	Splits(ctx context.Context, env *Env) ([]Split, error)
	// Open opens a split inside a task.
	Open(c *Context, s *Split) (RecordReader, error)
}

// RecordReader delivers a split's records.
type RecordReader interface {
	// Next returns the next record, or io.EOF at the end. The record is valid until the next call.
	Next() (key, value []byte, err error)
	// Progress returns the fraction of the split that has been read, from 0 to 1.
	Progress() float32
	Close() error
}

// Sifter is an optional interface for record readers. Such a reader can find the records that
// contain given bytes faster than it can deliver all records.
type Sifter interface {
	// Sift allows Next to leave out records whose value does not contain needed. The reader still
	// counts these records as input records of the map.
	Sift(needed []byte)
}

// Split is the input of a map. It consists of parts of files, or of data that the format stores in
// Extra.
type Split struct {
	Chunks []Chunk
	Extra  []byte
	Length int64    // in bytes, for scheduling and counters
	Hosts  []string // preferred hosts, best first
	// Combined marks a split of CombineTextInput or CombineSequenceInput, even if the split has a
	// single chunk. SPLIT_RAW_BYTES depends on Combined; see HadoopSize.
	Combined bool
}

// Chunk is a contiguous part of a file.
type Chunk struct {
	Path          string // with scheme
	Start, Length int64
}

// OutputFormat writes a task's records.
type OutputFormat interface {
	// Check returns an error if the job cannot write its output. The error is of kind Exists if the
	// output directory exists.
	Check(ctx context.Context, env *Env) error
	// Open creates the task's output and returns a writer for its records. Implementations create
	// files with Context.CreateOutput.
	Open(c *Context, key, value Type) (RecordWriter, error)
}

// RecordWriter writes a task's records. Close completes the output. The job ignores incomplete
// output.
type RecordWriter interface {
	Write(key, value []byte) error
	Close() error
}
