package distcp

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

func TestThrottle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		fast := throttle{}
		require.Equal(t, 7, fast.piece(7))
		require.NoError(t, fast.passed(t.Context(), 1<<30))
		require.Zero(t, time.Since(began))

		slow := throttle{rate: 1000}
		require.Equal(t, 100, slow.piece(1<<20))
		for range 25 {
			require.NoError(t, slow.passed(t.Context(), 100))
		}
		require.Equal(t, 2500*time.Millisecond, time.Since(began))
		time.Sleep(time.Hour) // unused time is not saved
		began = time.Now()
		require.NoError(t, slow.passed(t.Context(), 1000))
		require.Equal(t, time.Second, time.Since(began))

		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		require.ErrorIs(t, slow.passed(ctx, 1_000_000), context.DeadlineExceeded)
	})
}

// TestBandwidth checks that a copy with a limited rate takes at least the expected time and is complete.
// Without -bandwidth, the configuration sets the limit.
func TestBandwidth(t *testing.T) {
	c := newCluster(t)
	c.store("/src", strings.Repeat("x", 200_000))
	c.conf.Set(keyBandwidth, "1e-6", "test")
	began := time.Now()
	require.NoError(t, c.copy("-bandwidth", "1", "-m", "1", "/src", "/to/a"))
	require.GreaterOrEqual(t, time.Since(began), 190*time.Millisecond)
	c.conf.Set(keyBandwidth, "1000000", "test")
	require.NoError(t, c.copy("/src", "/to/b"))
	require.Equal(t, c.tree("/to")[0], "a="+strings.Repeat("x", 200_000))

	c.conf.Set(keyBandwidth, "-1", "test")
	require.True(t, failure.Is(c.copy("/src", "/to/c"), failure.Config))
}
