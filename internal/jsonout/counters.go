package jsonout

import "github.com/howdah/howdah/job"

// Counter contains a counter's names and value.
type Counter struct {
	job.CounterInfo
	Value   int64
	Builtin bool
	ID      job.CounterID // of a built-in counter
}

// Shown returns the visible counters in Hadoop's order. These are all user-defined counters, the
// built-in counters with nonzero values, and those that Hadoop always shows.
func Shown(c *job.Counters) []Counter {
	reduces := c.Builtin[job.LaunchedReduces] > 0
	var out []Counter
	builtin := func(from, to job.CounterID) {
		for id := from; id < to; id++ {
			if v := c.Builtin[id]; v != 0 || always(id, reduces) {
				out = append(out, Counter{id.Info(), v, true, id})
			}
		}
	}
	builtin(0, job.MapSkippedRecords)
	builtin(job.MapPhysicalMemoryMax, job.DiskBytesRead)
	builtin(job.MapSkippedRecords, job.InputBytesRead)
	builtin(job.DiskBytesRead, job.NumCounters)
	for _, u := range c.User {
		out = append(out,
			Counter{CounterInfo: job.CounterInfo{Group: u.Group, GroupDisplay: u.Group, Name: u.Name, Display: u.Name},
				Value: u.Value})
	}
	builtin(job.InputBytesRead, job.MapPhysicalMemoryMax)
	return out
}

// always reports whether Hadoop shows the counter id even if its value is zero. reduces is true if
// the job has launched reduces.
func always(id job.CounterID, reduces bool) bool {
	switch {
	case id <= job.FileWriteOps, id == job.MapInputRecords, id == job.MapOutputRecords, id == job.SplitRawBytes:
		return true
	case id == job.GCTimeMillis, id == job.SpilledRecords, id == job.FailedShuffle, id == job.MergedMapOutputs:
		return true
	case id == job.InputBytesRead, id == job.OutputBytesWritten:
		return true
	}
	return reduces && (id >= job.MapOutputBytes && id < job.MapSkippedRecords ||
		id >= job.ShuffleBadID && id <= job.ShuffleWrongReduce)
}

// CountersByName returns the visible counters by group and name.
func CountersByName(c *job.Counters) map[string]map[string]int64 {
	out := map[string]map[string]int64{}
	for _, k := range Shown(c) {
		if out[k.Group] == nil {
			out[k.Group] = map[string]int64{}
		}
		out[k.Group][k.Name] = k.Value
	}
	return out
}
