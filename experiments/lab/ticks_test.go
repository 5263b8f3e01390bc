package lab

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTicks(t *testing.T) {
	for _, x := range []struct {
		low, high float64
		want      string
	}{
		{0, 5300, "0 1000 2000 3000 4000 5000"}, {0, 1, "0.0 0.2 0.4 0.6 0.8 1.0"}, {0, 32, "0 10 20 30"},
		{-3, 3, "-3 -2 -1 0 1 2 3"},
		{250, 1100, "400 600 800 1000"}, {0, 0.003, "0.0000 0.0005 0.0010 0.0015 0.0020 0.0025 0.0030"},
		{0, 3e8, "0 5e+07 1e+08 1.5e+08 2e+08 2.5e+08 3e+08"}, {7, 7, "7"},
	} {
		var labels []string
		for _, tick := range (ticks{}).Ticks(x.low, x.high) {
			labels = append(labels, tick.Label)
		}
		require.Equal(t, x.want, strings.Join(labels, " "), x)
	}
}
