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
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/scheduler/adaptive"
	"github.com/howdah/howdah/scheduler/estimate"
	"github.com/howdah/howdah/scheduler/speculation"
)

// Limits on the size of a specification, because snapshots and pages contain it.
const (
	maxName       = 1000
	maxProperties = 2000
	maxValue      = 4 << 10
)

// readSpec builds the specification of a job, without Conf and Name, from its staged configuration. It
// validates every value before any part of the job exists.
func readSpec(c *conf.Config, splits []job.SplitMeta, now time.Time) (*job.Spec, error) {
	r := reader{conf.Reader{Conf: c}}
	s := &job.Spec{
		Queue:                 conf.JobQueueName.Get(c),
		Priority:              r.priority(),
		Splits:                splits,
		OutputDir:             conf.OutputFileOutputFormatOutputDir.Get(c),
		Reduces:               int32(conf.JobReduces.From(&r)),
		MapAttempts:           int32(conf.MapMaxAttempts.From(&r)),
		ReduceAttempts:        int32(conf.ReduceMaxAttempts.From(&r)),
		MapFailuresPercent:    int32(conf.MapFailuresMaxPercent.From(&r)),
		ReduceFailuresPercent: int32(conf.ReduceFailuresMaxPercent.From(&r)),
		TrackerFailures:       int32(conf.JobMaxTaskFailuresPerTracker.From(&r)),
		SlowStart:             int32(r.millionths(&conf.JobReduceSlowStartCompletedMaps)),
		TaskTimeout:           conf.TaskTimeout.From(&r),
		MapMemory:             r.taskMemory(&conf.MapMemoryMB),
		ReduceMemory:          r.taskMemory(&conf.ReduceMemoryMB),
		MapVCores:             int32(conf.MapCPUVCores.From(&r)),
		ReduceVCores:          int32(conf.ReduceCPUVCores.From(&r)),
		MapLimit:              int32(conf.JobRunningMapLimit.From(&r)),
		ReduceLimit:           int32(conf.JobRunningReduceLimit.From(&r)),
		MapSpeculative:        conf.MapSpeculative.From(&r),
		ReduceSpeculative:     conf.ReduceSpeculative.From(&r),
		MaxCounters:           int32(conf.JobCountersMax.From(&r)),
		MaxCounterGroups:      int32(conf.JobCountersGroupsMax.From(&r)),
		Committer:             conf.JobCommitter.From(&r),
		SkipAfter:             int32(conf.TaskSkipStartAttempts.From(&r)),
		MapSkip:               conf.MapSkipMaxRecords.From(&r),
		ReduceSkip:            conf.ReduceSkipMaxGroups.From(&r),
	}
	var err error
	s.Deadline, err = status.ReadDeadline(c, now)
	r.Note(err)
	if _, err := estimate.Parse(conf.JobProfile.Get(c)); err != nil {
		r.Note(c.Refuse(conf.JobProfile.Name, err))
	}
	r.Note(speculation.Check(c))
	r.Note(adaptive.Check(c))
	conf.FileOutputCommitterMarkSuccessfulJobs.From(&r)
	_, err = notify.Read(c)
	r.Note(err)
	return s, r.Err
}

// jobInfo returns the data of a job for TaskTrackers. It reports invalid values in the job's
// configuration.
func jobInfo(c *conf.Config, s *job.Spec, id job.ID, token []byte) (*tracker.JobInfo, error) {
	r := reader{conf.Reader{Conf: c}}
	perChild := conf.JobJVMNumTasks.From(&r)
	if perChild == 0 {
		r.Note(c.Refuse(conf.JobJVMNumTasks.Name, errors.New("want -1, or 1 to 1000000")))
	}
	if c.IsDefault(conf.JobJVMNumTasks.Name) {
		perChild = 0
	}
	info := &tracker.JobInfo{
		Job: id.Seq, Id: id.String(), StagingDir: s.StagingDir, OutputDir: s.OutputDir, User: s.User, Token: token,
		Program: conf.JobProgramID.Get(c), ProgramPath: conf.JobProgramPath.Get(c), JobName: conf.JobProgramJob.Get(c),
		Maps: int32(len(s.Splits)), Reduces: s.Reduces, MapMemoryMb: s.MapMemory, ReduceMemoryMb: s.ReduceMemory,
		TaskTimeout: s.TaskTimeout, TasksPerChild: int32(perChild),
		Skips: s.MapSkip > 0 || s.ReduceSkip > 0, NotifyUrl: conf.JobEndNotificationURL.Get(c),
		ViewAcl: conf.JobACLViewJob.Get(c),
	}
	info.KeepTokens = !conf.JobCompleteCancelDelegationTokens.From(&r)
	if info.JobName == "" {
		r.Note(failure.New(failure.Usage, "submit job", s.Name,
			fmt.Errorf("%s does not name a job of the program", staging.ConfFile)))
	}
	return info, r.Err
}

func (r *reader) priority() job.Priority {
	name := conf.JobPriority.Get(r.Conf)
	if name == "" {
		return job.Normal
	}
	p, ok := job.ParsePriority(name)
	if !ok {
		r.Note(r.Conf.Refuse(conf.JobPriority.Name, errors.New("want one of VERY_HIGH HIGH NORMAL LOW VERY_LOW")))
	}
	return p
}

// properties returns the settings of c that differ from the defaults. It omits values longer than
// maxValue and any settings beyond the first maxProperties, which are only in job.xml. c must not
// contain secrets.
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
