// Package importer reads recorded workloads of these kinds:
//
//   - the job history of Hadoop's JobTracker, 0.18 to 1.x
//   - the job history of MapReduce on YARN: .jhist, as Avro-Json or Avro-Binary
//   - Rumen's job traces and topologies
//   - SWIM's tables
//   - this project's journals and history files
//   - exported traces
//
// The content determines a file's kind. All kinds may be compressed with gzip. Real logs contain
// damage. The importer skips unusable parts, counts them with their position, and reads the rest.
package importer

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/klauspost/compress/gzip"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator/trace"
)

// Options configures an import. The zero value means the defaults.
type Options struct {
	Name     string // name of the trace; "" means the name of the first file
	DropIdle bool   // close the gaps during which no job ran (SIM section IV-E)
	SWIM     Rates  // durations for SWIM's tables, which contain no durations

	MaxLine  int // maximum bytes of a line or record; 0 means 64 MiB. A job in JSON may be 8 times as long.
	MaxJobs  int // maximum number of jobs; 0 means 10 million
	MaxTasks int // maximum number of tasks in logs, which stay in memory; 0 means 50 million
}

func (o Options) filled() *Options {
	if o.MaxLine <= 0 {
		o.MaxLine = 64 << 20
	}
	if o.MaxJobs <= 0 {
		o.MaxJobs = 10e6
	}
	if o.MaxTasks <= 0 {
		o.MaxTasks = 50e6
	}
	return &o
}

// Import is a source of the jobs in the input files, in submission order. It is not safe for
// concurrent use.
type Import struct {
	Name string
	// Origin is the format: classic, jhist, rumen, swim, journal, or simulation (a simulation's
	// journal). For an exported trace, it is the origin in the header. For files of several
	// formats, it is the first format.
	Origin string
	Nodes  []trace.Node
	Slots  [2]int32 // slots of the whole recorded cluster; 0 means unknown
	Jobs   int      // number of jobs that Next will return; -1 if unknown before the end
	// Changes lists the changes of the scheduler in a journal, in order of time. Without the idle
	// gaps, it is empty.
	Changes []trace.Change
	// Damage lists at most MaxDamage skipped places. Damaged is the number of all skipped places.
	Damage  []trace.Damage
	Damaged int64

	opt    *Options
	book   *book
	tables []swimRow
	source trace.Source
	stream *exported
}

// MaxDamage is the maximum length of Import.Damage.
const MaxDamage = 1000

// Open reads files or whole directories. It collects all jobs from logs before it returns. Next
// expands the rows of SWIM's tables and reads exported traces job by job, so these jobs need not
// fit into memory. A topology alone has no jobs.
//
// An error is of kind Usage if a file's kind is unknown or no file is usable, and of kind Corrupt
// if a file's header is damaged. Other errors come from the file system.
func Open(paths []string, o Options) (*Import, error) {
	im := &Import{Name: o.Name, opt: o.filled(), Jobs: -1}
	im.book = newBook(im.opt)
	files, err := expand(paths)
	if err != nil {
		return nil, err
	}
	if im.Name == "" && len(files) > 0 {
		im.Name = filepath.Base(files[0].path)
	}
	for i, f := range files {
		if err := im.file(f, len(files) == 1); err != nil {
			return nil, err
		}
		if im.stream != nil && i+1 < len(files) {
			return nil, failure.New(failure.Usage, "import", f.path,
				errors.New("an exported trace cannot be imported together with other files")).Fix("import it alone")
		}
	}
	if err := im.finish(paths); err != nil {
		return nil, err
	}
	return im, nil
}

// OpenStream reads a single stream in the same way as Open. name serves as the file name.
func OpenStream(name string, r io.Reader, o Options) (*Import, error) {
	im := &Import{Name: o.Name, opt: o.filled(), Jobs: -1}
	im.book = newBook(im.opt)
	if im.Name == "" {
		im.Name = name
	}
	if err := im.read(name, io.NopCloser(r), true); err != nil {
		return nil, err
	}
	if err := im.finish([]string{name}); err != nil {
		return nil, err
	}
	return im, nil
}

