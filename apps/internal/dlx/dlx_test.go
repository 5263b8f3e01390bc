package dlx_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/howdah/howdah/apps/internal/dlx"
)

// solutions returns all solutions that start with the choices.
func solutions(t *dlx.Table, choices ...int) (all []string) {
	t.Solve(choices, func(rows []int) bool {
		all = append(all, fmt.Sprint(slices.Sorted(slices.Values(rows))))
		return true
	})
	return all
}

func TestKnuthsExample(t *testing.T) {
	x := dlx.New(7, 0)
	for _, row := range [][]int{{2, 4, 5}, {0, 3, 6}, {1, 2, 5}, {0, 3}, {1, 6}, {3, 4, 6}} {
		x.Add(row...)
	}
	require.Equal(t, []string{"[0 3 4]"}, solutions(x))
	require.Equal(t, []string{"[0 3 4]"}, solutions(x), "the table is as it was")
}

// TestAgainstAllSets checks that the search, whole and in parts, finds the same solutions of random
// tables as a trial of all sets of rows.
func TestAgainstAllSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(1, 6).Draw(t, "columns")
		secondary := rapid.IntRange(0, columns-1).Draw(t, "secondary")
		rows := rapid.SliceOfN(rapid.IntRange(1, 1<<columns-1), 0, 8).Draw(t, "rows")
		x := dlx.New(columns, secondary)
		for _, bits := range rows {
			var row []int
			for c := range columns {
				if bits>>c&1 != 0 {
					row = append(row, c)
				}
			}
			x.Add(row...)
		}
		got := solutions(x)
		require.ElementsMatch(t, bySets(rows, 1<<(columns-secondary)-1), got)
		var parts []string
		var starts [][]int
		x.Split(1, func(choices []int) { starts = append(starts, slices.Clone(choices)) })
		for _, s := range starts {
			parts = append(parts, solutions(x, s...)...)
		}
		require.Equal(t, got, parts)
	})
}

// bySets tries all sets of rows. Rows with only secondary columns are in no solution, because the
// search never selects them.
func bySets(rows []int, primary int) (all []string) {
	for set := range 1 << len(rows) {
		covered, ok := 0, true
		chosen := []int{}
		for i, bits := range rows {
			if set>>i&1 != 0 {
				ok = ok && covered&bits == 0 && bits&primary != 0
				covered |= bits
				chosen = append(chosen, i)
			}
		}
		if ok && covered&primary == primary {
			all = append(all, fmt.Sprint(chosen))
		}
	}
	return all
}
