package job

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// CounterID identifies a built-in counter. The order never changes, because the protocol and
// journals contain the numbers. Add new counters at the end, before NumCounters.
type CounterID uint16

// The built-in counters. Info returns their names.
const (
	FileBytesRead CounterID = iota
	FileBytesWritten
	FileReadOps
	FileLargeReadOps
	FileWriteOps
	HDFSBytesRead
	HDFSBytesWritten
	HDFSReadOps
	HDFSLargeReadOps
	HDFSWriteOps

	LaunchedMaps
	LaunchedReduces
	FailedMaps
	FailedReduces
	KilledMaps
	KilledReduces
	DataLocalMaps
	RackLocalMaps
	OtherLocalMaps
	SlotsMillisMaps
	SlotsMillisReduces
	MillisMaps
	MillisReduces
	VCoresMillisMaps
	VCoresMillisReduces
	MBMillisMaps
	MBMillisReduces

	MapInputRecords
	MapOutputRecords
	MapOutputBytes
	MapOutputMaterializedBytes
	SplitRawBytes
	CombineInputRecords
	CombineOutputRecords
	ReduceInputGroups
	ReduceShuffleBytes
	ReduceInputRecords
	ReduceOutputRecords
	SpilledRecords
	ShuffledMaps
	FailedShuffle
	MergedMapOutputs
	GCTimeMillis
	CPUMillis
	PhysicalMemoryBytes
	VirtualMemoryBytes
	CommittedHeapBytes
	MapSkippedRecords
	ReduceSkippedRecords
	ReduceSkippedGroups

	ShuffleBadID
	ShuffleConnection
	ShuffleIOError
	ShuffleWrongLength
	ShuffleWrongMap
	ShuffleWrongReduce

	InputBytesRead
	OutputBytesWritten

	// For a job, each of the next four counters is the maximum over its tasks, not the sum.
	MapPhysicalMemoryMax
	MapVirtualMemoryMax
	ReducePhysicalMemoryMax
	ReduceVirtualMemoryMax

	// The next two counters are the bytes that all processes of a task read from and wrote to
	// disks, as counted by the kernel.
	DiskBytesRead
	DiskBytesWritten

	NumCounters
)

// ShuffleCounter returns the counter of the bytes that an attempt adds to the shuffle: the size of a map's
// output, or of the map outputs that a reduce has fetched. t must be Map or Reduce.
func ShuffleCounter(t TaskType) CounterID {
	return [2]CounterID{MapOutputMaterializedBytes, ReduceShuffleBytes}[t]
}

// CounterInfo contains the names of a built-in counter.
type CounterInfo struct {
	Group        string // name in APIs, such as "org.apache.hadoop.mapreduce.TaskCounter"
	GroupDisplay string // display name, such as "Map-Reduce Framework"
	Name         string // "MAP_INPUT_RECORDS"
	Display      string // "Map input records"
}

// The groups of built-in counters, named as in Hadoop 3.
const (
	GroupFileSystem   = "org.apache.hadoop.mapreduce.FileSystemCounter"
	GroupJob          = "org.apache.hadoop.mapreduce.JobCounter"
	GroupTask         = "org.apache.hadoop.mapreduce.TaskCounter"
	GroupShuffle      = "Shuffle Errors"
	GroupInputFormat  = "org.apache.hadoop.mapreduce.lib.input.FileInputFormatCounter"
	GroupOutputFormat = "org.apache.hadoop.mapreduce.lib.output.FileOutputFormatCounter"
	GroupDisk         = "Disk Counters" // not Hadoop's
)

// These are counters of scheduler features that Hadoop does not have. They are identified by name,
// like a job's own counters.
const (
	GroupScheduler     = "Scheduler Counters"
	BorrowedMaps       = "Maps in borrowed reduce slots"
	BorrowedReduces    = "Reduces in borrowed map slots"
	SpeculativeMaps    = "Second attempts of running maps"
	SpeculativeReduces = "Second attempts of running reduces"
)

