package jobtracker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
)

// After a restart, the machine continues with the journal's cluster identifier, not with the
// configured one. Its clock does not go back, because the times of facts must not decrease.
func TestJournalOverridesClockAndIdentifier(t *testing.T) {
	r := newRig(t)
	r.register("a", "h1", "/r", 1, 1, 1)
	latest := r.now
	r.now -= 5000
	r.m.cfg.Cluster = "209901010000"
	r.restart(len(r.facts))
	require.Equal(t, "200001010000", r.m.ClusterID())
	started := r.facts[r.lastFact(event.Started)]
	require.Equal(t, latest, started.Time)
	require.EqualValues(t, 1, started.N)
}

// The error for a rejected fact names the fact's job, if it has one.
func TestRefusedFactsNameTheirJob(t *testing.T) {
	r := newRig(t)
	require.ErrorContains(t, r.m.Apply(&event.Event{Type: event.JobStarted, Job: 9}), " of job 9")
	require.NotContains(t, r.m.Apply(&event.Event{Type: event.TrackerLost, Tracker: 9}).Error(), "of job")
}

// A host that has moved to another rack counts as part of its new rack, also for jobs that were
// submitted before.
func TestHostsMayMoveToAnotherRack(t *testing.T) {
	r := newRig(t)
	r.register("a", "h1", "/r1", 1, 1, 0)
	b := r.register("b", "h2", "/r2", 1, 1, 0)
	seq := r.submit(located(on(1, "h1")))
	require.Equal(t, "none", r.pick(seq, b, job.RackLocal))
	r.register("a", "h1", "/r2", 2, 1, 0)
	require.Equal(t, "0 1", r.pick(seq, b, job.RackLocal))
}

// A lost tracker no longer counts in the cluster's totals, and its blacklisting ends. While a job
// knows the tracker, no fact except the job's own blacklist may concern it.
func TestLostTrackersAreOut(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 2, 1)
	seq := r.submit(spec(2, 0))
	require.Len(t, r.beat(a).Run, 2)
	require.NoError(t, r.m.Apply(&event.Event{Type: event.TrackerBlacklisted, Tracker: a, Time: r.now}))
	require.Equal(t, r.now+r.m.cfg.Expiry, r.m.NextDeadline())
	r.step(Input{Kind: InTrackerLeave, Tracker: a})
	require.Equal(t, scheduler.Totals{}, r.m.Cluster())
	require.Zero(t, r.m.NextDeadline())
	for _, e := range []event.Event{
		{Type: event.TrackerLost},
		{Type: event.TrackerChanged},
		{Type: event.TrackerCleared},
		{Type: event.TrackerBlacklisted},
		{Type: event.TrackerDrained},
		{Type: event.AttemptStarted, Job: seq, Attempt: mapAttempt(seq, 0, 1)},
	} {
		e.Tracker = a
		require.True(t, failure.Is(r.m.Apply(&e), failure.Corrupt), "%v", e.Type)
	}
	require.NoError(t, r.m.Apply(&event.Event{Type: event.TrackerBlacklisted, Job: seq, Tracker: a}))
}

// A journal without a matching drain does not contain the end of one.
func TestOnlyDrainsEnd(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	for _, handle := range []int32{a, 9} {
		err := r.m.Apply(&event.Event{Type: event.TrackerDrained, Tracker: handle})
		require.True(t, failure.Is(err, failure.Corrupt))
	}
}

// A snapshot gives the numbers of retired jobs as ranges, of which the smallest contains one
// number.
func TestRangesOfRetiredJobs(t *testing.T) {
	r := newRig(t)
	retire := func(first int64, last int32) error {
		return r.m.Apply(&event.Event{Type: event.JobRetired, N: first, Job: last})
	}
	require.NoError(t, retire(3, 3))
	require.NoError(t, retire(5, 7))
	require.Error(t, retire(4, 3), "the range is reversed")
	require.EqualValues(t, 4, r.m.UsedJobs())
	require.EqualValues(t, 8, r.submit(spec(0, 0)))
}

// Retired jobs are no longer listed.
func TestRetiredJobsAreNotListed(t *testing.T) {
	r := newRig(t, func(c *Config) { c.CompletedPerUser = 1 })
	r.finishEmpty("a")
	last := r.finishEmpty("a")
	require.Equal(t, []int32{last}, r.m.AllJobs())
}
