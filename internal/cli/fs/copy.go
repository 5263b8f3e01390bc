package fs

import (
	"context"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/howdah/howdah/dfs"
)

func cp(s *shell, o options, args []string) error {
	return s.copyAll(o, args, s.expand, s.remote, nil)
}

func put(s *shell, o options, args []string) error { return s.upload(o, args, nil) }

func get(s *shell, o options, args []string) error {
	if len(args) > 1 && args[len(args)-1] == "-" {
		return cat(s, o, args[:len(args)-1])
	}
	return s.copyAll(o, args, s.expand, s.local, nil)
}

func moveFromLocal(s *shell, o options, args []string) error {
	return s.upload(o, args, func(i *item) error { return explain(i.shown, i.fs.Delete(s.ctx, i.path, true)) })
}

func (s *shell) upload(o options, args []string, after func(*item) error) error {
	if args[0] != "-" {
		one := func(arg string) ([]*item, error) {
			i, err := s.local(arg)
			return []*item{i}, err
		}
		return s.copyAll(o, args, one, s.remote, after)
	}
	if len(args) > 2 {
		return usageError("standard input (-) must be the only source")
	}
	arg := "."
	if len(args) > 1 {
		arg = args[1]
	}
	target, err := s.remote(arg) // as in Hadoop, only -put of standard input creates a missing parent directory
	if err != nil {
		return err
	}
	if target.dir() {
		if target, err = s.look(target.child("-")); err != nil {
			return err
		}
	}
	if target.there && !o.has("f") {
		return pathError(target.shown, fileExists)
	}
	return s.write(target, o, func(w io.Writer) error { return s.copyBytes(w, s.stdin(), -1) })
}

// remote returns the target of a command. A pattern must match exactly one path.
func (s *shell) remote(arg string) (*item, error) {
	items, err := s.expand(arg)
	switch {
	case err != nil:
		return nil, err
	case len(items) > 1:
		return nil, pathError(arg, "Too many matches")
	}
	return items[0], nil
}

// destination returns the item for the last argument, which it resolves with find. If args is
// empty, the item is the working directory.
func (s *shell) destination(args []string, find func(string) (*item, error)) (*item, error) {
	if len(args) == 0 {
		return find(".")
	}
	return find(args[len(args)-1])
}

// checkParent returns an error if the parent of a new file does not exist or, in a local file
// system, is not a directory.
func (s *shell) checkParent(i *item) error {
	parent, err := s.look(&item{fs: i.fs, path: path.Dir(i.path), shown: path.Dir(i.path)})
	switch {
	case err != nil:
		return err
	case !parent.there:
		if i.shown == i.uri() {
			return i.missing()
		}
		return fmt.Errorf("%w: `%s'", i.missing(), i.uri())
	case !parent.dir() && i.fs.Scheme() == "file": // other file systems return their own messages
		return fmt.Errorf("Destination exists and is not a directory: %s", parent.path)
	}
	return nil
}

// transfer is an execution of -cp, -put, -get, or -mv, which copies or moves each source to its
// place in the target.
type transfer struct {
	*shell
	o     options
	dst   *item
	one   func(src, target *item) error
	after func(src *item) error // called for each source that was transferred; nil = no call
	pool  *pool                 // copies several files at the same time; nil = one after another
}

func (s *shell) copyAll(o options, args []string, sources func(string) ([]*item, error),
	target func(string) (*item, error), after func(*item) error) error {
	t := &transfer{shell: s, o: o, after: after}
	t.one = t.copy
	n, err := s.threads(o)
	if err != nil {
		return err
	}
	if n > 1 {
		s.set.Terminal = false // a single line cannot show several copies
		t.pool = newPool(n, t.report)
		defer t.pool.wait()
	}
	return t.all(args, sources, target)
}

// run copies one file immediately, or submits the copy to the pool.
func (t *transfer) run(do func() error) error {
	if t.pool == nil {
		return do()
	}
	t.pool.submit(do)
	return nil
}

func (t *transfer) all(args []string, sources func(string) ([]*item, error), target func(string) (*item, error)) error {
	from := args
	if len(args) > 1 {
		from = args[:len(args)-1]
	}
	var err error
	if t.dst, err = t.destination(args[1:], target); err != nil {
		return err
	}
	items := t.found(from, sources)
	if err := t.fits(len(items)); err != nil {
		return err
	}
	for _, i := range items {
		if t.stop() {
			return nil
		}
		if err := t.source(i); err != nil {
			t.report(err)
		}
	}
	return nil
}

// fits returns an error if the destination cannot take n sources.
func (t *transfer) fits(n int) error {
	switch dst := t.dst; {
	case n > 1 && !dst.there:
		return pathError(dst.shown, noSuchFile)
	case n > 1 && !dst.dir():
		return pathError(dst.shown, notDir)
	case n > 1 || dst.dir():
		return nil
	case dst.there && !t.o.has("f"):
		return pathError(dst.shown, fileExists)
	case !dst.there:
		return t.checkParent(dst)
	}
	return nil
}

