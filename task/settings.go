package task

import (
	"fmt"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/task/shuffle"
	"github.com/howdah/howdah/task/sortio"
)

// CheckSettings validates the settings that a job's tasks use, so that an invalid value is reported
// before any task starts. reduces is the job's number of reducers. Errors are of kind Config.
func CheckSettings(c *conf.Config, reduces int) error {
	if err := counterLimits(c, &mapreduce.TaskInfo{}); err != nil {
		return err
	}
	if _, err := PreservePattern(c); err != nil {
		return err
	}
	if err := CheckProfiling(c); err != nil {
		return err
	}
	if _, err := LogLimit(c); err != nil {
		return err
	}
	if err := checkSkips(c); err != nil {
		return err
	}
	mapMB, err := MemoryMB(c, job.Map)
	if err != nil {
		return err
	}
	reduceMB, err := MemoryMB(c, job.Reduce)
	if err != nil || reduces == 0 {
		return err
	}
	if _, err := sortSettings(c, BufferBytes(mapMB)); err != nil {
		return err
	}
	_, err = shuffleSettings(c, BufferBytes(reduceMB))
	return err
}

// sortSettings returns the settings for sorting in maps. budget is the number of bytes available
// for buffers.
func sortSettings(c *conf.Config, budget int64) (*sortio.Config, error) {
	r := conf.Reader{Conf: c}
	cfg := &sortio.Config{
		Factor:       int(conf.TaskIOSortFactor.From(&r)),
		MinSpills:    int(conf.MapCombineMinSpills.From(&r)),
		SpillPercent: conf.MapSortSpillPercent.From(&r),
		Codec:        mapOutputCodec(&r),
		MaxRecord:    budget,
	}
	if r.Err != nil {
		return nil, r.Err
	}
	var err error
	cfg.Buffer, err = sortBuffer(c, budget, cfg.Factor)
	return cfg, err
}

// smallestShuffle is the minimum memory of a shuffle, in bytes.
const smallestShuffle = 4 << 20

// shuffleSettings returns the settings for fetching and merging in reducers. budget is the number
// of bytes available for buffers.
func shuffleSettings(c *conf.Config, budget int64) (*shuffle.Config, error) {
	if budget < smallestShuffle {
		return nil, failure.New(failure.Config, "shuffle", fmt.Sprintf("with %d bytes of memory", budget),
			nil).Fix("raise mapreduce.reduce.memory.mb")
	}
	r := conf.Reader{Conf: c}
	cfg := &shuffle.Config{
		Memory: budget, Codec: mapOutputCodec(&r),
		InputBuffer:      conf.ReduceShuffleInputBufferPercent.From(&r),
		SingleLimit:      conf.ReduceShuffleMemoryLimitPercent.From(&r),
		MergePercent:     conf.ReduceShuffleMergePercent.From(&r),
		InMemThreshold:   int(conf.ReduceMergeInMemThreshold.From(&r)),
		Retain:           conf.ReduceInputBufferPercent.From(&r),
		Factor:           int(conf.TaskIOSortFactor.From(&r)),
		Copies:           int(conf.ReduceShuffleParallelCopies.From(&r)),
		ConnectTimeout:   conf.ReduceShuffleConnectTimeout.From(&r),
		ReadTimeout:      conf.ReduceShuffleReadTimeout.From(&r),
		RetryMax:         conf.ReduceShuffleRetryDelayMaxMS.From(&r),
		MaxFetchFailures: int(conf.ReduceShuffleMaxFetchFailures.From(&r)),
	}
	if cfg.InMemThreshold == 0 {
		cfg.InMemThreshold = -1 // as in Hadoop, 0 means that only memory limits the number of segments
	}
	return cfg, r.Err
}

// OutputRoom returns the number of bytes of map output that a process may keep in memory for its
// reducers. The process runs up to the given numbers of maps and reducers at the same time. The
// rest of its memory is enough for the maps' sort buffers and for half of the reducers' buffers.
func OutputRoom(c *conf.Config, maps, reduces int) (int64, error) {
	mapMB, err := MemoryMB(c, job.Map)
	if err != nil {
		return 0, err
	}
	reduceMB, err := MemoryMB(c, job.Reduce)
	if err != nil {
		return 0, err
	}
	sort, err := sortSettings(c, BufferBytes(mapMB))
	if err != nil {
		return 0, err
	}
	beside := BufferBytes(mapMB) - sort.Buffer - int64(sort.Factor+1)*mergeRun
	return min(int64(maps)*beside, int64(reduces)*BufferBytes(reduceMB)/2), nil
}

// counterLimits stores in t the configured limits on the numbers of counters and groups and on the
// lengths of their names.
func counterLimits(c *conf.Config, t *mapreduce.TaskInfo) error {
	r := conf.Reader{Conf: c}
	t.MaxCounters = int(conf.JobCountersMax.From(&r))
	t.MaxGroups = int(conf.JobCountersGroupsMax.From(&r))
	t.MaxCounterName = int(conf.JobCountersCounterNameMax.From(&r))
	t.MaxGroupName = int(conf.JobCountersGroupNameMax.From(&r))
	return r.Err
}

// LogLimit returns the number of bytes that an attempt keeps of each of its logs. 0 means all
// bytes.
func LogLimit(c *conf.Config) (int64, error) {
	kb, err := conf.TaskUserLogLimitKB.Get(c)
	return kb << 10, err
}

// mapOutputCodec returns the codec for intermediate data, or nil for no compression.
func mapOutputCodec(r *conf.Reader) codec.Codec {
	if on := conf.MapOutputCompress.From(r); r.Err != nil || !on {
		return nil
	}
	class := conf.MapOutputCompressCodec.Get(r.Conf)
	if class == "" {
		class = "org.apache.hadoop.io.compress.DefaultCodec"
	}
	x, err := codec.ByClass(class)
	if err != nil {
		r.Note(r.Conf.Refuse(conf.MapOutputCompressCodec.Name, err))
	}
	return x
}
