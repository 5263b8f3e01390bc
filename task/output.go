package task

import (
	"context"
	"errors"
	"hash/crc32"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/commit"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// output creates an attempt's output files, all of them below the attempt's own directory. It also
// records the manifest, which the job commit uses to publish the files. It is safe for concurrent
// use.
type output struct {
	ctx context.Context
	fs  dfs.FileSystem
	dir string // the attempt's directory; "" if the job writes no files
	// durable is the job's output directory if the output must survive a power failure, otherwise
	// "".
	durable string

	mu    sync.Mutex
	made  map[string]*outputFile
	files []job.OutputFile
}

func newOutput(ctx context.Context, fs dfs.Resolver, s *Spec) (*output, error) {
	o := &output{ctx: ctx, made: map[string]*outputFile{}}
	if s.OutputDir == "" {
		return o, nil
	}
	var err error
	if s.AttemptDir != "" {
		o.fs, o.dir, err = fs.Resolve(s.AttemptDir)
		return o, err
	}
	var out string
	if o.fs, out, err = fs.Resolve(s.OutputDir); err != nil {
		return nil, err
	}
	o.dir = commit.AttemptDir(out, s.Attempt.String())
	if s.Durable {
		o.durable = out
	}
	return o, nil
}

// create creates the attempt's output file called name. It rejects a name that is reserved, in use,
// or outside the output directory.
func (o *output) create(name string) (io.WriteCloser, error) {
	if err := o.checkName(name); err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.made[name] != nil {
		return nil, failure.New(failure.Exists, "create output file", name,
			nil).Fix("the attempt has already created the file; use another name")
	}
	w, err := o.fs.Create(o.ctx, path.Join(o.dir, name), dfs.CreateOptions{Overwrite: true})
	if err != nil {
		return nil, err
	}
	f := &outputFile{out: o, w: w, name: name}
	o.made[name] = f
	return f, nil
}

func (o *output) checkName(name string) error {
	why := ""
	first, _, _ := strings.Cut(name, "/")
	switch {
	case o.dir == "":
		why = "the job has no output directory"
	case name == "" || path.Clean(name) != name || path.IsAbs(name) || first == "..":
		why = "the name must be relative, clean and inside the output directory"
	case first == commit.Temporary || first == commit.Success:
		why = "the name is reserved for the job commit"
	default:
		return nil
	}
	return failure.New(failure.Usage, "create output file", name, errors.New(why))
}

// manifest makes the attempt's files durable if required and returns them, sorted by name. It
// includes the files that adopt finds. It returns an error if a file was never closed.
func (o *output) manifest() ([]job.OutputFile, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for name, f := range o.made {
		if !f.closed {
			return nil, failure.New(failure.User, "finish output", name, errors.New("the file was created but never closed"))
		}
	}
	if err := o.adopt(""); err != nil {
		return nil, err
	}
	slices.SortFunc(o.files, func(a, b job.OutputFile) int { return strings.Compare(a.Name, b.Name) })
	return o.files, o.persist()
}

// persist makes the attempt's files durable if required. Once a JobTracker has recorded the
// attempt's success, it does not run the task again after a power failure.
func (o *output) persist() error {
	if len(o.files) == 0 || o.durable == "" {
		return nil
	}
	names := map[string]bool{}
	for _, f := range o.files {
		// Include the file and every directory above it, up to the output directory, because all of
		// them may be new.
		for name := path.Join(o.dir, f.Name); len(name) >= len(o.durable) && !names[name]; name = path.Dir(name) {
			names[name] = true
		}
	}
	return dfs.Persist(o.ctx, o.fs, slices.Collect(maps.Keys(names))...)
}

// adopt adds files in the attempt's directory to the manifest if create did not create them. These
// are Hadoop's side-effect files, which a program writes directly to mapreduce.task.output.dir.
func (o *output) adopt(below string) error {
	if o.dir == "" {
		return nil
	}
	entries, err := o.fs.List(o.ctx, path.Join(o.dir, below))
	if failure.Is(err, failure.NotFound) {
		return nil // nothing was written
	}
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, e := range entries {
		there[e.Name()] = true
	}
	for _, e := range entries {
		name := path.Join(below, e.Name())
		sumOf, isSum := strings.CutSuffix(strings.TrimPrefix(e.Name(), "."), ".crc")
		switch {
		case o.made[name] != nil, isSum && there[sumOf]: // a checksum file is published with its file
		case e.Dir:
			if err := o.adopt(name); err != nil {
				return err
			}
		case o.checkName(name) == nil:
			o.files = append(o.files, job.OutputFile{Name: name, Length: e.Size})
		}
	}
	return nil
}

// discard removes the output of a failed attempt. Files that it cannot remove are removed later,
// along with the job's _temporary directory.
func (o *output) discard() {
	o.mu.Lock()
	for _, f := range o.made {
		if !f.closed {
			f.w.Abort()
			f.closed = true
		}
	}
	o.mu.Unlock()
	if o.dir != "" {
		_ = o.fs.Delete(context.WithoutCancel(o.ctx), o.dir, true)
	}
}

// outputFile counts and checksums the bytes written through it.
type outputFile struct {
	out    *output
	w      dfs.Writer
	name   string
	length int64
	sum    uint32
	closed bool
}

func (f *outputFile) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	f.length += int64(n)
	f.sum = crc32.Update(f.sum, castagnoli, p[:n])
	return n, err
}

// Close completes the file and adds it to the manifest. If that fails, Close removes the file.
// Later calls have no effect.
func (f *outputFile) Close() error {
	f.out.mu.Lock()
	defer f.out.mu.Unlock()
	if f.closed {
		return nil
	}
	f.closed = true
	if err := f.w.Close(); err != nil {
		f.w.Abort()
		delete(f.out.made, f.name)
		return err
	}
	f.out.files = append(f.out.files, job.OutputFile{Name: f.name, Length: f.length, Checksum: f.sum})
	return nil
}