// Read reads files into memory. Its errors are those of Open and Trace.
func Read(paths []string, o Options) (*trace.Trace, error) {
	im, err := Open(paths, o)
	if err != nil {
		return nil, err
	}
	return im.Trace()
}

// Trace reads all remaining jobs into memory and closes the import. If the jobs have more than
// Options.MaxTasks tasks, the error is of kind Limit.
func (im *Import) Trace() (*trace.Trace, error) {
	defer im.Close()
	t := &trace.Trace{Name: im.Name, Origin: im.Origin, Nodes: im.Nodes, Slots: im.Slots}
	tasks := 0
	for {
		j, err := im.Next()
		if err == io.EOF {
			t.Damage = im.Damage
			return t, nil
		}
		if err != nil {
			return nil, err
		}
		if tasks += len(j.Maps) + len(j.Reduces); tasks > im.opt.MaxTasks {
			return nil, failure.New(failure.Limit, "import", im.Name, fmt.Errorf("more than %d tasks", im.opt.MaxTasks)).
				Fix("use howdah sim run or howdah sim import, which read the file job by job")
		}
		t.Jobs = append(t.Jobs, j)
	}
}

// Next returns the next job in submission order, or io.EOF after the last job.
func (im *Import) Next() (*trace.Job, error) { return im.source.Next() }

// Rated reports whether the jobs' tasks and times come from Options.SWIM.
func (im *Import) Rated() bool { return im.tables != nil }

// Close releases the unread input. Calling it more than once is safe.
func (im *Import) Close() error {
	if im.stream != nil {
		return im.stream.close()
	}
	return nil
}

// finish sorts the collected jobs and prepares the source. If there are neither jobs nor nodes, the
// error is of kind Usage.
func (im *Import) finish(paths []string) error {
	what := fmt.Sprint(paths)
	if len(paths) == 1 {
		what = paths[0]
	}
	switch {
	case im.stream != nil:
		im.source = im.stream
	case im.tables != nil && len(im.book.jobs) > 0:
		return failure.New(failure.Usage, "import", what,
			errors.New("SWIM tables and logs cannot be imported together")).Fix("import them one at a time, with --name")
	case im.tables != nil:
		im.Jobs = len(im.tables)
		im.source = newSwim(im.tables, &im.opt.SWIM)
	default:
		list := im.book.order()
		if len(list) == 0 && len(im.book.nodes) == 0 {
			return failure.New(failure.Usage, "import", what, fmt.Errorf("no job could be read%s", im.first()))
		}
		im.Nodes, im.Slots, im.Jobs = im.book.sortedNodes(), im.book.slots, len(list)
		im.source = &built{im, list}
	}
	slices.SortStableFunc(im.Changes, func(a, b trace.Change) int { return cmp.Compare(a.At, b.At) })
	if im.opt.DropIdle {
		im.Changes = nil
		im.source = DropIdle(im.source)
	}
	return nil
}

// first describes the first damage, for the error that no job could be read.
func (im *Import) first() string {
	if len(im.Damage) == 0 {
		return ""
	}
	d := im.Damage[0]
	return fmt.Sprintf(" (%d damaged places; the first: %s:%d: %s)", im.Damaged, d.Path, d.Line, d.Text)
}

// built is a source that builds jobs from records on demand.
type built struct {
	im   *Import
	list []*record
}

func (b *built) Next() (*trace.Job, error) {
	if len(b.list) == 0 {
		return nil, io.EOF
	}
	r := b.list[0]
	b.list[0] = nil
	b.list = b.list[1:]
	j, lost := r.build()
	if lost != [2]int{} {
		b.im.damage(j.ID, 0, "%d maps and %d reduces without a recorded attempt get the times of others", lost[0], lost[1])
	}
	return j, nil
}

func (im *Import) damage(path string, line int64, format string, args ...any) {
	im.Damaged++
	if len(im.Damage) < MaxDamage {
		im.Damage = append(im.Damage, trace.Damage{Path: path, Line: line, Text: fmt.Sprintf(format, args...)})
	}
}

