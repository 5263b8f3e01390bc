//go:build unix

package auth

import (
	"os"
	"syscall"
)

// owner returns the ID of the user who owns a file.
func owner(info os.FileInfo) (int, bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(s.Uid), true
}
