package kmeans

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/howdah/howdah/apps/internal/fixed"
)

// TestNearest compares the result with that of a search through all distances. There are few different
// coordinates, so that centers are often equally distant.
func TestNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.IntRange(1, 5).Draw(t, "dims")
		coordinate := rapid.Map(rapid.Int64Range(-3, 3), func(n int64) fixed.Number { return fixed.Number(n) * 333_333_333 })
		position := rapid.SliceOfN(coordinate, dims, dims)
		var centers []center
		for _, at := range rapid.SliceOfN(position, 1, 11).Draw(t, "centers") {
			centers = append(centers, center{at: at})
		}
		p := point(position.Draw(t, "point"))
		want := 0
		for i := range centers {
			if distance2(centers[i].at, p) < distance2(centers[want].at, p) {
				want = i
			}
		}
		f, err := newFinder(centers)
		require.NoError(t, err)
		require.EqualValues(t, want, f.nearest(p))
	})
}

func TestCentersOfDifferentDimensions(t *testing.T) {
	for _, second := range []point{{1}, {1, 2, 3}} {
		_, err := newFinder([]center{{at: point{1, 2}}, {at: second}})
		require.ErrorContains(t, err, "cluster 1 has")
	}
}

func TestParsePoint(t *testing.T) {
	for _, in := range []string{"1,2.5,-3", "1 2.5 -3", "\t1,, 2.5\t-3 ", "1e0,25e-1,-3.0000000000", "+1 2.500 -3.000"} {
		p, err := parsePoint(nil, []byte(in))
		require.NoError(t, err)
		require.Equal(t, "1,2.5,-3", string(p.append(nil)), in)
	}
	for _, bad := range []string{"", ",", "1,x", "1;2", "1 2.5.3 4 5 6 7"} {
		_, err := parsePoint(nil, []byte(bad))
		require.Error(t, err, bad)
	}
}
