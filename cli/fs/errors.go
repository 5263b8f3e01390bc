package fs

import (
	"errors"
	"fmt"

	"github.com/howdah/howdah/job/failure"
)

// usageError is a command that cannot be understood.
type usageError string

func (e usageError) Error() string { return string(e) }

func usagef(format string, args ...any) error { return usageError(fmt.Sprintf(format, args...)) }

// errSilent makes the exit code 1 without a message: the answer "no" of -test.
var errSilent = errors.New("no")

// What Hadoop's shell says of a path.
const (
	noSuchFile  = "No such file or directory"
	fileExists  = "File exists"
	isDirectory = "Is a directory"
	notDir      = "Is not a directory"
	notEmpty    = "Directory is not empty"
)

// errNothing is what a pattern without matches gives.
var errNothing = errors.New(noSuchFile)

func pathError(shown, what string) error { return fmt.Errorf("`%s': %s", shown, what) }

// explain words an error of the storage as Hadoop's shell does.
func explain(shown string, err error) error {
	if err == nil {
		return nil
	}
	var f *failure.Error
	if !errors.As(err, &f) {
		return err
	}
	switch failure.KindOf(err) {
	case failure.NotFound:
		return pathError(shown, noSuchFile)
	case failure.Exists:
		return pathError(shown, fileExists)
	case failure.Permission:
		return pathError(shown, "Permission denied")
	case failure.DiskFull:
		return pathError(shown, "No space left on device")
	}
	what := f.Kind.String()
	if f.Err != nil {
		what = f.Err.Error()
	}
	if f.Remedy != "" {
		what += "; " + f.Remedy
	}
	return pathError(shown, what)
}
