// Package golden compares what tests make with files that are kept.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Rewrite is the flag by which a test writes its files instead: go test ./PACKAGE -rewrite.
var Rewrite = flag.Bool("rewrite", false, "write golden files and generated documents anew")

// Compare fails the test unless a file holds just this.
func Compare(t testing.TB, file string, got []byte) {
	t.Helper()
	if *Rewrite {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, got, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "run the test with -rewrite if that is meant")
}
