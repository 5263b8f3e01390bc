package fs

import (
	"errors"
	"fmt"
	"strings"

	"github.com/howdah/howdah/job/failure"
)

// usageError is an error in the command line.
type usageError string

func (e usageError) Error() string { return string(e) }

func usagef(format string, args ...any) error { return usageError(fmt.Sprintf(format, args...)) }

// errSilent results in exit code 1 without a message. -test returns it for the answer "no".
var errSilent = errors.New("no")

// Messages of Hadoop's shell about paths.
const (
	noSuchFile  = "No such file or directory"
	fileExists  = "File exists"
	isDirectory = "Is a directory"
	notDir      = "Is not a directory"
	notEmpty    = "Directory is not empty"
)

// errNothing means that a pattern has no matches.
var errNothing = errors.New(noSuchFile)

func pathError(shown, what string) error { return fmt.Errorf("`%s': %s", shown, what) }

// notDirectory is the end of a NameNode's message about a path that uses a file as a directory.
const notDirectory = "(is not a directory)"

// refused returns the server's message if err means that a server rejected the request, and ""
// otherwise.
func refused(err error) string {
	var r interface{ Refusal() string }
	if errors.As(err, &r) {
		return r.Refusal()
	}
	return ""
}

// explain converts an error from the storage to an error with the message of Hadoop's shell. shown
// is the path in that message.
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

// unwrapped returns the cause of an error from the storage, without the operation and the path.
func unwrapped(err error) error {
	var f *failure.Error
	if errors.As(err, &f) && f.Err != nil {
		return f.Err
	}
	return err
}
