package jobtracker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
)

// Trackers expire in the order of their latest heartbeats, wherever a tracker was in that order
// before.
func TestTrackersExpireInOrder(t *testing.T) {
	r := newRig(t)
	var tts []int32
	for _, name := range []string{"a", "b", "c"} {
		tts = append(tts, r.register(name, "h", "/r", 1, 1, 1))
	}
	for _, i := range []int{1, 0, 2, 1} { // a middle one, the first one, the last one, and again a middle one
		r.now += 1000
		r.beat(tts[i])
	}
	start := r.now
	for _, c := range []struct {
		at   int64
		left []int32
	}{{-2001, tts}, {-2000, tts[1:]}, {-1001, tts[1:]}, {-1000, tts[1:2]}, {-1, tts[1:2]}, {0, nil}} {
		r.now = start + r.m.cfg.Expiry + c.at
		r.step(Input{Kind: InTick})
		require.ElementsMatch(t, c.left, r.m.Trackers(), "%d ms", c.at)
	}
}

// Time during which the process was stopped also extends the lease of limits. Without limits it
// creates no deadline, and a negative time shortens none.
func TestGraceCoversLimits(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	r.submit(spec(1, 0))
	run := r.beat(a).Run[0]
	r.beat(a, says(job.AttemptRunning, run)...)
	r.step(Input{Kind: InGrace, Millis: 500})
	require.Equal(t, r.now+500+r.m.cfg.Expiry, r.m.NextDeadline())
	r.step(Input{Kind: InGrace, Millis: -100})
	require.Equal(t, r.now+500+r.m.cfg.Expiry, r.m.NextDeadline())
	r.step(Input{Kind: InLimits, Millis: 1000, Limits: []heartbeat.Limit{{Attempt: run, CPU: 700}}})
	r.step(Input{Kind: InGrace, Millis: 500})
	require.Equal(t, r.now+1500, r.m.NextDeadline())
}
