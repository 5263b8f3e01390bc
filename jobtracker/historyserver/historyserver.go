// Package historyserver shows ended jobs from histories on disk: the JobTracker's own history, and
// Hadoop's directories of .jhist files. It keeps an index of all jobs in memory and reads the
// history of a job when somebody asks for it. Start with [New].
package historyserver

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/acl"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/redact"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/jobtracker/archive"
	"github.com/howdah/howdah/jobtracker/history/hadoop"
)

// Config configures a Server.
type Config struct {
	// Done is a directory with .jhist files below YYYY/MM/DD/SERIAL, and Intermediate one with
	// .jhist files of each user. "" means none.
	Done, Intermediate string
	// Archive is the local directory of a JobTracker's own history, and Index is the file with its
	// summaries. "" means none.
	Archive, Index string
	FS             dfs.Resolver
	// MaxAge is the age at which files in Done are deleted; 0 means never. CleanEvery is the time
	// between searches for old files.
	MaxAge, CleanEvery time.Duration

	Rules  *acl.Rules
	Acting *auth.Acting
	Mask   *redact.Mask // for the values of secret settings
	Log    *slog.Logger
}

// Server is a history server. It is safe for concurrent use.
type Server struct {
	cfg   Config
	loads chan struct{} // one token for each history that is being read
	cache hadoop.Cache

	scanning sync.Mutex
	sources  []*source
	scanned  time.Time // end of the latest scan

	mu   sync.RWMutex
	list []*entry // in the order of their IDs
	byID map[job.ID]*entry
	// shown contains the jobs as pages show them, in reverse order.
	shown []*status.Job
}

const (
	maxLoads = 2
	// scanEvery is the minimum time between two scans.
	scanEvery = 2 * time.Second
	// maxHistory and maxConf limit the files that the server reads, in bytes.
	maxHistory = 1 << 30
	maxConf    = 16 << 20
)

// New returns a server with an empty index.
func New(cfg Config) (*Server, error) {
	s := &Server{cfg: cfg, loads: make(chan struct{}, maxLoads)}
	add := func(name string, depth int, x *index) error {
		files, root, err := cfg.FS.Resolve(name)
		if err == nil {
			s.sources = append(s.sources, &source{name: name, fs: files, root: root, depth: depth,
				folders: map[string]*folder{}, index: x})
		}
		return err
	}
	var err error
	if cfg.Done != "" {
		err = add(cfg.Done, 4, nil)
	}
	if cfg.Intermediate != "" && err == nil {
		err = add(cfg.Intermediate, 1, nil)
	}
	if cfg.Archive != "" && err == nil {
		var x *index
		dir, _ := filepath.Abs(cfg.Archive)
		if x, err = openIndex(cfg.Index); err == nil {
			err = add("file:"+dir, 1, x)
		}
	}
	if err == nil && len(s.sources) == 0 {
		err = failure.New(failure.Config, "find", "a history", errors.New("no directory is configured")).
			Fix("use the cluster's configuration (--config DIR), or set " + conf.JobTrackerDir.Name + " or " +
				conf.JobHistoryDoneDir.Name)
	}
	return s, err
}

// Run builds the index and deletes old files, until ctx is done.
func (s *Server) Run(ctx context.Context) error {
	begun := time.Now()
	s.Refresh(ctx)
	s.mu.RLock()
	s.cfg.Log.Info("the index is complete", "jobs", len(s.list), "seconds", time.Since(begun).Seconds())
	s.mu.RUnlock()
	for {
		if s.cfg.MaxAge > 0 && s.cfg.Done != "" {
			s.clean(ctx)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(max(s.cfg.CleanEvery, time.Second)):
		}
	}
}

func (s *Server) clean(ctx context.Context) {
	files, root, err := s.cfg.FS.Resolve(s.cfg.Done)
	if err == nil {
		err = archive.CleanDays(ctx, files, root, time.Now().Add(-s.cfg.MaxAge))
	}
	if err != nil && ctx.Err() == nil && !failure.Is(err, failure.NotFound) {
		s.cfg.Log.Warn("cannot delete old history files", "dir", s.cfg.Done, "error", err)
	}
	s.Refresh(ctx)
}

// Refresh looks for new and deleted histories. It logs errors.
func (s *Server) Refresh(ctx context.Context) {
	s.scanning.Lock()
	defer s.scanning.Unlock()
	s.scan(ctx)
}

// scan scans all sources. The caller must hold s.scanning.
func (s *Server) scan(ctx context.Context) {
	changed, shown := false, time.Now()
	for _, x := range s.sources {
		err := x.scan(ctx, func() {
			changed = true
			if time.Since(shown) > time.Second { // a long scan shows its jobs early
				s.show()
				changed, shown = false, time.Now()
			}
		})
		if err != nil && ctx.Err() == nil {
			s.cfg.Log.Warn("cannot read histories", "dir", x.name, "error", err)
		}
	}
	if changed {
		s.show()
	}
	s.scanned = time.Now()
}

func (s *Server) show() {
	list, byID := merge(s.sources)
	shown := statusesOf(list)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list, s.byID, s.shown = list, byID, shown
}

