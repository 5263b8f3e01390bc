package runner

import (
	"fmt"
	"io"
	"slices"

	"github.com/howdah/howdah/job"
)

// WriteCounters prints counters as Hadoop does after a job, as "Counters: N" followed by the
// groups.
func WriteCounters(w io.Writer, c *job.Counters) {
	shown := Shown(c)
	fmt.Fprintf(w, "Counters: %d\n", len(shown))
	writeGroups(w, shown)
}

func writeGroups(w io.Writer, shown []Counter) {
	group := ""
	for _, s := range shown {
		if s.GroupDisplay != group {
			group = s.GroupDisplay
			fmt.Fprintf(w, "\t%s\n", group)
		}
		fmt.Fprintf(w, "\t\t%s=%d\n", s.Display, s.Value)
	}
}

// smallJob is the largest number of attempts of a job whose counters are folded.
const smallJob = 10

// writeFolded is like WriteCounters. For a small job, it prints only the job's own counters, the
// numbers of records and bytes, and those that tell of trouble.
func writeFolded(w io.Writer, c *job.Counters) {
	all := Shown(c)
	if c.Builtin[job.LaunchedMaps]+c.Builtin[job.LaunchedReduces] > smallJob {
		WriteCounters(w, c)
		return
	}
	some := slices.DeleteFunc(slices.Clone(all), func(k Counter) bool {
		return k.Value == 0 || k.Builtin && !slices.Contains(essential, k.ID)
	})
	fmt.Fprintf(w, "Counters: %d of %d (howdah run --counters all prints all)\n", len(some), len(all))
	writeGroups(w, some)
}

// essential lists the counters that writeFolded keeps.
var essential = []job.CounterID{job.MapInputRecords, job.MapOutputRecords, job.ReduceInputGroups,
	job.ReduceOutputRecords, job.InputBytesRead, job.OutputBytesWritten, job.FailedMaps, job.FailedReduces,
	job.KilledMaps, job.KilledReduces, job.MapSkippedRecords, job.ReduceSkippedGroups, job.ReduceSkippedRecords}

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
