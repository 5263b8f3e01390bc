package lab

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMemo(t *testing.T) {
	var m Memo[string, int]
	calls := 0
	compute := func() (int, error) {
		calls++
		if calls == 1 {
			return 1, errors.New("broken")
		}
		return calls, nil
	}
	ctx, stop := context.WithCancel(t.Context())
	_, err := m.Get(ctx, "a", compute)
	require.EqualError(t, err, "broken")
	for range 2 {
		x, err := m.Get(ctx, "a", compute)
		require.NoError(t, err)
		require.Equal(t, 2, x)
	}
	x, err := m.Get(ctx, "b", compute)
	require.NoError(t, err)
	require.Equal(t, 3, x)
	stop()
	_, err = m.Get(ctx, "a", compute)
	require.ErrorIs(t, err, context.Canceled, "even if the result is known")
}
