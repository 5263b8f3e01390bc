package mapreduce

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
	"unicode/utf16"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// Context is the environment of user code in an attempt. Its methods for counters, status, and
// progress are safe for concurrent use.
type Context struct {
	Env
	task TaskInfo
	ctx  context.Context
	base string // base name of output files; "" = the base name that the job's configuration defines
	mute bool   // do not count output bytes
	*attemptState
}

// attemptState is the state that all contexts of an attempt share.
type attemptState struct {
	builtin [job.NumCounters]atomic.Int64
	mu      sync.Mutex
	user    map[[2]string]*Counter
	groups  map[string]bool // names of the user counter groups
	status  atomic.Pointer[string]
	beat    atomic.Uint64
	key     []byte

	inKey, inVal Type // types of a map's input records; nil = unknown
	file         string
}

// TaskInfo describes the attempt that a Context belongs to. The task engine fills it in.
type TaskInfo struct {
	Attempt job.AttemptID
	JobName string
	Reduces int    // number of reducers in the job; 0 = map-only job
	Split   *Split // input of a map; nil in other tasks
	WorkDir string // scratch directory on the local disk, normally deleted after the attempt
	Cache   []CacheFile
	// CreateOutput creates a file of the attempt's output; see Context.CreateOutput.
	CreateOutput func(name string) (io.WriteCloser, error)
	// MaxCounters and MaxGroups are the maximum numbers of user counters and counter groups
	// (mapreduce.job.counters.max and .groups.max); 0 = 120 and 50.
	MaxCounters, MaxGroups int
	// MaxCounterName and MaxGroupName are the maximum lengths of names in characters
	// (mapreduce.job.counters.counter.name.max and .group.name.max); 0 = 64 and 128. Longer names
	// are truncated.
	MaxCounterName, MaxGroupName int
}

// Configure returns a copy of the job's configuration c with the settings that Hadoop adds for each
// attempt, such as mapreduce.task.id. A map gets mapreduce.map.input.file, .start, and .length if
// its split has exactly one chunk.
func (t TaskInfo) Configure(c *conf.Config) *conf.Config {
	c = c.Clone()
	set := func(key, value string) { c.Set(key, value, "task") }
	id := t.Attempt
	set(conf.JobID.Name, id.Job.String())
	set(conf.TaskID.Name, id.TaskID.String())
	set(conf.TaskAttemptID.Name, id.String())
	set(conf.TaskIsMap.Name, strconv.FormatBool(id.Type == job.Map))
	set(conf.TaskPartition.Name, strconv.Itoa(int(id.Index)))
	set(conf.JobLocalDir.Name, t.WorkDir)
	if t.Split != nil && len(t.Split.Chunks) == 1 {
		part := t.Split.Chunks[0]
		set(conf.MapInputFile.Name, part.Path)
		set(conf.MapInputStart.Name, strconv.FormatInt(part.Start, 10))
		set(conf.MapInputLength.Name, strconv.FormatInt(part.Length, 10))
	}
	return c
}

// NewContext returns the context of an attempt. It is for task engines and mrtest.
func NewContext(ctx context.Context, env Env, t TaskInfo) *Context {
	t.MaxCounters = cmp.Or(t.MaxCounters, 120)
	t.MaxGroups = cmp.Or(t.MaxGroups, 50)
	t.MaxCounterName = cmp.Or(t.MaxCounterName, 64)
	t.MaxGroupName = cmp.Or(t.MaxGroupName, 128)
	return &Context{Env: env, task: t, ctx: ctx, attemptState: &attemptState{user: map[[2]string]*Counter{},
		groups: map[string]bool{}}}
}

// WithConf returns a context for the same attempt whose configuration is settings. Use it for a
// format or mapper that is part of another format or mapper. The new context shares the attempt's
// counters, status, key, and output files.
func (c *Context) WithConf(settings *conf.Config) *Context {
	own := *c
	own.Conf = settings
	return &own
}

// WithOutputName returns a context for the same attempt whose PartName starts with base, such as
// base-r-00000 instead of part-r-00000. base can contain directories. As in Hadoop, the bytes that
// formats write with this context do not count as output bytes of the task.
func (c *Context) WithOutputName(base string) *Context {
	own := *c
	own.base, own.mute = base, true
	return &own
}

// WithSplit returns a context for the same attempt whose split is s. Use it if the attempt's split
// wraps s.
func (c *Context) WithSplit(s *Split) *Context {
	own := *c
	own.task.Split = s
	return &own
}

// WithAttempt returns a context whose attempt ID is id, for work on behalf of that attempt.
func (c *Context) WithAttempt(id job.AttemptID) *Context {
	own := *c
	own.task.Attempt = id
	return &own
}

// WithContext returns a context for the same attempt whose Context method returns ctx. Use it for
// work after the attempt has been killed.
func (c *Context) WithContext(ctx context.Context) *Context {
	own := *c
	own.ctx = ctx
	return &own
}

// Context returns a context.Context that is canceled when the attempt is killed.
func (c *Context) Context() context.Context { return c.ctx }

// Task returns a description of the attempt.
func (c *Context) Task() *TaskInfo { return &c.task }

