package job

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/howdah/howdah/internal/golden"
)

// docs/reference/counters.md is up to date. To generate it from the table of counters, run
// go test ./job -run TestCountersDocument -rewrite
func TestCountersDocument(t *testing.T) {
	golden.Compare(t, "../docs/reference/counters.md", []byte(countersDocument()))
}

var counterGroups = []string{
	GroupFileSystem, GroupJob, GroupTask, GroupShuffle, GroupInputFormat, GroupOutputFormat, GroupDisk,
}

func countersDocument() string {
	var b strings.Builder
	b.WriteString(`# Counters

The built-in counters have Hadoop's groups, names, and display names. Hadoop lacks only the Disk
Counters and Scheduler Counters groups. This page is generated from job/counter.go by
` + "`go test ./job -run TestCountersDocument -rewrite`" + `. A test checks that the page is up to date.

` + "`howdah job -counter ID GROUP NAME`" + ` accepts both names and display names. As in Hadoop, the display
names Job Counters, File Input Format Counters, File Output Format Counters, and Shuffled Maps end
with a space. The value of an ended job's counter is the sum over the successful attempts of the
job's maps and reduces. There are two exceptions. A peak, such as ` + "`MAP_PHYSICAL_MEMORY_BYTES_MAX`" + `,
is the largest value among these attempts. The counters in the Job Counters and Scheduler Counters
groups include failed and killed attempts. Programs add their own counters with ` + "`Context.Counter`" + `.
If a job runs in the command's process, the CPU, garbage collection, and memory counters describe
that process.
`)
	infos := slices.Clone(counterInfos[:])
	slices.SortStableFunc(infos, func(x, y CounterInfo) int { // peaks were added later, so sort them into their groups
		return cmp.Compare(slices.Index(counterGroups, x.Group), slices.Index(counterGroups, y.Group))
	})
	for i, c := range infos {
		if i == 0 || c.Group != infos[i-1].Group {
			fmt.Fprintf(&b, "\n## %s\n\nGroup `%s`\n\n| name | display name | meaning |\n|---|---|---|\n",
				strings.TrimSpace(c.GroupDisplay), c.Group)
		}
		meaning := counterMeanings[c.Name]
		if meaning == "" {
			panic(c.Name + " has no meaning")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c.Name, strings.TrimSpace(c.Display), meaning)
	}
	fmt.Fprintf(&b, "\n## %s\n\nGroup `%s`\n\n| name | meaning |\n|---|---|\n", GroupScheduler, GroupScheduler)
	for _, name := range []string{BorrowedMaps, BorrowedReduces, SpeculativeMaps, SpeculativeReduces} {
		fmt.Fprintf(&b, "| %s | %s |\n", name, counterMeanings[name])
	}
	return b.String()
}

