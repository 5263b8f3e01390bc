package lifecycle

import (
	"os"
	"path/filepath"
	"strconv"

	"github.com/howdah/howdah/job/failure"
)

// WritePID writes a process ID to a file. It replaces the file atomically, because other processes
// may be reading it. It does nothing if file is "". An error has the kind of its cause.
func WritePID(file string, pid int) error {
	if file == "" {
		return nil
	}
	aside := filepath.Join(filepath.Dir(file), "."+filepath.Base(file)+"."+strconv.Itoa(os.Getpid()))
	err := os.WriteFile(aside, []byte(strconv.Itoa(pid)+"\n"), 0o644)
	if err == nil {
		err = os.Rename(aside, file)
	}
	if err != nil {
		return failure.New(failure.KindOf(err), "write process ID to", file, err)
	}
	return nil
}
