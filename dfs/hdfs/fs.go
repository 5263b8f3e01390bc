// Package hdfs is a client of the Hadoop Distributed File System. Start with New or Constructor.
// The file system is FS.
//
// FS verifies the checksum of every byte before returning it. It switches to another replica if a
// read fails, and keeps writing when DataNodes die. Package transfer reads and writes blocks, and
// package namenode calls the NameNode. Most calls on names (stat, list, mkdir, delete) go through
// github.com/colinmarc/hdfs/v2; see library.go.
package hdfs

import (
	"context"
	"os"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	library "github.com/colinmarc/hdfs/v2"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs/namenode"
	"github.com/howdah/howdah/dfs/hdfs/security"
	"github.com/howdah/howdah/dfs/hdfs/transfer"
	"github.com/howdah/howdah/job/failure"
)

// FS is a client of one name service. It is safe for concurrent use. The caller must close it.
type FS struct {
	o     Options
	id    *security.Identity // nil means the user in Options
	nn    *namenode.Client
	data  *transfer.Client
	names names
	lease leases

	damaged  atomic.Int64
	budget   budget   // memory of unfinished blocks
	avoided  suspects // nodes that writers avoid
	slighted suspects // nodes that readers avoid
}

// New returns the file system. It connects on first use.
func New(o Options) *FS {
	f := &FS{o: o.withDefaults()}
	f.nn = namenode.New(f.o.NameNode)
	f.o.Transfer.Name = f.nn.Name()
	f.data = transfer.New(f.o.Transfer)
	f.names.nn = f.nn
	f.avoided.term, f.slighted.term = avoidFor, slightFor
	f.budget.limit = max(0, f.o.Buffer)
	f.lease.renew = f.nn.RenewLease
	return f
}

// After a node fails, writers avoid it for avoidFor, which is Hadoop's value, and readers avoid it
// for slightFor.
const (
	avoidFor  = 10 * time.Minute
	slightFor = time.Minute
)

// NameNode returns the client that calls the NameNode. It is for calls for which dfs.FileSystem has
// no method.
func (f *FS) NameNode() *namenode.Client { return f.nn }

// Damaged returns the number of damaged replicas that this file system has found.
func (f *FS) Damaged() int64 { return f.damaged.Load() }

// Close closes all connections. Open files fail afterward.
func (f *FS) Close() error {
	f.lease.close()
	f.names.close()
	f.data.Close()
	f.nn.Close()
	return nil
}

// Scheme implements dfs.FileSystem.
func (f *FS) Scheme() string { return "hdfs" }

// URI implements dfs.FileSystem.
func (f *FS) URI() string { return "hdfs://" + f.o.Authority }

// Stat implements dfs.FileSystem.
func (f *FS) Stat(ctx context.Context, name string) (dfs.Info, error) {
	const op = "stat"
	if err := begin(ctx, op, name); err != nil {
		return dfs.Info{}, err
	}
	i, err := f.stat(ctx, path.Clean(name))
	return i, wrap(op, name, err)
}

func (f *FS) stat(ctx context.Context, name string) (i dfs.Info, err error) {
	err = f.names.do(ctx, func(lib *library.Client) error {
		fi, err := lib.Stat(name)
		if err == nil {
			i = info(name, fi)
		}
		return err
	})
	return i, err
}

// info converts the library's description of a file to a dfs.Info.
func info(name string, fi os.FileInfo) dfs.Info {
	s := fi.Sys().(*library.FileStatus)
	i := dfs.Info{
		Path: name, Dir: fi.IsDir(), Mode: s.GetPermission().GetPerm() & 0o7777,
		Owner: s.GetOwner(), Group: s.GetGroup(),
		ModTime: millis(s.GetModificationTime()), AccessTime: millis(s.GetAccessTime()),
		BlockSize: int64(s.GetBlocksize()), Replication: int(s.GetBlockReplication()),
		AccessList: s.GetFlags()&namenode.HasAccessList != 0,
	}
	if !i.Dir {
		i.Size = int64(s.GetLength())
	}
	return i
}

