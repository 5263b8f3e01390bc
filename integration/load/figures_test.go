package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const page = `# TYPE h histogram
h_bucket{le="0.01"} 10
h_bucket{le="0.02"} 110
h_bucket{le="+Inf"} 120
h_sum 3
h_count 120
maps 1.5e+06
`

func TestHistograms(t *testing.T) {
	after, err := histogram(page, "h")
	require.NoError(t, err)
	before := []bucket{{}, {count: 10}, {count: 10}}
	require.Equal(t, spread{Count: 110, Median: 15, High: 20}, between(before, after), "p99 is in the last bucket")
	require.Zero(t, between(after, after))
	_, err = histogram(page, "g")
	require.ErrorContains(t, err, "no metric g")
}

func TestValues(t *testing.T) {
	n, err := value(page, "maps")
	require.NoError(t, err)
	require.Equal(t, 1.5e6, n)
	_, err = value(page, "reduces")
	require.ErrorContains(t, err, "no metric reduces")
}

func TestSamples(t *testing.T) {
	var s samples
	require.Zero(t, s.spread())
	for i := range 101 {
		s.add(time.Duration(i) * time.Millisecond)
	}
	require.Equal(t, spread{Count: 101, Median: 50, High: 99}, s.spread())
}