var counterInfos = [NumCounters]CounterInfo{
	FileBytesRead:    {GroupFileSystem, "File System Counters", "FILE_BYTES_READ", "FILE: Number of bytes read"},
	FileBytesWritten: {GroupFileSystem, "File System Counters", "FILE_BYTES_WRITTEN", "FILE: Number of bytes written"},
	FileReadOps:      {GroupFileSystem, "File System Counters", "FILE_READ_OPS", "FILE: Number of read operations"},
	FileLargeReadOps: {GroupFileSystem, "File System Counters", "FILE_LARGE_READ_OPS",
		"FILE: Number of large read operations"},
	FileWriteOps:     {GroupFileSystem, "File System Counters", "FILE_WRITE_OPS", "FILE: Number of write operations"},
	HDFSBytesRead:    {GroupFileSystem, "File System Counters", "HDFS_BYTES_READ", "HDFS: Number of bytes read"},
	HDFSBytesWritten: {GroupFileSystem, "File System Counters", "HDFS_BYTES_WRITTEN", "HDFS: Number of bytes written"},
	HDFSReadOps:      {GroupFileSystem, "File System Counters", "HDFS_READ_OPS", "HDFS: Number of read operations"},
	HDFSLargeReadOps: {GroupFileSystem, "File System Counters", "HDFS_LARGE_READ_OPS",
		"HDFS: Number of large read operations"},
	HDFSWriteOps: {GroupFileSystem, "File System Counters", "HDFS_WRITE_OPS", "HDFS: Number of write operations"},

	LaunchedMaps:    {GroupJob, "Job Counters ", "TOTAL_LAUNCHED_MAPS", "Launched map tasks"},
	LaunchedReduces: {GroupJob, "Job Counters ", "TOTAL_LAUNCHED_REDUCES", "Launched reduce tasks"},
	FailedMaps:      {GroupJob, "Job Counters ", "NUM_FAILED_MAPS", "Failed map tasks"},
	FailedReduces:   {GroupJob, "Job Counters ", "NUM_FAILED_REDUCES", "Failed reduce tasks"},
	KilledMaps:      {GroupJob, "Job Counters ", "NUM_KILLED_MAPS", "Killed map tasks"},
	KilledReduces:   {GroupJob, "Job Counters ", "NUM_KILLED_REDUCES", "Killed reduce tasks"},
	DataLocalMaps:   {GroupJob, "Job Counters ", "DATA_LOCAL_MAPS", "Data-local map tasks"},
	RackLocalMaps:   {GroupJob, "Job Counters ", "RACK_LOCAL_MAPS", "Rack-local map tasks"},
	OtherLocalMaps:  {GroupJob, "Job Counters ", "OTHER_LOCAL_MAPS", "Other local map tasks"},
	SlotsMillisMaps: {GroupJob, "Job Counters ", "SLOTS_MILLIS_MAPS",
		"Total time spent by all maps in occupied slots (ms)"},
	SlotsMillisReduces: {GroupJob, "Job Counters ", "SLOTS_MILLIS_REDUCES",
		"Total time spent by all reduces in occupied slots (ms)"},
	MillisMaps:    {GroupJob, "Job Counters ", "MILLIS_MAPS", "Total time spent by all map tasks (ms)"},
	MillisReduces: {GroupJob, "Job Counters ", "MILLIS_REDUCES", "Total time spent by all reduce tasks (ms)"},
	VCoresMillisMaps: {GroupJob, "Job Counters ", "VCORES_MILLIS_MAPS",
		"Total vcore-milliseconds taken by all map tasks"},
	VCoresMillisReduces: {GroupJob, "Job Counters ", "VCORES_MILLIS_REDUCES",
		"Total vcore-milliseconds taken by all reduce tasks"},
	MBMillisMaps: {GroupJob, "Job Counters ", "MB_MILLIS_MAPS",
		"Total megabyte-milliseconds taken by all map tasks"},
	MBMillisReduces: {GroupJob, "Job Counters ", "MB_MILLIS_REDUCES",
		"Total megabyte-milliseconds taken by all reduce tasks"},

	MapInputRecords:  {GroupTask, "Map-Reduce Framework", "MAP_INPUT_RECORDS", "Map input records"},
	MapOutputRecords: {GroupTask, "Map-Reduce Framework", "MAP_OUTPUT_RECORDS", "Map output records"},
	MapOutputBytes:   {GroupTask, "Map-Reduce Framework", "MAP_OUTPUT_BYTES", "Map output bytes"},
	MapOutputMaterializedBytes: {GroupTask, "Map-Reduce Framework", "MAP_OUTPUT_MATERIALIZED_BYTES",
		"Map output materialized bytes"},
	SplitRawBytes:        {GroupTask, "Map-Reduce Framework", "SPLIT_RAW_BYTES", "Input split bytes"},
	CombineInputRecords:  {GroupTask, "Map-Reduce Framework", "COMBINE_INPUT_RECORDS", "Combine input records"},
	CombineOutputRecords: {GroupTask, "Map-Reduce Framework", "COMBINE_OUTPUT_RECORDS", "Combine output records"},
	ReduceInputGroups:    {GroupTask, "Map-Reduce Framework", "REDUCE_INPUT_GROUPS", "Reduce input groups"},
	ReduceShuffleBytes:   {GroupTask, "Map-Reduce Framework", "REDUCE_SHUFFLE_BYTES", "Reduce shuffle bytes"},
	ReduceInputRecords:   {GroupTask, "Map-Reduce Framework", "REDUCE_INPUT_RECORDS", "Reduce input records"},
	ReduceOutputRecords:  {GroupTask, "Map-Reduce Framework", "REDUCE_OUTPUT_RECORDS", "Reduce output records"},
	SpilledRecords:       {GroupTask, "Map-Reduce Framework", "SPILLED_RECORDS", "Spilled Records"},
	ShuffledMaps:         {GroupTask, "Map-Reduce Framework", "SHUFFLED_MAPS", "Shuffled Maps "},
	FailedShuffle:        {GroupTask, "Map-Reduce Framework", "FAILED_SHUFFLE", "Failed Shuffles"},
	MergedMapOutputs:     {GroupTask, "Map-Reduce Framework", "MERGED_MAP_OUTPUTS", "Merged Map outputs"},
	GCTimeMillis:         {GroupTask, "Map-Reduce Framework", "GC_TIME_MILLIS", "GC time elapsed (ms)"},
	CPUMillis:            {GroupTask, "Map-Reduce Framework", "CPU_MILLISECONDS", "CPU time spent (ms)"},
	PhysicalMemoryBytes: {GroupTask, "Map-Reduce Framework", "PHYSICAL_MEMORY_BYTES",
		"Physical memory (bytes) snapshot"},
	VirtualMemoryBytes: {GroupTask, "Map-Reduce Framework", "VIRTUAL_MEMORY_BYTES",
		"Virtual memory (bytes) snapshot"},
	CommittedHeapBytes: {GroupTask, "Map-Reduce Framework", "COMMITTED_HEAP_BYTES",
		"Total committed heap usage (bytes)"},
	MapSkippedRecords:    {GroupTask, "Map-Reduce Framework", "MAP_SKIPPED_RECORDS", "Map skipped records"},
	ReduceSkippedRecords: {GroupTask, "Map-Reduce Framework", "REDUCE_SKIPPED_RECORDS", "Reduce skipped records"},
	ReduceSkippedGroups:  {GroupTask, "Map-Reduce Framework", "REDUCE_SKIPPED_GROUPS", "Reduce skipped groups"},

	ShuffleBadID:       {GroupShuffle, "Shuffle Errors", "BAD_ID", "BAD_ID"},
	ShuffleConnection:  {GroupShuffle, "Shuffle Errors", "CONNECTION", "CONNECTION"},
	ShuffleIOError:     {GroupShuffle, "Shuffle Errors", "IO_ERROR", "IO_ERROR"},
	ShuffleWrongLength: {GroupShuffle, "Shuffle Errors", "WRONG_LENGTH", "WRONG_LENGTH"},
	ShuffleWrongMap:    {GroupShuffle, "Shuffle Errors", "WRONG_MAP", "WRONG_MAP"},
	ShuffleWrongReduce: {GroupShuffle, "Shuffle Errors", "WRONG_REDUCE", "WRONG_REDUCE"},

	InputBytesRead:     {GroupInputFormat, "File Input Format Counters ", "BYTES_READ", "Bytes Read"},
	OutputBytesWritten: {GroupOutputFormat, "File Output Format Counters ", "BYTES_WRITTEN", "Bytes Written"},

	MapPhysicalMemoryMax: {GroupTask, "Map-Reduce Framework", "MAP_PHYSICAL_MEMORY_BYTES_MAX",
		"Peak Map Physical memory (bytes)"},
	MapVirtualMemoryMax: {GroupTask, "Map-Reduce Framework", "MAP_VIRTUAL_MEMORY_BYTES_MAX",
		"Peak Map Virtual memory (bytes)"},
	ReducePhysicalMemoryMax: {GroupTask, "Map-Reduce Framework", "REDUCE_PHYSICAL_MEMORY_BYTES_MAX",
		"Peak Reduce Physical memory (bytes)"},
	ReduceVirtualMemoryMax: {GroupTask, "Map-Reduce Framework", "REDUCE_VIRTUAL_MEMORY_BYTES_MAX",
		"Peak Reduce Virtual memory (bytes)"},

	DiskBytesRead:    {GroupDisk, GroupDisk, "DISK_BYTES_READ", "Bytes read from disks"},
	DiskBytesWritten: {GroupDisk, GroupDisk, "DISK_BYTES_WRITTEN", "Bytes written to disks"},
}

