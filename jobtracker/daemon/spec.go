package daemon

import (
	"errors"
	"fmt"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/notify"
	"github.com/howdah/howdah/internal/staging"
	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/scheduler/adaptive"
	"github.com/howdah/howdah/scheduler/estimate"
	"github.com/howdah/howdah/scheduler/speculation"
)

const (
	keyName      = "mapreduce.job.name"
	keyQueue     = "mapreduce.job.queuename"
	keyPriority  = "mapreduce.job.priority"
	keyOutputDir = "mapreduce.output.fileoutputformat.outputdir"
	keyMark      = "mapreduce.fileoutputcommitter.marksuccessfuljobs"
)

// Bounds on what goes into every snapshot and page.
const (
	maxName       = 1000
	maxProperties = 2000
	maxValue      = 4 << 10
)

// readSpec builds the specification of a job from its staged configuration. Every value is checked here, so that a bad one is
// refused before anything of the job exists.
func readSpec(c *conf.Config, splits []job.SplitMeta, now time.Time) (*job.Spec, error) {
	r := reader{conf.Reader{Conf: c}}
	s := &job.Spec{
		Name:                  cut(c.Get(keyName), maxName),
		Queue:                 c.Get(keyQueue),
		Priority:              r.priority(),
		Splits:                splits,
		OutputDir:             c.Get(keyOutputDir),
		Reduces:               int32(r.Int("mapreduce.job.reduces", 1, 0, 100_000)),
		MapAttempts:           int32(r.Int("mapreduce.map.maxattempts", 4, 1, 1000)),
		ReduceAttempts:        int32(r.Int("mapreduce.reduce.maxattempts", 4, 1, 1000)),
		MapFailuresPercent:    int32(r.Int("mapreduce.map.failures.maxpercent", 0, 0, 100)),
		ReduceFailuresPercent: int32(r.Int("mapreduce.reduce.failures.maxpercent", 0, 0, 100)),
		TrackerFailures:       int32(r.Int("mapreduce.job.maxtaskfailures.per.tracker", 3, 0, 1000)),
		SlowStart:             int32(r.millionths("mapreduce.job.reduce.slowstart.completedmaps", 0.05, 0, 1)),
		TaskTimeout:           r.Int("mapreduce.task.timeout", 600_000, 0, 1<<40),
		MapMemory:             r.taskMemory("mapreduce.map.memory.mb"),
		ReduceMemory:          r.taskMemory("mapreduce.reduce.memory.mb"),
		MapVCores:             int32(r.Int("mapreduce.map.cpu.vcores", 1, 1, 1024)),
		ReduceVCores:          int32(r.Int("mapreduce.reduce.cpu.vcores", 1, 1, 1024)),
		MapLimit:              int32(r.Int("mapreduce.job.running.map.limit", 0, 0, 1_000_000)),
		ReduceLimit:           int32(r.Int("mapreduce.job.running.reduce.limit", 0, 0, 1_000_000)),
		MapSpeculative:        r.Bool("mapreduce.map.speculative", true),
		ReduceSpeculative:     r.Bool("mapreduce.reduce.speculative", true),
		MaxCounters:           int32(r.Int("mapreduce.job.counters.max", 120, 1, 4096)),
		MaxCounterGroups:      int32(r.Int("mapreduce.job.counters.groups.max", 50, 1, 10_000)),
		Committer:             r.Bool(mapreduce.KeyCommitter, false),
		SkipAfter:             int32(r.Int("mapreduce.task.skip.start.attempts", 2, 0, 100)),
		MapSkip:               r.Int("mapreduce.map.skip.maxrecords", 0, 0, 1<<62),
		ReduceSkip:            r.Int("mapreduce.reduce.skip.maxgroups", 0, 0, 1<<62),
		Conf:                  properties(c),
	}
	s.Deadline = r.deadline(now)
	if _, err := estimate.Parse(c.Get(estimate.Key)); err != nil {
		r.Note(c.Refuse(estimate.Key, err))
	}
	r.Note(speculation.Check(c))
	r.Note(adaptive.Check(c))
	r.Bool(keyMark, true)
	_, err := notify.Read(c)
	r.Note(err)
	return s, r.Err
}

// jobInfo is what TaskTrackers get to know of a job.
func jobInfo(c *conf.Config, s *job.Spec, id job.ID, token []byte) (*tracker.JobInfo, error) {
	r := reader{conf.Reader{Conf: c}}
	perChild := r.Int("mapreduce.job.jvm.numtasks", 1, -1, 1_000_000)
	if perChild == 0 {
		r.Note(c.Refuse("mapreduce.job.jvm.numtasks", errors.New("want -1, or 1 to 1000000")))
	}
	info := &tracker.JobInfo{
		Job: id.Seq, Id: id.String(), StagingDir: s.StagingDir, OutputDir: s.OutputDir, User: s.User, Token: token,
		Program: c.Get(staging.KeyProgramID), ProgramPath: c.Get(staging.KeyProgramPath), JobName: c.Get(staging.KeyJobName),
		Maps: int32(len(s.Splits)), Reduces: s.Reduces, MapMemoryMb: s.MapMemory, ReduceMemoryMb: s.ReduceMemory,
		TaskTimeout: s.TaskTimeout, TasksPerChild: int32(perChild), SplitOffset: make([]int64, len(s.Splits)),
		Skips: s.MapSkip > 0 || s.ReduceSkip > 0,
	}
	for i, split := range s.Splits {
		info.SplitOffset[i] = split.Offset
	}
	info.KeepTokens = !r.Bool("mapreduce.job.complete.cancel.delegation.tokens", true)
	if info.JobName == "" {
		r.Note(failure.New(failure.Usage, "submit job", s.Name, fmt.Errorf("%s does not say which job of its program it is", staging.ConfFile)))
	}
	return info, r.Err
}

func (r *reader) priority() job.Priority {
	name := r.Conf.Get(keyPriority)
	if name == "" {
		return job.Normal
	}
	p, ok := job.ParsePriority(name)
	if !ok {
		r.Note(r.Conf.Refuse(keyPriority, errors.New("want one of VERY_HIGH HIGH NORMAL LOW VERY_LOW")))
	}
	return p
}

// properties lists what differs from the defaults. What is too much to be kept in memory stays in job.xml alone.
func properties(c *conf.Config) []job.Property {
	var list []job.Property
	for _, p := range c.Properties(true) {
		if len(p.Value) <= maxValue && len(list) < maxProperties {
			list = append(list, job.Property{Name: p.Name, Value: p.Value})
		}
	}
	return list
}

func cut(s string, n int) string {
	if len(s) > n {
		return s[:n]
	}
	return s
}
