package mapreduce

import (
	"context"
	"io"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/codec"
)

// NLineInput reads lines like TextInput, with a fixed number of lines per split. It ignores
// conf.TextInputFormatRecordDelimiter. It is Hadoop's NLineInputFormat, intended for jobs in which
// each line is a work item. The client reads all uncompressed files to find the splits. A
// compressed file is a single split.
type NLineInput struct{}

// Types returns LongWritable and Text.
func (NLineInput) Types(*conf.Config) (key, value Type) { return LongWritable, TextWritable }

// Splits reads the lines of each file and starts a new split after every
// conf.InputLineInputFormatLinesPerMap lines.
func (NLineInput) Splits(ctx context.Context, env *Env) ([]Split, error) {
	n, err := conf.InputLineInputFormatLinesPerMap.Get(env.Conf)
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

// splitLines appends the splits of f, with n lines each, to out. Every split except the first
// starts one byte early, so that its reader skips only the end of the previous line.
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

// firstHosts returns the hosts that store a replica of the start of f.
func firstHosts(ctx context.Context, f *inputFile) ([]string, error) {
	if f.Size == 0 {
		return nil, nil
	}
	blocks, err := f.fs.Locations(ctx, f.Path, 0, 1)
	return hostsAt(blocks, 0), err
}

// Open returns a reader for the lines in s.
func (NLineInput) Open(c *Context, s *Split) (RecordReader, error) { return newLineReader(c, s, nil) }
