package tasklevel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator/replay"
	"github.com/howdah/howdah/simulator/tasklevel"
	"github.com/howdah/howdah/simulator/trace"
)

// fetching returns a job whose reduces have the given input in bytes, and need 50 ms after the last
// byte for the sort and 10 ms for the reduce phase. Its maps take the given times in ms.
func fetching(reduces int, input int64, maps ...int64) *trace.Job {
	j := &trace.Job{ID: "a", Submit: 1000}
	for _, ms := range maps {
		j.Maps = append(j.Maps, trace.Map{Time: ms})
	}
	for range reduces {
		j.Reduces = append(j.Reduces, trace.Reduce{Shuffle: 50, Time: 10, Input: input})
	}
	return j
}

func TestNetwork(t *testing.T) {
	const after = 1000 + 60 // submission, and what a reduce needs after its last byte
	for _, c := range []struct {
		name     string
		trackers int
		slots    [2]int32 // of the cluster; the first trackers have them
		copies   int
		job      *trace.Job
		finish   int64
		held     int64 // by reduces; 0 = not compared
	}{
		{"the output on the reduce's own tracker needs no network", 1, [2]int32{2, 1}, 5, fetching(1, 1000, 100, 100),
			after + 100, 60},
		{"half of the output is on another tracker", 2, [2]int32{2, 1}, 5, fetching(1, 1000, 100, 100), after + 100 + 500,
			560},
		{"two reduces fetch from one tracker, in turn", 3, [2]int32{1, 3}, 5, fetching(3, 1000, 100), after + 100 + 2000,
			60 + 1960 + 2060},
		{"two sources at the same time", 3, [2]int32{3, 1}, 2, fetching(1, 900, 100, 100, 100), after + 100 + 300, 0},
		{"two sources one after the other", 3, [2]int32{3, 1}, 1, fetching(1, 900, 100, 100, 100), after + 100 + 600, 0},
		{"fetches overlap with maps", 2, [2]int32{1, 2}, 5, fetching(2, 1000, 100, 100), after + 100 + 1000, 0},
		{"a job without maps", 1, [2]int32{1, 1}, 5, fetching(1, 1000), after, 60},
		{"a reduce without input", 2, [2]int32{2, 1}, 5, fetching(1, 0, 100, 100), after + 100, 60},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := run(t, tasklevel.Config{Trackers: c.trackers, Slots: c.slots,
				Network: &tasklevel.Network{Rate: 1000, Copies: c.copies}}, c.job)
			require.Equal(t, c.finish, r.Jobs[0].Finish)
			if c.held != 0 {
				require.Equal(t, c.held, r.Jobs[0].SlotTime[job.Reduce])
			}
		})
	}
}

// TestNetworkIsShared checks that the reduces of two jobs share a tracker's bandwidth. One of the four
// reduces runs on that tracker.
func TestNetworkIsShared(t *testing.T) {
	one, two := fetching(2, 2000, 100), fetching(2, 2000, 100)
	two.ID = "b"
	for _, j := range []*trace.Job{one, two} { // all reduces hold their slots to the end
		j.Reduces[0].Time, j.Reduces[1].Time = 10_000, 10_000
	}
	r := run(t, tasklevel.Config{Trackers: 4, Slots: [2]int32{1, 4}, Network: &tasklevel.Network{Rate: 1000, Copies: 5}},
		one, two)
	require.EqualValues(t, 1000+100+3*2000+50+10_000, max(r.Jobs[0].Finish, r.Jobs[1].Finish))
}

// TestNetworkForgetsFailedReduce checks that a failed attempt does not use the network, and that
// the next one fetches everything.
func TestNetworkForgetsFailedReduce(t *testing.T) {
	j := fetching(1, 1000, 100, 100)
	j.Reduces[0].Failed = []int64{30}
	r := run(t, tasklevel.Config{Trackers: 2, Slots: [2]int32{2, 1},
		Network: &tasklevel.Network{Rate: 1000, Copies: 5}}, j)
	require.Equal(t, int64(1000+100+30+500+60), r.Jobs[0].Finish)
}

func TestNetworkRejects(t *testing.T) {
	for _, c := range []tasklevel.Config{
		{Slots: [2]int32{1, 1}, Network: &tasklevel.Network{Copies: 1}},
		{Slots: [2]int32{1, 1}, Network: &tasklevel.Network{Rate: 1}},
		{Slots: [2]int32{1, 1}, Network: &tasklevel.Network{Rate: 1, Copies: 1}, Model: replay.Mumak},
		{Start: &tasklevel.Start{}, Network: &tasklevel.Network{Rate: 1, Copies: 1}},
	} {
		c.Policy = newFIFO(t)
		_, err := tasklevel.Run(t.Context(), c, (&trace.Trace{}).Source())
		require.Equal(t, failure.Config, failure.KindOf(err), "%+v", c)
		require.ErrorContains(t, err, "network")
	}
}
