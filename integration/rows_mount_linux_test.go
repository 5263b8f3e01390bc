//go:build integration

package integration

import (
	"fmt"
	"syscall"
)

// mountSmall mounts a file system of the given size on a directory.
func mountSmall(dir string, bytes int) error {
	return syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", bytes))
}

func unmount(dir string) error { return syscall.Unmount(dir, syscall.MNT_DETACH) }
