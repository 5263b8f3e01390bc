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

// remount makes a mount of control groups writable where it shows a container its own part only: Docker mounts that read-only. It
// needs CAP_SYS_ADMIN. What an administrator made read-only on the machine itself is left as it is.
func remount(dir string) error {
	if !partial(dir) {
		return syscall.EROFS
	}
	return unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
}

// partial tells whether a mount shows less than the whole hierarchy: version 1 by the mount's root, version 2 also by the file that every
// group has but the very first.
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

// mountRoot finds a mount point in mountinfo: field 4 is which part of the file system is mounted, field 5 where.
func mountRoot(lines *bufio.Scanner, dir string) (string, error) {
	root := ""
	for lines.Scan() {
		if f := strings.Fields(lines.Text()); len(f) > 5 && f[4] == dir {
			root = f[3] // the last one lies on top
		}
	}
	if root == "" {
		return "", errors.New("not a mount point")
	}
	return root, nil
}