// current returns the index. It scans the sources if that was not done recently.
func (s *Server) current(ctx context.Context) ([]*entry, map[job.ID]*entry) {
	if s.scanning.TryLock() {
		if time.Since(s.scanned) > scanEvery {
			s.scan(ctx)
		}
		s.scanning.Unlock()
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.list, s.byID
}

// Ended calls f with the jobs in the order of their IDs until f returns false.
func (s *Server) Ended(ctx context.Context, f func(*hadoop.Summary) bool) error {
	list, _ := s.current(ctx)
	for _, e := range list {
		if !f(&e.Summary) {
			break
		}
	}
	return nil
}

// Report returns the report of a job.
func (s *Server) Report(ctx context.Context, id job.ID) (*hadoop.Report, error) {
	r, _, err := s.find(ctx, id)
	return r, err
}

// find returns the report of a job that the caller may see.
func (s *Server) find(ctx context.Context, id job.ID) (*hadoop.Report, *entry, error) {
	user, err := s.cfg.Acting.For(ctx, "")
	if err != nil {
		return nil, nil, err
	}
	r, e, err := s.load(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	return r, e, s.allow(user, r)
}

func (s *Server) allow(user string, r *hadoop.Report) error {
	j := &acl.Job{ID: r.ID.String(), Owner: r.User, Queue: r.Queue}
	for _, l := range r.Lists {
		switch l.Name {
		case conf.JobACLViewJob.Name:
			j.View = l.Value
		case conf.JobACLModifyJob.Name:
			j.Modify = l.Value
		}
	}
	return s.cfg.Rules.Job(acl.ViewDetails, user, j)
}

func (s *Server) load(ctx context.Context, id job.ID) (*hadoop.Report, *entry, error) {
	_, byID := s.current(ctx)
	e := byID[id]
	if e == nil {
		return nil, nil, failure.New(failure.NotFound, "find", id.String(), errors.New("no history has the job"))
	}
	if r := s.cache.Get(id); r != nil {
		return r, e, nil
	}
	r, err := s.read(ctx, e)
	if failure.Is(err, failure.NotFound) { // another history server has moved the file
		s.Refresh(ctx)
		if _, byID = s.current(ctx); byID[id] != nil {
			e = byID[id]
			r, err = s.read(ctx, e)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	if r.ID != id {
		return nil, nil, failure.New(failure.Corrupt, "read", e.file, errors.New("the file is about job "+r.ID.String()))
	}
	if r.State == "" {
		return nil, nil, failure.New(failure.Corrupt, "read", e.file, errors.New("the end of the job is missing"))
	}
	s.cache.Put(r)
	return r, e, nil
}

func (s *Server) read(ctx context.Context, e *entry) (*hadoop.Report, error) {
	select { // the reports of large jobs need much memory
	case s.loads <- struct{}{}:
		defer func() { <-s.loads }()
	case <-ctx.Done():
		return nil, failure.New(failure.Timeout, "read history", e.ID.String(), ctx.Err())
	}
	f, err := e.open(ctx, e.file, maxHistory)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if e.source.index != nil {
		return hadoop.ReadFacts(bufio.NewReader(f), e.confFile())
	}
	return hadoop.Read(f)
}

// open opens a file of at most the given size. On a local disk, it rejects links, because users may
// write to the directory of new histories and could link to files that only the server can read.
func (e *entry) open(ctx context.Context, name string, most int64) (io.ReadCloser, error) {
	// Not failure.Limit, because to try again later would not help.
	tooLarge := failure.New(failure.IO, "read", name, fmt.Errorf("the file has more than %d MiB", most>>20))
	if e.source.fs.Scheme() != "file" {
		f, err := e.source.fs.Open(ctx, name)
		if err == nil && f.Size() > most {
			f.Close()
			err = tooLarge
		}
		return f, err
	}
	f, err := openBelow(e.source.root, name)
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "read", name, err)
	}
	if info, err := f.Stat(); err != nil || info.Size() > most {
		f.Close()
		return nil, tooLarge
	}
	return f, nil
}

// openBelow opens a regular file below a directory. No part of its path may lead out of the
// directory, and the file must not be a link.
func openBelow(dir, name string) (*os.File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	rel, err := filepath.Rel(dir, name)
	if err != nil {
		return nil, err
	}
	if info, err := root.Lstat(rel); err != nil || !info.Mode().IsRegular() { // opening a pipe would wait
		return nil, cmp.Or(err, fs.ErrPermission)
	}
	f, err := root.Open(rel)
	if err != nil {
		return nil, err
	}
	opened, err := f.Stat()
	entry, err2 := root.Lstat(rel)
	if err != nil || err2 != nil || !entry.Mode().IsRegular() || !os.SameFile(opened, entry) {
		f.Close()
		return nil, fs.ErrPermission
	}
	return f, nil
}

// Conf returns a job's configuration without secrets, and the path of its file.
func (s *Server) Conf(ctx context.Context, id job.ID) (path string, list []hadoop.Property, err error) {
	_, e, err := s.find(ctx, id)
	if err != nil {
		return "", nil, err
	}
	f, err := e.open(ctx, e.confFile(), maxConf)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	list, err = hadoop.ReadConf(io.LimitReader(f, maxConf))
	list = slices.DeleteFunc(list, func(p hadoop.Property) bool { return p.Name == "" })
	for i, p := range list {
		list[i].Value = s.cfg.Mask.Value(p.Name, p.Value)
	}
	return dfs.Qualify(e.source.fs, e.confFile()), list, err
}
