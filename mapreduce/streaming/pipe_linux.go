package streaming

import (
	"os"

	"golang.org/x/sys/unix"
)

// pipeSize is the size of a command's pipes in bytes. It is the maximum for an unprivileged
// process.
const pipeSize = 1 << 20

// enlarge enlarges a pipe, which reduces the number of context switches. If the kernel returns an
// error, the size remains unchanged.
func enlarge(f *os.File) {
	raw, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) })
}
