package weight_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/weight"
	"github.com/howdah/howdah/mrcluster/weighttest"
)

func TestConformance(t *testing.T) {
	for _, name := range weight.Names() {
		t.Run(name, func(t *testing.T) {
			weighttest.Run(t, func() mrcluster.Weighting {
				w, err := weight.New(name, weight.Defaults())
				require.NoError(t, err)
				return w
			})
		})
	}
}

// TestPolicies checks the value that each policy returns for one sample.
func TestPolicies(t *testing.T) {
	s := mrcluster.Sample{Jobs: 5, WaitingJobs: 4, WaitingTasks: 100, WaitingBytes: 7000, Bytes: 9000, RunningTasks: 30,
		Slots: 40, JobsDone: 2, TasksDone: 50, Written: 10, Storage: 100, Slowdown: 3.5, Lateness: -0.5}
	for name, want := range map[string]float64{"JD": 5, "DD": 9000, "TD": 100, "PU": 0.75, "DU": 0.1, "RU": 0.425,
		"JS": 3.5, "JT": 0.757858283255199,
		"TT": 0.7071067811865476, "DS": 0.7071067811865476, "EQ": 1, "None": 0} {
		w, err := weight.New(name, weight.Defaults())
		require.NoError(t, err)
		require.InDelta(t, want, w.Weigh(&s), 1e-12, name)
	}
}

// TestQueue checks the interpretations of "waiting in the queue".
func TestQueue(t *testing.T) {
	s := mrcluster.Sample{Jobs: 5, WaitingJobs: 4, WaitingTasks: 100, RunningTasks: 30, WaitingBytes: 7000, Bytes: 9000}
	for q, want := range map[weight.Queue][3]float64{weight.InQueue: {5, 9000, 100}, weight.Waiting: {4, 7000, 100},
		weight.Unfinished: {5, 9000, 130}} {
		require.Equal(t, want, [3]float64{weight.JD{Queue: q}.Weigh(&s), weight.DD{Queue: q}.Weigh(&s),
			weight.TD{Queue: q}.Weigh(&s)})
	}
	_, err := weight.New("JD", weight.Options{A: 2, Queue: 9})
	require.ErrorContains(t, err, "queue 9 is unknown")
}

// TestThroughputBounds checks section 4.3.3: as q falls from 1 to 0, the share rises from C/a to C.
func TestThroughputBounds(t *testing.T) {
	w := weight.JT{A: 2}
	require.Equal(t, 1.0, w.Weigh(&mrcluster.Sample{Jobs: 9, WaitingJobs: 9}))
	require.InDelta(t, 0.5, w.Weigh(&mrcluster.Sample{Jobs: 9, WaitingJobs: 9, JobsDone: 9}), 1e-12)
	require.InDelta(t, 0.5, w.Weigh(&mrcluster.Sample{Jobs: 9, WaitingJobs: 9, JobsDone: 900}), 1e-12)
	w.Queue = weight.Waiting
	require.Equal(t, 1.0, w.Weigh(&mrcluster.Sample{Jobs: 9}), "no job has ended, and none waits")
}

// TestPsi checks section 7.3: DU is RU with psi = 0.
func TestPsi(t *testing.T) {
	s := mrcluster.Sample{Jobs: 1, RunningTasks: 1, Slots: 4, Written: 3, Storage: 4}
	require.Equal(t, weight.DU{}.Weigh(&s), weight.RU{Psi: 0}.Weigh(&s))
	require.Equal(t, weight.PU{}.Weigh(&s), weight.RU{Psi: 1}.Weigh(&s))
	require.Equal(t, []mrcluster.Term{{Weighting: weight.PU{}, Factor: 0.25}, {Weighting: weight.DU{}, Factor: 0.75}},
		weight.RU{Psi: 0.25}.Terms())
	require.Empty(t, weight.RU{Absolute: true}.Terms())
}

// TestUnknownStorage checks that the first written byte does not count as a full disk if the
// capacity is unknown. That is the case without an HDFS.
func TestUnknownStorage(t *testing.T) {
	s := mrcluster.Sample{Jobs: 1, RunningTasks: 1, Slots: 4, Written: 1}
	require.Zero(t, weight.DU{}.Weigh(&s))
	require.InDelta(t, 0.125, weight.RU{Psi: 0.5, Absolute: true}.Weigh(&s), 1e-12)
}

func TestBadOptions(t *testing.T) {
	for _, c := range []struct {
		name string
		o    weight.Options
		want string
	}{
		{"XX", weight.Defaults(), "want one of JD, DD"},
		{"RU", weight.Options{Psi: 2, A: 2}, "psi is 2"},
		{"JT", weight.Options{A: 1}, "a is 1"},
	} {
		_, err := weight.New(c.name, c.o)
		require.ErrorContains(t, err, c.want)
		require.Equal(t, failure.Config, failure.KindOf(err))
	}
}

// TestEndsOfRanges checks the ends of the ranges of Options, and JS with an unknown slowdown.
func TestEndsOfRanges(t *testing.T) {
	for o, good := range map[weight.Options]bool{
		{Psi: 0, A: 2}: true, {Psi: 1, A: 2}: true, {Psi: 1.1, A: 2}: false,
		{A: 1}: false, {A: 1e6}: true, {A: 1e6 + 1}: false,
		{A: 2, Queue: weight.Unfinished}: true, {A: 2, Queue: weight.Unfinished + 1}: false,
	} {
		_, err := weight.New("RU", o)
		require.Equal(t, good, err == nil, "%+v", o)
	}
	require.EqualValues(t, 1, weight.JS{}.Weigh(&mrcluster.Sample{Jobs: 1, WaitingTasks: 1, RunningTasks: 1}), "unknown")
}
