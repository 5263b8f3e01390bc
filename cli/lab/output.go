package lab

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/job/failure"
)

// outputFile is a file that a command makes. It is written beside its place and moved there when it is complete. What stands
// there already is the user's, and is replaced only on request.
type outputFile struct {
	op, path string
	part     string // where it is written
}

func replaceFlag() urfave.Flag {
	return &urfave.BoolFlag{Name: "replace", Usage: "put files in the place of those that have their names"}
}

// newOutput checks before anything is worked out whether the file may be made; path "" gives nil. An error is of kind Exists.
func newOutput(op, path string, replace bool) (*outputFile, error) {
	if path == "" {
		return nil, nil
	}
	// The extension stays at the end, because it decides the format of a plot.
	ext := filepath.Ext(path)
	o := &outputFile{op, path, fmt.Sprintf("%s.part%d%s", strings.TrimSuffix(path, ext), os.Getpid(), ext)}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		_, err = os.Stat(filepath.Dir(path))
	case err != nil:
	case info.IsDir():
		return nil, failure.New(failure.Usage, op, path, errors.New("is a directory"))
	case !info.Mode().IsRegular(): // a pipe, a terminal: nothing is lost
		o.part = path
	case !replace:
		return nil, failure.New(failure.Exists, op, path, errors.New("the file is there already")).Fix("name another one, or say --replace")
	}
	if err != nil {
		return nil, o.bad(err)
	}
	return o, nil
}

// make lets write make the file under the name that it is given.
func (o *outputFile) make(write func(name string) error) error {
	err := write(o.part)
	if o.part == o.path {
		return err
	}
	if err == nil {
		err = o.bad(os.Rename(o.part, o.path))
	}
	if err != nil {
		_ = os.Remove(o.part) // it may not have come so far
	}
	return err
}

func (o *outputFile) bad(err error) error {
	if err == nil {
		return nil
	}
	return failure.New(failure.KindOf(err), o.op, o.path, err)
}

// stream lets write write the file from its beginning to its end.
func (o *outputFile) stream(write func(io.Writer) error) error {
	return o.make(func(name string) error {
		f, err := os.Create(name)
		if err != nil {
			return o.bad(err)
		}
		b := bufio.NewWriterSize(f, 1<<20)
		if err = write(b); err == nil {
			err = o.bad(b.Flush())
		}
		if e := f.Close(); err == nil {
			err = o.bad(e)
		}
		return err
	})
}