// input is a file to read. An optional input of an unknown kind counts as damage, not as an error.
type input struct {
	path     string
	optional bool
}

var configurationName = regexp.MustCompile(`_conf\.xml(\.gz)?$`)

// expand returns the given files, the files in the given directories, and the configurations next
// to the given history files.
func expand(paths []string) ([]input, error) {
	var files []input
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return nil, failure.New(failure.KindOf(err), "import", p, err)
		}
		if !info.IsDir() {
			files = append(files, input{path: p})
			files = append(files, confsOf(p)...)
			continue
		}
		err = filepath.WalkDir(p, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				files = append(files, input{path, true})
			}
			return err
		})
		if err != nil {
			return nil, failure.New(failure.IO, "import", p, err)
		}
	}
	return files, nil
}

// confsOf returns the configuration files (_conf.xml) next to a history file that belong to the
// same job.
func confsOf(path string) []input {
	id := jobID.FindString(filepath.Base(path))
	if id == "" || configurationName.MatchString(path) {
		return nil
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil
	}
	var found []input
	for _, e := range entries {
		if configurationName.MatchString(e.Name()) && jobID.FindString(e.Name()) == id {
			found = append(found, input{filepath.Join(filepath.Dir(path), e.Name()), true})
		}
	}
	return found
}

var jobID = regexp.MustCompile(`job_[0-9A-Za-z]+_[0-9]+`)

func (im *Import) file(in input, only bool) error {
	f, err := os.Open(in.path)
	if err != nil {
		return failure.New(failure.KindOf(err), "import", in.path, err)
	}
	err = im.read(in.path, f, only)
	if in.optional && errors.Is(err, errUnknown) {
		im.damage(in.path, 0, "the file is not a trace or log of a known kind")
		return nil
	}
	return err
}

// read reads one input. It closes the input unless jobs are read from it later.
func (im *Import) read(path string, f io.ReadCloser, only bool) error {
	defer func() {
		if im.stream == nil || im.stream.file != f {
			f.Close()
		}
	}()
	r := bufio.NewReaderSize(f, sniffed)
	if head, _ := r.Peek(2); len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b {
		z, err := gzip.NewReader(r)
		if err != nil {
			return failure.New(failure.Corrupt, "import", path, err)
		}
		r = bufio.NewReaderSize(z, sniffed)
	}
	return im.content(path, path, r, f, only)
}

// content detects the kind of an input and reads it. For a frame, path also contains the path of
// the enclosing file.
func (im *Import) content(path, name string, r *bufio.Reader, f io.ReadCloser, only bool) error {
	k := recognize(peek(r))
	if im.Origin == "" && k.origin != "" {
		im.Origin = k.origin
	}
	switch k.kind {
	case framed:
		return im.frames(path, r)
	case classic:
		return im.classic(path, r)
	case jhist:
		return im.jhist(path, r)
	case rumen:
		return im.rumen(path, r)
	case swim:
		return im.swim(path, r)
	case journal:
		return im.journal(path, r)
	case configuration:
		return im.configuration(path, name, r)
	case export:
		if !only {
			return failure.New(failure.Usage, "import", path,
				errors.New("an exported trace cannot be imported together with other files")).Fix("import it alone")
		}
		return im.exported(path, r, f)
	case empty:
		im.damage(path, 0, "the file is empty")
		return nil
	}
	return failure.New(failure.Usage, "import", path, errUnknown).
		Fix("use Hadoop's job history (0.18 to 1.x, .jhist), Rumen's JSON, SWIM's tables, journals and " +
			"history files of howdah, or exported traces, plain or compressed by gzip")
}

var errUnknown = errors.New("the file is not a trace or log of a known kind")

// configuration reads a job.xml. The file's name determines the job.
func (im *Import) configuration(path, name string, r io.Reader) error {
	id := jobID.FindString(filepath.Base(name))
	rec := im.book.at(id)
	if rec == nil {
		im.damage(path, 0, "the name of a configuration contains no job ID: %s", filepath.Base(name))
		return nil
	}
	if err := readConf(rec, r); err != nil {
		im.damage(path, 0, "configuration of %s: %v", id, err)
	}
	return nil
}
