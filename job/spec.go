package job

import "sort"

// Spec is what the JobTracker knows of a job: enough to schedule it and to show it. The job's whole configuration stays
// in job.xml in the job's staging directory. A Spec is not changed after it was submitted.
type Spec struct {
	Name       string
	User       string
	Queue      string
	Priority   Priority
	SubmitKey  string // chosen by the client; two submissions with one key are one job ("" = no such check)
	StagingDir string // directory with job.xml, job.split and what else was shipped
	OutputDir  string // what the job commit publishes; "" = the job writes no files

	Splits  []SplitMeta // one per map
	Reduces int32

	MapAttempts    int32 // mapreduce.map.maxattempts, ≥ 1
	ReduceAttempts int32 // mapreduce.reduce.maxattempts, ≥ 1
	// MapFailuresPercent and ReduceFailuresPercent: percentage of tasks that may fail without failing the job, 0–100.
	MapFailuresPercent    int32
	ReduceFailuresPercent int32
	TrackerFailures       int32 // mapreduce.job.maxtaskfailures.per.tracker; 0 = no per-job blacklist
	// SlowStart: the share of maps that must be done before reduces start, in millionths (0.05 = 50000).
	SlowStart    int32
	TaskTimeout  int64 // milliseconds without progress after which an attempt is failed; 0 = never
	MapMemory    int32 // MiB of a map's whole process
	ReduceMemory int32
	MapVCores    int32
	ReduceVCores int32
	MapLimit     int32 // most maps at once, 0 = no limit (mapreduce.job.running.map.limit)
	ReduceLimit  int32
	Deadline     int64 // milliseconds since the epoch, 0 = none (mapreduce.job.deadline)
	// MapSpeculative and ReduceSpeculative allow further attempts of tasks that run slowly (mapreduce.map.speculative, ...).
	MapSpeculative    bool
	ReduceSpeculative bool

	// SkipAfter: failed attempts of a task after which further ones run in skipping mode (mapreduce.task.skip.start.attempts).
	SkipAfter int32
	// MapSkip and ReduceSkip: records of a map and groups of a reduce that may be lost around a bad one; 0 = nothing is skipped.
	MapSkip    int64
	ReduceSkip int64

	// MaxCounters and MaxCounterGroups: how many of the job's own all its tasks together may have, 0 = any number
	// (mapreduce.job.counters.max, .groups.max).
	MaxCounters      int32
	MaxCounterGroups int32

	// Committer: the program brings a committer of its own, so the job has set-up and clean-up tasks.
	Committer bool

	// Conf holds the settings that differ from the defaults, sorted by name, for policies and pages.
	Conf []Property
}

// Property is one setting.
type Property struct{ Name, Value string }

// Get looks a setting up in Conf.
func (s *Spec) Get(name string) (string, bool) {
	i := sort.Search(len(s.Conf), func(i int) bool { return s.Conf[i].Name >= name })
	if i < len(s.Conf) && s.Conf[i].Name == name {
		return s.Conf[i].Value, true
	}
	return "", false
}

// Tasks gives the number of tasks of a type.
func (s *Spec) Tasks(t TaskType) int32 {
	switch t {
	case Map:
		return int32(len(s.Splits))
	case Reduce:
		return s.Reduces
	case Setup, Cleanup:
		if s.Committer {
			return [...]int32{Setup: 1, Cleanup: numCleanups}[t]
		}
	}
	return 0
}

// The clean-up tasks of a job with a committer of its own, by index. One of them runs, or CleanupCommit and then CleanupFailed.
const (
	CleanupCommit = iota // the job commit
	CleanupFailed        // the clean-up of a job that failed
	CleanupKilled        // the clean-up of a job that was killed
	numCleanups
)

// DefaultMemory and DefaultVCores are what a task asks for whose job does not say: mapreduce.map.memory.mb and
// mapreduce.map.cpu.vcores and those of reduces, by Hadoop's defaults.
const (
	DefaultMemory = 1024
	DefaultVCores = 1
)

// Memory gives the MiB that a task of a type asks for.
func (s *Spec) Memory(t TaskType) int32 {
	m := s.MapMemory
	if t == Reduce {
		m = s.ReduceMemory
	}
	if m <= 0 {
		return DefaultMemory
	}
	return m
}

// VCores gives the cores that a task of a type asks for.
func (s *Spec) VCores(t TaskType) int32 {
	n := s.MapVCores
	if t == Reduce {
		n = s.ReduceVCores
	}
	if n <= 0 {
		return DefaultVCores
	}
	return n
}

// Speculative tells whether further attempts of slow tasks of a type may run.
func (s *Spec) Speculative(t TaskType) bool {
	return t == Map && s.MapSpeculative || t == Reduce && s.ReduceSpeculative
}

// Skip gives the records or groups that a task of a type may lose around a bad one; 0 = nothing is skipped.
func (s *Spec) Skip(t TaskType) int64 {
	if t == Map {
		return s.MapSkip
	}
	return s.ReduceSkip
}

// SplitMeta is what scheduling needs to know of an input split.
type SplitMeta struct {
	Hosts  []string // nodes that hold it, best first; nil = anywhere
	Length int64    // bytes
	Offset int64    // where the split's own record lies in job.split
}

// OutputFile is one file of a manifest: what a successful attempt wrote and the job commit may publish.
type OutputFile struct {
	Name     string // relative to the attempt's directory, slash-separated
	Length   int64  // bytes
	Checksum uint32 // CRC32C of the bytes; 0 = not known: the user's program wrote the file by itself
}
