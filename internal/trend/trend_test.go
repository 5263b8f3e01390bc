package trend

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRecord(t *testing.T) {
	r := New()
	r.Add(10, map[string]Value{"b": {Used: 1, Limit: 4}})
	r.Add(20, map[string]Value{"a": {Used: 2, Borrowed: 1}, "b": {Used: 3, Limit: 4}})
	r.Add(30, nil)
	require.Equal(t, Record{Times: []int64{10, 20, 30}, Series: []Series{
		{"a", []Value{{}, {Used: 2, Borrowed: 1}, {}}},
		{"b", []Value{{Used: 1, Limit: 4}, {Used: 3, Limit: 4}, {}}}}}, r.Record())
}

// TestLongRecord checks that a long record is bounded, spans the whole time, and keeps means.
func TestLongRecord(t *testing.T) {
	r := New()
	const n = 100 * maxPoints
	r.Add(0, map[string]Value{"brief": {Used: 0}})
	for i := range n {
		r.Add(int64(i+1), map[string]Value{"odd": {Used: float32(i % 2)}})
	}
	got := r.Record()
	require.LessOrEqual(t, len(got.Times), maxPoints)
	require.Greater(t, len(got.Times), maxPoints/2-1)
	require.Zero(t, got.Times[0])
	require.Greater(t, got.Times[len(got.Times)-1], int64(n-2*128))
	require.Len(t, got.Series, 1, "a series without a value is removed")
	for _, v := range got.Series[0].Values[:len(got.Times)-1] {
		require.InDelta(t, 0.5, v.Used, 0.01)
	}
}

func TestManySeries(t *testing.T) {
	r := New()
	for i := range 2 * maxSeries {
		r.Add(int64(i), map[string]Value{fmt.Sprint(i): {Used: 1}})
	}
	require.Len(t, r.Record().Series, maxSeries)
}

// TestRun checks that the first sample is taken at once, and that one that fails is left out.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, n := New(), 0
		ctx, cancel := context.WithTimeout(t.Context(), 25*time.Second)
		defer cancel()
		start := time.Now().UnixMilli()
		require.NoError(t, r.Run(ctx, func(context.Context) (map[string]Value, error) {
			if n++; n == 2 {
				return nil, errors.New("busy")
			}
			return map[string]Value{"a": {Used: float32(n)}}, nil
		}))
		got := r.Record()
		require.Equal(t, []int64{start, start + 10_000}, got.Times[:2])
		require.Equal(t, float32(3), got.Series[0].Values[1].Used)
	})
}
