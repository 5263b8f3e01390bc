package tasktrackermain

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

func TestRejectsArguments(t *testing.T) {
	for _, args := range [][]string{nil, {"jobtracker"}, {"tasktracker", "more"}, {"tasktracker", "--scheduler", "fifo"}} {
		err := Run(t.Context(), args, io.Discard)
		require.True(t, failure.Is(err, failure.Usage), "%v: %v", args, err)
	}
	require.ErrorContains(t, Run(t.Context(), []string{"tasktracker"}, io.Discard), "put howdah into")
}
