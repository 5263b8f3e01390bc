package disktest

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/disk"
)

func restored(t *testing.T, d *Disk, seed uint64) string {
	to := t.TempDir()
	require.NoError(t, d.Restore(to, rand.New(rand.NewPCG(seed, 0))))
	return to
}

// Without syncs, a power failure sometimes loses everything and sometimes nothing.
func TestForgets(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(200) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "old"), []byte("old"), 0o600))
		d, err := New(dir)
		require.NoError(t, err)
		f, err := d.OpenFile(filepath.Join(dir, "new"), os.O_CREATE|os.O_RDWR, 0o600)
		require.NoError(t, err)
		_, err = f.Write([]byte("new"))
		require.NoError(t, err)
		require.NoError(t, f.Close())
		to := restored(t, d, seed)
		b, err := os.ReadFile(filepath.Join(to, "new"))
		seen[string(b)+" "+strconvBool(err == nil)] = true
		b, err = os.ReadFile(filepath.Join(to, "old"))
		require.NoError(t, err)
		require.Equal(t, "old", string(b))
	}
	for _, want := range []string{" false", " true", "\x00\x00\x00 true", "new true"} {
		require.True(t, seen[want], "%q in %v", want, seen)
	}
}

func strconvBool(b bool) string {
	if b {
		return "true"
	}
	return "false"
}

// disk.Replace leaves the old or the new content at every power failure, and the new content after it
// has returned. A replacement that skips a sync does not.
func TestReplace(t *testing.T) {
	replace := func(fs disk.FS, name string) error { return disk.Replace(fs, name, []byte("new"), 0o600) }
	for what, c := range map[string]struct {
		do   func(fs disk.FS, name string) error
		good bool
	}{
		"all":      {replace, true},
		"no sync":  {func(fs disk.FS, name string) error { return replace(lazy{fs, false}, name) }, false},
		"no names": {func(fs disk.FS, name string) error { return replace(lazy{fs, true}, name) }, false},
	} {
		bad := 0
		for seed := range uint64(300) {
			dir := t.TempDir()
			name := filepath.Join(dir, "sub", "file")
			require.NoError(t, os.Mkdir(filepath.Dir(name), 0o700))
			require.NoError(t, os.WriteFile(name, []byte("old"), 0o600))
			d, err := New(dir)
			require.NoError(t, err)
			d.CutAfter(1 + int(seed%8))
			told := c.do(d, name) == nil
			b, err := os.ReadFile(filepath.Join(restored(t, d, seed), "sub", "file"))
			if err != nil || told && string(b) != "new" || string(b) != "new" && string(b) != "old" {
				bad++
			}
		}
		require.Equal(t, c.good, bad == 0, "%s: %d", what, bad)
	}
}

// disk.Create leaves the new content after it has returned, whether the file existed or not. Without
// its syncs, it does not.
func TestCreate(t *testing.T) {
	create := func(fs disk.FS, name string) error { return disk.Create(fs, name, []byte("new"), 0o600) }
	for what, c := range map[string]struct {
		do   func(fs disk.FS, name string) error
		good bool
	}{
		"all":      {create, true},
		"no sync":  {func(fs disk.FS, name string) error { return create(lazy{fs, false}, name) }, false},
		"no names": {func(fs disk.FS, name string) error { return create(lazy{fs, true}, name) }, false},
	} {
		bad := 0
		for seed := range uint64(300) {
			dir := t.TempDir()
			name, old := filepath.Join(dir, "file"), seed%2 == 0
			if old {
				require.NoError(t, os.WriteFile(name, []byte("old"), 0o600))
			}
			d, err := New(dir)
			require.NoError(t, err)
			d.CutAfter(1 + int(seed/2%8))
			told := c.do(d, name) == nil
			b, err := os.ReadFile(filepath.Join(restored(t, d, seed), "file"))
			if told && string(b) != "new" || old && (err != nil || string(b) != "new" && string(b) != "old") {
				bad++
			}
		}
		require.Equal(t, c.good, bad == 0, "%s: %d", what, bad)
	}
}

// lazy skips the syncs of files or of directories.
type lazy struct {
	disk.FS
	names bool
}

func (l lazy) SyncDir(dir string) error {
	if l.names {
		return nil
	}
	return l.FS.SyncDir(dir)
}

func (l lazy) OpenFile(name string, flag int, perm os.FileMode) (disk.File, error) {
	f, err := l.FS.OpenFile(name, flag, perm)
	if err != nil || l.names {
		return f, err
	}
	return lazyFile{f}, nil
}

type lazyFile struct{ disk.File }

func (lazyFile) Sync() error { return nil }

// A sync that fails loses its data for later syncs, too.
func TestFailedSyncLosesData(t *testing.T) {
	dir := t.TempDir()
	d, err := New(dir)
	require.NoError(t, err)
	fail := true
	d.Fault = func(op Op, _ string) error {
		if op == Sync && fail {
			return syscall.EIO
		}
		return nil
	}
	f, err := d.OpenFile(filepath.Join(dir, "f"), os.O_CREATE|os.O_RDWR, 0o600)
	require.NoError(t, err)
	_, err = f.Write([]byte("x"))
	require.NoError(t, err)
	require.True(t, errors.Is(f.Sync(), syscall.EIO))
	fail = false
	require.NoError(t, f.Sync())
	require.NoError(t, d.SyncDir(dir))
	b, err := os.ReadFile(filepath.Join(restored(t, d, 1), "f"))
	require.NoError(t, err)
	require.Equal(t, "\x00", string(b))
}
