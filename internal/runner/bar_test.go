package runner

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBarLine(t *testing.T) {
	b := &bar{width: func() int { return 80 }}
	require.Equal(t, " map [==========          ]  50%  reduce [                    ]   0%  1.5 s ",
		b.line(0.5, 0, 1500e6))
	require.Less(t, len(b.line(1, 1, 1e12)), 80)
	b.width = func() int { return 0 }
	require.Contains(t, b.line(1, 1, 0), "[=====] 100%")
}
