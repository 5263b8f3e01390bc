// Package local implements dfs.FileSystem for this machine's files. Start with New, or with
// Constructor for a dfs.Set.
//
// New files appear at Create and are complete after Close. An overwritten file keeps its old
// content until Close. As with Hadoop's local file system, data is certain to survive a power
// failure only after Sync or Persist. Operations follow symbolic links, except that Delete and
// Rename act on the link itself. Pipes, sockets, and devices cannot be opened or overwritten.
package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/account"
	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/job/failure"
)

// FS is the local file system. It is safe for concurrent use.
type FS struct {
	blockSize int64  // reported by Stat; determines the sizes of splits
	user      string // user whose permissions apply; "" means this process's own
	top       string // directory that operations must not leave; "" means no limit
}

// New returns the local file system that c configures. Its block size is fs.local.block.size, in
// bytes. The default is 32 MiB.
func New(c *conf.Config) (*FS, error) {
	b, err := conf.FSLocalBlockSize.Get(c)
	if err != nil {
		return nil, err
	}
	return &FS{blockSize: b}, nil
}

// Constructor returns a dfs.Constructor for the local file system.
func Constructor(c *conf.Config) dfs.Constructor {
	return func(authority string) (dfs.FileSystem, error) {
		if authority != "" {
			return nil, failure.New(failure.Usage, "resolve", "file://"+authority, errors.New("file: paths have no host")).
				Fix("write file:/path or file:///path")
		}
		return WithChecksums(c)
	}
}

// Resolver returns a resolver for the file scheme only.
func Resolver(c *conf.Config) (*dfs.Set, error) {
	return dfs.NewSet(c, map[string]dfs.Constructor{"file": Constructor(c)})
}

// As implements dfs.Impersonator. A process that is not root uses its own permissions.
func (l *FS) As(user string) (dfs.FileSystem, error) {
	as := *l
	as.user = user
	return &as, account.Check(user)
}

// do runs f with the permissions of l.user and restricted to the directory l.top, if they are set.
// Open files remain usable after do returns, so only calls that take paths need it. f must not call
// do.
func (l *FS) do(f func(calls) error) error {
	if l.user == "" {
		return l.within(f)
	}
	return account.As(l.user, func() error { return l.within(f) })
}

func (l *FS) within(f func(calls) error) error {
	if l.top == "" {
		return f(system{})
	}
	t, err := openTree(l.top)
	if err != nil {
		return err
	}
	defer t.Close()
	return f(t)
}

// guarded reports whether other users might replace a file while this file system opens it.
func (l *FS) guarded() bool { return l.user != "" || l.top != "" }

// Scheme implements dfs.FileSystem.
func (l *FS) Scheme() string { return "file" }

// URI implements dfs.FileSystem.
func (l *FS) URI() string { return "file:" }

// begin returns an error if ctx has ended or name is invalid.
func begin(ctx context.Context, op, name string) error {
	if err := ctx.Err(); err != nil {
		return failure.New(failure.KindOf(err), op, name, err)
	}
	if !path.IsAbs(name) || strings.ContainsRune(name, 0) {
		return failure.New(failure.Usage, op, name, errors.New("the path must be absolute and must not contain zero bytes"))
	}
	return nil
}

// wrap converts an error of the operating system to a *failure.Error.
func wrap(op, name string, err error) error {
	if err == nil {
		return nil
	}
	var done *failure.Error
	if errors.As(err, &done) {
		return err
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err // the text of p would repeat the path
	}
	kind := failure.KindOf(err)
	switch {
	case errors.Is(err, syscall.ENOTDIR): // a parent is a file, so the path cannot exist
		kind = failure.NotFound
	case errors.Is(err, syscall.EISDIR), errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.ENAMETOOLONG):
		kind = failure.Usage
	case errors.Is(err, fs.ErrClosed):
		kind = failure.Usage
	case err.Error() == escapes:
		kind, err = failure.Permission, errEscapes
	case kind == failure.Unknown:
		kind = failure.IO
	}
	return failure.New(kind, op, name, err)
}