// source transfers src to its place in the destination and, after a success, calls t.after.
func (t *transfer) source(src *item) error {
	if err := src.missing(); err != nil {
		return err
	}
	target := t.dst
	if target.dir() {
		var err error
		if target, err = t.look(target.child(src.name())); err != nil {
			return err
		}
	}
	if src.dir() && src.fs == target.fs {
		what, shown := "", target.shown
		switch {
		case src.path == target.path:
			what, shown = "are identical", target.uri()
		case strings.HasPrefix(target.path, strings.TrimSuffix(src.path, "/")+"/"):
			what = "is a subdirectory of itself"
		}
		if what != "" {
			return fmt.Errorf("`%s' to `%s': %s", src.shown, shown, what)
		}
	}
	before := t.failed()
	err := t.one(src, target)
	if err == nil && t.after != nil && t.failed() == before {
		err = t.after(src)
	}
	return err
}

// copy copies a file, or a directory with its contents.
func (t *transfer) copy(src, target *item) error {
	if !src.dir() {
		return t.run(func() error { return t.copyFile(src, target) })
	}
	if target.there && !target.dir() {
		return pathError(target.shown, notDir)
	}
	if err := target.fs.Mkdir(t.ctx, target.path); err != nil {
		return explain(target.shown, err)
	}
	entries, err := t.list(src)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if t.stop() {
			return nil
		}
		into, err := t.look(target.child(e.name()))
		if err == nil {
			err = t.copy(e, into)
		}
		if err != nil {
			t.report(err)
		}
	}
	if t.pool != nil { // copies that finish later would change the directory's times
		t.pool.atEnd(func() error { return t.preserve(src, target) })
		return nil
	}
	return t.preserve(src, target)
}

func (t *transfer) copyFile(src, target *item) error {
	if target.there && (target.dir() || !t.o.has("f")) {
		return pathError(target.shown, fileExists)
	}
	err := t.open(src, func(r io.ReadSeeker) error {
		return t.write(target, t.o, func(w io.Writer) error { return t.copyBytes(w, r, src.info.Size) })
	})
	if err == nil && t.o.has("crc") {
		target.info.Dir, target.there = false, true
		err = t.writeCRC(target)
	}
	if err != nil {
		return err
	}
	return t.preserve(src, target)
}

// preserve copies the attributes that -p selects from src to target. -p without letters selects
// times, owner, group, and permissions.
func (t *transfer) preserve(src, target *item) error {
	what, ok := t.o["p"]
	if !ok {
		return nil
	}
	if what == "" {
		what = "top"
	}
	now, err := target.fs.Stat(t.ctx, target.path)
	if err != nil {
		return explain(target.shown, err)
	}
	var m dfs.Meta
	if strings.ContainsAny(what, "pa") {
		m.Mode = &src.info.Mode
	}
	if strings.Contains(what, "t") {
		m.ModTime, m.AccessTime = &src.info.ModTime, &src.info.AccessTime
	}
	if strings.Contains(what, "o") {
		if now.Owner != src.info.Owner {
			m.Owner = &src.info.Owner
		}
		if now.Group != src.info.Group {
			m.Group = &src.info.Group
		}
	}
	if err := target.fs.SetMeta(t.ctx, target.path, m); err != nil {
		return explain(target.shown, err)
	}
	if strings.Contains(what, "a") {
		if err := t.copyAccessList(src, target); err != nil {
			return err
		}
	}
	if strings.Contains(what, "x") {
		return t.copyAttributes(src, target)
	}
	return nil
}

// write creates a complete file or none. It writes a new file as NAME._COPYING_ and then renames
// it, unless o has d. If o has f, write replaces an existing file, which keeps its content until
// the new file is complete.
func (s *shell) write(target *item, o options, fill func(io.Writer) error) error {
	name := target.path
	temporary := !o.has("d") && !target.there
	if temporary {
		name += "._COPYING_"
	}
	create := dfs.CreateOptions{Overwrite: o.has("f") || temporary}
	if target.there {
		create.Mode = 0o666 // a file that replaces another does not inherit its permissions
	}
	if o.has("l") {
		create.Replication = 1
	}
	w, err := target.fs.Create(s.ctx, name, create)
	if err != nil {
		return explain(target.shown, err)
	}
	if err := fill(w); err != nil {
		w.Abort()
		return explain(target.shown, err)
	}
	if err := w.Close(); err != nil {
		return explain(target.shown, err)
	}
	if !temporary {
		return nil
	}
	if err := dfs.RenameOnce(s.ctx, target.fs, name, target.path); err != nil {
		target.fs.Delete(context.WithoutCancel(s.ctx), name, false)
		return explain(target.shown, err)
	}
	return nil
}
