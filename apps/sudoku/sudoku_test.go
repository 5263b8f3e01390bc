package sudoku_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/apps/sudoku"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce/mrtest"
)

func solve(t *testing.T, text string) (string, error) {
	file := filepath.Join(t.TempDir(), "puzzle")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	r := mrtest.NewRunner()
	err := sudoku.App().Run(context.Background(), r, []string{file})
	return r.Printed()[min(len(r.Printed()), len("Solving ")+len(file)+1):], err
}

// TestSolve expects the output of Hadoop 3.4.2 for Hadoop's own example.
func TestSolve(t *testing.T) {
	got, err := solve(t, `8 5 ? 3 9 ? ? ? ?
? ? 2 ? ? ? ? ? ?
? ? 6 ? 1 ? ? ? 2
? ? 4 ? ? 3 ? 5 9
? ? 8 9 ? 1 4 ? ?
3 2 ? 4 ? ? 8 ? ?
9 ? ? ? 8 ? 5 ? ?
? ? ? ? ? ? 2 ? ?
? ? ? ? 4 5 ? 7 8
`)
	require.NoError(t, err)
	require.Equal(t, `8 5 1 3 9 2 6 4 7 
4 3 2 6 7 8 1 9 5 
7 9 6 5 1 4 3 8 2 
6 1 4 8 2 3 7 5 9 
5 7 8 9 6 1 4 2 3 
3 2 9 4 5 7 8 1 6 
9 4 7 2 8 6 5 3 1 
1 8 5 7 3 9 2 6 4 
2 6 3 1 4 5 9 7 8 

Found 1 solutions
`, got)
	got, err = solve(t, "1 ? ? ?\n? ? ? ?\n? ? ? ?\n? ? ? ?\n")
	require.NoError(t, err)
	require.Contains(t, got, "Found 72 solutions")
	got, err = solve(t, "1 1\n? ?\n")
	require.NoError(t, err)
	require.Equal(t, "Found 0 solutions\n", got)
}

func TestRefused(t *testing.T) {
	for _, bad := range []string{"", "1 2\n", "1 x\n? ?\n", "3 ?\n? ?\n", "0 1\n? ?\n"} {
		_, err := solve(t, bad)
		require.True(t, failure.Is(err, failure.User), "%q: %v", bad, err)
	}
	err := sudoku.App().Run(context.Background(), mrtest.NewRunner(), []string{"/nowhere"})
	require.True(t, failure.Is(err, failure.NotFound), "%v", err)
	err = sudoku.App().Run(context.Background(), mrtest.NewRunner(), nil)
	require.True(t, failure.Is(err, failure.Usage), "%v", err)
}
