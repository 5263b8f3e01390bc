package local_test

import (
	"testing"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/dfstest"
	"github.com/howdah/howdah/dfs/local"
	"github.com/stretchr/testify/require"
)

func open(t *testing.T) *local.FS {
	t.Helper()
	fs, err := local.New(conf.New())
	require.NoError(t, err)
	return fs
}

func TestConformance(t *testing.T) {
	dfstest.Run(t, func(t *testing.T) (dfs.FileSystem, string) { return open(t), t.TempDir() })
}
