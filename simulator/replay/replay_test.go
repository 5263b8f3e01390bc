package replay_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler/estimate"
	"github.com/howdah/howdah/simulator/replay"
	"github.com/howdah/howdah/simulator/trace"
)

func sample() *trace.Job {
	return &trace.Job{ID: "j", Name: "n", User: "u", Submit: 5, Deadline: 1000,
		Maps:    []trace.Map{{Time: 10, Input: 7}, {Time: 30, Input: 7, Failed: []int64{4}}},
		Reduces: []trace.Reduce{{First: true, Shuffle: 5, Time: 9}, {Shuffle: 50, Time: 8}, {Shuffle: 60, Time: 0}}}
}

// TestShuffleOfTheRightKind checks that the kind of a reduce's shuffle depends on its start in the
// simulation, not in the recording (SIM section III).
func TestShuffleOfTheRightKind(t *testing.T) {
	times := replay.NewTimes(sample(), replay.SimMR, 1)
	shuffle, rest := times.Reduce(0, true)
	require.Equal(t, [2]int64{5, 9}, [2]int64{shuffle, rest})
	shuffle, rest = times.Reduce(0, false)
	require.Contains(t, []int64{50, 60}, shuffle, "one of the job's typical ones")
	require.Equal(t, int64(9), rest)
	again, _ := times.Reduce(0, false)
	require.Equal(t, shuffle, again)
	shuffle, rest = times.Reduce(2, true)
	require.Equal(t, [2]int64{5, 1}, [2]int64{shuffle, rest}, "the only first one; nothing takes no time at all")

	j := sample()
	j.Reduces = j.Reduces[:1]
	alone := replay.NewTimes(j, replay.SimMR, 1)
	shuffle, _ = alone.Reduce(0, false)
	require.Equal(t, int64(5), shuffle, "there is no other")
}

func TestMumak(t *testing.T) {
	times := replay.NewTimes(sample(), replay.Mumak, 1)
	for _, first := range []bool{true, false} {
		shuffle, rest := times.Reduce(1, first)
		require.Equal(t, [2]int64{0, 8}, [2]int64{shuffle, rest})
	}
}

func TestSpec(t *testing.T) {
	j := sample()
	j.Conf = []job.Property{{Name: "mapreduce.job.reduce.slowstart.completedmaps", Value: "0.8"},
		{Name: "mapreduce.job.running.map.limit", Value: "3"}}
	x := replay.Specs{Shift: replay.Shift(j.Submit)}
	s, err := x.Spec(j)
	require.NoError(t, err)
	require.Equal(t, int32(800_000), s.SlowStart)
	require.Equal(t, int32(3), s.MapLimit)
	require.Equal(t, int64(1000+replay.Epoch), s.Deadline)
	require.Equal(t, int32(4), s.MapAttempts)
	require.Equal(t, []job.SplitMeta{{Length: 7}, {Length: 7}}, s.Splits)
	v, ok := s.Get(conf.JobProfile.Name)
	require.True(t, ok)
	p, err := estimate.Parse(v)
	require.NoError(t, err)
	require.Equal(t, replay.Profile(j), p)
	require.Equal(t, estimate.Phase{Avg: 20, Max: 30}, p.Map)
	require.Equal(t, estimate.Phase{Avg: 55, Max: 60}, p.Typical)

	j.Conf = []job.Property{{Name: conf.JobProfile.Name, Value: "mine"}}
	s, err = x.Spec(j)
	require.NoError(t, err)
	v, _ = s.Get(conf.JobProfile.Name)
	require.Equal(t, "mine", v)

	j.Conf = []job.Property{{Name: "mapreduce.map.maxattempts", Value: "many"}}
	_, err = x.Spec(j)
	require.ErrorContains(t, err, "mapreduce.map.maxattempts=many")
}

func TestSplitsAreSharedOnlyIfAlike(t *testing.T) {
	j := sample()
	j.Maps[1].Hosts = []string{"h"}
	x := replay.Specs{Hosts: true}
	s, err := x.Spec(j)
	require.NoError(t, err)
	require.Equal(t, []job.SplitMeta{{Length: 7}, {Length: 7, Hosts: []string{"h"}}}, s.Splits)
	x = replay.Specs{}
	a, _ := x.Spec(j)
	j.Maps[0].Input, j.Maps[1].Input = 9, 9
	b, _ := x.Spec(j)
	require.Equal(t, int64(7), a.Splits[0].Length)
	require.Equal(t, int64(9), b.Splits[0].Length)
}

func TestShift(t *testing.T) {
	require.Equal(t, int64(replay.Epoch), replay.Shift(0))
	require.Zero(t, replay.Shift(1_300_000_000_000))
	r := replay.Unshift(trace.JobResult{Start: replay.Epoch + 5, Finish: replay.Epoch + 9}, replay.Epoch)
	require.Equal(t, trace.JobResult{Start: 5, Finish: 9}, r)
}
