package main

import (
	"go/parser"
	"go/token"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBreakagesApply checks that every bug still finds its place and leaves a file that parses, and that
// each paper has at least two.
func TestBreakagesApply(t *testing.T) {
	t.Chdir("../..")
	all, err := read()
	require.NoError(t, err)
	papers := map[string]int{}
	for _, b := range all {
		source, err := b.apply()
		require.NoError(t, err)
		_, err = parser.ParseFile(token.NewFileSet(), b.File, source, 0)
		require.NoError(t, err, b.Name)
		require.NotEmpty(t, b.Experiments, b.Name)
		papers[b.Paper]++
	}
	require.Len(t, papers, 5)
	for paper, n := range papers {
		require.GreaterOrEqual(t, n, 2, paper)
	}
}
