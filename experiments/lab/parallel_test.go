package lab

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParallel(t *testing.T) {
	var sum atomic.Int64
	require.NoError(t, Parallel(t.Context(), 3, 100, func(_ context.Context, i int) error {
		sum.Add(int64(i))
		return nil
	}))
	require.EqualValues(t, 4950, sum.Load())
	require.ErrorIs(t, Parallel(t.Context(), 3, 100, func(_ context.Context, i int) error {
		if i == 7 {
			return os.ErrInvalid
		}
		return nil
	}), os.ErrInvalid)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	require.True(t, errors.Is(Parallel(gone, 3, 100, func(context.Context, int) error { return nil }), context.Canceled))
}