// Info returns the counter's names. For an unknown counter, Name and Display contain the counter's
// number.
func (c CounterID) Info() CounterInfo {
	if c < NumCounters {
		return counterInfos[c]
	}
	n := fmt.Sprintf("COUNTER_%d", c)
	return CounterInfo{"unknown", "unknown", n, n}
}

// UserCounter is one of a job's own counters.
type UserCounter struct {
	Group, Name string
	Value       int64
}

// Counters contains the values of the built-in counters and of a job's own counters. User is sorted
// by group and name. The zero value is ready to use. Counters is not safe for concurrent use. For
// counters that are, see mapreduce.Context.
type Counters struct {
	Builtin [NumCounters]int64
	User    []UserCounter
}

// Add adds n to one of the job's own counters. It creates the counter if necessary.
func (c *Counters) Add(group, name string, n int64) {
	i, found := c.find(group, name)
	if found {
		c.User[i].Value += n
		return
	}
	c.User = slices.Insert(c.User, i, UserCounter{group, name, n})
}

// find returns the index in User of the counter with the given group and name. If the counter does
// not exist, find returns the index at which to insert it, and false.
func (c *Counters) find(group, name string) (int, bool) {
	return slices.BinarySearchFunc(c.User, UserCounter{Group: group, Name: name}, byName)
}

