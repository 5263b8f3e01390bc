package hdfs

import (
	"context"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs/namenode"
	"github.com/howdah/howdah/job/failure"
)

// ListBlocks implements dfs.BlockLister. It does not use the library, whose listings do not include
// blocks.
func (f *FS) ListBlocks(ctx context.Context, name string) ([]dfs.Info, [][]dfs.Block, error) {
	const op = "list"
	if err := begin(ctx, op, name); err != nil {
		return nil, nil, err
	}
	name = path.Clean(name)
	all, ok, err := f.nn.Listing(ctx, name, true)
	if err == nil && !ok {
		err = failure.New(failure.NotFound, op, name, nil)
	}
	if err != nil {
		return nil, nil, wrap(op, name, err)
	}
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
