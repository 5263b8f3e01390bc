package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestHunt draws mutants from a package whose tests check only one of its two conditions.
func TestHunt(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("go.mod", "module example.com/m\n\ngo 1.26\n")
	write("m.go", "package m\n\nfunc Max(a, b int) int {\n\tif a > b {\n\t\treturn a\n\t}\n\treturn b\n}\n\n"+
		"func Untested(a int) int {\n\tif a == 7 {\n\t\treturn 1\n\t}\n\treturn 0\n}\n")
	write("m_test.go", "package m\n\nimport \"testing\"\n\nfunc TestMax(t *testing.T) {\n\tif Max(1, 2) != 2 "+
		"|| Max(2, 1) != 2 || Max(3, 3) != 3 {\n\t\tt.Fatal()\n\t}\n}\n")
	t.Chdir(dir)
	h := hunt{match: "m.go:", timeout: 20 * time.Second,
		reasons: map[string]string{"m.go:Max: a > b -> a >= b": "equal values: either may be returned"}}
	survivors, err := h.hunt(t.Context(), []string{"./..."}, 100, rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, err)
	require.Equal(t, 2, survivors, "the two mutants of Untested")
}
