// Package dir reads and writes the small files that a driver passes from one job to the next. Start
// with Lines and Write.
package dir

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
)

// maxLine is the maximum length of a line, in bytes.
const maxLine = 16 << 20

// Lines calls f for every line in the visible files of the directory at path, in the order of the
// file names. It stops at the first error that f returns, and returns that error with the file name
// and the line number.
func Lines(ctx context.Context, r dfs.Resolver, path string, f func(line string) error) error {
	fs, name, err := r.Resolve(path)
	if err != nil {
		return err
	}
	files, err := fs.List(ctx, name)
	if err != nil {
		return err
	}
	for _, info := range files {
		if n := info.Name(); info.Dir || n[0] == '_' || n[0] == '.' {
			continue
		}
		if err := fileLines(ctx, fs, info.Path, f); err != nil {
			return err
		}
	}
	return nil
}

func fileLines(ctx context.Context, fs dfs.FileSystem, name string, f func(line string) error) error {
	in, err := fs.Open(ctx, name)
	if err != nil {
		return err
	}
	defer in.Close()
	s := bufio.NewScanner(in)
	s.Buffer(nil, maxLine)
	for n := 1; s.Scan(); n++ {
		if err := f(s.Text()); err != nil {
			return failure.New(failure.Corrupt, "read", fmt.Sprintf("%s:%d", name, n), err)
		}
	}
	return s.Err()
}

// Write writes the lines to a new file in the directory at path. The file must not exist.
func Write(ctx context.Context, r dfs.Resolver, path, file string, lines []string) error {
	fs, name, err := r.Resolve(path)
	if err != nil {
		return err
	}
	w, err := fs.Create(ctx, name+"/"+file, dfs.CreateOptions{})
	if err != nil {
		return err
	}
	if _, err := w.Write([]byte(strings.Join(lines, "\n") + "\n")); err != nil {
		w.Abort()
		return err
	}
	return w.Close()
}

// Refuse returns an error of kind Exists if there is a file or directory at path.
func Refuse(ctx context.Context, r dfs.Resolver, path string) error {
	fs, name, err := r.Resolve(path)
	if err != nil {
		return err
	}
	switch _, err := fs.Stat(ctx, name); {
	case err == nil:
		return failure.New(failure.Exists, "check the output", fs.URI()+name,
			errors.New("Output directory "+fs.URI()+name+" already exists"))
	case failure.Is(err, failure.NotFound):
		return nil
	default:
		return err
	}
}

// Delete removes the directory at path and its contents. It returns no error if the directory is
// missing.
func Delete(ctx context.Context, r dfs.Resolver, path string) error {
	fs, name, err := r.Resolve(path)
	if err != nil {
		return err
	}
	return fs.Delete(ctx, name, true)
}
