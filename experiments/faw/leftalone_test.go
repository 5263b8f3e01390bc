package faw

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/lab"
)

func TestLeftAlone(t *testing.T) {
	r := &lab.Run{}
	for _, got := range []float64{91, 109, 111, 89} {
		LeftAlone(r, "c-1 as before", got, 100, "%.0f s against %.0f s")
	}
	require.Equal(t, []lab.Relation{
		{Text: "c-1 as before", Holds: true, Detail: "91 s against 100 s"},
		{Text: "c-1 as before", Holds: true, Detail: "109 s against 100 s"},
		{Text: "c-1 as before", Holds: false, Detail: "111 s against 100 s"},
	}, r.Relations)
	require.Equal(t, []string{"c-1 as before (89 s against 100 s)"}, r.Unproven)
}
