package hdfs

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync"

	"github.com/howdah/howdah/dfs/hdfs/namenode"
	"github.com/howdah/howdah/dfs/hdfs/transfer"
	"github.com/howdah/howdah/job/failure"
)

// A blockMap caches the locations of a file's blocks. It fetches the locations of several blocks at
// a time. On request, it refreshes the locations of one block. It is safe for concurrent use.
type blockMap struct {
	fs   *FS
	name string
	size int64

	mu     sync.Mutex
	blocks []transfer.Located // sorted by offset
}

// openBlocks returns the blockMap of a file, with the locations of the file's first blocks. It
// rejects encrypted and erasure-coded files.
func (f *FS) openBlocks(ctx context.Context, name string) (*blockMap, error) {
	b, err := f.nn.Locations(ctx, name, 0, f.o.Prefetch)
	switch {
	case err != nil:
		return nil, err
	case b == nil:
		return nil, failure.New(failure.NotFound, "open", name, nil)
	case b.Encrypted:
		return nil, failure.New(failure.Usage, "open", name,
			errors.New("the file is in an encryption zone, and howdah cannot decrypt it"))
	case b.Striped:
		return nil, failure.New(failure.Usage, "open", name,
			errors.New("the file is erasure-coded, and howdah cannot read such files")).
			Fix("copy it to a directory with replication: hdfs ec -setPolicy -replicate, hadoop fs -cp")
	}
	m := &blockMap{fs: f, name: name, size: b.Size}
	m.add(b)
	m.unfinished(ctx, b)
	return m, nil
}

// add adds the locations in b, which the NameNode returned. They replace older locations of the
// same blocks.
func (m *blockMap) add(b *namenode.Blocks) {
	for _, l := range b.Blocks {
		i := sort.Search(len(m.blocks), func(i int) bool { return m.blocks[i].Offset >= l.Offset })
		switch {
		case i < len(m.blocks) && m.blocks[i].Offset == l.Offset:
			m.blocks[i] = l
		default:
			m.blocks = append(m.blocks, transfer.Located{})
			copy(m.blocks[i+1:], m.blocks[i:])
			m.blocks[i] = l
		}
	}
}

// at returns the block that contains the byte at pos. If refresh is set, at queries the NameNode
// even if the cache contains the block's locations.
func (m *blockMap) at(ctx context.Context, pos int64, refresh bool) (transfer.Located, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if l, ok := m.find(pos); ok && !refresh {
		return l, nil
	}
	n := m.fs.o.Prefetch
	if refresh {
		n = 1
	}
	b, err := m.fs.nn.Locations(ctx, m.name, pos, n)
	if err != nil {
		return transfer.Located{}, err
	}
	if b == nil {
		return transfer.Located{}, failure.New(failure.NotFound, "read", m.name, errors.New("the file was deleted"))
	}
	m.add(b)
	if l, ok := m.find(pos); ok {
		return l, nil
	}
	return transfer.Located{}, fmt.Errorf("the NameNode returned no block for byte %d", pos)
}

func (m *blockMap) find(pos int64) (transfer.Located, bool) {
	i := sort.Search(len(m.blocks), func(i int) bool { return m.blocks[i].Offset > pos }) - 1
	if i < 0 || pos >= m.blocks[i].Offset+m.blocks[i].Block.Size {
		return transfer.Located{}, false
	}
	return m.blocks[i], true
}

// describe returns the names of a block and its nodes in Hadoop's format.
func describe(l transfer.Located) string {
	if len(l.Nodes) == 0 {
		return fmt.Sprintf("%s:blk_%d_%d has no live replica", l.Block.Pool, l.Block.ID, l.Block.Generation)
	}
	var nodes []string
	for _, d := range l.Nodes {
		nodes = append(nodes, fmt.Sprintf("%s:%d", d.Host, d.Port))
	}
	return fmt.Sprintf("%s:blk_%d_%d on %s", l.Block.Pool, l.Block.ID, l.Block.Generation, strings.Join(nodes, ", "))
}