// counterMeanings describes each counter, by name.
var counterMeanings = map[string]string{
	"FILE_BYTES_READ":        "number of bytes that tasks read from local files, including intermediate files",
	"FILE_BYTES_WRITTEN":     "number of bytes that tasks wrote to local files, including intermediate files",
	"FILE_READ_OPS":          "number of times that tasks read an intermediate file or part of one",
	"FILE_LARGE_READ_OPS":    "always 0",
	"FILE_WRITE_OPS":         "number of intermediate files that tasks wrote",
	"HDFS_BYTES_READ":        "number of bytes that tasks read from HDFS",
	"HDFS_BYTES_WRITTEN":     "number of bytes that tasks wrote to HDFS",
	"HDFS_READ_OPS":          "number of operations with which tasks read HDFS files or metadata",
	"HDFS_LARGE_READ_OPS":    "always 0",
	"HDFS_WRITE_OPS":         "number of operations with which tasks changed HDFS files or metadata",
	"TOTAL_LAUNCHED_MAPS":    "number of map attempts that the JobTracker launched",
	"TOTAL_LAUNCHED_REDUCES": "number of reduce attempts that the JobTracker launched",
	"NUM_FAILED_MAPS":        "number of failed map attempts",
	"NUM_FAILED_REDUCES":     "number of failed reduce attempts",
	"NUM_KILLED_MAPS":        "number of killed map attempts",
	"NUM_KILLED_REDUCES":     "number of killed reduce attempts",
	"DATA_LOCAL_MAPS":        "number of map attempts that the JobTracker launched on a node with their input",
	"RACK_LOCAL_MAPS": "number of map attempts that the JobTracker launched in the same rack as their input, " +
		"but on a different node",
	"OTHER_LOCAL_MAPS":              "number of all other map attempts that the JobTracker launched",
	"SLOTS_MILLIS_MAPS":             "sum over map attempts of run time multiplied by number of slots",
	"SLOTS_MILLIS_REDUCES":          "sum over reduce attempts of run time multiplied by number of slots",
	"MILLIS_MAPS":                   "total run time of map attempts",
	"MILLIS_REDUCES":                "total run time of reduce attempts",
	"VCORES_MILLIS_MAPS":            "total run time of map attempts, multiplied by `mapreduce.map.cpu.vcores`",
	"VCORES_MILLIS_REDUCES":         "total run time of reduce attempts, multiplied by `mapreduce.reduce.cpu.vcores`",
	"MB_MILLIS_MAPS":                "total run time of map attempts, multiplied by `mapreduce.map.memory.mb`",
	"MB_MILLIS_REDUCES":             "total run time of reduce attempts, multiplied by `mapreduce.reduce.memory.mb`",
	"MAP_INPUT_RECORDS":             "number of records that mappers read",
	"MAP_OUTPUT_RECORDS":            "number of records that mappers emitted",
	"MAP_OUTPUT_BYTES":              "number of bytes in the keys and values that mappers emitted",
	"MAP_OUTPUT_MATERIALIZED_BYTES": "number of bytes in the map output files, after compression",
	"SPLIT_RAW_BYTES":               "number of bytes in the descriptions of the splits, not in their data",
	"COMBINE_INPUT_RECORDS":         "number of records that combiners read",
	"COMBINE_OUTPUT_RECORDS":        "number of records that combiners emitted",
	"REDUCE_INPUT_GROUPS":           "number of groups of equal keys that reducers read",
	"REDUCE_SHUFFLE_BYTES":          "number of bytes of map output that reducers fetched",
	"REDUCE_INPUT_RECORDS":          "number of records that reducers read",
	"REDUCE_OUTPUT_RECORDS":         "number of records that reducers emitted",
	"SPILLED_RECORDS": "number of records that tasks wrote to intermediate files; each " +
		"write of a record counts",
	"SHUFFLED_MAPS":         "number of map outputs that reducers fetched",
	"FAILED_SHUFFLE":        "number of failed fetches of map output",
	"MERGED_MAP_OUTPUTS":    "number of fetched map outputs that reducers merged",
	"GC_TIME_MILLIS":        "total pause time of the garbage collector",
	"CPU_MILLISECONDS":      "user and system CPU time of all processes of the tasks",
	"PHYSICAL_MEMORY_BYTES": "total resident memory of the tasks, each measured when the task ended",
	"VIRTUAL_MEMORY_BYTES": "total address space of the tasks' own processes, " +
		"each measured when the task ended",
	"COMMITTED_HEAP_BYTES": "total heap size of the tasks' own processes, " +
		"each measured when the task ended",
	"MAP_SKIPPED_RECORDS":              "number of bad records that maps skipped",
	"REDUCE_SKIPPED_RECORDS":           "number of records in the bad groups that reducers skipped",
	"REDUCE_SKIPPED_GROUPS":            "number of bad groups that reducers skipped",
	"MAP_PHYSICAL_MEMORY_BYTES_MAX":    "largest resident memory of any map",
	"MAP_VIRTUAL_MEMORY_BYTES_MAX":     "largest address space of any map's own process",
	"REDUCE_PHYSICAL_MEMORY_BYTES_MAX": "largest resident memory of any reducer",
	"REDUCE_VIRTUAL_MEMORY_BYTES_MAX":  "largest address space of any reducer's own process",
	"BAD_ID":                           "always 0",
	"CONNECTION":                       "number of fetches that failed because the request to the TaskTracker failed",
	"IO_ERROR": "number of fetches that were interrupted or rejected, or that " +
		"returned damaged data",
	"WRONG_LENGTH": "always 0",
	"WRONG_MAP":    "number of fetches that returned the output of the wrong map",
	"WRONG_REDUCE": "number of fetches that returned no output for the reducer",
	"BYTES_READ":   "number of bytes that the input format read",
	"BYTES_WRITTEN": "number of bytes that the output format wrote, " +
		"excluding lazy and additional output",
	"DISK_BYTES_READ": "number of bytes that all processes of the tasks read from disks, " +
		"as counted by the kernel",
	"DISK_BYTES_WRITTEN": "number of bytes that all processes of the tasks wrote to disks, " +
		"as counted by the kernel",
	BorrowedMaps:    "number of map attempts that ran in reduce slots",
	BorrowedReduces: "number of reduce attempts that ran in map slots",
	SpeculativeMaps: "number of map attempts that started while another attempt of the task " +
		"was running",
	SpeculativeReduces: "number of reduce attempts that started while another attempt of the task " +
		"was running",
}
