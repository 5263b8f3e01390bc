//go:build integration

package chaos

import (
	"fmt"
	"syscall"
)

// mountSmall mounts a file system of the given size on a directory.
func mountSmall(dir string, bytes int) error {
	return syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0755", bytes))
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
