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

// outputFile is an output file of a command. A regular file has a temporary name until it is
// complete, and replaces an existing file only if the user requests it.
type outputFile struct {
	op, path string
	part     string // temporary name
}

func replaceFlag() urfave.Flag {
	return &urfave.BoolFlag{Name: "replace", Usage: "replace existing files"}
}

// newOutput checks whether the command may create the file at path, so that a long computation does
// not fail at its end. It returns nil if path is "". It returns an error of kind Exists if path is
// a regular file and replace is false.
func newOutput(op, path string, replace bool) (*outputFile, error) {
	if path == "" {
		return nil, nil
	}
	// Keep the extension at the end, because it determines the format of a plot.
	ext := filepath.Ext(path)
	o := &outputFile{op, path, fmt.Sprintf("%s.part%d%s", strings.TrimSuffix(path, ext), os.Getpid(), ext)}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		_, err = os.Stat(filepath.Dir(path))
	case err != nil:
	case info.IsDir():
		return nil, failure.New(failure.Usage, op, path, errors.New("is a directory"))
	case !info.Mode().IsRegular(): // a pipe or a terminal, so no data can be lost
		o.part = path
	case !replace:
		return nil, failure.New(failure.Exists, op, path,
			errors.New("the file exists")).Fix("choose another file, or use --replace")
	}
	if err != nil {
		return nil, o.bad(err)
	}
	return o, nil
}

// make calls write to create the file under a temporary name, and then renames the file. A pipe or a
// terminal keeps its name.
func (o *outputFile) make(write func(name string) error) error {
	err := write(o.part)
	if o.part == o.path {
		return err
	}
	if err == nil {
		err = o.bad(os.Rename(o.part, o.path))
	}
	if err != nil {
		_ = os.Remove(o.part) // the file might not exist
	}
	return err
}

func (o *outputFile) bad(err error) error {
	if err == nil {
		return nil
	}
	return failure.New(failure.KindOf(err), o.op, o.path, err)
}

// stream creates the file and calls write to fill it sequentially.
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
