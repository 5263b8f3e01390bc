//go:build unix

package disk

import (
	"os"
	"syscall"
)

// Free returns the number of bytes available to the current user on the disk that contains a
// directory.
func Free(dir string) (int64, error) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return 0, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	return int64(st.Bavail) * int64(st.Bsize), nil
}
