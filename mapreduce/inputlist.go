package mapreduce

import (
	"context"
	"errors"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
)

// inputFile is a file of a job's input.
type inputFile struct {
	fs dfs.FileSystem
	dfs.Info
	blocks []dfs.Block // nil = unknown
}

// located returns the file's blocks with their locations.
func (f *inputFile) located(ctx context.Context) ([]dfs.Block, error) {
	if f.blocks != nil {
		return f.blocks, nil
	}
	return f.fs.Locations(ctx, f.Path, 0, f.Size)
}

// uri returns the path with its scheme.
func (f *inputFile) uri() string { return f.fs.URI() + f.Path }

// listInput returns the files of the job's input. It expands paths, globs, and directories, and
// omits hidden files. It reports all missing inputs in one error.
func listInput(ctx context.Context, env *Env) ([]inputFile, error) { return listFiles(ctx, env, false) }

// listFiles is like listInput. If mapFiles is set, it treats directories inside directories as
// MapFiles and returns their data files.
func listFiles(ctx context.Context, env *Env, mapFiles bool) ([]inputFile, error) {
	paths := InputPaths(env.Conf)
	if len(paths) == 0 {
		return nil, failure.New(failure.Usage, "find the input", "", errors.New("No input paths specified in job")).
			Fix("specify an input, or set " + conf.InputFileInputFormatInputDir.Name)
	}
	if err := checkCodecs(env.Conf); err != nil {
		return nil, err
	}
	l := lister{ctx: ctx, mapFiles: mapFiles}
	var err error
	if l.recursive, err = conf.InputFileInputFormatInputDirRecursive.Get(env.Conf); err != nil {
		return nil, err
	}
	if l.skipDirs, err = conf.InputFileInputFormatInputDirNonrecursiveIgnoreSubdirs.Get(env.Conf); err != nil {
		return nil, err
	}
	threads, err := conf.InputFileInputFormatListStatusNumThreads.Get(env.Conf)
	if err != nil {
		return nil, err
	}
	l.others.SetLimit(int(threads) - 1)
	return l.all(env.FS, paths)
}

type lister struct {
	ctx                 context.Context
	recursive, skipDirs bool
	mapFiles            bool
	others              errgroup.Group // concurrent listings in other goroutines
}

// found is the result for an input path or a directory entry.
type found struct {
	file    inputFile
	inside  []found // entries of a directory
	missing string  // error message for an input that does not exist
}

// all returns the files of all paths. It reports all missing paths in one error, which takes
// precedence over other errors.
func (l *lister) all(r dfs.Resolver, paths []string) ([]inputFile, error) {
	roots := make([]found, len(paths))
	var first error
	for i, p := range paths {
		if err := l.path(r, p, &roots[i]); err != nil && first == nil {
			first = err
		}
	}
	if err := l.others.Wait(); err != nil && first == nil {
		first = err
	}
	var missing []string
	for _, f := range roots {
		if f.missing != "" {
			missing = append(missing, f.missing)
		}
	}
	if len(missing) > 0 {
		return nil, failure.New(failure.NotFound, "", "", errors.New(strings.Join(missing, "; ")))
	}
	return flatten(nil, roots), first
}

func flatten(out []inputFile, all []found) []inputFile {
	for i := range all {
		if f := &all[i]; f.inside != nil {
			out = flatten(out, f.inside)
		} else if f.file.fs != nil {
			out = append(out, f.file)
		}
	}
	return out
}

// path resolves an input path or pattern and stores the result in *to.
func (l *lister) path(r dfs.Resolver, p string, to *found) error {
	fs, name, err := r.Resolve(p)
	if err != nil {
		return err
	}
	matches, err := dfs.Glob(l.ctx, fs, name)
	if err != nil {
		return err
	}
	shown := slices.DeleteFunc(slices.Clone(matches), hidden)
	switch {
	case len(shown) > 0:
	case len(matches) == 0 && !dfs.IsGlob(name):
		to.missing = "Input path does not exist: " + fs.URI() + name
	default:
		to.missing = "Input Pattern " + fs.URI() + name + " matches 0 files"
	}
	return l.entries(fs, shown, nil, to)
}

// entries stores the given files and the contents of the given directories in *to. blocks contains
// the known blocks of files by path. entries lists directories concurrently, up to the limit of
// l.others.
func (l *lister) entries(fs dfs.FileSystem, entries []dfs.Info, blocks map[string][]dfs.Block, to *found) error {
	to.inside = make([]found, len(entries))
	for i, e := range entries {
		in := &to.inside[i]
		if !e.Dir {
			in.file = inputFile{fs, e, blocks[e.Path]}
			continue
		}
		list := func() error { return l.directory(fs, e.Path, in) }
		if l.others.TryGo(list) {
			continue
		}
		if err := list(); err != nil {
			return err
		}
	}
	return nil
}

func (l *lister) directory(fs dfs.FileSystem, name string, to *found) error {
	entries, blocks, err := list(l.ctx, fs, name)
	if err != nil {
		return err
	}
	entries = slices.DeleteFunc(entries, func(e dfs.Info) bool {
		return hidden(e) || e.Dir && !l.recursive && l.skipDirs
	})
	for i, e := range entries {
		if !e.Dir || l.recursive {
			continue
		}
		if !l.mapFiles {
			return failure.New(failure.Usage, "read input", "", errors.New("Not a file: "+fs.URI()+e.Path)).
				Fix("set " + conf.InputFileInputFormatInputDirRecursive.Name + "=true to read subdirectories, or " +
					conf.InputFileInputFormatInputDirNonrecursiveIgnoreSubdirs.Name +
					"=true to skip them")
		}
		if entries[i], err = mapFile(l.ctx, fs, e); err != nil {
			return err
		}
	}
	return l.entries(fs, entries, blocks, to)
}

// list returns the entries of the directory called name. It also returns the files' blocks, by
// path, if the storage includes blocks in its listings.
func list(ctx context.Context, fs dfs.FileSystem, name string) ([]dfs.Info, map[string][]dfs.Block, error) {
	b, ok := fs.(dfs.BlockLister)
	if !ok {
		entries, err := fs.List(ctx, name)
		return entries, nil, err
	}
	entries, all, err := b.ListBlocks(ctx, name)
	blocks := make(map[string][]dfs.Block, len(all))
	for i := range all {
		blocks[entries[i].Path] = all[i]
	}
	return entries, blocks, err
}

// hidden reports whether f's name starts with an underscore or a period. Such names are reserved
// for frameworks.
func hidden(f dfs.Info) bool {
	n := f.Name()
	return n[0] == '_' || n[0] == '.'
}
