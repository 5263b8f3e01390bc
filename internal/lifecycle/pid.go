package lifecycle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/howdah/howdah/job/failure"
)

// WritePID writes a process ID to a file. It replaces the file atomically, because other processes
// may be reading it. In a directory that other users can write to, they cannot make it write
// elsewhere: it follows no link, and returns an error of kind Config if the file is one. It does
// nothing if file is "". Other errors have the kind of their cause.
func WritePID(file string, pid int) error {
	const op = "write process ID to"
	if file == "" {
		return nil
	}
	if info, err := os.Lstat(file); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return failure.New(failure.Config, op, file, errors.New("the file is a symbolic link")).
			Fix("remove the link, or name another file with --pid-file")
	}
	if err := replacePID(file, pid); err != nil {
		return failure.New(failure.KindOf(err), op, file, err)
	}
	return nil
}

func replacePID(file string, pid int) error {
	aside, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*") // never an existing file
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(aside, pid)
	if err = errors.Join(err, aside.Chmod(0o644), aside.Close()); err == nil {
		err = os.Rename(aside.Name(), file)
	}
	if err != nil {
		os.Remove(aside.Name())
	}
	return err
}
