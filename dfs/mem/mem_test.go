package mem_test

import (
	"testing"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/dfstest"
	"github.com/howdah/howdah/dfs/mem"
	"github.com/stretchr/testify/require"
)

func TestConformance(t *testing.T) {
	dfstest.Run(t, func(t *testing.T) (dfs.FileSystem, string) {
		fs := mem.New()
		require.NoError(t, fs.Mkdir(t.Context(), "/test"))
		return fs, "/test"
	})
}
