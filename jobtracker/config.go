package jobtracker

import (
	"errors"
	"fmt"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// Config holds the settings of the state machine. Most fields list their key and their default.
// Times are in milliseconds.
type Config struct {
	// Cluster is the cluster identifier that appears in job IDs. In Hadoop 1 it is the minute of the
	// JobTracker's start (yyyyMMddHHmm). It applies only if the JobTracker has no journal yet.
	// Otherwise, the JobTracker uses the identifier in the journal.
	Cluster string

	// Expiry is the time without a heartbeat after which a tracker expires. It is also the time
	// after which the JobTracker kills an attempt if the tracker has not confirmed that it started
	// the attempt. mapreduce.jobtracker.expire.trackers.interval
	// (mapred.tasktracker.expiry.interval), 600000.
	Expiry int64
	// RecoveryGrace is the time that trackers have to report after a restart.
	// howdah.jobtracker.recovery.grace, 0; 0 means Expiry.
	RecoveryGrace int64
	// HeartbeatMin is the minimum interval between two regular heartbeats of a tracker.
	// howdah.jobtracker.heartbeat.interval.min, 300 as in Hadoop.
	HeartbeatMin int64
	// HeartbeatsPerSecond is the maximum number of regular heartbeats per second of all trackers
	// together. The interval therefore grows with the cluster.
	// mapreduce.jobtracker.heartbeats.in.second, 100.
	HeartbeatsPerSecond int64
	// EndWait is the maximum time that an ending job waits for trackers to confirm that its last
	// attempts have ended. An unconfirmed attempt might still write to the output after the
	// cleanup. 0 means no wait. howdah.jobtracker.end.wait, 30000.
	EndWait int64

	// MaxBlacklists is the minimum number of faults that a tracker must have before all jobs avoid
	// it. Each successful job that has blacklisted the tracker counts as one fault.
	// mapreduce.jobtracker.tasktracker.maxblacklists, 4; 0 means never.
	MaxBlacklists int32
	// BlacklistWindow is the time after which a fault (see MaxBlacklists) expires.
	// mapred.jobtracker.blacklist.fault-timeout-window (in minutes in Hadoop), 180 min.
	BlacklistWindow int64
	// BlacklistAverage is the fraction by which a tracker's faults must exceed the cluster's
	// average, in millionths. mapred.cluster.average.blacklist.threshold, 0.5.
	BlacklistAverage int64

	// CompletedPerUser is the maximum number of a user's finished jobs in memory.
	// mapred.jobtracker.completeuserjobs.maximum, 100.
	CompletedPerUser int
	// CompletedMemory is the maximum size in bytes of a user's finished jobs in memory. The newest
	// one stays until the user submits another job, even if it is larger. 0 means no limit.
	// A quarter of howdah.jobtracker.user.conf.maximum, 64 MiB.
	CompletedMemory int64
	// CompletedTotal is the maximum number of all users' finished jobs in memory. 0 means no limit.
	CompletedTotal int

	// MaxTasksPerJob is the maximum number of tasks of a job. -1 means no limit, which is the
	// default. mapred.jobtracker.maxtasks.per.job.
	MaxTasksPerJob int64
	// MaxJobs is the maximum number of unfinished jobs. The JobTracker rejects additional
	// submissions. 0 means no limit. howdah.jobtracker.jobs.maximum, 10000.
	MaxJobs int
	// MaxTrackers is the maximum number of live trackers. 0 means no limit.
	// howdah.jobtracker.trackers.maximum, 10000.
	MaxTrackers int

	// FetchNotices and FetchFraction must both be reached before a map runs again because reduces
	// cannot fetch its output. FetchNotices is the number of notices. FetchFraction is the number of
	// notices as a fraction of the job's running reduces, in millionths.
	// mapreduce.reduce.shuffle.max-fetch-failures-notifications 3, .max-fetch-failures-fraction 0.5.
	FetchNotices  int32
	FetchFraction int64

	// SlotMemory is the memory of a slot in MiB, indexed by job.Map and job.Reduce. A task that
	// demands more occupies several slots. 0 or less means that every task occupies one slot.
	// mapred.cluster.map.memory.mb, mapred.cluster.reduce.memory.mb.
	SlotMemory [2]int32
	// MaxMemory is the maximum memory of a task in MiB. The JobTracker rejects jobs that demand
	// more. 0 or less means no limit. mapred.cluster.max.map.memory.mb,
	// mapred.cluster.max.reduce.memory.mb.
	MaxMemory [2]int32
}

// DefaultConfig returns the default configuration. If Hadoop has the same setting, the default is
// Hadoop's.
func DefaultConfig() Config {
	return Config{
		Cluster:             "200001010000",
		Expiry:              conf.JobTrackerExpireTrackersInterval.BuiltIn(),
		HeartbeatMin:        conf.JobTrackerHeartbeatIntervalMin.BuiltIn(),
		HeartbeatsPerSecond: conf.JobTrackerHeartbeatsInSecond.BuiltIn(),
		EndWait:             conf.JobTrackerEndWait.BuiltIn(),
		MaxBlacklists:       int32(conf.JobTrackerTaskTrackerMaxBlacklists.BuiltIn()),
		BlacklistWindow:     conf.JobTrackerBlacklistFaultTimeoutWindow.BuiltIn() * 60_000,
		BlacklistAverage:    int64(conf.ClusterAverageBlacklistThreshold.BuiltIn() * million),
		CompletedPerUser:    int(conf.JobTrackerCompleteUserJobsMaximum.BuiltIn()),
		CompletedMemory:     conf.JobTrackerUserConfMaximum.BuiltIn() / 4,
		MaxTasksPerJob:      conf.JobTrackerMaxTasksPerJob.BuiltIn(),
		MaxJobs:             int(conf.JobTrackerJobsMaximum.BuiltIn()),
		MaxTrackers:         int(conf.JobTrackerTrackersMaximum.BuiltIn()),
		FetchNotices:        int32(conf.ReduceShuffleMaxFetchFailuresNotifications.BuiltIn()),
		FetchFraction:       int64(conf.ReduceShuffleMaxFetchFailuresFraction.BuiltIn() * million),
	}
}

// Validate returns an error of kind Config if a setting is invalid.
func (c *Config) Validate() error {
	checks := []struct {
		ok   bool
		key  string
		want string
	}{
		{c.Cluster != "", "cluster identifier", "text without '_'"},
		{c.Expiry >= 1000, conf.JobTrackerExpireTrackersInterval.Name, "at least 1000 ms"},
		{c.RecoveryGrace >= 0, conf.JobTrackerRecoveryGrace.Name, "0 or more ms"},
		{c.HeartbeatMin >= 1, conf.JobTrackerHeartbeatIntervalMin.Name, "at least 1 ms"},
		{c.HeartbeatsPerSecond >= 1, conf.JobTrackerHeartbeatsInSecond.Name, "at least 1"},
		{c.EndWait >= 0, conf.JobTrackerEndWait.Name, "0 or more ms"},
		{c.MaxBlacklists >= 0, conf.JobTrackerTaskTrackerMaxBlacklists.Name, "0 or more"},
		{c.BlacklistWindow >= 0, conf.JobTrackerBlacklistFaultTimeoutWindow.Name, "0 or more"},
		{c.BlacklistAverage >= 0, conf.ClusterAverageBlacklistThreshold.Name, "0 or more"},
		{c.CompletedPerUser >= 0, conf.JobTrackerCompleteUserJobsMaximum.Name, "0 or more"},
		{c.CompletedMemory >= 0, conf.JobTrackerUserConfMaximum.Name, "0 or more"},
		{c.CompletedTotal >= 0, "CompletedTotal", "0 or more"},
		{c.MaxTasksPerJob >= -1, "mapred.jobtracker.maxtasks.per.job", "-1 or more"},
		{c.MaxJobs >= 0, conf.JobTrackerJobsMaximum.Name, "0 or more"},
		{c.MaxTrackers >= 0, conf.JobTrackerTrackersMaximum.Name, "0 or more"},
		{c.FetchNotices >= 1, conf.ReduceShuffleMaxFetchFailuresNotifications.Name, "at least 1"},
		{c.FetchFraction >= 0 && c.FetchFraction <= million, conf.ReduceShuffleMaxFetchFailuresFraction.Name,
			"0 to 1"},
	}
	for _, k := range checks {
		if !k.ok {
			return failure.New(failure.Config, "configure the JobTracker", k.key, errors.New("value out of range")).
				Fix(fmt.Sprintf("want %s", k.want))
		}
	}
	return nil
}

const million = 1_000_000