func byName(a, b UserCounter) int {
	return cmp.Or(strings.Compare(a.Group, b.Group), strings.Compare(a.Name, b.Name))
}

// SetUser replaces all user counters with all, which can be in any order but must not contain a
// counter twice. SetUser takes ownership of the slice.
func (c *Counters) SetUser(all []UserCounter) {
	slices.SortFunc(all, byName)
	c.User = all
}

// peak reports whether a job's value of the counter is the maximum of its tasks' values, as in
// Hadoop, instead of their sum.
func (c CounterID) peak() bool { return c >= MapPhysicalMemoryMax && c <= ReduceVirtualMemoryMax }

// Merge adds the values of all counters in o to those in c. For the four peak counters, it keeps
// the larger value instead. If o is nil, Merge has no effect.
func (c *Counters) Merge(o *Counters) {
	if o == nil {
		return
	}
	for i, v := range o.Builtin {
		c.MergeBuiltin(CounterID(i), v)
	}
	if len(c.User) == 0 {
		c.User = slices.Clone(o.User)
		return
	}
	var fresh []UserCounter
	for _, u := range o.User {
		if i, found := c.find(u.Group, u.Name); found {
			c.User[i].Value += u.Value
		} else {
			fresh = append(fresh, u)
		}
	}
	if len(fresh) > 0 { // a single sort is fast even for many counters
		c.SetUser(append(c.User, fresh...))
	}
}

// MergeBuiltin merges a task's value of a built-in counter, as Merge does.
func (c *Counters) MergeBuiltin(id CounterID, v int64) {
	if id.peak() {
		c.Builtin[id] = max(c.Builtin[id], v)
	} else {
		c.Builtin[id] += v
	}
}

// CheckLimits returns an error if the number of the job's own counters exceeds counters, or the
// number of their groups exceeds groups (mapreduce.job.counters.max and .groups.max). 0 means no
// limit.
func (c *Counters) CheckLimits(counters, groups int32) error {
	if n := len(c.User); counters > 0 && n > int(counters) {
		return fmt.Errorf("Too many counters: %d max=%d", n, counters)
	}
	n := int32(0)
	for i := range c.User {
		if i == 0 || c.User[i].Group != c.User[i-1].Group {
			n++
		}
	}
	if groups > 0 && n > groups {
		return fmt.Errorf("Too many counter groups: %d max=%d", n, groups)
	}
	return nil
}

// Get returns the value of a built-in or user counter and reports whether the counter exists. For a
// built-in counter, group and name can be API names or display names.
func (c *Counters) Get(group, name string) (int64, bool) {
	for i := range counterInfos {
		f := &counterInfos[i]
		if (f.Group == group || f.GroupDisplay == group) && (f.Name == name || f.Display == name) {
			return c.Builtin[i], true
		}
	}
	if i, found := c.find(group, name); found {
		return c.User[i].Value, true
	}
	return 0, false
}

// Clone returns an independent copy of c.
func (c *Counters) Clone() *Counters {
	d := *c
	d.User = append([]UserCounter(nil), c.User...)
	return &d
}
