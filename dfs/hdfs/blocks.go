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

// blockMap is what is known of where a file's blocks are. It is asked for in stretches and again when no replica of a block could be
// read. All methods may be called concurrently.
type blockMap struct {
	fs   *FS
	name string
	size int64

	mu     sync.Mutex
	blocks []transfer.Located // by offset
}

// open asks for the first blocks of a file.
func (f *FS) openBlocks(ctx context.Context, name string) (*blockMap, error) {
	b, err := f.nn.Locations(ctx, name, 0, f.o.Prefetch)
	switch {
	case err != nil:
		return nil, err
	case b == nil:
		return nil, failure.New(failure.NotFound, "open", name, nil)
	case b.Encrypted:
		return nil, failure.New(failure.Usage, "open", name, errors.New("the file lies in an encryption zone; its content cannot be decrypted here"))
	case b.Striped:
		return nil, failure.New(failure.Usage, "open", name, errors.New("the file is erasure-coded, which cannot be read here")).
			Fix("copy it to a directory with replication: hdfs ec -setPolicy -replicate, hadoop fs -cp")
	}
	m := &blockMap{fs: f, name: name, size: b.Size}
	m.add(b)
	m.unfinished(ctx, b)
	return m, nil
}

// add takes in what the NameNode told.
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

// at gives the block that holds the byte at pos; anew asks the NameNode even if the block is known.
func (m *blockMap) at(ctx context.Context, pos int64, anew bool) (transfer.Located, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if l, ok := m.find(pos); ok && !anew {
		return l, nil
	}
	n := m.fs.o.Prefetch
	if anew {
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
	return transfer.Located{}, fmt.Errorf("the NameNode names no block for byte %d", pos)
}

func (m *blockMap) find(pos int64) (transfer.Located, bool) {
	i := sort.Search(len(m.blocks), func(i int) bool { return m.blocks[i].Offset > pos }) - 1
	if i < 0 || pos >= m.blocks[i].Offset+m.blocks[i].Block.Size {
		return transfer.Located{}, false
	}
	return m.blocks[i], true
}

// describe names a block and its nodes as Hadoop does.
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
