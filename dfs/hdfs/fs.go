// Package hdfs is a client of the Hadoop Distributed File System. Start with New or Constructor.
// The file system is FS.
//
// FS verifies the checksum of every byte before returning it. It switches to another replica if a
// read fails, and keeps writing when DataNodes die. Package transfer reads and writes blocks, and
// package namenode calls the NameNode.
package hdfs

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"

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

func (f *FS) stat(ctx context.Context, name string) (dfs.Info, error) {
	s, ok, err := f.nn.Stat(ctx, name)
	if err == nil && !ok {
		err = fs.ErrNotExist
	}
	return infoOf(name, s), err
}

func infoOf(name string, s namenode.Status) dfs.Info {
	i := dfs.Info{
		Path: name, Dir: s.Dir, Mode: s.Mode & 0o7777, Owner: s.Owner, Group: s.Group,
		ModTime: s.ModTime, AccessTime: s.AccessTime, BlockSize: s.BlockSize, Replication: s.Replication,
		AccessList: s.AccessList,
	}
	if !s.Dir {
		i.Size = s.Size
	}
	return i
}

// List implements dfs.FileSystem.
func (f *FS) List(ctx context.Context, name string) ([]dfs.Info, error) {
	infos, _, err := f.list(ctx, name, false)
	return infos, err
}

// ListBlocks implements dfs.BlockLister.
func (f *FS) ListBlocks(ctx context.Context, name string) ([]dfs.Info, [][]dfs.Block, error) {
	return f.list(ctx, name, true)
}

func (f *FS) list(ctx context.Context, name string, located bool) ([]dfs.Info, [][]dfs.Block, error) {
	const op = "list"
	if err := begin(ctx, op, name); err != nil {
		return nil, nil, err
	}
	name = path.Clean(name)
	all, ok, err := f.nn.Listing(ctx, name, located)
	if err == nil && !ok {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, nil, wrap(op, name, err)
	}
	// A NameNode sorts names by their bytes as signed numbers.
	slices.SortFunc(all, func(a, b namenode.Status) int { return strings.Compare(a.Name, b.Name) })
	infos, blocks := make([]dfs.Info, len(all)), make([][]dfs.Block, len(all))
	for i, s := range all {
		infos[i] = infoOf(path.Join(name, s.Name), s)
		if s.Blocks != nil {
			blocks[i] = blocksOf(s.Blocks, 0, math.MaxInt64)
		}
	}
	return infos, blocks, nil
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
	i, err := f.stat(ctx, name)
	switch {
	case err == nil && !i.Dir:
		err = fs.ErrExist
	case errors.Is(err, fs.ErrNotExist):
		err = f.nn.Mkdir(ctx, name, 0o777&^f.o.Umask)
	}
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
	err := wrap(op, name, f.nn.Delete(ctx, name, recursive))
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
	var err error
	if m.Mode != nil {
		err = f.nn.SetMode(ctx, name, *m.Mode&0o7777)
	}
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