// Stat implements dfs.FileSystem.
func (l *FS) Stat(ctx context.Context, name string) (dfs.Info, error) {
	if err := begin(ctx, "stat", name); err != nil {
		return dfs.Info{}, err
	}
	var i fs.FileInfo
	err := l.do(func(c calls) (err error) {
		i, err = c.Stat(name)
		return err
	})
	if err != nil {
		return dfs.Info{}, wrap("stat", name, err)
	}
	return l.info(path.Clean(name), i), nil
}

func (l *FS) info(name string, i fs.FileInfo) dfs.Info {
	out := dfs.Info{
		Path: name, Dir: i.IsDir(), Mode: permissions(i.Mode()), ModTime: i.ModTime(),
		BlockSize: l.blockSize, Replication: 1,
	}
	if !out.Dir {
		out.Size = i.Size()
	}
	if s, ok := i.Sys().(*syscall.Stat_t); ok {
		out.Owner, out.Group = passwd.User(int(s.Uid)), passwd.Group(int(s.Gid))
		out.AccessTime = accessTime(s)
	}
	return out
}

// sticky is the permission bit of directories in which only owners can delete their files.
const sticky = 0o1000

func permissions(m fs.FileMode) uint32 {
	p := uint32(m.Perm())
	if m&fs.ModeSticky != 0 {
		p |= sticky
	}
	return p
}

// List implements dfs.FileSystem. It omits dangling and cyclic links, and files that vanish during
// the call.
func (l *FS) List(ctx context.Context, name string) (list []dfs.Info, err error) {
	if err := begin(ctx, "list", name); err != nil {
		return nil, err
	}
	name = path.Clean(name)
	err = l.do(func(c calls) error {
		list, err = l.list(c, name)
		return err
	})
	return list, wrap("list", name, err)
}

func (l *FS) list(c calls, name string) ([]dfs.Info, error) {
	self, err := c.Stat(name)
	if err != nil {
		return nil, err
	}
	if !self.IsDir() {
		return []dfs.Info{l.info(name, self)}, nil
	}
	names, err := readNames(c, name)
	if err != nil {
		return nil, err
	}
	out := make([]dfs.Info, 0, len(names))
	for _, n := range names {
		full := path.Join(name, n)
		i, err := c.Lstat(full)
		link := err == nil && i.Mode()&fs.ModeSymlink != 0
		if link {
			if to, statErr := c.Stat(full); statErr == nil || !leavesTree(statErr) {
				i, err = to, statErr
			}
		}
		switch {
		case err == nil:
			entry := l.info(full, i)
			entry.Link = link
			out = append(out, entry)
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ELOOP):
			return nil, wrap("list", full, err)
		}
	}
	return out, nil
}

// readNames returns the sorted names of a directory's entries.
func readNames(c calls, dir string) ([]string, error) {
	d, err := c.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	slices.Sort(names)
	return names, err
}

// Mkdir implements dfs.FileSystem.
func (l *FS) Mkdir(ctx context.Context, name string) error {
	if err := begin(ctx, "mkdir", name); err != nil {
		return err
	}
	return l.do(func(c calls) error { return mkdir(c, "mkdir", name) })
}

func mkdir(c calls, op, name string) error {
	err := c.MkdirAll(name, 0o777)
	if errors.Is(err, syscall.ENOTDIR) {
		return failure.New(failure.Exists, op, name, errors.New("it is not a directory, or a parent is a file"))
	}
	return wrap(op, name, err)
}

// Rename implements dfs.FileSystem.
func (l *FS) Rename(ctx context.Context, from, to string) error {
	for _, name := range []string{from, to} {
		if err := begin(ctx, "rename", name); err != nil {
			return err
		}
	}
	err := l.do(func(c calls) error {
		err := c.renameNew(path.Clean(from), path.Clean(to))
		if errors.Is(err, syscall.ENOTDIR) && isFile(c, path.Dir(to)) {
			return failure.New(failure.Exists, "rename", from+" to "+to, errors.New("the target's parent is not a directory"))
		}
		return err
	})
	var l2 *os.LinkError
	if errors.As(err, &l2) {
		err = l2.Err
	}
	return wrap("rename", from+" to "+to, err)
}

func isFile(c calls, name string) bool {
	i, err := c.Stat(name)
	return err == nil && !i.IsDir()
}

