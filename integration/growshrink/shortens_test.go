//go:build integration && linux

package growshrink

import (
	"flag"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/mrcluster"
)

var (
	pairs = flag.Int("pairs", 0, "number of sorts on only the core and then while growing, which must be faster; "+
		"needs an idle machine")
	pairRows = flag.Int64("pair-rows", 9_000_000, "rows of 100 bytes to sort in a pair")
)

// Four transient and then four transient-core nodes shorten a TeraSort, even though their CPU is
// limited while they start.
func TestGrowingShortens(t *testing.T) {
	wanted(t, *pairs)
	s := build(t)
	s.generate(*pairRows)
	var alone, growing []time.Duration
	for range *pairs {
		alone = append(alone, s.end(s.sort("/out", 22, "4m")))
		require.NoError(s, s.FS.Delete(s.Context(), "/out", true))

		j := s.sort("/out", 22, "4m")
		s.Add(mrcluster.Transient, transient...)
		s.joined("transient", transient...)
		s.Add(mrcluster.TransientCore, storing...)
		s.joined("transient-core", storing...)
		growing = append(growing, s.end(j))
		s.counted(false)
		s.Logf("alone %v, growing %v", alone[len(alone)-1].Round(time.Second), growing[len(growing)-1].Round(time.Second))

		s.shrinkTransient()
		s.shrinkStoring(storing)
		s.healthy()
		require.NoError(s, s.FS.Delete(s.Context(), "/out", true))
	}
	s.Logf("medians: alone %v, growing %v", median(alone).Round(time.Second), median(growing).Round(time.Second))
	require.Less(t, median(growing), median(alone))
}

func median(all []time.Duration) time.Duration {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}
