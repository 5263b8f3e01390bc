package daemon

import (
	"io"
	"log/slog"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/dfs/mem"
	"github.com/howdah/howdah/internal/account"
	"github.com/howdah/howdah/internal/owndir"
	"github.com/howdah/howdah/job/failure"
)

// onMem resolves every path to one in-memory file system.
type onMem struct{ fs dfs.FileSystem }

func (r onMem) Resolve(name string) (dfs.FileSystem, string, error) { return r.fs, name, nil }

func TestStagingRootIsForAllUsers(t *testing.T) {
	fs := mem.New()
	d := &Daemon{cfg: Config{FS: onMem{fs}, StagingRoot: "/mapred/staging",
		Log: slog.New(slog.NewTextHandler(io.Discard, nil))}}
	require.NoError(t, d.makeStagingRoot(t.Context()))
	info, err := fs.Stat(t.Context(), "/mapred/staging")
	require.NoError(t, err)
	require.Equal(t, uint32(0o1777), info.Mode)

	own := uint32(0o755)
	require.NoError(t, fs.SetMeta(t.Context(), "/mapred/staging", dfs.Meta{Mode: &own}))
	require.NoError(t, d.makeStagingRoot(t.Context()))
	info, err = fs.Stat(t.Context(), "/mapred/staging")
	require.NoError(t, err)
	require.Equal(t, own, info.Mode, "what an administrator made stays")
}

// If the JobTracker runs as root, every user can stage jobs on the local file system, but cannot see the
// jobs of others. If not, only its own user can. A directory of another user is refused.
func TestLocalStagingRoot(t *testing.T) {
	files, err := local.Resolver(conf.New())
	require.NoError(t, err)
	tmp := t.TempDir()
	c := conf.New()
	c.Set("hadoop.tmp.dir", tmp+"/tmp", "test")
	make := func(root string) error {
		d := &Daemon{cfg: Config{FS: files, StagingRoot: "file:" + root, Conf: c,
			Log: slog.New(slog.NewTextHandler(io.Discard, nil))}}
		return d.makeStagingRoot(t.Context())
	}
	mode := func(name string) os.FileMode {
		i, err := os.Stat(name)
		require.NoError(t, err)
		return i.Mode() &^ os.ModeDir
	}
	want, crossed := owndir.Private, owndir.Private
	if os.Geteuid() == 0 {
		want, crossed = os.ModeSticky|0o733, 0o711
	}
	require.NoError(t, make(tmp+"/tmp/mapred/staging"))
	require.Equal(t, want, mode(tmp+"/tmp/mapred/staging"))
	require.Equal(t, crossed, mode(tmp+"/tmp"))
	require.NoError(t, os.Mkdir(tmp+"/home", 0o755))
	require.NoError(t, make(tmp+"/home"))
	require.Equal(t, os.FileMode(0o755), mode(tmp+"/home"), "what an administrator made stays")
	if os.Geteuid() == 0 {
		require.NoError(t, os.Chmod(tmp+"/tmp/mapred/staging", 0o755)) // made by an earlier version
		require.NoError(t, make(tmp+"/tmp/mapred/staging"))
		require.Equal(t, want, mode(tmp+"/tmp/mapred/staging"))
		require.NoError(t, os.Chown(tmp+"/home", 65534, 65534))
		require.True(t, failure.Is(make(tmp+"/home"), failure.Config))
	}
}

// TestUsersDirectoryIsMade checks that nobody can take the directory of a user who requests a job for the
// first time.
func TestUsersDirectoryIsMade(t *testing.T) {
	a, err := account.Look("nobody")
	if os.Geteuid() != 0 || err != nil {
		t.Skip("needs root and the account nobody")
	}
	files, err := local.Resolver(conf.New())
	require.NoError(t, err)
	root := t.TempDir()
	d := &Daemon{cfg: Config{FS: files, StagingRoot: "file:" + root}}
	require.NoError(t, d.makeUserArea("nobody"))
	info, err := os.Stat(root + "/nobody")
	require.NoError(t, err)
	require.Equal(t, os.ModeDir|0o700, info.Mode())
	require.EqualValues(t, a.UID, info.Sys().(*syscall.Stat_t).Uid)
	require.EqualValues(t, a.GID, info.Sys().(*syscall.Stat_t).Gid)

	require.NoError(t, os.Chown(root+"/nobody", 1234, 1234))
	require.NoError(t, d.makeUserArea("nobody"))
	info, err = os.Stat(root + "/nobody")
	require.NoError(t, err)
	require.EqualValues(t, 1234, info.Sys().(*syscall.Stat_t).Uid, "an existing directory stays as it is")
	require.NoError(t, d.makeUserArea("no-such-user"))
	require.NoDirExists(t, root+"/no-such-user")
}
