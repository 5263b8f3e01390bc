package fs

import (
	"errors"
	"fmt"
	"strings"

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

// notDirectory ends what a NameNode says of a path that leads through a file.
const notDirectory = "(is not a directory)"

// refused gives the words with which a server refused; "" if it was none.
func refused(err error) string {
	var r interface{ Refusal() string }
	if errors.As(err, &r) {
		return r.Refusal()
	}
	return ""
}

// explain words an error of the storage as Hadoop's shell does.
func explain(shown string, err error) error {
	if err == nil {
		return nil
	}
	var f *failure.Error
	if !errors.As(err, &f) {
		return err
	}
	refusal := refused(err)
	switch failure.KindOf(err) {
	case failure.NotFound:
		if strings.HasSuffix(refusal, notDirectory) {
			return errors.New(refusal)
		}
		return pathError(shown, noSuchFile)
	}
	if refusal != "" {
		return errors.New(refusal)
	}
	switch failure.KindOf(err) {
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

// unwrapped gives what an error of the storage is about, without where it happened.
func unwrapped(err error) error {
	var f *failure.Error
	if errors.As(err, &f) && f.Err != nil {
		return f.Err
	}
	return err
}
