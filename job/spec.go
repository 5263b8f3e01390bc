package job

import "sort"

// Spec contains the properties of a job that the JobTracker needs in order to schedule and display
// the job. The complete configuration is in job.xml in the job's staging directory. A Spec is
// immutable after submission.
type Spec struct {
	Name       string
	User       string
	Queue      string
	Priority   Priority
	SubmitKey  string // chosen by the client; submissions with equal keys result in one job; "" disables this check
	StagingDir string // directory with job.xml, job.split, and all other shipped files
	OutputDir  string // directory of the committed output; "" means that the job writes no files

	Splits  []SplitMeta // one per map
	Reduces int32

	MapAttempts    int32 // mapreduce.map.maxattempts, ≥ 1
	ReduceAttempts int32 // mapreduce.reduce.maxattempts, ≥ 1
	// MapFailuresPercent and ReduceFailuresPercent are the percentages of tasks, 0–100, that can
	// fail without failing the job.
	MapFailuresPercent    int32
	ReduceFailuresPercent int32
	TrackerFailures       int32 // mapreduce.job.maxtaskfailures.per.tracker; 0 means no per-job blacklist
	// SlowStart is the fraction of maps that must finish before reduces start, in millionths (0.05
	// = 50000).
	SlowStart    int32
	TaskTimeout  int64 // milliseconds without progress before an attempt fails; 0 means no timeout
	MapMemory    int32 // memory of a map's whole process, in MiB; 0 means not set (see Memory)
	ReduceMemory int32
	MapVCores    int32 // cores of a map; 0 means not set (see VCores)
	ReduceVCores int32
	MapLimit     int32 // maximum number of concurrent maps; 0 means no limit (mapreduce.job.running.map.limit)
	ReduceLimit  int32
	Deadline     int64 // in ms since the epoch; 0 means no deadline (mapreduce.job.deadline)
	// MapSpeculative and ReduceSpeculative permit additional attempts of slow tasks
	// (mapreduce.map.speculative and mapreduce.reduce.speculative).
	MapSpeculative    bool
	ReduceSpeculative bool

	// SkipAfter is the number of failed attempts of a task after which later attempts run in
	// skipping mode (mapreduce.task.skip.start.attempts). 0 has the same effect as 1.
	SkipAfter int32
	// MapSkip is the maximum number of a map's records that the job can lose around a bad record.
	// ReduceSkip is the same for the groups of a reduce. 0 disables skipping.
	MapSkip    int64
	ReduceSkip int64

	// MaxCounters and MaxCounterGroups limit the number of the job's own counters and of their
	// groups. The limits apply to all tasks together. 0 means no limit (mapreduce.job.counters.max
	// and .groups.max).
	MaxCounters      int32
	MaxCounterGroups int32

	// Committer means that the program has a custom committer, so the job has setup and cleanup
	// tasks.
	Committer bool

	// Conf contains the settings that differ from the defaults, sorted by name. Their size and
	// number are limited. Policies and web pages use them.
	Conf []Property
}

// Property is one setting.
type Property struct{ Name, Value string }

// Get returns the value of the setting with the given name in Conf, and reports whether Conf
// contains the setting.
func (s *Spec) Get(name string) (string, bool) {
	i := sort.Search(len(s.Conf), func(i int) bool { return s.Conf[i].Name >= name })
	if i < len(s.Conf) && s.Conf[i].Name == name {
		return s.Conf[i].Value, true
	}
	return "", false
}

// Tasks returns the number of the job's tasks of type t.
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

// These are the indexes of the cleanup tasks of a job with a custom committer. If CleanupCommit
// does not complete the job, CleanupFailed or CleanupKilled can run after it.
const (
	CleanupCommit = iota // the job commit
	CleanupFailed        // the cleanup of a failed job
	CleanupKilled        // the cleanup of a killed job
	numCleanups
)

// DefaultMemory and DefaultVCores are the memory, in MiB, and the cores that a task demands if the
// job does not set them. They are Hadoop's defaults for mapreduce.map.memory.mb,
// mapreduce.map.cpu.vcores, and the corresponding keys for reduces.
const (
	DefaultMemory = 1024
	DefaultVCores = 1
)

// Memory returns the memory demand of a task of the given type, in MiB. Setup and cleanup tasks demand
// as much as maps.
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

// VCores returns the number of cores that a task of the given type demands. Setup and cleanup tasks
// demand as many as maps.
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

// Speculative reports whether slow tasks of type t can have additional attempts.
func (s *Spec) Speculative(t TaskType) bool {
	return t == Map && s.MapSpeculative || t == Reduce && s.ReduceSpeculative
}

// Skip returns the maximum number of a map's records or a reduce's groups that the job can afford
// to lose around a bad one. 0 means that skipping is disabled.
func (s *Spec) Skip(t TaskType) int64 {
	if t == Map {
		return s.MapSkip
	}
	return s.ReduceSkip
}

// SplitMeta is the part of an input split that scheduling needs.
type SplitMeta struct {
	Hosts  []string // nodes with a replica, best first; nil means no preference
	Length int64    // bytes
	Offset int64    // offset of the split's record in job.split
}

// OutputFile is a file in the manifest of a successful attempt. The job commit can publish it.
type OutputFile struct {
	Name     string // relative to the attempt's directory, slash-separated
	Length   int64  // bytes
	Checksum uint32 // CRC32C of the content; 0 means unknown, because the user's program wrote the file itself
}
