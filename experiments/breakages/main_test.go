package main

import (
	"go/parser"
	"go/token"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBreakagesApply checks that every bug still finds its place and leaves a file that parses, and that
// each paper has at least two that must be noticed.
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
		if b.Misses == "" {
			papers[b.Paper]++
		}
	}
	require.Len(t, papers, 5)
	for paper, n := range papers {
		require.GreaterOrEqual(t, n, 2, paper)
	}
}

// TestVerdict checks that a bug that is missed needs a reason, and that the reason must hold.
func TestVerdict(t *testing.T) {
	for _, x := range []struct {
		misses string
		red    []string
		text   string
		ok     bool
	}{
		{"", []string{"MRO-2 (1)"}, "noticed", true},
		{"", nil, "MISSED", false},
		{"no effect", nil, "missed", true},
		{"no effect", []string{"MRO-2 (1)"}, "NOTICED", false},
	} {
		text, ok := (&breakage{Misses: x.misses}).verdict(x.red)
		require.Equal(t, x.text, text)
		require.Equal(t, x.ok, ok)
	}
}
