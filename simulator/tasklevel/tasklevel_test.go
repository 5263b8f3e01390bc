package tasklevel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/simulator/replay"
	"github.com/howdah/howdah/simulator/tasklevel"
	"github.com/howdah/howdah/simulator/trace"
)

// twoWaves returns a job with 4 maps of 100 ms and 4 reduces. Two reduces have a first shuffle of
// 30 ms, and two have a typical shuffle of 50 ms. All have a reduce phase of 10 ms.
func twoWaves() *trace.Job {
	j := &trace.Job{ID: "a", Submit: 1000}
	for range 4 {
		j.Maps = append(j.Maps, trace.Map{Time: 100})
	}
	for i := range 4 {
		r := trace.Reduce{Time: 10, Shuffle: 50}
		if i < 2 {
			r.First, r.Shuffle = true, 30
		}
		j.Reduces = append(j.Reduces, r)
	}
	return j
}

// TestFillerReduce checks that a filler reduce holds its slot until the last map is done (SIM
// section III-B). It must then take its first shuffle and its reduce phase. Reduces of later waves
// take a typical shuffle.
func TestFillerReduce(t *testing.T) {
	r := run(t, tasklevel.Config{Slots: [2]int32{2, 2}}, twoWaves())
	got := r.Jobs[0]
	require.Equal(t, int64(1000), got.Submit)
	require.Equal(t, int64(1000), got.Start)
	require.Equal(t, int64(1200), got.MapsDone)
	require.Equal(t, int64(1200+30+10+50+10), got.Finish)
	require.Equal(t, [2]int64{400, 2*(100+40) + 2*60}, got.SlotTime, "the fillers began after the first wave of maps")
	require.Equal(t, int64(300), r.Makespan)
	require.Equal(t, []trace.Count{{Kind: "job-arrival", N: 1}, {Kind: "map-arrival", N: 4}, {Kind: "map-departure", N: 4},
		{Kind: "all-maps-finished", N: 1},
		{Kind: "reduce-arrival", N: 4}, {Kind: "reduce-departure", N: 4}, {Kind: "job-departure", N: 1}}, r.Kinds)
	require.Equal(t, int64(19), r.Events)
}

// TestMumakKnowsNoShuffle checks that Mumak counts only the reduce phase after the end of the maps
// (SIM section IV-C).
func TestMumakKnowsNoShuffle(t *testing.T) {
	r := run(t, tasklevel.Config{Slots: [2]int32{2, 2}, Model: replay.Mumak}, twoWaves())
	require.Equal(t, int64(1200+10+10), r.Jobs[0].Finish)
	require.Equal(t, "mumak", r.Model)
}

func TestFailedAttemptsRunAgain(t *testing.T) {
	j := &trace.Job{ID: "a", Maps: []trace.Map{{Time: 100, Failed: []int64{10, 20}}}}
	r := run(t, tasklevel.Config{Slots: [2]int32{1, 1}}, j)
	require.Equal(t, int64(130), r.Jobs[0].Finish)
	require.Equal(t, [2]int64{130, 0}, r.Jobs[0].SlotTime)
}

// A killer is a policy that kills all running reduces of the first job at a given time after Reset.
type killer struct {
	scheduler.Policy
	after, at int64
}

func (k *killer) Reset(v scheduler.View) {
	k.Policy.Reset(v)
	k.at = v.Now() + k.after
}

func (k *killer) NextDeadline() int64 { return k.at }

func (k *killer) Tick(v scheduler.View, p scheduler.Plan) {
	k.at = 0
	for _, a := range v.Running(1, job.Reduce, nil) {
		p.Kill(a.ID, "test")
	}
}

// TestFillerAfterKilledAttempt checks that the recorded failure of a killed attempt does not end the
// filler that replaces the attempt.
func TestFillerAfterKilledAttempt(t *testing.T) {
	j := &trace.Job{ID: "a", Maps: []trace.Map{{Time: 100}},
		Reduces: []trace.Reduce{{First: true, Shuffle: 30, Time: 10, Failed: []int64{50}}},
		Conf:    []job.Property{{Name: "mapreduce.job.reduce.slowstart.completedmaps", Value: "0"}}}
	r := run(t, tasklevel.Config{Slots: [2]int32{1, 1}, Policy: &killer{Policy: newFIFO(t), after: 20}}, j)
	require.Equal(t, int64(140), r.Jobs[0].Finish)
	require.Contains(t, r.Kinds, trace.Count{Kind: "reduce-arrival", N: 2})
	require.Contains(t, r.Kinds, trace.Count{Kind: "reduce-departure", N: 1})
}

func TestSlotLimitOfJob(t *testing.T) {
	j := twoWaves()
	j.Conf = []job.Property{{Name: "mapreduce.job.running.map.limit", Value: "1"}}
	r := run(t, tasklevel.Config{Slots: [2]int32{4, 4}}, j)
	require.Equal(t, int64(1400), r.Jobs[0].MapsDone)
}

func TestJobsWithoutTasksAndOutOfOrder(t *testing.T) {
	r := run(t, tasklevel.Config{Slots: [2]int32{1, 1}}, &trace.Job{ID: "none", Submit: 5},
		&trace.Job{ID: "reduces", Submit: 7, Reduces: []trace.Reduce{{Time: 3, Shuffle: 1}}})
	require.Equal(t, int64(5), r.Jobs[0].Finish)
	require.Equal(t, int64(11), r.Jobs[1].Finish)
}

// containers is a policy that starts tasks in containers.
type containers struct{ scheduler.Policy }

// UsesContainers implements scheduler.ContainerUser.
func (containers) UsesContainers() bool { return true }

func TestRefusesContainers(t *testing.T) {
	_, err := tasklevel.Run(t.Context(), tasklevel.Config{Slots: [2]int32{1, 1}, Scheduler: "drf",
		Policy: containers{newFIFO(t)}}, nil)
	require.ErrorContains(t, err, "simulate drf: it starts tasks in containers")
}

func TestNoSlotsOfAKind(t *testing.T) {
	_, err := tasklevel.Run(t.Context(), tasklevel.Config{Slots: [2]int32{1, 0}, Policy: newFIFO(t)},
		(&trace.Trace{Jobs: []*trace.Job{twoWaves()}}).Source())
	require.ErrorContains(t, err, "job a cannot end")
}

// TestCapacityOverTime checks that running tasks continue in removed slots, and that pending tasks
// start when slots return.
func TestCapacityOverTime(t *testing.T) {
	j := &trace.Job{ID: "a", Maps: []trace.Map{{Time: 100}, {Time: 100}, {Time: 100}}}
	r := run(t, tasklevel.Config{Slots: [2]int32{2, 0},
		Capacity: []tasklevel.Capacity{{At: 50}, {At: 500, Slots: [2]int32{1, 0}}}}, j)
	require.Equal(t, int64(600), r.Jobs[0].Finish)
}
