package shuffle

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestThrottle checks that two concurrent requests share the rate.
func TestThrottle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &throttle{rate: 1000}
		start := time.Now()
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				for left := int64(5000); left > 0; {
					n := min(left, p.chunk(writeChunk))
					require.EqualValues(t, 100, n)
					require.NoError(t, p.wait(t.Context(), n))
					left -= n
				}
			})
		}
		all.Wait()
		require.Equal(t, 10*time.Second, time.Since(start))

		time.Sleep(time.Hour) // unused capacity does not accumulate
		start = time.Now()
		require.NoError(t, p.wait(t.Context(), 1000))
		require.Equal(t, time.Second, time.Since(start))

		gone, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, p.wait(gone, 1000), context.Canceled)
	})
}

func TestNoThrottle(t *testing.T) {
	var p throttle
	require.EqualValues(t, writeChunk, p.chunk(writeChunk))
	require.NoError(t, p.wait(t.Context(), 1<<40))
}
