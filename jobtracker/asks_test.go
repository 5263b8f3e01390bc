package jobtracker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
)

// A heartbeat matters if work waits and there is room, if the tracker could run a second attempt, or
// if the tracker's drain is incomplete. A simulation omits all others.
func TestAsks(t *testing.T) {
	r, _ := lazyRig(t)
	require.False(t, r.m.Asks(1), "no such tracker")
	a := r.register("a", "h1", "/r", 1, 2, 0)
	require.False(t, r.m.Asks(a), "nothing waits")
	seq := r.submit(spec(1, 0))
	require.True(t, r.m.Asks(a), "a map waits")
	require.True(t, r.m.Launch(mapAttempt(seq, 0, 0).Task, a, job.Map))
	require.False(t, r.m.Asks(a), "nothing waits anymore")
	r.m.SetSpeculator(&lazy{})
	require.True(t, r.m.Asks(a), "the speculator may have a second attempt for it")

	r.drain("a", DrainDelayed)
	require.True(t, r.m.Asks(a), "its attempt runs to completion first")
	r.beat(a, says(job.AttemptSucceeded, mapAttempt(seq, 0, 0))...)
	require.NotZero(t, r.m.DrainInfo(a).Done)
	require.False(t, r.m.Asks(a), "the drain is complete")
}
