package mapreduce

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
)

// splitSlop is the maximum size of a file's last split, relative to the other splits.
const splitSlop = 1.1

// fileSplits divides each file into splits of about one block, like Hadoop's FileInputFormat. It does
// not split files for which splittable returns false. A nil splittable means that every file can be
// split.
func fileSplits(ctx context.Context, env *Env, splittable func(name string) bool) ([]Split, error) {
	return cutting{splittable: splittable}.splits(ctx, env)
}

// cutting determines how a format splits its files.
type cutting struct {
	splittable func(name string) bool // nil = all files are splittable
	least      int64                  // minimum size of a split, in bytes
	mapFiles   bool                   // treat directories inside directories as MapFiles
}

func (k cutting) splits(ctx context.Context, env *Env) ([]Split, error) {
	minSize, err := conf.InputFileInputFormatSplitMinSize.Get(env.Conf)
	if err != nil {
		return nil, err
	}
	minSize = max(minSize, k.least)
	maxSize, err := conf.InputFileInputFormatSplitMaxSize.Get(env.Conf)
	if err != nil {
		return nil, err
	}
	block, err := blockSize(env.Conf)
	if err != nil {
		return nil, err
	}
	files, err := listFiles(ctx, env, k.mapFiles)
	if err != nil {
		return nil, err
	}
	if maxSize, err = hinted(env.Conf, files, maxSize); err != nil {
		return nil, err
	}
	var out []Split
	for i := range files {
		f := &files[i]
		size := int64(math.MaxInt64)
		if k.splittable == nil || k.splittable(f.Path) {
			if size = f.BlockSize; size <= 0 {
				size = block
			}
			size = max(minSize, min(maxSize, size), 1)
		}
		if out, err = cutFile(ctx, out, f, size); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// hinted returns maxSize, lowered so that the number of splits is close to conf.JobMaps. It lowers
// maxSize only for jobs that use Hadoop's old API, whose FileInputFormat takes a number of splits.
func hinted(c *conf.Config, files []inputFile, maxSize int64) (int64, error) {
	if !oldMapper(c) {
		return maxSize, nil
	}
	maps, err := conf.JobMaps.Get(c)
	if err != nil {
		return 0, err
	}
	var total int64
	for i := range files {
		total += files[i].Size
	}
	return min(maxSize, total/maps), nil
}

// cutFile appends the splits of f, of about size bytes each, to out. An empty file has one empty
// split.
func cutFile(ctx context.Context, out []Split, f *inputFile, size int64) ([]Split, error) {
	if f.Size == 0 {
		return append(out, fileSplit(f, 0, 0, nil)), nil
	}
	blocks, err := f.located(ctx)
	if err != nil {
		return nil, err
	}
	start := int64(0)
	for float64(f.Size-start)/float64(size) > splitSlop {
		out = append(out, fileSplit(f, start, size, hostsAt(blocks, start)))
		start += size
	}
	return append(out, fileSplit(f, start, f.Size-start, hostsAt(blocks, start))), nil
}

func fileSplit(f *inputFile, start, length int64, hosts []string) Split {
	return Split{Chunks: []Chunk{{f.uri(), start, length}}, Length: length, Hosts: hosts}
}

// hostsAt returns the hosts that store a replica of the byte at off.
func hostsAt(blocks []dfs.Block, off int64) []string {
	for _, b := range blocks {
		if b.Offset <= off && off < b.Offset+b.Length {
			return b.Hosts
		}
	}
	return nil
}

func blockSize(c *conf.Config) (int64, error) {
	return conf.FSLocalBlockSize.Get(c)
}

// String returns the split in the format of Hadoop's logs, such as "file:/in/a:0+1024". If there
// are more than four chunks, it lists the first three and the number of the others.
func (s *Split) String() string {
	var b strings.Builder
	for i, c := range s.Chunks {
		if i == 3 && len(s.Chunks) > 4 {
			fmt.Fprintf(&b, " and %d more", len(s.Chunks)-i)
			break
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%s:%d+%d", c.Path, c.Start, c.Length)
	}
	if len(s.Chunks) == 0 {
		fmt.Fprintf(&b, "%d bytes", len(s.Extra))
	}
	return b.String()
}
