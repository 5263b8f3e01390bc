package cgroup

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// remount makes a container's mount of control groups writable, because Docker mounts it read-only.
// It needs CAP_SYS_ADMIN. It does not change a mount of the whole hierarchy, because only an
// administrator of the machine can have made that mount read-only.
func remount(dir string) error {
	if !partial(dir) {
		return syscall.EROFS
	}
	return unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
}

// partial reports whether the mount at dir shows only a part of the hierarchy. It does if dir
// contains cgroup.type, which every group of version 2 except the root has, or if the mount's root
// in mountinfo is not "/".
func partial(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, "cgroup.type")); err == nil {
		return true
	}
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return false
	}
	defer f.Close()
	root, err := mountRoot(bufio.NewScanner(f), dir)
	return err == nil && root != "/"
}

// mountRoot returns the root of the mount at dir, as recorded in mountinfo. Field 4, counted from
// 1, is the root, and field 5 is the mount point.
func mountRoot(lines *bufio.Scanner, dir string) (string, error) {
	root := ""
	for lines.Scan() {
		if f := strings.Fields(lines.Text()); len(f) > 5 && f[4] == dir {
			root = f[3] // the last mount hides the others
		}
	}
	if root == "" {
		return "", errors.New("not a mount point")
	}
	return root, nil
}
