package shuffle

import (
	"fmt"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/task/sortio"
)

// Completion reports that a map's output is now available or obsolete.
type Completion struct {
	Map      int32
	Attempt  int32  // -1 if the map failed and the job tolerates the failure; there is no output to fetch
	Addr     string // host:port of the map output server
	Obsolete bool
	Host     string // name of the server's host, as in its certificate
}

// Config configures the shuffle of one reducer. If a field is zero, it has the documented default,
// or the default of the configuration key in the field's comment.
type Config struct {
	Job    job.ID
	Reduce int32 // index of the reducer
	Maps   int32 // number of the job's maps; with 0 maps, the result is empty
	Token  []byte
	// Events delivers completions in the order of the job's list. The sender may close the channel
	// after the last completion.
	Events <-chan Completion

	Cmp   mapreduce.Comparator // key order, the same as in the maps
	Codec codec.Codec          // codec of map outputs and of the reducer's spills; nil means no compression
	// Dir is an existing local directory in which the shuffle creates its own directory. Closing
	// the result removes that directory.
	Dir string

	// Memory is the total budget in bytes for fetched segments, frames, and merges. The minimum is
	// 1 MiB.
	Memory int64
	// InputBuffer is the share of Memory for fetched segments
	// (mapreduce.reduce.shuffle.input.buffer.percent).
	InputBuffer float64
	// SingleLimit is the share of the memory for fetched segments that a single segment may use
	// (mapreduce.reduce.shuffle.memory.limit.percent). A larger segment is written directly to
	// disk.
	SingleLimit float64
	// MergePercent is the share of the memory for fetched segments at which the shuffle merges the
	// segments to disk (mapreduce.reduce.shuffle.merge.percent).
	MergePercent float64
	// InMemThreshold is the number of segments in memory at which the shuffle merges them to disk
	// (mapreduce.reduce.merge.inmem.threshold). A negative number means no threshold.
	InMemThreshold int
	// Retain is the share of Memory, from 0 to 1, that segments may still use when the reducer
	// starts to process them (mapreduce.reduce.input.buffer.percent). Up to 64 KiB remain in memory
	// in any case.
	Retain float64
	// Factor is the maximum number of runs in one merge (mapreduce.task.io.sort.factor). If memory
	// suffices, the last merge also reads up to maxLocal outputs of this host.
	Factor    int
	MaxRecord int64 // maximum size in bytes of the key and value of a record; 0 means Memory

	Copies         int           // concurrent fetches (mapreduce.reduce.shuffle.parallelcopies)
	ConnectTimeout time.Duration // mapreduce.reduce.shuffle.connect.timeout
	ReadTimeout    time.Duration // time without any data (mapreduce.reduce.shuffle.read.timeout)
	// RetryBase is the first pause after a host fails; 0 means 250 ms. Hadoop starts with 10 s.
	// Each subsequent pause is 1.3 times as long, up to RetryMax
	// (mapreduce.reduce.shuffle.retry-delay.max.ms).
	RetryBase, RetryMax time.Duration
	// MaxFetchFailures controls when the shuffle reports that a host is unreachable or rejects the
	// request. The shuffle reports this once per MaxFetchFailures failures for the same map
	// (mapreduce.reduce.shuffle.maxfetchfailures). It reports a damaged, truncated, or late response
	// (ReadTimeout) immediately, as with mapreduce.reduce.shuffle.notify.readerror.
	MaxFetchFailures int
	// Run calls FetchFailed to report a fetch failure.
	FetchFailed func(mapIndex, attempt int32)

	// LocalAddr is the address of this host's server. LocalRoot is the server's directory, in which
	// the shuffle opens files directly.
	LocalAddr, LocalRoot string

	// Cache contains the open files of this host's outputs, for all reducers of this process. With
	// nil, the shuffle opens each file whenever it reads from it.
	Cache *Cache

	// Outputs is set if all maps run in this process. The outputs at LocalAddr are then in Outputs
	// instead of LocalRoot.
	Outputs *Outputs

	// TLS verifies that a server is its host's TaskTracker; nil means connections without TLS.
	TLS *certs.TLS

	// Guard calls f, which calls Cmp, and turns a panic into an error. Guard may be called from
	// goroutines other than Run's. If Guard is nil, panics are not caught.
	Guard func(f func() error) error
	// Run calls Log with a line for each failed fetch. If Log is nil, nothing is logged.
	Log func(format string, args ...any)

	Counters sortio.Counters // nil means no counting
	// Run calls Progress when another map is done, either because its output has been received or
	// because it has no output.
	Progress func(done, maps int)
}

// minMemory is the minimum budget. A smaller budget would leave no room for the frames.
const minMemory = 1 << 20

func (c *Config) validate() error {
	setDefault(&c.InputBuffer, conf.ReduceShuffleInputBufferPercent.BuiltIn())
	setDefault(&c.SingleLimit, conf.ReduceShuffleMemoryLimitPercent.BuiltIn())
	setDefault(&c.MergePercent, conf.ReduceShuffleMergePercent.BuiltIn())
	setDefault(&c.InMemThreshold, int(conf.ReduceMergeInMemThreshold.BuiltIn()))
	setDefault(&c.Factor, int(conf.TaskIOSortFactor.BuiltIn()))
	setDefault(&c.MaxRecord, c.Memory)
	setDefault(&c.Copies, int(conf.ReduceShuffleParallelCopies.BuiltIn()))
	setDefault(&c.ConnectTimeout, conf.ReduceShuffleConnectTimeout.BuiltIn())
	setDefault(&c.ReadTimeout, conf.ReduceShuffleReadTimeout.BuiltIn())
	setDefault(&c.RetryBase, 250*time.Millisecond)
	setDefault(&c.RetryMax, conf.ReduceShuffleRetryDelayMaxMS.BuiltIn())
	setDefault(&c.MaxFetchFailures, int(conf.ReduceShuffleMaxFetchFailures.BuiltIn()))
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
		return bad("no key order is set")
	case c.Memory < minMemory:
		return bad("%d bytes of memory: want at least %d", c.Memory, minMemory)
	case !share(c.InputBuffer), !share(c.SingleLimit), !share(c.MergePercent):
		return bad("input.buffer.percent=%g, memory.limit.percent=%g, merge.percent=%g: want more than 0, at most 1",
			c.InputBuffer, c.SingleLimit, c.MergePercent)
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