// renameCarefully renames without replacing an existing target. It is for file systems without a
// call that does so. For a file, it creates a second link, which fails if the target exists. For a
// directory, it checks the target first because rename could replace an empty directory.
func renameCarefully(c calls, from, to string) error {
	i, err := c.Lstat(from)
	if err != nil {
		return err
	}
	if !i.IsDir() {
		if err := c.Link(from, to); err != nil {
			return err
		}
		return c.Remove(from)
	}
	if _, err := c.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return c.Rename(from, to)
}

// Delete implements dfs.FileSystem.
func (l *FS) Delete(ctx context.Context, name string, recursive bool) error {
	if err := begin(ctx, "delete", name); err != nil {
		return err
	}
	name = path.Clean(name)
	if name == "/" {
		return failure.New(failure.Usage, "delete", name, errors.New("the root cannot be deleted"))
	}
	err := l.do(func(c calls) error {
		if recursive {
			return c.removeAll(ctx, name)
		}
		return c.Remove(name)
	})
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	return wrap("delete", name, err)
}

// Locations implements dfs.FileSystem. Any host that can read the path can read the bytes, so Hosts
// is nil.
func (l *FS) Locations(ctx context.Context, name string, off, n int64) ([]dfs.Block, error) {
	i, err := l.Stat(ctx, name)
	if err != nil {
		return nil, err
	}
	n = min(n, i.Size-off)
	if i.Dir || off < 0 || n <= 0 {
		return nil, nil
	}
	return []dfs.Block{{Offset: off, Length: n}}, nil
}

// SetMeta implements dfs.FileSystem.
func (l *FS) SetMeta(ctx context.Context, name string, m dfs.Meta) error {
	const op = "change"
	if err := begin(ctx, op, name); err != nil {
		return err
	}
	return wrap(op, name, l.do(func(c calls) error { return l.setMeta(c, name, m) }))
}

func (l *FS) setMeta(c calls, name string, m dfs.Meta) error {
	const op = "change"
	i, err := c.Stat(name)
	if err != nil {
		return err
	}
	if m.Replication != nil {
		return failure.New(failure.Usage, op, name, errors.New("local files have no replication"))
	}
	if m.Owner != nil || m.Group != nil {
		uid, gid, err := ids(m.Owner, m.Group)
		if err == nil {
			err = c.Chown(name, uid, gid)
		}
		if err != nil {
			return err
		}
	}
	if m.Mode != nil {
		mode := fs.FileMode(*m.Mode & 0o777)
		if *m.Mode&sticky != 0 {
			mode |= fs.ModeSticky
		}
		if err := c.Chmod(name, mode); err != nil {
			return err
		}
	}
	if m.ModTime == nil && m.AccessTime == nil {
		return nil
	}
	times := l.info(name, i)
	if m.ModTime != nil {
		times.ModTime = *m.ModTime
	}
	if m.AccessTime != nil {
		times.AccessTime = *m.AccessTime
	}
	return c.Chtimes(name, times.AccessTime, times.ModTime)
}

// ids converts user and group names to numeric IDs. -1 means unchanged.
func ids(owner, group *string) (uid, gid int, err error) {
	uid, gid = -1, -1
	known := true
	if owner != nil {
		uid, known = passwd.UserID(*owner)
		if !known {
			return 0, 0, failure.New(failure.Usage, "find user", *owner, errors.New("invalid user"))
		}
	}
	if group != nil {
		gid, known = passwd.GroupID(*group)
		if !known {
			return 0, 0, failure.New(failure.Usage, "find group", *group, errors.New("invalid group"))
		}
	}
	return uid, gid, nil
}

// regular returns an error unless i describes a regular file. A read from a pipe, for example,
// could block forever.
func regular(op, name string, i fs.FileInfo) error {
	switch m := i.Mode(); {
	case m.IsRegular():
		return nil
	case m.IsDir():
		return failure.New(failure.Usage, op, name, syscall.EISDIR)
	default:
		return failure.New(failure.Usage, op, name, fmt.Errorf("it is a %s", special(m))).
			Fix("name a regular file")
	}
}

func special(m fs.FileMode) string {
	switch {
	case m&fs.ModeNamedPipe != 0:
		return "named pipe"
	case m&fs.ModeSocket != 0:
		return "socket"
	case m&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}
