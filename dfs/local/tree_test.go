package local

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/dfstest"
	"github.com/howdah/howdah/job/failure"
)

// rooted is a file system within a directory, except that the root exists.
type rooted struct {
	dfs.FileSystem
	whole *FS
}

func (r rooted) Stat(ctx context.Context, name string) (dfs.Info, error) {
	if name == "/" {
		return r.whole.Stat(ctx, name)
	}
	return r.FileSystem.Stat(ctx, name)
}

func TestConformanceWithin(t *testing.T) {
	dfstest.Run(t, func(t *testing.T) (dfs.FileSystem, string) {
		l, dir := newFS(t)
		return rooted{l.Within(dir), l}, dir
	})
}

// operations calls every operation for name and for a file next to it.
func operations(t *testing.T, fs dfs.FileSystem, name string) map[string]error {
	ctx, mode := t.Context(), uint32(0o777)
	return map[string]error{
		"open":      second(fs.Open(ctx, name)),
		"stat":      second(fs.Stat(ctx, name)),
		"list":      second(fs.List(ctx, filepath.Dir(name))),
		"create":    second(fs.Create(ctx, name+".new", dfs.CreateOptions{})),
		"overwrite": second(fs.Create(ctx, name, dfs.CreateOptions{Overwrite: true})),
		"append":    second(fs.Create(ctx, name, dfs.CreateOptions{Append: true})),
		"mkdir":     fs.Mkdir(ctx, name+".dir"),
		"rename":    fs.Rename(ctx, name, name+".moved"),
		"delete":    fs.Delete(ctx, name, true),
		"change":    fs.SetMeta(ctx, name, dfs.Meta{Mode: &mode}),
		"blocks":    second(fs.Locations(ctx, name, 0, 1)),
	}
}

// A directory that is a symbolic link is rejected, and so is every link that leads out of it.
func TestWithinRefusesLinks(t *testing.T) {
	l, dir := newFS(t)
	victim := filepath.Join(dir, "victim")
	require.NoError(t, os.Mkdir(victim, 0o777))
	put(t, victim+"/f", "x", 0o644)
	require.NoError(t, os.Mkdir(dir+"/real", 0o777))
	for link, to := range map[string]string{"link": victim, "real/absolute": victim, "real/relative": "../victim"} {
		require.NoError(t, os.Symlink(to, filepath.Join(dir, link)))
	}
	for top, names := range map[string][]string{"link": {"link/f"}, "real": {"real/absolute/f", "real/relative/f",
		"real/../victim/f"}} {
		for _, name := range names {
			for what, err := range operations(t, l.Within(filepath.Join(dir, top)), dir+"/"+name) {
				require.True(t, failure.Is(err, failure.Permission), "%s %s: %v", what, name, err)
			}
		}
	}
	b, err := os.ReadFile(victim + "/f")
	require.NoError(t, err)
	require.Equal(t, "x", string(b))
	list, err := os.ReadDir(victim)
	require.NoError(t, err)
	require.Len(t, list, 1)
}

// The links themselves can be listed, renamed, and deleted. Links that stay inside count as usual.
func TestWithinKeepsLinks(t *testing.T) {
	l, dir := newFS(t)
	top := filepath.Join(dir, "top")
	require.NoError(t, os.MkdirAll(top+"/d", 0o777))
	put(t, top+"/d/f", "x", 0o644)
	require.NoError(t, os.Symlink("/etc", top+"/out"))
	require.NoError(t, os.Symlink("d", top+"/in"))
	require.NoError(t, os.Symlink(top, dir+"/parent")) // links in the path to the directory are allowed
	fs := l.Within(dir + "/parent/d")
	_, err := fs.Stat(t.Context(), dir+"/parent/d/f")
	require.NoError(t, err)
	fs = l.Within(top)
	list, err := fs.List(t.Context(), top)
	require.NoError(t, err)
	require.Len(t, list, 3)
	require.True(t, list[1].Link && list[1].Dir, "in")
	require.True(t, list[2].Link && !list[2].Dir, "out")
	_, err = fs.Stat(t.Context(), top+"/in/f")
	require.NoError(t, err)
	require.NoError(t, fs.Rename(t.Context(), top+"/out", top+"/away"))
	require.NoError(t, fs.Delete(t.Context(), top+"/away", true))
	require.FileExists(t, "/etc/passwd")
	require.True(t, failure.Is(fs.Rename(t.Context(), top+"/d/f", top+"/in"), failure.Exists))
}

// A pipe in the place of the directory is an error, not a wait.
func TestWithinPipe(t *testing.T) {
	l, dir := newFS(t)
	require.NoError(t, syscall.Mkfifo(dir+"/pipe", 0o666))
	_, err := l.Within(dir+"/pipe").Stat(t.Context(), dir+"/pipe/f")
	require.Error(t, err)
	require.NoError(t, syscall.Mkfifo(dir+"/pipe2", 0o666))
	fs := l.Within(dir)
	_, err = fs.Open(t.Context(), dir+"/pipe2")
	require.Error(t, err)
	put(t, dir+"/f", "x", 0o644)
	require.True(t, failure.Is(fs.Rename(t.Context(), dir+"/f", dir+"/pipe2/f"), failure.Exists))
	require.NoError(t, fs.Delete(t.Context(), dir+"/pipe2/f", true))
}

// Nothing appears behind a link, even if it replaces the directory during the calls.
func TestWithinRace(t *testing.T) {
	l, dir := newFS(t)
	top, aside, victim := dir+"/top", dir+"/aside", dir+"/victim"
	require.NoError(t, os.Mkdir(top, 0o777))
	require.NoError(t, os.Mkdir(victim, 0o777))
	end := time.Now().Add(300 * time.Millisecond)
	var swapper sync.WaitGroup
	swapper.Go(func() {
		for time.Now().Before(end) {
			_ = os.Rename(top, aside)
			_ = os.Symlink(victim, top)
			_ = os.Remove(top)
			_ = os.Rename(aside, top)
		}
	})
	fs, made := l.Within(top), 0
	for time.Now().Before(end) {
		if w, err := fs.Create(t.Context(), top+"/f", dfs.CreateOptions{}); err == nil {
			made++
			_ = w.Close()
		}
		_ = fs.Mkdir(t.Context(), top+"/d")
		_ = fs.Delete(t.Context(), top+"/f", true)
	}
	swapper.Wait()
	require.Positive(t, made)
	list, err := os.ReadDir(victim)
	require.NoError(t, err)
	require.Empty(t, list)
}
