package mapreduce

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"unicode/utf16"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// Context is what user code sees of the attempt it runs in. Counters, status and progress may be used by any goroutine.
type Context struct {
	Env
	task TaskInfo
	ctx  context.Context
	base string // of the names of output files, where it is not the job's
	mute bool   // output bytes do not count
	*attemptState
}

// attemptState is what all contexts of an attempt have in common.
type attemptState struct {
	builtin [job.NumCounters]atomic.Int64
	mu      sync.Mutex
	user    map[[2]string]*Counter
	groups  map[string]bool // of user
	status  atomic.Pointer[string]
	beat    atomic.Uint64
	key     []byte

	inKey, inVal Type // of the records that a map reads; nil = not known
}

// TaskInfo says which attempt a Context belongs to. The task engine fills it in.
type TaskInfo struct {
	Attempt job.AttemptID
	JobName string
	Reduces int    // number of reducers of the job; 0 = map-only
	Split   *Split // of a map
	WorkDir string // scratch directory on the local disk, removed after the attempt
	Cache   []CacheFile
	// CreateOutput makes a file of the attempt's output; see Context.CreateOutput.
	CreateOutput func(name string) (io.WriteCloser, error)
	// Limits on user counters (mapreduce.job.counters.max and .groups.max); 0 = 120 and 50.
	MaxCounters, MaxGroups int
	// MaxCounterName and MaxGroupName: longer names are cut (mapreduce.job.counters.counter.name.max and .group.name.max), in
	// characters; 0 = 64 and 128.
	MaxCounterName, MaxGroupName int
}

// NewContext makes the context of one attempt; the engine and mrtest call it.
func NewContext(ctx context.Context, env Env, t TaskInfo) *Context {
	if t.MaxCounters == 0 {
		t.MaxCounters = 120
	}
	if t.MaxGroups == 0 {
		t.MaxGroups = 50
	}
	if t.MaxCounterName == 0 {
		t.MaxCounterName = 64
	}
	if t.MaxGroupName == 0 {
		t.MaxGroupName = 128
	}
	return &Context{Env: env, task: t, ctx: ctx, attemptState: &attemptState{user: map[[2]string]*Counter{}, groups: map[string]bool{}}}
}

// WithConf gives a context of the same attempt with other settings, for a format or a mapper that is part of another one.
// Counters, status, key and output files are the attempt's.
func (c *Context) WithConf(settings *conf.Config) *Context {
	own := *c
	own.Conf = settings
	return &own
}

// WithOutputName gives a context of the same attempt whose PartName is base-r-00000 instead of part-r-00000. base may have
// directories in front.
func (c *Context) WithOutputName(base string) *Context {
	own := *c
	own.base, own.mute = base, true
	return &own
}

// WithSplit gives a context of the same attempt that shows another split: the one that a format had wrapped.
func (c *Context) WithSplit(s *Split) *Context {
	own := *c
	own.task.Split = s
	return &own
}

// WithAttempt gives a context that says it is another attempt's: for what is done in its stead.
func (c *Context) WithAttempt(id job.AttemptID) *Context {
	own := *c
	own.task.Attempt = id
	return &own
}

// WithContext gives a context of the same attempt that ends at another time: for what is done after it was killed.
func (c *Context) WithContext(ctx context.Context) *Context {
	own := *c
	own.ctx = ctx
	return &own
}

// Context ends when the attempt is killed.
func (c *Context) Context() context.Context { return c.ctx }

// Task says which attempt this is.
func (c *Context) Task() *TaskInfo { return &c.task }

// Partition gives the task's index: which map, which reducer.
func (c *Context) Partition() int { return int(c.task.Attempt.Index) }

// Progress says that the task is alive although it emits nothing; silent tasks are failed after mapreduce.task.timeout.
func (c *Context) Progress() { c.beat.Add(1) }

// SetStatus shows a line beside the task in the web page.
func (c *Context) SetStatus(s string) {
	c.status.Store(&s)
	c.beat.Add(1)
}

// Status gives the last status line.
func (c *Context) Status() string {
	if p := c.status.Load(); p != nil {
		return *p
	}
	return ""
}

// Beats counts calls of Progress and SetStatus; the engine watches it.
func (c *Context) Beats() uint64 { return c.beat.Load() }

// Inc adds to a built-in counter.
func (c *Context) Inc(id job.CounterID, n int64) { c.builtin[id].Add(n) }

// SetBuiltin sets a built-in counter.
func (c *Context) SetBuiltin(id job.CounterID, n int64) { c.builtin[id].Store(n) }

// Counter is a counter of the job's own; keep the pointer instead of looking it up for every record.
type Counter struct{ v atomic.Int64 }

// Add adds n. Add on nil does nothing.
func (c *Counter) Add(n int64) {
	if c != nil {
		c.v.Add(n)
	}
}

// Value gives the counter's value in this attempt.
func (c *Counter) Value() int64 { return c.v.Load() }

// Counter finds or makes a counter. Names that are too long are cut, as in Hadoop. Above the limits on counters and groups, of
// this task's own, the error is kind Limit.
func (c *Context) Counter(group, name string) (*Counter, error) {
	group, name = limited(group, c.task.MaxGroupName), limited(name, c.task.MaxCounterName)
	c.mu.Lock()
	defer c.mu.Unlock()
	k := [2]string{group, name}
	if x := c.user[k]; x != nil {
		return x, nil
	}
	if len(c.user) >= c.task.MaxCounters {
		return nil, failure.New(failure.Limit, "count", group+":"+name, fmt.Errorf("Too many counters: %d max=%d", len(c.user)+1, c.task.MaxCounters)).
			Fix("raise mapreduce.job.counters.max")
	}
	if !c.groups[group] && len(c.groups) >= c.task.MaxGroups {
		return nil, failure.New(failure.Limit, "count", group+":"+name, fmt.Errorf("Too many counter groups: %d max=%d", len(c.groups)+1, c.task.MaxGroups)).
			Fix("raise mapreduce.job.counters.groups.max")
	}
	x := &Counter{}
	c.user[k], c.groups[group] = x, true
	return x, nil
}

// limited gives a name of at most n characters. Of a longer one Hadoop keeps one character less than it could.
func limited(s string, n int) string {
	if first := firstChars(s, n); len(first) == len(s) {
		return s
	}
	return firstChars(s, n-1)
}

// firstChars gives the first n characters of a text, counted as Java does: those beyond U+FFFF count twice.
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

// Counters gives a copy of all values.
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

// CreateOutput makes a file "name" in the attempt's own output directory. The job commit moves it to the job's output
// directory if this attempt wins. The file counts once its Close returned nil.
func (c *Context) CreateOutput(name string) (io.WriteCloser, error) { return c.task.CreateOutput(name) }

// Key gives the key of the value that a reducer's range loop is at.
func (c *Context) Key() []byte { return c.key }

// SetKey is called by the engine.
func (c *Context) SetKey(k []byte) { c.key = k }

// RecordTypes gives the types of the records that a map reads, as its reader tells them; nil where it does not, and in reducers.
func (c *Context) RecordTypes() (key, value Type) { return c.inKey, c.inVal }

// SetRecordTypes is called by the engine before the mapper's Setup.
func (c *Context) SetRecordTypes(key, value Type) { c.inKey, c.inVal = key, value }
