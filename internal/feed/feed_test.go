package feed

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFeed(t *testing.T) {
	f := New(3)
	numbers := func(after uint64) (got []uint64, lost bool) {
		events, lost, _ := f.After(after)
		for _, e := range events {
			got = append(got, e.Number)
			require.EqualValues(t, e.Number*10, e.TimeMs)
		}
		return got, lost
	}
	got, lost := numbers(0)
	require.Empty(t, got)
	require.False(t, lost)
	_, _, more := f.After(0)
	for i := range int64(5) {
		f.Add(Event{TimeMs: 10 * (i + 1)})
	}
	<-more
	require.EqualValues(t, 5, f.Last())
	for after, want := range map[uint64]struct {
		numbers []uint64
		lost    bool
	}{0: {[]uint64{3, 4, 5}, true}, 1: {[]uint64{3, 4, 5}, true}, 2: {[]uint64{3, 4, 5}, false}, 4: {[]uint64{5}, false},
		5: {nil, false}, 6: {[]uint64{3, 4, 5}, true}} {
		got, lost := numbers(after)
		require.Equal(t, want.numbers, got, after)
		require.Equal(t, want.lost, lost, after)
	}
}
