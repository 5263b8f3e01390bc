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

// Keys of CombineTextInput beside KeyMaxSplit; bytes, 0 = none.
const (
	KeyMinSplitNode = "mapreduce.input.fileinputformat.split.minsize.per.node"
	KeyMinSplitRack = "mapreduce.input.fileinputformat.split.minsize.per.rack"
)

// CombineTextInput reads lines as TextInput does, but puts many small files, and blocks of large ones, into one split:
// first those of one node until a split holds mapreduce.input.fileinputformat.split.maxsize bytes, then what is left over.
// Without that maximum all of the input is one split. It is Hadoop's CombineTextInputFormat with all nodes in one rack.
type CombineTextInput struct{}

// Types gives LongWritable and Text.
func (CombineTextInput) Types(*conf.Config) (key, value Type) { return LongWritable, TextWritable }

// Open reads the lines of a split.
func (CombineTextInput) Open(c *Context, s *Split) (RecordReader, error) {
	return newLineReader(c, s, delimiter(c.Conf))
}

// Splits lists the input and combines it.
func (CombineTextInput) Splits(ctx context.Context, env *Env) ([]Split, error) {
	if _, err := maxLine(env.Conf); err != nil {
		return nil, err
	}
	return combine(ctx, env, false)
}

// CombineSequenceInput reads SequenceFiles as SequenceInput does, with splits made as CombineTextInput makes them: Hadoop's
// CombineSequenceFileInputFormat. Files of one job have the same types.
type CombineSequenceInput struct{ SequenceInput }

// Splits lists the input and combines it.
func (CombineSequenceInput) Splits(ctx context.Context, env *Env) ([]Split, error) {
	return combine(ctx, env, true)
}

// combine makes splits of the input's files.
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

// limits are sizes in bytes; 0 = none.
type limits struct{ max, minNode, minRack int64 }

func combineLimits(c *conf.Config) (l limits, err error) {
	if l.max, err = c.Int(KeyMaxSplit, math.MaxInt64, 0, math.MaxInt64); err != nil {
		return l, err
	}
	if l.max == math.MaxInt64 {
		l.max = 0
	}
	if l.minNode, err = c.Int(KeyMinSplitNode, 0, 0, math.MaxInt64); err != nil {
		return l, err
	}
	if l.minRack, err = c.Int(KeyMinSplitRack, 0, 0, math.MaxInt64); err != nil {
		return l, err
	}
	for _, x := range []struct {
		low, high   int64
		lowK, highK string
	}{
		{l.minNode, l.max, KeyMinSplitNode, KeyMaxSplit},
		{l.minRack, l.max, KeyMinSplitRack, KeyMaxSplit},
		{l.minNode, l.minRack, KeyMinSplitNode, KeyMinSplitRack},
	} {
		if x.low != 0 && x.high != 0 && x.low > x.high {
			return l, failure.New(failure.Config, "combine files", "", fmt.Errorf("%s=%d is above %s=%d", x.lowK, x.low, x.highK, x.high))
		}
	}
	return l, nil
}

// block is a piece of a file that goes into one split.
type block struct {
	Chunk
	hosts []string
	taken bool
}

// fileBlocks cuts a file at the storage's blocks and these into pieces of at most max bytes; what would leave a small rest
// is halved instead.
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

// combiner puts blocks into splits.
type combiner struct {
	limits
	blocks []*block
	splits []Split

	// The split that is being filled.
	open []*block
	size int64
}

func (m *combiner) take(b *block) {
	b.taken = true
	m.open = append(m.open, b)
	m.size += b.Length
}

func (m *combiner) full() bool { return m.max != 0 && m.size >= m.max }

// close makes a split of what was taken.
func (m *combiner) close(hosts []string) {
	s := Split{Length: m.size, Hosts: hosts, Combined: true}
	for _, b := range m.open {
		s.Chunks = append(s.Chunks, b.Chunk)
	}
	m.splits = append(m.splits, s)
	m.open, m.size = m.open[:0], 0
}

// node is a host with the blocks on it that may be free still.
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

// byNode goes round the nodes, one split each time, so that splits spread over them. A node's rest becomes a split of its
// own only if it reaches minNode and the node has none yet; otherwise it goes back to the pool.
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

// anywhere is the node of bytes that can be read equally well everywhere, as on local storage.
const anywhere = ""

// nodes lists the hosts in order of appearance. Files without bytes are on no node.
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

// fillFrom makes at most one split of a node's blocks and reports whether there may be more.
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

// byRack combines what no node took. All nodes count as one rack.
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

// maxHosts bounds how many nodes a combined split names.
const maxHosts = 10

// openHosts gives the nodes that hold most of the open split.
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
