package daemon

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A job that the JobTracker never described has no files, so its end removes nothing.
func TestRemainsOfUnknownJob(t *testing.T) {
	d := &Daemon{cfg: Config{LogDir: t.TempDir()}, served: servedIn(t.TempDir()), outputs: noOutputs()}
	j := ownJob(1)
	j.id = ""
	d.discard(j)
	d.remains.retry(t.Context())
	require.DirExists(t, d.served.root)
}

// A job ends while its disk is read-only. Its files go as soon as the disk is writable again, unless
// the job uses them again.
func TestRemainsOfJobs(t *testing.T) {
	for name, again := range map[string]bool{"ended": false, "used again": true} {
		t.Run(name, func(t *testing.T) {
			local := t.TempDir()
			if err := syscall.Mount("tmpfs", local, "tmpfs", 0, ""); err != nil {
				t.Skip("mounting a file system needs root: ", err)
			}
			t.Cleanup(func() { _ = syscall.Unmount(local, syscall.MNT_DETACH) })
			d := &Daemon{cfg: Config{LogDir: t.TempDir()}, served: servedIn(filepath.Join(local, mapOutputs)),
				outputs: noOutputs()}
			home := jobHome(local, "alice", "job_1_0001")
			output := filepath.Join(d.served.root, "job_1_0001")
			for _, dir := range []string{home, output} {
				require.NoError(t, os.MkdirAll(dir, 0o755))
			}
			ctx, cancel := context.WithCancel(context.Background())
			j := &localJob{id: "job_1_0001", roots: []string{home}, ctx: ctx, cancel: cancel, done: make(chan struct{}),
				gone: make(chan struct{})}
			close(j.done)
			require.NoError(t, syscall.Mount("", local, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
			d.discard(j)
			<-j.gone
			d.remains.retry(t.Context())
			require.DirExists(t, home, "the disk is still read-only")
			require.NoError(t, syscall.Mount("", local, "", syscall.MS_REMOUNT, ""))
			if again {
				d.remains.reuse("job_1_0001")
			}
			d.remains.retry(t.Context())
			for _, dir := range []string{home, output} {
				if again {
					require.DirExists(t, dir)
				} else {
					require.NoDirExists(t, dir)
				}
			}
		})
	}
}
