package daemon

import (
	"io"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/mem"
)

// onMem resolves every path to one in-memory file system.
type onMem struct{ fs dfs.FileSystem }

func (r onMem) Resolve(name string) (dfs.FileSystem, string, error) { return r.fs, name, nil }

func TestStagingRootIsForAllUsers(t *testing.T) {
	fs := mem.New()
	d := &Daemon{cfg: Config{FS: onMem{fs}, StagingRoot: "/mapred/staging",
		Log: slog.New(slog.NewTextHandler(io.Discard, nil))}}
	d.makeStagingRoot(t.Context())
	info, err := fs.Stat(t.Context(), "/mapred/staging")
	require.NoError(t, err)
	require.Equal(t, uint32(0o1777), info.Mode)

	own := uint32(0o755)
	require.NoError(t, fs.SetMeta(t.Context(), "/mapred/staging", dfs.Meta{Mode: &own}))
	d.makeStagingRoot(t.Context())
	info, err = fs.Stat(t.Context(), "/mapred/staging")
	require.NoError(t, err)
	require.Equal(t, own, info.Mode, "what an administrator made stays")
}
