package fs

import (
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"time"

	"github.com/howdah/howdah/dfs"
)

// eachTarget calls do for every argument, whether something is there or not.
func (s *shell) eachTarget(args []string, do func(*item) error) {
	for _, a := range args {
		items, err := s.expand(a)
		for _, i := range items {
			if s.stop() {
				return
			}
			if err = do(i); err != nil {
				s.report(err)
			}
		}
		if len(items) == 0 && err != nil {
			s.report(err)
		}
	}
}

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
		if err := s.checkAncestor(i, o.has("p")); err != nil {
			return err
		}
		return explain(i.shown, i.fs.Mkdir(s.ctx, i.path))
	})
	return nil
}

// checkAncestor demands that the nearest path above that exists is a directory, and unless any will do, that it is the
// parent.
func (s *shell) checkAncestor(i *item, any bool) error {
	for p := path.Dir(i.path); ; p = path.Dir(p) {
		parent, err := s.look(&item{fs: i.fs, path: p, shown: dfs.Qualify(i.fs, p)})
		switch {
		case err != nil:
			return err
		case !parent.there && !any:
			return parent.missing()
		case parent.there && !parent.dir():
			return fmt.Errorf("Parent path is not a directory: %s", parent.uri())
		case parent.there || p == "/":
			return nil
		}
	}
}

func touchz(s *shell, _ options, args []string) error {
	s.eachTarget(args, func(i *item) error {
		switch {
		case i.dir():
			return pathError(i.shown, isDirectory)
		case i.there && i.info.Size > 0:
			return pathError(i.shown, "Not a zero-length file")
		case i.there:
			now := time.Now()
			return explain(i.shown, i.fs.SetMeta(s.ctx, i.path, dfs.Meta{ModTime: &now, AccessTime: &now}))
		}
		return s.makeEmpty(i)
	})
	return nil
}

func (s *shell) makeEmpty(i *item) error {
	if err := s.checkParent(i); err != nil {
		return err
	}
	return s.write(i, false, true, func(io.Writer) error { return nil })
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
	case dst.dir():
		return pathError(dst.shown, isDirectory)
	case !dst.there:
		if err := s.checkParent(dst); err != nil {
			return err
		}
	}
	w, err := dst.fs.Create(s.ctx, dst.path, dfs.CreateOptions{Append: dst.there})
	if err != nil {
		return explain(dst.shown, err)
	}
	for _, a := range args[:len(args)-1] {
		if err := s.appendOne(w, a); err != nil {
			w.Abort() // all of them or none
			return err
		}
	}
	return explain(dst.shown, w.Close())
}

func (s *shell) appendOne(w io.Writer, source string) error {
	if source == "-" {
		_, err := io.Copy(w, s.in)
		return err
	}
	i, err := s.local(source)
	if err == nil {
		err = i.missing()
	}
	if err != nil {
		return err
	}
	return s.open(i, func(r io.ReadSeeker) error {
		_, err := io.Copy(w, r)
		return err
	})
}

func truncate(s *shell, _ options, args []string) error {
	size, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil || size < 0 {
		return usageError("Illegal length, a non-negative integer expected")
	}
	s.each(args[1:], func(i *item) error {
		if i.dir() {
			return pathError(i.shown, isDirectory)
		}
		if size > i.info.Size {
			return usagef("Cannot truncate to a larger file size. Current size: %d, truncate size: %d.", i.info.Size, size)
		}
		t, ok := i.fs.(dfs.Truncater)
		if !ok {
			return pathError(i.shown, i.fs.Scheme()+": cannot truncate")
		}
		if err := t.Truncate(s.ctx, i.path, size); err != nil {
			return explain(i.shown, err)
		}
		s.printf("Truncated %s to length: %d\n", i.shown, size)
		return nil
	})
	return nil
}
