package local

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/dfstest"
	"github.com/howdah/howdah/internal/account"
	"github.com/howdah/howdah/job/failure"
)

// asNobody returns the file system as the user nobody, and a directory of nobody. It skips the test
// unless this process can act as nobody.
func asNobody(t testing.TB) (dfs.FileSystem, string) {
	if os.Geteuid() != 0 || runtime.GOOS != "linux" {
		t.Skip("only root on Linux can act as another user")
	}
	a, err := account.Look("nobody")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
	require.NoError(t, os.Chown(dir, a.UID, a.GID))
	l, err := New(conf.New())
	require.NoError(t, err)
	fs, err := l.As("nobody")
	require.NoError(t, err)
	return fs, dir
}

func TestConformanceAsUser(t *testing.T) {
	dfstest.Run(t, func(t *testing.T) (dfs.FileSystem, string) { return asNobody(t) })
}

// Every operation has the user's permissions, not root's.
func TestEveryOperationIsTheUsers(t *testing.T) {
	fs, dir := asNobody(t)
	ctx := t.Context()
	private := t.TempDir()
	require.NoError(t, os.Chmod(private, 0o700))
	in := func(name string) string { return filepath.Join(private, name) }
	put(t, in("secret"), "x", 0o644)
	put(t, filepath.Join(dir, "mine"), "x", 0o600)
	require.NoError(t, os.Symlink(in("secret"), filepath.Join(dir, "link")))
	put(t, filepath.Join(dir, "of root"), "x", 0o644)
	mode, now := uint32(0o777), time.Now()
	for what, err := range map[string]error{
		"open":     second(fs.Open(ctx, in("secret"))),
		"link":     second(fs.Open(ctx, filepath.Join(dir, "link"))),
		"file":     second(fs.Open(ctx, filepath.Join(dir, "mine"))),
		"stat":     second(fs.Stat(ctx, in("secret"))),
		"list":     second(fs.List(ctx, private)),
		"create":   second(fs.Create(ctx, in("new"), dfs.CreateOptions{})),
		"append":   second(fs.Create(ctx, filepath.Join(dir, "of root"), dfs.CreateOptions{Append: true})),
		"mkdir":    fs.Mkdir(ctx, in("dir/dir")),
		"rename":   fs.Rename(ctx, in("secret"), filepath.Join(dir, "taken")),
		"give":     fs.Rename(ctx, filepath.Join(dir, "mine"), in("given")),
		"delete":   fs.Delete(ctx, in("secret"), false),
		"all":      fs.Delete(ctx, private, true),
		"mode":     fs.SetMeta(ctx, filepath.Join(dir, "of root"), dfs.Meta{Mode: &mode}),
		"time":     fs.SetMeta(ctx, filepath.Join(dir, "of root"), dfs.Meta{ModTime: &now}),
		"blocks":   second(fs.Locations(ctx, in("secret"), 0, 1)),
		"truncate": fs.(dfs.Truncater).Truncate(ctx, filepath.Join(dir, "of root"), 0),
		"access":   fs.(dfs.Accesser).Access(ctx, filepath.Join(dir, "mine"), false),
		"space":    second(fs.(dfs.Spacer).Space(ctx, in("secret"))),
	} {
		require.True(t, failure.Is(err, failure.Permission), "%s: %v", what, err)
	}
	require.FileExists(t, in("secret"))
	require.NoError(t, os.WriteFile(in("new"), nil, 0o600), "this process is still root")

	w, err := fs.Create(ctx, filepath.Join(dir, "sub/file"), dfs.CreateOptions{})
	require.NoError(t, err)
	_, err = io.WriteString(w, "text")
	require.NoError(t, err)
	require.NoError(t, w.Close())
	for _, name := range []string{"sub", "sub/file"} {
		i, err := fs.Stat(ctx, filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, "nobody", i.Owner, name)
	}
}

func second[T any](_ T, err error) error { return err }

// Closing and aborting a writer also uses paths.
func TestWriterIsTheUsers(t *testing.T) {
	fs, dir := asNobody(t)
	name := filepath.Join(dir, "f")
	for _, end := range []func(dfs.Writer) error{dfs.Writer.Close, func(w dfs.Writer) error { w.Abort(); return nil }} {
		require.NoError(t, os.WriteFile(name, nil, 0o666))
		w, err := fs.Create(t.Context(), name, dfs.CreateOptions{Overwrite: true})
		require.NoError(t, err)
		require.NoError(t, os.Chown(dir, 0, 0)) // takes the directory away
		err = end(w)
		require.NoError(t, os.Chown(dir, 65534, 65534))
		left, _ := filepath.Glob(filepath.Join(dir, ".f.*"))
		require.Len(t, left, 1, "root's rights would have renamed or removed it: %v", err)
		require.NoError(t, os.Remove(left[0]))
	}
}

func TestChecksumsAreTheUsers(t *testing.T) {
	_, dir := asNobody(t)
	c := conf.New()
	c.Set(conf.FileChecksums.Name, "write", "test")
	l, err := WithChecksums(c)
	require.NoError(t, err)
	fs, err := l.(dfs.Impersonator).As("nobody")
	require.NoError(t, err)
	w, err := fs.Create(t.Context(), filepath.Join(dir, "f"), dfs.CreateOptions{})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	i, err := l.Stat(t.Context(), filepath.Join(dir, ".f.crc"))
	require.NoError(t, err)
	require.Equal(t, "nobody", i.Owner)
}

func TestUnknownUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("other processes use local files as themselves")
	}
	l, err := New(conf.New())
	require.NoError(t, err)
	_, err = l.As("no-such-user")
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
}

func BenchmarkStat(b *testing.B) {
	fs, dir := asNobody(b)
	own, err := New(conf.New())
	require.NoError(b, err)
	for name, fs := range map[string]dfs.FileSystem{"process": own, "user": fs, "within": own.Within(dir),
		"user within": fs.(*FS).Within(dir)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := fs.Stat(b.Context(), dir); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	fs, dir := asNobody(b)
	own, err := New(conf.New())
	require.NoError(b, err)
	name := filepath.Join(dir, "f")
	require.NoError(b, os.WriteFile(name, make([]byte, 4096), 0o644))
	for what, fs := range map[string]dfs.FileSystem{"process": own, "user": fs} {
		b.Run(what, func(b *testing.B) {
			for b.Loop() {
				f, err := fs.Open(b.Context(), name)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, f); err != nil {
					b.Fatal(err)
				}
				f.Close()
			}
		})
	}
}
