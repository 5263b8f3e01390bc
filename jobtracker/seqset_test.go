package jobtracker

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestSeqSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s seqSet
		model := map[int32]bool{}
		for range rapid.IntRange(0, 30).Draw(t, "adds") {
			if n := rapid.Int32Range(1, 30).Draw(t, "n"); !s.has(n) {
				s.add(n)
				model[n] = true
			}
		}
		lo := rapid.Int32Range(1, 30).Draw(t, "lo")
		hi := rapid.Int32Range(lo, 31).Draw(t, "hi")
		any := false
		for n := lo; n <= hi; n++ {
			any = any || model[n]
		}
		require.Equal(t, any, s.overlaps(lo, hi), "%d to %d in %v", lo, hi, s.ranges)
		last := int32(0)
		for n := range int32(32) {
			require.Equal(t, model[n], s.has(n), "%d in %v", n, s.ranges)
			if model[n] {
				last = n
			}
		}
		require.Equal(t, last, s.last())
		for i, r := range s.ranges {
			require.LessOrEqual(t, r[0], r[1])
			if i > 0 {
				require.Greater(t, r[0], s.ranges[i-1][1]+1, "neighbours are one range: %v", s.ranges)
			}
		}
	})
}
