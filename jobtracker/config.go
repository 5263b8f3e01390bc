package jobtracker

import (
	"errors"
	"fmt"

	"github.com/howdah/howdah/job/failure"
)

// Config holds the machine's settings. Every field has its Hadoop key and default; times are in milliseconds.
type Config struct {
	// Cluster is the identifier inside job ids, in Hadoop 1 the minute of the JobTracker's first start (yyyyMMddHHmm). It counts
	// only for the very first start on a journal; later ones keep the journal's.
	Cluster string

	// Expiry is how long a tracker may be silent before it is given up; also how long an attempt may stay unconfirmed by a
	// tracker that does report. mapreduce.jobtracker.expire.trackers.interval (mapred.tasktracker.expiry.interval), 600000.
	Expiry int64
	// RecoveryGrace is how long after a restart trackers have to come back. 0 = Expiry.
	RecoveryGrace int64
	// HeartbeatMin is the shortest interval between two beats of a tracker. 300, as in Hadoop.
	HeartbeatMin int64
	// HeartbeatsPerSecond is how many beats a second all trackers together may send: the interval grows with the cluster.
	// mapreduce.jobtracker.heartbeats.in.second, 100.
	HeartbeatsPerSecond int64
	// EndWait is how long the end of a job waits for trackers to confirm that its last attempts are gone, so that none of
	// them writes into an output that is already cleaned up. 0 = not at all. 30000.
	EndWait int64

	// MaxBlacklists: a tracker on which that many successful jobs had to avoid it is avoided by all jobs.
	// mapreduce.jobtracker.tasktracker.maxblacklists, 4; 0 = never.
	MaxBlacklists int32
	// BlacklistWindow is how long such a fault counts. mapred.jobtracker.blacklist.fault-timeout-window (there in minutes), 180 min.
	BlacklistWindow int64
	// BlacklistAverage: and only if its faults exceed the cluster's average by this share, in millionths.
	// mapred.cluster.average.blacklist.threshold, 0.5.
	BlacklistAverage int64

	// CompletedPerUser is how many finished jobs of one user stay in memory. mapred.jobtracker.completeuserjobs.maximum, 100.
	CompletedPerUser int
	// CompletedTotal is how many finished jobs of all users stay. mapred.job.tracker.retiredjobs.cache.size, 1000.
	CompletedTotal int

	// MaxTasksPerJob refuses larger jobs. mapred.jobtracker.maxtasks.per.job, -1 = no limit.
	MaxTasksPerJob int64
	// MaxJobs is how many unfinished jobs there may be; further submissions are refused. 0 = no limit. howdah.jobtracker.jobs.maximum, 10000.
	MaxJobs int
	// MaxTrackers is how many live trackers there may be. 0 = no limit. howdah.jobtracker.trackers.maximum, 10000.
	MaxTrackers int

	// FetchNotices and FetchFraction: a map whose output could not be fetched runs again after that many notices, if they are at
	// least that share (in millionths) of the job's running reduces.
	// mapreduce.reduce.shuffle.max-fetch-failures-notifications 3, .max-fetch-failures-fraction 0.5.
	FetchNotices  int32
	FetchFraction int64

	// SlotMemory is the memory in MiB that a slot stands for, by job.Map and job.Reduce; a task that asks for more takes several
	// slots. mapred.cluster.map.memory.mb, mapred.cluster.reduce.memory.mb; 0 or less = every task takes one slot.
	SlotMemory [2]int32
	// MaxMemory refuses jobs whose tasks ask for more MiB. mapred.cluster.max.map.memory.mb,
	// mapred.cluster.max.reduce.memory.mb; 0 or less = no limit.
	MaxMemory [2]int32
}

// DefaultConfig gives Hadoop's defaults.
func DefaultConfig() Config {
	return Config{
		Cluster:             "200001010000",
		Expiry:              600_000,
		HeartbeatMin:        300,
		HeartbeatsPerSecond: 100,
		EndWait:             30_000,
		MaxBlacklists:       4,
		BlacklistWindow:     180 * 60_000,
		BlacklistAverage:    500_000,
		CompletedPerUser:    100,
		CompletedTotal:      1000,
		MaxTasksPerJob:      -1,
		MaxJobs:             10_000,
		MaxTrackers:         10_000,
		FetchNotices:        3,
		FetchFraction:       500_000,
	}
}

// Validate refuses settings that cannot work, by the name of their key.
func (c *Config) Validate() error {
	checks := []struct {
		ok   bool
		key  string
		want string
	}{
		{c.Cluster != "", "cluster identifier", "a text without '_'"},
		{c.Expiry >= 1000, "mapreduce.jobtracker.expire.trackers.interval", "at least 1000 ms"},
		{c.RecoveryGrace >= 0, "howdah.jobtracker.recovery.grace", "0 or more ms"},
		{c.HeartbeatMin >= 1, "howdah.jobtracker.heartbeat.interval.min", "at least 1 ms"},
		{c.HeartbeatsPerSecond >= 1, "mapreduce.jobtracker.heartbeats.in.second", "at least 1"},
		{c.EndWait >= 0, "howdah.jobtracker.end.wait", "0 or more ms"},
		{c.MaxBlacklists >= 0, "mapreduce.jobtracker.tasktracker.maxblacklists", "0 or more"},
		{c.BlacklistWindow >= 0, "mapred.jobtracker.blacklist.fault-timeout-window", "0 or more"},
		{c.BlacklistAverage >= 0, "mapred.cluster.average.blacklist.threshold", "0 or more"},
		{c.CompletedPerUser >= 0, "mapred.jobtracker.completeuserjobs.maximum", "0 or more"},
		{c.CompletedTotal >= 0, "mapred.job.tracker.retiredjobs.cache.size", "0 or more"},
		{c.MaxTasksPerJob >= -1, "mapred.jobtracker.maxtasks.per.job", "-1 or more"},
		{c.MaxJobs >= 0, "howdah.jobtracker.jobs.maximum", "0 or more"},
		{c.MaxTrackers >= 0, "howdah.jobtracker.trackers.maximum", "0 or more"},
		{c.FetchNotices >= 1, "mapreduce.reduce.shuffle.max-fetch-failures-notifications", "at least 1"},
		{c.FetchFraction >= 0 && c.FetchFraction <= million, "mapreduce.reduce.shuffle.max-fetch-failures-fraction", "0 to 1"},
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
