package fs

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
)

// item is a path and its status.
type item struct {
	fs     dfs.FileSystem
	path   string // on fs
	shown  string // path in messages and listings
	info   dfs.Info
	there  bool
	policy string // erasure coding policy, if requested
	local  bool   // the user wrote an absolute path of this machine without a scheme
}

func (i *item) missing() error {
	if !i.there {
		return pathError(i.shown, noSuchFile)
	}
	return nil
}

func (i *item) dir() bool { return i.there && i.info.Dir }

func (i *item) name() string { return path.Base(i.path) }

// uri returns the item's path as a URI with a scheme.
func (i *item) uri() string {
	if i.local {
		return "file://" + i.path
	}
	return dfs.Qualify(i.fs, i.path)
}

// join appends a name to a path for display.
func join(shown, name string) string {
	switch {
	case shown == "." || shown == "":
		return name
	case strings.HasSuffix(shown, "/"):
		return shown + name
	}
	return shown + "/" + name
}

// child returns an item for the named entry of directory i. It does not set the new item's status.
func (i *item) child(name string) *item {
	return &item{fs: i.fs, path: path.Join(i.path, name), shown: join(i.shown, name), local: i.local}
}

// look sets the status of i and returns i. A path that does not exist is not an error.
func (s *shell) look(i *item) (*item, error) {
	var err error
	i.info, err = i.fs.Stat(s.ctx, i.path)
	i.there = err == nil
	if err != nil && (!failure.Is(err, failure.NotFound) || strings.HasSuffix(refused(err), notDirectory)) {
		return nil, explain(i.shown, err)
	}
	return i, nil
}

// list returns the entries of a directory, sorted by name.
func (s *shell) list(i *item) ([]*item, error) {
	entries, err := i.fs.List(s.ctx, i.path)
	if failure.Is(err, failure.NotFound) && i.fs.Scheme() != "file" { // another process has deleted it in the meantime
		return nil, fmt.Errorf("File %s does not exist.", i.uri())
	}
	if err != nil {
		return nil, explain(i.shown, err)
	}
	out := make([]*item, len(entries))
	for n, e := range entries {
		c := i.child(e.Name())
		c.info, c.there = e, true
		out[n] = c
	}
	return out, nil
}

// resolve returns the item for an argument. It does not set the item's status.
func (s *shell) resolve(arg string) (*item, error) {
	if arg == "" {
		return nil, usageError("Can not create a Path from an empty string")
	}
	if _, err := dfs.ParsePath(arg); err != nil {
		return nil, usageError(err.Error())
	}
	fs, p, err := s.resolver.Resolve(arg)
	var f *failure.Error
	if errors.As(err, &f) && f.Kind == failure.Usage && f.Err != nil {
		return nil, f.Err
	}
	if err != nil {
		return nil, err
	}
	return &item{fs: fs, path: p, shown: arg}, nil
}

// expand returns the items that an argument matches. A path without a pattern yields one item, even
// if it does not exist.
func (s *shell) expand(arg string) ([]*item, error) {
	i, err := s.resolve(arg)
	if err != nil {
		return nil, err
	}
	if !strings.ContainsAny(i.path, `*?[{`) && strings.Contains(i.path, `\`) {
		// No special characters follow the backslashes.
		return s.expand(strings.ReplaceAll(arg, `\`, ""))
	}
	if !dfs.IsGlob(i.path) {
		if i, err = s.look(i); err != nil {
			return nil, err
		}
		if i.there {
			i.shown = s.show(arg, i)
		}
		return []*item{i}, nil
	}
	found, err := dfs.Glob(s.ctx, i.fs, i.path)
	if err != nil {
		return nil, explain(arg, err)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("`%s': %w", arg, errNothing)
	}
	out := make([]*item, len(found))
	for n, f := range found {
		m := &item{fs: i.fs, path: f.Path, info: f, there: true}
		m.shown = s.show(arg, m)
		out[n] = m
	}
	return out, nil
}

// show formats i's path in the style of arg, the argument from which it was derived. The result has
// a scheme, is absolute, or is relative to the working directory.
func (s *shell) show(arg string, i *item) string {
	p, err := dfs.ParsePath(arg)
	switch {
	case err != nil || path.IsAbs(p.Path) && p.Scheme == "":
		return i.path
	case p.Scheme != "":
		return p.Scheme + "://" + p.Authority + i.path
	}
	_, wd, err := s.resolver.Resolve(".")
	switch {
	case err != nil:
		return i.path
	case i.path == wd:
		return "."
	}
	if rel, below := strings.CutPrefix(i.path, strings.TrimSuffix(wd, "/")+"/"); below {
		return rel
	}
	return i.path
}

// local returns the item for an argument. A path without a scheme is on this machine, even if the
// default file system is a different one. local does not expand patterns, because the user's shell
// has already done so.
func (s *shell) local(arg string) (*item, error) {
	abs := arg
	if p, err := dfs.ParsePath(arg); err != nil || p.Scheme == "" {
		if abs, err = filepath.Abs(arg); err != nil || arg == "" {
			return nil, usageError("Can not create a Path from an empty string")
		}
		abs = "file:" + abs
	}
	i, err := s.resolve(abs)
	if err != nil {
		return nil, err
	}
	i.shown, i.local = arg, path.IsAbs(arg)
	return s.look(i)
}
