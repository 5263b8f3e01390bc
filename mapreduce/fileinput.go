package mapreduce

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
)

// defaultBlockSize is what Hadoop's local file system cuts by (fs.local.block.size); it serves storage that has no blocks.
const defaultBlockSize = 32 << 20

// splitSlop: the last split may be this much larger than the others.
const splitSlop = 1.1

// inputFile is one file of a job's input.
type inputFile struct {
	fs dfs.FileSystem
	dfs.Info
}

// uri gives the path with its scheme.
func (f *inputFile) uri() string { return f.fs.URI() + f.Path }

// listInput finds the files of the job's input: paths and globs, the files inside directories, without hidden ones. What is
// missing is told all at once.
func listInput(ctx context.Context, env *Env) ([]inputFile, error) {
	paths := InputPaths(env.Conf)
	if len(paths) == 0 {
		return nil, failure.New(failure.Usage, "find the input", "", errors.New("No input paths specified in job")).
			Fix("name an input, or set " + KeyInputDir)
	}
	l := lister{ctx: ctx}
	var err error
	if l.recursive, err = env.Conf.Bool(KeyRecursive, false); err != nil {
		return nil, err
	}
	if l.skipDirs, err = env.Conf.Bool(KeyIgnoreSubdirs, false); err != nil {
		return nil, err
	}
	for _, p := range paths {
		if err := l.add(env.FS, p); err != nil {
			return nil, err
		}
	}
	if len(l.missing) > 0 {
		return nil, failure.New(failure.NotFound, "", "", errors.New(strings.Join(l.missing, "; ")))
	}
	return l.files, nil
}

type lister struct {
	ctx                 context.Context
	recursive, skipDirs bool
	files               []inputFile
	missing             []string
}

// add takes one input path.
func (l *lister) add(r dfs.Resolver, p string) error {
	fs, name, err := r.Resolve(p)
	if err != nil {
		return err
	}
	found, err := dfs.Glob(l.ctx, fs, name)
	if err != nil {
		return err
	}
	shown := 0
	for _, f := range found {
		if hidden(f) {
			continue
		}
		shown++
		if err := l.addMatch(fs, f); err != nil {
			return err
		}
	}
	if shown > 0 {
		return nil
	}
	if !dfs.IsGlob(name) && len(found) == 0 {
		l.missing = append(l.missing, "Input path does not exist: "+fs.URI()+name)
		return nil
	}
	l.missing = append(l.missing, "Input Pattern "+fs.URI()+name+" matches 0 files")
	return nil
}

// addMatch takes a file, or the files of a directory.
func (l *lister) addMatch(fs dfs.FileSystem, f dfs.Info) error {
	if !f.Dir {
		l.files = append(l.files, inputFile{fs, f})
		return nil
	}
	entries, err := fs.List(l.ctx, f.Path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch {
		case hidden(e), e.Dir && !l.recursive && l.skipDirs:
			continue
		case e.Dir && !l.recursive:
			return failure.New(failure.Usage, "read input", fs.URI()+e.Path, errors.New("Not a file: "+fs.URI()+e.Path)).
				Fix("set " + KeyRecursive + "=true to read directories inside directories, or " + KeyIgnoreSubdirs + "=true to leave them out")
		}
		if err := l.addMatch(fs, e); err != nil {
			return err
		}
	}
	return nil
}

// hidden: files whose names start with _ or . are the work of frameworks.
func hidden(f dfs.Info) bool {
	n := f.Name()
	return n[0] == '_' || n[0] == '.'
}

// fileSplits cuts each file into stretches of about a block, as Hadoop's FileInputFormat does.
func fileSplits(ctx context.Context, env *Env, splittable func(name string) bool) ([]Split, error) {
	minSize, err := env.Conf.Int(KeyMinSplit, 1, 0, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	maxSize, err := env.Conf.Int(KeyMaxSplit, math.MaxInt64, 1, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	block, err := blockSize(env.Conf)
	if err != nil {
		return nil, err
	}
	files, err := listInput(ctx, env)
	if err != nil {
		return nil, err
	}
	var out []Split
	for i := range files {
		f := &files[i]
		size := int64(math.MaxInt64)
		if splittable(f.Path) {
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

// cutFile adds the splits of one file. A file without bytes makes a split without bytes.
func cutFile(ctx context.Context, out []Split, f *inputFile, size int64) ([]Split, error) {
	if f.Size == 0 {
		return append(out, fileSplit(f, 0, 0, nil)), nil
	}
	blocks, err := f.fs.Locations(ctx, f.Path, 0, f.Size)
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

// hostsAt gives the nodes that hold the byte at off.
func hostsAt(blocks []dfs.Block, off int64) []string {
	for _, b := range blocks {
		if b.Offset <= off && off < b.Offset+b.Length {
			return b.Hosts
		}
	}
	return nil
}

func blockSize(c *conf.Config) (int64, error) {
	return c.Size("fs.local.block.size", defaultBlockSize, 1, math.MaxInt64)
}

// String tells what a split is, as Hadoop's logs do: "file:/in/a:0+1024".
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
