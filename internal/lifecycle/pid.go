package lifecycle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/job/failure"
)

// WritePID writes a process ID to a file. It replaces the file atomically, because other processes
// may be reading it. If the file is a link, WritePID returns an error of kind Config. Other users
// who can write to the directory therefore cannot make it write to another file. It does nothing if
// file is "". Other errors have the kind of their cause.
func WritePID(file string, pid int) error {
	const op = "write process ID to"
	if file == "" {
		return nil
	}
	if info, err := os.Lstat(file); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return failure.New(failure.Config, op, file, errors.New("the file is a symbolic link")).
			Fix("remove the link, or name another file with --pid-file")
	}
	if err := disk.Swap(file, fmt.Appendln(nil, pid), 0o644); err != nil {
		return failure.New(failure.KindOf(err), op, file, err)
	}
	return nil
}
