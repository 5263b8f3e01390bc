package runner

import (
	"fmt"
	"io"
	"slices"

	"github.com/howdah/howdah/internal/jsonout"
	"github.com/howdah/howdah/job"
)

// WriteCounters prints counters as Hadoop does after a job, as "Counters: N" followed by the
// groups.
func WriteCounters(w io.Writer, c *job.Counters) {
	shown := jsonout.Shown(c)
	fmt.Fprintf(w, "Counters: %d\n", len(shown))
	writeGroups(w, shown)
}

func writeGroups(w io.Writer, shown []jsonout.Counter) {
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
	all := jsonout.Shown(c)
	if c.Builtin[job.LaunchedMaps]+c.Builtin[job.LaunchedReduces] > smallJob {
		WriteCounters(w, c)
		return
	}
	some := slices.DeleteFunc(slices.Clone(all), func(k jsonout.Counter) bool {
		return k.Value == 0 || k.Builtin && !slices.Contains(essential, k.ID)
	})
	fmt.Fprintf(w, "Counters: %d of %d (howdah run --counters all prints all)\n", len(some), len(all))
	writeGroups(w, some)
}

// essential lists the counters that writeFolded keeps.
var essential = []job.CounterID{job.MapInputRecords, job.MapOutputRecords, job.ReduceInputGroups,
	job.ReduceOutputRecords, job.InputBytesRead, job.OutputBytesWritten, job.FailedMaps, job.FailedReduces,
	job.KilledMaps, job.KilledReduces, job.MapSkippedRecords, job.ReduceSkippedGroups, job.ReduceSkippedRecords}