// InputFile returns the path, with scheme, of the file that contains the map's current record. It is
// "" in other tasks, before the first record of a split with several files, and if the input is not
// in files. For a map-side join, it is one of the joined files. A custom format whose splits have
// several files calls SetInputFile for each of them.
func (c *Context) InputFile() string {
	if s := c.task.Split; c.file == "" && s != nil && len(s.Chunks) == 1 {
		return s.Chunks[0].Path
	}
	return c.file
}

// SetInputFile sets the result of InputFile. Input formats call it when they open a file.
func (c *Context) SetInputFile(path string) { c.file = path }

// Partition returns the task's index among the maps or reducers.
func (c *Context) Partition() int { return int(c.task.Attempt.Index) }

// Progress reports that the task is alive. Call it during long computations that emit nothing. On a
// cluster, an attempt fails if it reports nothing for mapreduce.task.timeout milliseconds.
func (c *Context) Progress() { c.beat.Add(1) }

// SetStatus sets the task's status line, which the web page shows, and reports that the task is
// alive.
func (c *Context) SetStatus(s string) {
	c.status.Store(&s)
	c.beat.Add(1)
}

// Status returns the latest status line.
func (c *Context) Status() string {
	if p := c.status.Load(); p != nil {
		return *p
	}
	return ""
}

// Beats returns the number of calls to Progress and SetStatus, which the engine uses to detect
// stuck tasks.
func (c *Context) Beats() uint64 { return c.beat.Load() }

// Inc adds n to a built-in counter.
func (c *Context) Inc(id job.CounterID, n int64) { c.builtin[id].Add(n) }

// SetBuiltin sets a built-in counter to n.
func (c *Context) SetBuiltin(id job.CounterID, n int64) { c.builtin[id].Store(n) }

// Counter is a user counter. Keep the pointer instead of looking up the counter for every record.
type Counter struct{ v atomic.Int64 }

// Add adds n to the counter. It does nothing on a nil Counter.
func (c *Counter) Add(n int64) {
	if c != nil {
		c.v.Add(n)
	}
}

// Value returns the counter's value in this attempt.
func (c *Counter) Value() int64 { return c.v.Load() }

// Counter returns the counter with the given group and name, and creates it if needed. As in
// Hadoop, it truncates long names. It returns an error of kind Limit if the task exceeds the limit
// on counters or groups.
func (c *Context) Counter(group, name string) (*Counter, error) {
	group, name = limited(group, c.task.MaxGroupName), limited(name, c.task.MaxCounterName)
	c.mu.Lock()
	defer c.mu.Unlock()
	k := [2]string{group, name}
	if x := c.user[k]; x != nil {
		return x, nil
	}
	if len(c.user) >= c.task.MaxCounters {
		return nil, failure.New(failure.Limit, "count", group+":"+name,
			fmt.Errorf("Too many counters: %d max=%d", len(c.user)+1, c.task.MaxCounters)).
			Fix("raise mapreduce.job.counters.max")
	}
	if !c.groups[group] && len(c.groups) >= c.task.MaxGroups {
		return nil, failure.New(failure.Limit, "count", group+":"+name, fmt.Errorf("Too many counter groups: %d max=%d",
			len(c.groups)+1, c.task.MaxGroups)).
			Fix("raise mapreduce.job.counters.groups.max")
	}
	x := &Counter{}
	c.user[k], c.groups[group] = x, true
	return x, nil
}

// limited returns s if it has at most n characters. Like Hadoop, it truncates a longer string to
// n-1 characters.
func limited(s string, n int) string {
	if first := firstChars(s, n); len(first) == len(s) {
		return s
	}
	return firstChars(s, n-1)
}

// firstChars returns the first n characters of s. Like Java, it counts characters beyond U+FFFF
// twice.
func firstChars(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i, c := range s {
		if n -= utf16.RuneLen(c); n < 0 {
			return s[:i]
		}
	}
	return s
}

// Counters returns a copy of the attempt's counters.
func (c *Context) Counters() *job.Counters {
	out := &job.Counters{}
	for i := range c.builtin {
		out.Builtin[i] = c.builtin[i].Load()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make([]job.UserCounter, 0, len(c.user))
	for k, v := range c.user {
		all = append(all, job.UserCounter{Group: k[0], Name: k[1], Value: v.Value()})
	}
	out.SetUser(all)
	return out
}

// CreateOutput creates a file in the attempt's own output directory. If the attempt is the one that
// commits, the job commit moves the file to the job's output directory. The file is complete only
// after Close has returned nil.
func (c *Context) CreateOutput(name string) (io.WriteCloser, error) { return c.task.CreateOutput(name) }

// Key returns the key of the current value in a reducer's range loop.
func (c *Context) Key() []byte { return c.key }

// SetKey sets the result of Key. It is for task engines only.
func (c *Context) SetKey(k []byte) { c.key = k }

// RecordTypes returns the types of a map's input records. A type is nil if it is unknown. In
// reducers, both types are nil.
func (c *Context) RecordTypes() (key, value Type) { return c.inKey, c.inVal }

// SetRecordTypes sets the result of RecordTypes. The engine calls it before the mapper's Setup.
func (c *Context) SetRecordTypes(key, value Type) { c.inKey, c.inVal = key, value }
