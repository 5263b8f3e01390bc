package historyserver

import (
	"bufio"
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker/history/hadoop"
)

// The suffixes of history files: Hadoop's and the JobTracker's own.
const (
	jhistSuffix = ".jhist"
	factsSuffix = ".facts"
	confSuffix  = "_conf.xml"
)

// entry is a job in the index.
type entry struct {
	hadoop.Summary
	source *source
	file   string // path of its history in the source's file system
}

// confFile returns the path of the job's configuration, which is next to its history.
func (e *entry) confFile() string { return path.Join(path.Dir(e.file), e.ID.String()+confSuffix) }

// source is a directory of histories. Only one goroutine may scan it at a time.
type source struct {
	name    string // as configured
	fs      dfs.FileSystem
	root    string
	depth   int // number of levels of directories below root
	folders map[string]*folder
	index   *index // nil for Hadoop's directories, whose file names contain what the index needs
}

// folder is a directory as the latest scan has found it.
type folder struct {
	modified time.Time // 0 means that the folder must be listed again
	below    []string  // folders in it
	jobs     []*entry
}

// fresh is the age in which a change of a folder may leave its modification time as it is, because
// the clocks of file systems tick slowly.
const fresh = 3 * time.Second

// scan looks for new and deleted files. It lists only folders that have changed. It calls found
// after each of them with all jobs in the source so far.
func (s *source) scan(ctx context.Context, found func()) error {
	seen := map[string]bool{}
	err := s.scanFolder(ctx, s.root, s.depth, seen, found)
	if err != nil {
		return err
	}
	for name := range s.folders {
		if !seen[name] {
			delete(s.folders, name)
			found()
		}
	}
	return nil
}

func (s *source) scanFolder(ctx context.Context, name string, depth int, seen map[string]bool, found func()) error {
	info, err := s.fs.Stat(ctx, name)
	if failure.Is(err, failure.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	seen[name] = true
	f := s.folders[name]
	if f == nil || f.modified.IsZero() || !f.modified.Equal(info.ModTime) {
		if f, err = s.list(ctx, name, depth); err != nil {
			if failure.Is(err, failure.NotFound) {
				return nil
			}
			return err
		}
		if time.Since(info.ModTime) > fresh {
			f.modified = info.ModTime
		}
		s.folders[name] = f
		found()
	}
	for _, below := range f.below {
		if err := s.scanFolder(ctx, below, depth-1, seen, found); err != nil {
			return err
		}
	}
	return nil
}

// list lists a folder. It skips links, and files with names that no history has.
func (s *source) list(ctx context.Context, name string, depth int) (*folder, error) {
	files, err := s.fs.List(ctx, name)
	if err != nil {
		return nil, err
	}
	f := &folder{}
	for _, x := range files {
		switch {
		case x.Link:
		case x.Dir && depth > 0:
			f.below = append(f.below, x.Path)
		case x.Dir:
		case s.index == nil:
			if j, ok := hadoop.ParseName(x.Name()); ok {
				f.jobs = append(f.jobs, &entry{j, s, x.Path})
			}
		case strings.HasSuffix(x.Name(), factsSuffix):
			if j, ok := s.index.find(ctx, s.fs, x.Path); ok {
				f.jobs = append(f.jobs, &entry{j, s, x.Path})
			}
		}
		if ctx.Err() != nil {
			return nil, failure.New(failure.Timeout, "list", name, ctx.Err())
		}
	}
	return f, nil
}

// index keeps the summaries of a JobTracker's jobs in a file, because only their facts contain them.
// Each line is the path of the facts and the name that the job's .jhist file would have. A line that
// is missing or damaged is written again. Only one goroutine may use an index at a time.
type index struct {
	file  *os.File
	known map[string]hadoop.Summary // by path of the facts
}

const indexHead = "howdah history index 1\n"

// openIndex opens the index in a file and creates it if necessary.
func openIndex(name string) (*index, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, failure.New(failure.KindOf(err), "create directory", filepath.Dir(name), err)
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "open", name, err)
	}
	x := &index{file: f, known: map[string]hadoop.Summary{}}
	in := bufio.NewReader(f)
	head, err := in.ReadString('\n')
	if err != nil || head != indexHead { // new, or of another version
		if err := f.Truncate(0); err != nil {
			return nil, failure.New(failure.KindOf(err), "write", name, err)
		}
		_, err = f.WriteString(indexHead)
		if err != nil {
			return nil, failure.New(failure.KindOf(err), "write", name, err)
		}
		return x, nil
	}
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			if line != "" { // a crash has cut the last line
				_, _ = f.WriteString("\n")
			}
			return x, nil
		}
		facts, jhist, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if j, ok := hadoop.ParseName(jhist); ok {
			x.known[facts] = j
		}
	}
}

// find returns the summary of the job with the given facts. ok is false if the facts are damaged.
func (x *index) find(ctx context.Context, fs dfs.FileSystem, name string) (j hadoop.Summary, ok bool) {
	if j, ok := x.known[name]; ok {
		return j, true
	}
	f, err := fs.Open(ctx, name)
	if err != nil {
		return j, false
	}
	defer f.Close()
	whole, err := hadoop.Summarize(bufio.NewReader(f))
	if err != nil || !whole.State.Terminal() {
		return j, false
	}
	j = whole.Summary()
	x.known[name] = j
	// If the line is lost, the next start reads the facts again.
	_, _ = x.file.WriteString(name + "\t" + whole.JHistName() + "\n")
	return j, true
}

// merge returns the jobs of all sources in the order of their IDs. If two sources have a job, the
// first one counts.
func merge(sources []*source) (list []*entry, byID map[job.ID]*entry) {
	byID = map[job.ID]*entry{}
	for _, s := range sources {
		for _, f := range s.folders {
			for _, e := range f.jobs {
				if byID[e.ID] == nil || byID[e.ID].source == s && e.file > byID[e.ID].file {
					byID[e.ID] = e
				}
			}
		}
	}
	list = make([]*entry, 0, len(byID))
	for _, e := range byID {
		list = append(list, e)
	}
	slices.SortFunc(list, func(x, y *entry) int { return compareIDs(x.ID, y.ID) })
	return list, byID
}

// compareIDs orders IDs as Hadoop does: by the start of the cluster, and then by number.
func compareIDs(x, y job.ID) int {
	if len(x.Cluster) != len(y.Cluster) {
		return len(x.Cluster) - len(y.Cluster)
	}
	if c := strings.Compare(x.Cluster, y.Cluster); c != 0 {
		return c
	}
	return int(x.Seq) - int(y.Seq)
}
