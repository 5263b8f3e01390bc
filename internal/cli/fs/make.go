package fs

import (
	"errors"
	"fmt"
	"io"
	"path"
	"time"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
)

func mkdir(s *shell, o options, args []string) error {
	s.eachTarget(args, func(i *item) error {
		switch {
		case i.dir() && o.has("p"):
			return nil
		case i.dir():
			return pathError(i.shown, fileExists)
		case i.there:
			return pathError(i.shown, notDir)
		}
		if !o.has("p") {
			if err := s.parentThere(i); err != nil {
				return err
			}
		}
		err := i.fs.Mkdir(s.ctx, i.path)
		if failure.Is(err, failure.Exists) {
			return s.blocked(i, err)
		}
		return explain(i.shown, err)
	})
	return nil
}

// parentThere returns an error unless the parent of i, a directory to create, exists.
func (s *shell) parentThere(i *item) error {
	p := path.Dir(i.path)
	parent, err := s.look(&item{fs: i.fs, path: p, shown: dfs.Qualify(i.fs, p)})
	if err == nil {
		err = parent.missing()
	}
	return err
}

// blocked returns the error for an attempt to create directory i below a file. The error contains
// the file's path, unless a server rejected the request with its own message.
func (s *shell) blocked(i *item, err error) error {
	if text := refused(err); text != "" {
		return errors.New(text)
	}
	for p := path.Dir(i.path); p != "/"; p = path.Dir(p) {
		if found, err := i.fs.Stat(s.ctx, p); err == nil && !found.Dir {
			return fmt.Errorf("Parent path is not a directory: %s", dfs.Qualify(i.fs, p))
		}
	}
	return explain(i.shown, err)
}

func touchz(s *shell, _ options, args []string) error {
	s.eachTarget(args, func(i *item) error {
		switch {
		case i.dir():
			return pathError(i.shown, isDirectory)
		case i.there && i.info.Size > 0:
			return pathError(i.shown, "Not a zero-length file")
		case i.there: // like Hadoop, create the file again
			return s.write(i, options{"f": "", "d": ""}, func(io.Writer) error { return nil })
		}
		return s.makeEmpty(i)
	})
	return nil
}

func (s *shell) makeEmpty(i *item) error {
	if err := s.checkParent(i); err != nil {
		return err
	}
	return s.write(i, options{"d": ""}, func(io.Writer) error { return nil })
}

func touch(s *shell, o options, args []string) error {
	when := time.Now()
	if v, ok := o["t"]; ok {
		var err error
		if when, err = time.ParseInLocation("20060102:150405", v, time.Local); err != nil {
			return usagef("Unable to parse the specified timestamp %s. The expected format is yyyyMMdd:HHmmss", v)
		}
	}
	both := o.has("a") == o.has("m")
	var m dfs.Meta
	if both || o.has("m") {
		m.ModTime = &when
	}
	if both || o.has("a") {
		m.AccessTime = &when
	}
	s.eachTarget(args, func(i *item) error {
		if !i.there {
			if o.has("c") {
				return nil
			}
			if err := s.makeEmpty(i); err != nil {
				return err
			}
		}
		return explain(i.shown, i.fs.SetMeta(s.ctx, i.path, m))
	})
	return nil
}

func appendToFile(s *shell, _ options, args []string) error {
	if len(args) < 2 {
		return errors.New("missing destination argument")
	}
	dst, err := s.remote(args[len(args)-1])
	switch {
	case err != nil:
		return err
	case dst.dir() && dst.fs.Scheme() == "file": // other file systems return their own messages
		return pathError(dst.shown, isDirectory)
	}
	w, err := dst.fs.Create(s.ctx, dst.path, dfs.CreateOptions{Append: dst.there})
	if err != nil {
		return explain(dst.shown, err)
	}
	for _, a := range args[:len(args)-1] {
		if err := s.appendOne(w, a); err != nil {
			w.Abort() // append all sources or none
			return err
		}
	}
	return explain(dst.shown, w.Close())
}

func (s *shell) appendOne(w io.Writer, source string) error {
	if source == "-" {
		return s.copyBytes(w, s.stdin(), -1)
	}
	i, err := s.local(source)
	if err == nil {
		err = i.missing()
	}
	if err != nil {
		return err
	}
	return s.open(i, func(r io.ReadSeeker) error { return s.copyBytes(w, r, i.info.Size) })
}

func truncate(s *shell, o options, args []string) error {
	size, err := s.number(args[0], "Illegal length, a non-negative integer expected")
	if err != nil {
		return err
	}
	if size < 0 {
		return usageError("length must be >= 0")
	}
	var waiting []*item
	s.each(args[1:], func(i *item) error {
		if i.dir() {
			return pathError(i.shown, isDirectory)
		}
		if size > i.info.Size {
			return usagef("Cannot truncate to a larger file size. Current size: %d, truncate size: %d.", i.info.Size, size)
		}
		done, err := s.cut(i, size)
		switch {
		case err != nil:
			return err
		case done:
			s.printf("Truncated %s to length: %d\n", i.shown, size)
		case o.has("w"):
			waiting = append(waiting, i)
		default:
			s.printf("Truncating %s to length: %d. Wait for block recovery to complete before further updating this file.\n",
				i.shown, size)
		}
		return nil
	})
	for _, i := range waiting {
		s.printf("Waiting for %s ...\n", i.shown)
		s.out.Flush()
		if err := i.fs.(dfs.LazyTruncater).AwaitClosed(s.ctx, i.path); err != nil {
			return explain(i.shown, err)
		}
		s.printf("Truncated %s to length: %d\n", i.shown, size)
	}
	return nil
}

// cut truncates a file to the given size. It returns false if the storage has not completed the
// truncation yet.
func (s *shell) cut(i *item, size int64) (bool, error) {
	switch t := i.fs.(type) {
	case dfs.LazyTruncater:
		done, err := t.BeginTruncate(s.ctx, i.path, size)
		return done, explain(i.shown, err)
	case dfs.Truncater:
		return true, explain(i.shown, t.Truncate(s.ctx, i.path, size))
	}
	return false, pathError(i.shown, i.fs.Scheme()+": cannot truncate")
}

func concat(s *shell, _ options, args []string) error {
	if len(args) < 3 {
		return errors.New("The number of source paths is less than 2. <target path> <src path> <src path> ...")
	}
	target, err := s.resolve(args[0])
	if err != nil {
		return err
	}
	c, ok := target.fs.(dfs.Concatenator)
	if !ok {
		return pathError(target.shown, target.fs.Scheme()+": does not support concatenating files")
	}
	if target, err = s.look(target); err != nil {
		return err
	}
	if !target.there || target.dir() {
		return fmt.Errorf("Target path %s does not exist or is not file.", target.uri())
	}
	var sources []string
	for _, a := range args[1:] {
		i, err := s.resolve(a)
		if err == nil {
			i, err = s.look(i)
		}
		switch {
		case err != nil:
			return err
		case i.fs != target.fs:
			return pathError(i.shown, "Does not match target filesystem")
		case !i.there || i.dir():
			return fmt.Errorf("%s does not exist or is not file.", i.uri())
		}
		sources = append(sources, i.path)
	}
	return explain(target.shown, c.Concat(s.ctx, target.path, sources))
}
