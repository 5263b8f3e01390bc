package mapreduce

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
)

// CombineTextInput reads lines like TextInput but combines many small files, and blocks of large
// files, into one split. It first combines blocks of the same node until a split contains
// conf.InputFileInputFormatSplitMaxSize bytes. It then combines the remaining blocks. If neither
// this key nor conf.InputFileInputFormatSplitMinSizePerNode is set, the whole input is one split.
// CombineTextInput is Hadoop's CombineTextInputFormat with all nodes in one rack.
type CombineTextInput struct{}

// Types returns LongWritable and Text.
func (CombineTextInput) Types(*conf.Config) (key, value Type) { return LongWritable, TextWritable }

// Open returns a reader for the lines in s.
func (CombineTextInput) Open(c *Context, s *Split) (RecordReader, error) {
	return newLineReader(c, s, delimiter(c.Conf))
}

// Splits lists the input files and combines them into splits.
func (CombineTextInput) Splits(ctx context.Context, env *Env) ([]Split, error) {
	if _, err := maxLine(env.Conf); err != nil {
		return nil, err
	}
	return combine(ctx, env, false)
}

// CombineSequenceInput reads SequenceFiles like SequenceInput and combines them like
// CombineTextInput. It is Hadoop's CombineSequenceFileInputFormat. The files of a job must have the
// same types.
type CombineSequenceInput struct{ SequenceInput }

// Splits lists the input files and combines them into splits.
func (CombineSequenceInput) Splits(ctx context.Context, env *Env) ([]Split, error) {
	return combine(ctx, env, true)
}

// combine lists the input files (see listFiles) and combines them into splits.
func combine(ctx context.Context, env *Env, mapFiles bool) ([]Split, error) {
	lim, err := combineLimits(env.Conf)
	if err != nil {
		return nil, err
	}
	files, err := listFiles(ctx, env, mapFiles)
	if err != nil {
		return nil, err
	}
	m := combiner{limits: lim}
	for i := range files {
		blocks, err := fileBlocks(ctx, &files[i], lim.max)
		if err != nil {
			return nil, err
		}
		m.blocks = append(m.blocks, blocks...)
	}
	m.byNode()
	m.byRack()
	return m.splits, nil
}

// limits contains size limits in bytes; 0 = no limit.
type limits struct{ max, minNode, minRack int64 }

func combineLimits(c *conf.Config) (l limits, err error) {
	if l.max, err = conf.InputFileInputFormatSplitMaxSize.Within(c, 0, math.MaxInt64); err != nil {
		return l, err
	}
	if l.max == math.MaxInt64 {
		l.max = 0
	}
	if l.minNode, err = conf.InputFileInputFormatSplitMinSizePerNode.Get(c); err != nil {
		return l, err
	}
	if l.minRack, err = conf.InputFileInputFormatSplitMinSizePerRack.Get(c); err != nil {
		return l, err
	}
	for _, x := range []struct {
		low, high   int64
		lowK, highK string
	}{
		{l.minNode, l.max, conf.InputFileInputFormatSplitMinSizePerNode.Name, conf.InputFileInputFormatSplitMaxSize.Name},
		{l.minRack, l.max, conf.InputFileInputFormatSplitMinSizePerRack.Name, conf.InputFileInputFormatSplitMaxSize.Name},
		{l.minNode, l.minRack, conf.InputFileInputFormatSplitMinSizePerNode.Name,
			conf.InputFileInputFormatSplitMinSizePerRack.Name},
	} {
		if x.low != 0 && x.high != 0 && x.low > x.high {
			return l, failure.New(failure.Config, "combine files", "", fmt.Errorf("%s=%d is above %s=%d", x.lowK, x.low,
				x.highK, x.high))
		}
	}
	return l, nil
}

// block is a piece of a file. A split contains whole blocks. taken means that the block is in a
// finished split or in the combiner's open split.
type block struct {
	Chunk
	hosts []string
	taken bool
}

