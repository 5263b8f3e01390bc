package shuffle

import (
	"fmt"
	"time"

	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/sortio"
)

// Completion says that a map's output is available, or that it no longer is.
type Completion struct {
	Map      int32
	Attempt  int32  // -1: the map failed, the job tolerates that, and there is nothing to fetch
	Addr     string // host:port of the server
	Obsolete bool
}

// Config says what a reducer fetches and how. Zero values mean the defaults that are named.
type Config struct {
	Job    job.ID
	Reduce int32 // index of the reducer
	Maps   int32 // of the job; 0 = none, the result is empty
	Token  []byte
	// Events brings completions in the order of the job's list. It may be closed when no more will come.
	Events <-chan Completion

	Cmp   mapreduce.Comparator // order of keys, as in the maps
	Codec codec.Codec          // of map outputs, used for this side's spills too; nil = not compressed
	Dir   string               // local directory, exists; a directory for the shuffle's files is made in it, and removed by Close of the result

	// Memory is the budget in bytes for everything here together: fetched segments, frames, merges. At least 1 MiB.
	Memory int64
	// InputBuffer is the share of Memory for fetched segments (mapreduce.reduce.shuffle.input.buffer.percent); 0 = 0.70.
	InputBuffer float64
	// SingleLimit is the share of that above which a segment goes to disk at once (mapreduce.reduce.shuffle.memory.limit.percent);
	// 0 = 0.25.
	SingleLimit float64
	// MergePercent is the share of it at which the segments are merged to disk (mapreduce.reduce.shuffle.merge.percent); 0 = 0.66.
	MergePercent float64
	// InMemThreshold is the number of segments at which they are (mapreduce.reduce.merge.inmem.threshold); 0 = 1000, below 0 =
	// any number.
	InMemThreshold int
	// Retain is the share of Memory that segments may still take when reducing begins (mapreduce.reduce.input.buffer.percent),
	// 0–1. Up to 64 KiB stay in any case.
	Retain    float64
	Factor    int   // runs that are merged at once (mapreduce.task.io.sort.factor); 0 = 10
	MaxRecord int64 // largest key and value of one record, in bytes; 0 = Memory

	Copies         int           // fetches at a time (mapreduce.reduce.shuffle.parallelcopies); 0 = 5
	ConnectTimeout time.Duration // mapreduce.reduce.shuffle.connect.timeout; 0 = 3 minutes
	ReadTimeout    time.Duration // without a byte (mapreduce.reduce.shuffle.read.timeout); 0 = 3 minutes
	// RetryBase is the first pause after a failure of a host; each further one is 1.3 times as long, up to RetryMax
	// (mapreduce.reduce.shuffle.retry-delay.max.ms). 0 = 250 ms and 1 minute. Hadoop starts with 10 s.
	RetryBase, RetryMax time.Duration
	// MaxFetchFailures is how many failures to connect for one map are reported as one
	// (mapreduce.reduce.shuffle.maxfetchfailures); 0 = 10. An answer that is wrong, breaks off or does not come within
	// ReadTimeout is reported at once, as with mapreduce.reduce.shuffle.notify.readerror.
	MaxFetchFailures int
	// FetchFailed is called from Run when a failure is reported.
	FetchFailed func(mapIndex, attempt int32)

	// LocalAddr is the address of the server on this host, LocalRoot its directory: its files are opened directly.
	LocalAddr, LocalRoot string

	// Guard runs what calls Cmp, partly in another goroutine than Run's, and makes an error of a panic; nil = a panic is one.
	Guard func(f func() error) error
	// Log is called from Run with a line for each fetch that failed; nil = nobody reads it.
	Log func(format string, args ...any)

	Counters sortio.Counters // nil = not counted
	// Progress is called from Run after each map whose output was taken.
	Progress func(done, maps int)
}

// minMemory is the smallest budget: below, frames alone would not fit.
const minMemory = 1 << 20

func (c *Config) validate() error {
	setDefault(&c.InputBuffer, 0.70)
	setDefault(&c.SingleLimit, 0.25)
	setDefault(&c.MergePercent, 0.66)
	setDefault(&c.InMemThreshold, 1000)
	setDefault(&c.Factor, 10)
	setDefault(&c.MaxRecord, c.Memory)
	setDefault(&c.Copies, 5)
	setDefault(&c.ConnectTimeout, 3*time.Minute)
	setDefault(&c.ReadTimeout, 3*time.Minute)
	setDefault(&c.RetryBase, 250*time.Millisecond)
	setDefault(&c.RetryMax, time.Minute)
	setDefault(&c.MaxFetchFailures, 10)
	if c.FetchFailed == nil {
		c.FetchFailed = func(int32, int32) {}
	}
	if c.Progress == nil {
		c.Progress = func(int, int) {}
	}
	if c.Guard == nil {
		c.Guard = func(f func() error) error { return f() }
	}
	if c.Log == nil {
		c.Log = func(string, ...any) {}
	}
	if c.Counters == nil {
		c.Counters = noCounters{}
	}
	bad := func(format string, args ...any) error {
		return failure.New(failure.Config, "shuffle", c.Job.String(), fmt.Errorf(format, args...))
	}
	share := func(x float64) bool { return x > 0 && x <= 1 }
	switch {
	case c.Cmp == nil:
		return bad("no order of keys")
	case c.Memory < minMemory:
		return bad("%d bytes of memory: want at least %d", c.Memory, minMemory)
	case !share(c.InputBuffer), !share(c.SingleLimit), !share(c.MergePercent):
		return bad("input.buffer.percent=%g, memory.limit.percent=%g, merge.percent=%g: want more than 0, at most 1", c.InputBuffer, c.SingleLimit, c.MergePercent)
	case !(c.Retain >= 0 && c.Retain <= 1):
		return bad("mapreduce.reduce.input.buffer.percent=%g: want 0 to 1", c.Retain)
	case c.Factor < 2:
		return bad("mapreduce.task.io.sort.factor=%d: want at least 2", c.Factor)
	case c.Copies < 1 || c.MaxFetchFailures < 1 || c.RetryBase < 0 || c.RetryMax < 0 || c.Maps < 0:
		return bad("negative number")
	}
	return nil
}

func setDefault[T comparable](p *T, def T) {
	var zero T
	if *p == zero {
		*p = def
	}
}

type noCounters struct{}

func (noCounters) Inc(job.CounterID, int64) {}
