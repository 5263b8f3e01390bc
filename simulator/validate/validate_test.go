package validate_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fair"
	"github.com/howdah/howdah/scheduler/fifo"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
	"github.com/howdah/howdah/simulator/trace/importer"
	"github.com/howdah/howdah/simulator/validate"
)

func newFIFO() (scheduler.Policy, error) { return fifo.New(scheduler.Setup{Conf: conf.New()}) }

var cluster = validate.Config{Trackers: 16, Slots: [2]int32{2, 2}, Heartbeat: 1000, WaitForWork: true,
	Scheduler: "fifo", Policy: newFIFO}

// execution simulates testbed jobs with a different seed and imports the journal. The result is an
// execution with complete information.
func execution(t *testing.T) *trace.Trace {
	p, err := newFIFO()
	require.NoError(t, err)
	var journal bytes.Buffer
	jobs := generate.Testbed(3)
	_, err = simulator.Run(t.Context(), simulator.Config{Trackers: cluster.Trackers, Slots: cluster.Slots, Heartbeat: 1000,
		WaitForWork: true, Seed: 99, Policy: p, Journal: &journal},
		generate.Arrive(jobs, generate.Poisson(100_000), 1).Source())
	require.NoError(t, err)
	in, err := importer.OpenStream("journal", &journal, importer.Options{})
	require.NoError(t, err)
	tr, err := generate.Collect("execution", in)
	require.NoError(t, err)
	require.Len(t, tr.Jobs, 18)
	return tr
}

// TestReplayOfAnExecution checks that the replay's times are within two percent of the execution's
// on average. Mumak's model must be too fast, with at least three times the error (SIM section
// IV-C).
func TestReplayOfAnExecution(t *testing.T) {
	list, err := validate.Compare(t.Context(), execution(t), cluster, validate.Models...)
	require.NoError(t, err)
	beats, task, mumak := list[0], list[1], list[2]
	for _, r := range list {
		t.Logf("%s: average %.2f%%, worst %.2f%%, bias %.2f%%", r.Model, 100*r.Average, 100*r.Worst, 100*r.Bias)
		require.Len(t, r.Jobs, 18)
		require.Empty(t, r.Apart)
	}
	require.LessOrEqual(t, beats.Average, 0.02)
	require.LessOrEqual(t, task.Average, 0.02)
	require.Less(t, mumak.Bias, 0.0, "it forgets the shuffle")
	require.GreaterOrEqual(t, mumak.Average, 3*beats.Average)
}

// The replay follows a change of the scheduler during the execution. Otherwise, it would err.
func TestReplayFollowsChanges(t *testing.T) {
	newFair := func() (scheduler.Policy, error) { return fair.New(scheduler.Setup{Conf: conf.New()}) }
	first, err := newFIFO()
	require.NoError(t, err)
	later, err := newFair()
	require.NoError(t, err)
	var journal bytes.Buffer
	_, err = simulator.Run(t.Context(), simulator.Config{Trackers: cluster.Trackers, Slots: cluster.Slots,
		Heartbeat: 1000, WaitForWork: true, Seed: 99, Policy: first, Journal: &journal,
		Switches: []simulator.Switch{{At: 300_000, Policy: later}}},
		generate.Arrive(generate.Testbed(3), generate.Poisson(20_000), 1).Source())
	require.NoError(t, err)
	in, err := importer.OpenStream("journal", &journal, importer.Options{})
	require.NoError(t, err)
	tr, err := generate.Collect("execution", in)
	require.NoError(t, err)
	require.Len(t, in.Changes, 1)

	c := cluster
	without, err := validate.Compare(t.Context(), tr, c, "heartbeat")
	require.NoError(t, err)
	c.Switches = []validate.Switch{{At: in.Changes[0].At, Policy: newFair}}
	with, err := validate.Compare(t.Context(), tr, c, "heartbeat")
	require.NoError(t, err)
	t.Logf("average error with the change %.2f%%, without %.2f%%", 100*with[0].Average, 100*without[0].Average)
	require.LessOrEqual(t, with[0].Average, 0.02)
	require.Greater(t, without[0].Average, 0.05)
}

// TestPlacesAndStartsChangeNothing checks that recorded places and times do not affect the replay.
func TestPlacesAndStartsChangeNothing(t *testing.T) {
	tr := execution(t)
	before, err := validate.Compare(t.Context(), tr, cluster, validate.Models...)
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(1, 2))
	for _, j := range tr.Jobs {
		for i := range j.Maps {
			a, b := &j.Maps[i], &j.Maps[r.IntN(len(j.Maps))]
			a.Start, b.Start = b.Start, a.Start
			a.Host, b.Host = b.Host, a.Host
			a.Hosts = []string{"nowhere"}
		}
		for i := range j.Reduces {
			a, b := &j.Reduces[i], &j.Reduces[r.IntN(len(j.Reduces))]
			a.Start, b.Start = b.Start, a.Start
			a.Host, b.Host = b.Host, a.Host
		}
	}
	after, err := validate.Compare(t.Context(), tr, cluster, validate.Models...)
	require.NoError(t, err)
	require.Equal(t, before, after)
}

func TestJobsThatCannotBeCompared(t *testing.T) {
	task := []trace.Map{{Time: 5000}}
	tr := &trace.Trace{Jobs: []*trace.Job{
		{ID: "good", State: job.Succeeded, Maps: task, Finish: 6000},
		{ID: "failed", State: job.Failed, Maps: task, Finish: 6000},
		{ID: "skewed", State: job.Succeeded, Skewed: true, Maps: task, Finish: 6000},
		{ID: "empty", State: job.Succeeded, Finish: 6000},
		{ID: "endless", State: job.Succeeded, Maps: task},
		{ID: "short", State: job.Succeeded, Maps: task, Finish: 10},
	}}
	c := cluster
	c.Shortest = 1000
	list, err := validate.Compare(t.Context(), tr, c, "task")
	require.NoError(t, err)
	r := list[0]
	require.Equal(t, []validate.Apart{{"failed", "ended FAILED"}, {"skewed", "the job's clocks contradict each other"},
		{"empty", "the job has no tasks"}, {"endless", "the job's end is unknown"}}, r.Apart)
	require.Len(t, r.Jobs, 1)
	require.Equal(t, int64(5000), r.Jobs[0].Replayed)
	require.InDelta(t, -1.0/6, r.Bias, 1e-9)
	require.Equal(t, "short", r.Short[0].ID)
	_, err = validate.Compare(t.Context(), tr, c, "mumbo")
	require.ErrorContains(t, err, "no such model")
}

// The input of a replay does not include when or where tasks ran. The original trace does not
// change.
func TestReplaysAreBlind(t *testing.T) {
	from := []*trace.Job{{Submit: 5, Finish: 90,
		Maps:    []trace.Map{{Time: 7, Start: 6, Host: "h", Hosts: []string{"g"}}},
		Reduces: []trace.Reduce{{First: true, Shuffle: 1, Time: 2, Start: 8, Host: "h"}}}}
	got := validate.Blind(from)[0]
	require.Equal(t, &trace.Job{Submit: 5, Maps: []trace.Map{{Time: 7}},
		Reduces: []trace.Reduce{{First: true, Shuffle: 1, Time: 2}}}, got)
	require.EqualValues(t, 6, from[0].Maps[0].Start)
	require.EqualValues(t, 90, from[0].Finish)
}
