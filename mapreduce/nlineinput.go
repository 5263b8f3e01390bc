package mapreduce

import (
	"context"
	"io"
	"math"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/codec"
)

// KeyLinesPerMap is the number of lines of each split of NLineInput.
const KeyLinesPerMap = "mapreduce.input.lineinputformat.linespermap" // 1

// NLineInput reads lines as TextInput does, with so many lines of a file in each split: Hadoop's NLineInputFormat, for jobs
// whose lines are work to do rather than data. The client reads all of the input to find the splits. A compressed file is one
// split.
type NLineInput struct{}

// Types gives LongWritable and Text.
func (NLineInput) Types(*conf.Config) (key, value Type) { return LongWritable, TextWritable }

// Splits reads the lines of each file and cuts after every n of them.
func (NLineInput) Splits(ctx context.Context, env *Env) ([]Split, error) {
	n, err := env.Conf.Int(KeyLinesPerMap, 1, 1, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	files, err := listInput(ctx, env)
	if err != nil {
		return nil, err
	}
	c := NewContext(ctx, *env, TaskInfo{})
	var out []Split
	for i := range files {
		f := &files[i]
		if codec.ByPath(f.Path) != nil {
			out = append(out, fileSplit(f, 0, f.Size, nil))
			continue
		}
		if out, err = splitLines(c, out, f, n); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// splitLines adds the splits of one file. A split but the first starts one byte early: the line that its reader skips is
// nothing but the end of the one before.
func splitLines(c *Context, out []Split, f *inputFile, n int64) ([]Split, error) {
	hosts, err := firstHosts(c.Context(), f)
	if err != nil {
		return nil, err
	}
	r, err := newLineReader(c, &Split{Chunks: []Chunk{{f.uri(), 0, f.Size}}}, nil)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var begin, lines int64
	add := func(end int64) {
		if begin == 0 {
			out = append(out, fileSplit(f, 0, end-1, hosts))
		} else {
			out = append(out, fileSplit(f, begin-1, end-begin, hosts))
		}
		begin, lines = end, 0
	}
	for {
		if _, _, err = r.nextLine(); err != nil {
			break
		}
		if lines++; lines == n {
			add(r.scan.pos)
		}
	}
	if err != io.EOF {
		return nil, err
	}
	if lines > 0 {
		add(r.scan.pos)
	}
	return out, nil
}

// firstHosts gives the nodes that hold the start of a file.
func firstHosts(ctx context.Context, f *inputFile) ([]string, error) {
	if f.Size == 0 {
		return nil, nil
	}
	blocks, err := f.fs.Locations(ctx, f.Path, 0, 1)
	return hostsAt(blocks, 0), err
}

// Open reads the lines of a split.
func (NLineInput) Open(c *Context, s *Split) (RecordReader, error) { return newLineReader(c, s, nil) }
