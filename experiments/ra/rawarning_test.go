package ra

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// All cases have the job sizes and the settings of their variants.
func TestRAWarningGrid(t *testing.T) {
	list := raWarningCases()
	require.Len(t, list, points*len(variants))
	for i, c := range list {
		v := variants[i/points]
		want := Literal
		if v.heavy {
			want = HeavyTail
		}
		require.Equal(t, want, c.Workload.Tasks)
		require.Equal(t, v.late, c.Settings["howdah.adaptive.late"])
		require.Equal(t, v.whole, c.Settings["howdah.adaptive.whole.tasks"])
	}
	require.Len(t, raWarningContenders, edf+1)
}