// fileBlocks divides a file at the storage's block boundaries, and each block into pieces of at
// most max bytes; 0 = no limit. If the rest of a block is longer than max but shorter than twice
// max, fileBlocks halves the rest. An unsplittable file is a single block of any size.
func fileBlocks(ctx context.Context, f *inputFile, max int64) ([]*block, error) {
	located, err := f.located(ctx)
	if err != nil {
		return nil, err
	}
	if !splittable(f.Path) || len(located) == 0 {
		var hosts []string
		if len(located) > 0 {
			hosts = located[0].Hosts
		}
		located = []dfs.Block{{Offset: 0, Length: f.Size, Hosts: hosts}}
		max = 0
	}
	if f.Size == 0 {
		return []*block{{Chunk: Chunk{Path: f.uri()}}}, nil
	}
	var out []*block
	for _, b := range located {
		for off, left := b.Offset, b.Length; left > 0; {
			n := left
			switch {
			case max != 0 && left > max && left-max < max:
				n = left / 2
			case max != 0:
				n = min(max, left)
			}
			out = append(out, &block{Chunk: Chunk{f.uri(), off, n}, hosts: b.Hosts})
			off, left = off+n, left-n
		}
	}
	return out, nil
}

// combiner assigns blocks to splits.
type combiner struct {
	limits
	blocks []*block
	splits []Split

	// The split being filled.
	open []*block
	size int64
}

func (m *combiner) take(b *block) {
	b.taken = true
	m.open = append(m.open, b)
	m.size += b.Length
}

func (m *combiner) full() bool { return m.max != 0 && m.size >= m.max }

// close turns the open blocks into a split with the given hosts.
func (m *combiner) close(hosts []string) {
	s := Split{Length: m.size, Hosts: hosts, Combined: true}
	for _, b := range m.open {
		s.Chunks = append(s.Chunks, b.Chunk)
	}
	m.splits = append(m.splits, s)
	m.open, m.size = m.open[:0], 0
}

// node is a host with its blocks, some of which may already be taken.
type node struct {
	name   string
	blocks []*block
	splits int
}

func (n *node) hosts() []string {
	if n.name == anywhere {
		return nil
	}
	return []string{n.name}
}

// byNode visits the nodes in turn and creates at most one split per visit, so that the splits are
// spread over the nodes. A node's remaining blocks become a split only if minNode is set, they
// reach minNode, and the node has no split yet. Otherwise, they remain for other nodes and for
// byRack.
func (m *combiner) byNode() {
	nodes := m.nodes()
	for len(nodes) > 0 {
		var again []*node
		for _, n := range nodes {
			if m.fillFrom(n) {
				again = append(again, n)
			}
		}
		nodes = again
	}
}

// anywhere is the node for blocks that are equally close to all nodes, as on local storage.
const anywhere = ""

// nodes returns the hosts of the blocks in order of first appearance. Empty files do not belong to
// any host.
func (m *combiner) nodes() []*node {
	byName := map[string]*node{}
	var out []*node
	for _, b := range m.blocks {
		hosts := b.hosts
		if len(hosts) == 0 && b.Length > 0 {
			hosts = []string{anywhere}
		}
		for _, h := range hosts {
			n := byName[h]
			if n == nil {
				n = &node{name: h}
				byName[h] = n
				out = append(out, n)
			}
			n.blocks = append(n.blocks, b)
		}
	}
	return out
}

// fillFrom creates at most one split from a node's blocks and reports whether another visit might
// create one more.
func (m *combiner) fillFrom(n *node) (more bool) {
	for i, b := range n.blocks {
		if b.taken {
			continue
		}
		m.take(b)
		if m.full() {
			n.blocks = n.blocks[i+1:]
			n.splits++
			m.close(n.hosts())
			return true
		}
	}
	switch {
	case len(m.open) == 0:
	case m.minNode != 0 && m.size >= m.minNode && n.splits == 0:
		m.close(n.hosts())
	default:
		for _, b := range m.open {
			b.taken = false
		}
		m.open, m.size = m.open[:0], 0
	}
	return false
}

// byRack combines the blocks that byNode left behind. All nodes count as one rack.
func (m *combiner) byRack() {
	for _, b := range m.blocks {
		if b.taken {
			continue
		}
		m.take(b)
		if m.full() {
			m.close(m.openHosts())
		}
	}
	if len(m.open) > 0 {
		m.close(m.openHosts())
	}
}

// maxHosts limits the number of hosts that a combined split lists.
const maxHosts = 10

// openHosts returns at most maxHosts hosts of the open split, starting with those that store the
// most bytes of the split.
func (m *combiner) openHosts() []string {
	held := map[string]int64{}
	var hosts []string
	for _, b := range m.open {
		for _, h := range b.hosts {
			if _, ok := held[h]; !ok {
				hosts = append(hosts, h)
			}
			held[h] += b.Length
		}
	}
	slices.SortStableFunc(hosts, func(a, b string) int { return cmp.Compare(held[b], held[a]) })
	return hosts[:min(len(hosts), maxHosts)]
}
