package streaming

import (
	"os"

	"golang.org/x/sys/unix"
)

// pipeSize is the size of a command's pipes in bytes: what a process without privileges may ask for.
const pipeSize = 1 << 20

// enlarge makes a pipe larger, so that both sides run longer between two switches. The kernel may refuse: then it stays as it is.
func enlarge(f *os.File) {
	raw, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) })
}
