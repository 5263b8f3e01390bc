//go:build integration

package chaos

import (
	"errors"
	"fmt"
	"syscall"
)

// mountOwn mounts a file system of the given size on a directory.
func mountOwn(dir string, bytes int) error {
	return syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0755", bytes))
}

// resize changes the size of a file system that mountOwn has mounted. Size 0 leaves no free space.
func resize(dir string, bytes int) error {
	for range 100 { // the used space may grow in the meantime
		size := bytes
		if bytes == 0 {
			var st syscall.Statfs_t
			if err := syscall.Statfs(dir, &st); err != nil {
				return err
			}
			size = max(1, int(st.Blocks-st.Bfree)) * int(st.Bsize)
		}
		err := syscall.Mount("", dir, "", syscall.MS_REMOUNT, fmt.Sprintf("size=%d", size))
		if !errors.Is(err, syscall.EINVAL) {
			return err
		}
	}
	return syscall.EINVAL
}

// mountReadOnly hides a directory behind a read-only mount of itself, which unmount removes.
func mountReadOnly(dir string) error {
	if err := syscall.Mount(dir, dir, "", syscall.MS_BIND, ""); err != nil {
		return err
	}
	err := syscall.Mount("", dir, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, "")
	if err != nil {
		_ = unmount(dir)
	}
	return err
}

func unmount(dir string) error { return syscall.Unmount(dir, syscall.MNT_DETACH) }

func kill9(pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) }
