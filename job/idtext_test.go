package job

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTextOfIDs(t *testing.T) {
	for _, n := range []int32{0, 1, 9, 10, 999, 1000, 9999, 10_000, 99_999, 100_000, 999_999, 1_000_000,
		math.MaxInt32, -1} {
		id := Attempt{Task{Job: n, Index: n, Type: Reduce}, n}.ID("202611210753")
		require.Equal(t, fmt.Sprintf("task_202611210753_%04d_r_%06d", n, n), id.TaskID.String())
		require.Equal(t, fmt.Sprintf("attempt_202611210753_%04d_r_%06d_%d", n, n, n), id.String())
	}
	at := func(typ TaskType, index, n int32) AttemptID { return Attempt{Task{1, index, typ}, n}.ID("c") }
	ordered := []AttemptID{at(Map, 0, 0), at(Map, 0, 2), at(Map, 0, 10), at(Map, 1, 0), at(Reduce, 0, 0)}
	for i, a := range ordered {
		for k, b := range ordered {
			require.Equal(t, i < k, a.Compare(b) < 0)
			require.Equal(t, i == k, a.Compare(b) == 0)
		}
	}
}