// List implements dfs.FileSystem.
func (f *FS) List(ctx context.Context, name string) ([]dfs.Info, error) {
	const op = "list"
	if err := begin(ctx, op, name); err != nil {
		return nil, err
	}
	name = path.Clean(name)
	self, err := f.stat(ctx, name)
	if err != nil || !self.Dir {
		return []dfs.Info{self}, wrap(op, name, err)
	}
	out := []dfs.Info{}
	err = f.names.do(ctx, func(lib *library.Client) error {
		all, err := lib.ReadDir(name)
		for _, fi := range all {
			out = append(out, info(path.Join(name, fi.Name()), fi))
		}
		return err
	})
	if err != nil {
		return nil, wrap(op, name, err)
	}
	// A NameNode sorts names by their bytes as signed numbers.
	slices.SortFunc(out, func(a, b dfs.Info) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// Mkdir implements dfs.FileSystem.
func (f *FS) Mkdir(ctx context.Context, name string) error {
	const op = "mkdir"
	if err := begin(ctx, op, name); err != nil {
		return err
	}
	return f.mkdir(ctx, op, path.Clean(name))
}

func (f *FS) mkdir(ctx context.Context, op, name string) error {
	err := f.names.do(ctx, func(lib *library.Client) error {
		return lib.MkdirAll(name, os.FileMode(0o777&^f.o.Umask))
	})
	return belowFile(op, name, wrap(op, name, err))
}

// belowFile returns an error of kind Exists if err says that a parent of the path is a file.
// Otherwise, it returns err.
func belowFile(op, name string, err error) error {
	if is(err, "ParentNotDirectoryException") || is(err, "AccessControlException") && failure.Is(err, failure.NotFound) {
		return failure.New(failure.Exists, op, name, err)
	}
	return err
}

// Delete implements dfs.FileSystem.
func (f *FS) Delete(ctx context.Context, name string, recursive bool) error {
	const op = "delete"
	if err := begin(ctx, op, name); err != nil {
		return err
	}
	name = path.Clean(name)
	if name == "/" {
		return failure.New(failure.Usage, op, name, errRoot)
	}
	err := f.names.do(ctx, func(lib *library.Client) error {
		if recursive {
			return lib.RemoveAll(name)
		}
		return lib.Remove(name)
	})
	err = wrap(op, name, err)
	if failure.Is(err, failure.NotFound) {
		return nil
	}
	return err
}

// Rename implements dfs.FileSystem.
func (f *FS) Rename(ctx context.Context, from, to string) error {
	const op = "rename"
	if err := begin(ctx, op, from, to); err != nil {
		return err
	}
	from, to = path.Clean(from), path.Clean(to)
	err := f.nn.Rename(ctx, from, to, false)
	if err != nil && uncertain(err) && f.moved(ctx, from, to) {
		return nil
	}
	return belowFile(op, from+" to "+to, wrap(op, from+" to "+to, err))
}

// moved reports whether the NameNode performed a rename whose answer was lost. That is the case if
// from is gone and to exists.
func (f *FS) moved(ctx context.Context, from, to string) bool {
	_, errFrom := f.stat(ctx, from)
	_, errTo := f.stat(ctx, to)
	return failure.Is(wrap("", "", errFrom), failure.NotFound) && errTo == nil
}

// Locations implements dfs.FileSystem. The hosts of a block are in order of distance, nearest
// first. They are host names if the DataNodes report names to the NameNode.
func (f *FS) Locations(ctx context.Context, name string, off, n int64) ([]dfs.Block, error) {
	const op = "locate"
	if err := begin(ctx, op, name); err != nil {
		return nil, err
	}
	if off < 0 || n <= 0 {
		_, err := f.Stat(ctx, name)
		return nil, err
	}
	b, err := f.nn.Locations(ctx, path.Clean(name), off, n)
	if err != nil {
		return nil, wrap(op, name, err)
	}
	if b == nil {
		return nil, failure.New(failure.NotFound, op, name, nil)
	}
	return blocksOf(b, off, n), nil
}

func blocksOf(b *namenode.Blocks, off, n int64) []dfs.Block {
	var out []dfs.Block
	for _, l := range b.Blocks {
		if l.Offset+l.Block.Size <= off || l.Offset-off >= n {
			continue
		}
		d := dfs.Block{Offset: l.Offset, Length: l.Block.Size}
		for _, node := range l.Nodes {
			d.Hosts = append(d.Hosts, node.Host)
		}
		out = append(out, d)
	}
	return out
}

// SetMeta implements dfs.FileSystem.
func (f *FS) SetMeta(ctx context.Context, name string, m dfs.Meta) error {
	const op = "change"
	if err := begin(ctx, op, name); err != nil {
		return err
	}
	name = path.Clean(name)
	if m == (dfs.Meta{}) {
		_, err := f.stat(ctx, name)
		return wrap(op, name, err)
	}
	err := f.names.do(ctx, func(lib *library.Client) error {
		if m.Mode != nil {
			return lib.Chmod(name, os.FileMode(*m.Mode&0o7777))
		}
		return nil
	})
	if err == nil && (m.Owner != nil || m.Group != nil) {
		err = f.nn.SetOwner(ctx, name, m.Owner, m.Group)
	}
	if err == nil && m.Replication != nil {
		err = f.setReplication(ctx, name, *m.Replication)
	}
	if err == nil && (m.ModTime != nil || m.AccessTime != nil) {
		err = f.nn.SetTimes(ctx, name, m.ModTime, m.AccessTime)
	}
	return wrap(op, name, err)
}

func (f *FS) setReplication(ctx context.Context, name string, n int) error {
	ok, err := f.nn.SetReplication(ctx, name, n)
	if err == nil && !ok {
		_, err = f.stat(ctx, name) // directories have no replication, which is not an error
	}
	return err
}
