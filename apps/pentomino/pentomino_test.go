package pentomino_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/apps/pentomino"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce/mrtest"
)

// TestTwentyByThree checks that there are two ways to tile 20 x 3 fields with the twelve pentominoes.
// Each is found with its reflection, because the center of the piece x is in the middle line.
func TestTwentyByThree(t *testing.T) {
	r := mrtest.NewRunner()
	r.Conf().Set("mapreduce.pentomino.class", "org.apache.hadoop.examples.dancing.Pentomino", "test")
	require.NoError(t, pentomino.App().Run(context.Background(), r, []string{"/out", "-width", "20", "-height", "3",
		"-depth", "2"}))
	out, err := r.Output("/out")
	require.NoError(t, err)
	boards := strings.Split(strings.TrimSpace(out), "\n\n")
	require.Len(t, boards, 4)
	for _, b := range boards {
		lines := strings.Split(b, "\n")
		require.Len(t, lines, 4)
		require.Regexp(t, `^\d+,\d+\t$`, lines[0])
		for _, name := range "xvtwuifpznyl" {
			require.Equal(t, 5, strings.Count(strings.Join(lines[1:], ""), string(name)))
		}
	}
	_, err = r.ReadFile("/out_input/part1")
	require.True(t, failure.Is(err, failure.NotFound), "%v", err)
}

func TestRefused(t *testing.T) {
	run := func(args ...string) error {
		return pentomino.App().Run(context.Background(), mrtest.NewRunner(), args)
	}
	for _, bad := range [][]string{{}, {"/out", "-depth"}, {"/out", "-turn", "1"}} {
		require.True(t, failure.Is(run(bad...), failure.Usage), "%q", bad)
	}
	require.True(t, failure.Is(run("/out", "-width", "8"), failure.Config))
	require.True(t, failure.Is(run("/out", "-width", "x"), failure.Config))
}
