package daemon

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fifo"
)

// The length of a pause is the whole time during which the process could not receive heartbeats.
func TestPauseMovesDeadlines(t *testing.T) {
	var p pauses
	require.Zero(t, p.look(1000))
	require.Zero(t, p.look(1000+2*beatEvery.Milliseconds()))
	require.EqualValues(t, 60_000, p.look(1000+2*beatEvery.Milliseconds()+60_000))
	require.Zero(t, p.look(1000+3*beatEvery.Milliseconds()+60_000))
}

func TestTrackersSurviveAPause(t *testing.T) {
	policy, err := fifo.New(scheduler.Setup{Conf: conf.New()})
	require.NoError(t, err)
	m, err := jobtracker.New(jobtracker.DefaultConfig(), policy)
	require.NoError(t, err)
	o := newOwner(m, &clock{start: time.Now(), base: 1})
	lost := 0
	o.fact = func(e *event.Event) {
		if e.Type == event.TrackerLost {
			lost++
		}
	}
	o.out = func(*jobtracker.Output) func() { return nil }
	o.take(m.Recovered(1, nil))
	o.pauses.look(o.clock.now())
	o.step(&jobtracker.Input{Kind: jobtracker.InRegister, Register: &jobtracker.Register{Name: "t", Host: "t",
		Incarnation: 1}})
	o.clock.base += 2 * jobtracker.DefaultConfig().Expiry // the process was stopped for that long
	o.tick()
	require.Zero(t, lost)
	for range 2 * jobtracker.DefaultConfig().Expiry / beatEvery.Milliseconds() { // the same time without a pause
		o.clock.base += beatEvery.Milliseconds()
		o.tick()
	}
	require.Equal(t, 1, lost)
}

func TestBells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBells(0)
		base := b.version(7)
		news, err := b.wait(t.Context(), 7, base, time.Second)
		require.NoError(t, err)
		require.False(t, news)
		require.Empty(t, b.entries, "waiting leaves nothing behind")

		began := time.Now()
		news, err = b.wait(t.Context(), 7, base, time.Hour)
		require.NoError(t, err)
		require.False(t, news)
		require.Equal(t, maxPark, time.Since(began), "no call parks longer")

		go func() {
			time.Sleep(time.Second)
			b.ring(7)
		}()
		began = time.Now()
		news, err = b.wait(t.Context(), 7, base, time.Minute)
		require.NoError(t, err)
		require.True(t, news)
		require.Equal(t, time.Second, time.Since(began))

		news, err = b.wait(t.Context(), 7, base, time.Minute) // no change between two calls is missed
		require.NoError(t, err)
		require.True(t, news)

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = b.wait(ctx, 7, b.version(7), time.Minute)
		require.True(t, errors.Is(err, context.Canceled))

		b.forget(7)
		require.Equal(t, base, b.version(7))
		require.Zero(t, b.parked)
		require.NotEqual(t, base, newBells(1).version(7), "versions of a restarted JobTracker are others")
	})
}
