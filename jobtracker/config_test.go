package jobtracker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

func TestConfigIsChecked(t *testing.T) {
	ok := DefaultConfig()
	require.NoError(t, ok.Validate())
	for key, c := range map[string]struct{ good, bad func(*Config) }{
		"cluster identifier": {func(c *Config) { c.Cluster = "x" },
			func(c *Config) { c.Cluster = "" }},
		"mapreduce.jobtracker.expire.trackers.interval": {func(c *Config) { c.Expiry = 1000 },
			func(c *Config) { c.Expiry = 999 }},
		"howdah.jobtracker.recovery.grace": {func(c *Config) { c.RecoveryGrace = 0 },
			func(c *Config) { c.RecoveryGrace = -1 }},
		"howdah.jobtracker.heartbeat.interval.min": {func(c *Config) { c.HeartbeatMin = 1 },
			func(c *Config) { c.HeartbeatMin = 0 }},
		"mapreduce.jobtracker.heartbeats.in.second": {func(c *Config) { c.HeartbeatsPerSecond = 1 },
			func(c *Config) { c.HeartbeatsPerSecond = 0 }},
		"howdah.jobtracker.end.wait": {func(c *Config) { c.EndWait = 0 },
			func(c *Config) { c.EndWait = -1 }},
		"mapreduce.jobtracker.tasktracker.maxblacklists": {func(c *Config) { c.MaxBlacklists = 0 },
			func(c *Config) { c.MaxBlacklists = -1 }},
		"mapred.jobtracker.blacklist.fault-timeout-window": {func(c *Config) { c.BlacklistWindow = 0 },
			func(c *Config) { c.BlacklistWindow = -1 }},
		"mapred.cluster.average.blacklist.threshold": {func(c *Config) { c.BlacklistAverage = 0 },
			func(c *Config) { c.BlacklistAverage = -1 }},
		"mapred.jobtracker.completeuserjobs.maximum": {func(c *Config) { c.CompletedPerUser = 0 },
			func(c *Config) { c.CompletedPerUser = -1 }},
		"howdah.jobtracker.user.conf.maximum": {func(c *Config) { c.CompletedMemory = 0 },
			func(c *Config) { c.CompletedMemory = -1 }},
		"CompletedTotal": {func(c *Config) { c.CompletedTotal = 0 },
			func(c *Config) { c.CompletedTotal = -1 }},
		"mapred.jobtracker.maxtasks.per.job": {func(c *Config) { c.MaxTasksPerJob = -1 },
			func(c *Config) { c.MaxTasksPerJob = -2 }},
		"howdah.jobtracker.jobs.maximum": {func(c *Config) { c.MaxJobs = 0 },
			func(c *Config) { c.MaxJobs = -1 }},
		"howdah.jobtracker.trackers.maximum": {func(c *Config) { c.MaxTrackers = 0 },
			func(c *Config) { c.MaxTrackers = -1 }},
		"mapreduce.reduce.shuffle.max-fetch-failures-notifications": {func(c *Config) { c.FetchNotices = 1 },
			func(c *Config) { c.FetchNotices = 0 }},
		"mapreduce.reduce.shuffle.max-fetch-failures-fraction": {func(c *Config) { c.FetchFraction = 0 },
			func(c *Config) { c.FetchFraction = -1 }},
	} {
		good, bad := ok, ok
		c.good(&good)
		require.NoError(t, good.Validate(), key)
		c.bad(&bad)
		err := bad.Validate()
		require.True(t, failure.Is(err, failure.Config), key)
		require.ErrorContains(t, err, key)
		_, err = New(bad, &lazy{})
		require.Error(t, err)
	}
	all := ok
	all.FetchFraction = million
	require.NoError(t, all.Validate())
	all.FetchFraction++
	require.Error(t, all.Validate())
	_, err := New(ok, nil)
	require.True(t, failure.Is(err, failure.Config))
}
