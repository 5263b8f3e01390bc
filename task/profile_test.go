package task

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

func TestProfiledTasks(t *testing.T) {
	c := conf.New()
	require.Equal(t, NoProfile, ProfileOf(c, job.Map, 0))
	c.Set("mapred.task.profile", "true", "test")
	require.Equal(t, CPUProfile, ProfileOf(c, job.Map, 2))
	require.Equal(t, NoProfile, ProfileOf(c, job.Map, 3))
	c.Set("mapred.task.profile.maps", "1, 4-5,7-", "test")
	for i, want := range []Profile{NoProfile, CPUProfile, NoProfile, NoProfile, CPUProfile, CPUProfile, NoProfile,
		CPUProfile, CPUProfile} {
		require.Equal(t, want, ProfileOf(c, job.Map, int32(i)), i)
	}
	require.Equal(t, CPUProfile, ProfileOf(c, job.Reduce, 0))
	c.Set("mapreduce.task.profile.params", "-agentlib:hprof=heap=sites,file=%s", "test")
	require.Equal(t, HeapProfile, ProfileOf(c, job.Reduce, 0))
	require.NoError(t, CheckProfiling(c))
	for _, bad := range []string{"x", "1,,2", "-1-2", "3--4"} {
		c.Set("mapreduce.task.profile.reduces", bad, "test")
		require.True(t, failure.Is(CheckProfiling(c), failure.Config), bad)
	}
}
