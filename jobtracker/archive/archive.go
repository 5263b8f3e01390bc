// Package archive keeps the facts of all jobs of a JobTracker after the state machine has dropped
// them. An [Archive] writes one file per job and serves all of them as one journal. An [Exporter]
// also writes finished jobs in Hadoop's own formats.
package archive

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/jobtracker/history"
	"github.com/howdah/howdah/scheduler"
)

// An Archive keeps one file of facts for each job. Until a job ends, the journal is authoritative.
// A job's file gets its final name when it is complete and durable. The name is durable before the
// journal drops the job's facts.
//
//	DIR/000000/job_202611210753_0001.facts      1000 jobs per directory
//	DIR/000000/job_202611210753_0001_conf.xml
type Archive struct {
	// MaxPending is the number of bytes at which a job's facts in memory are written to the file.
	// Callers can change it before the first fact.
	MaxPending int
	// Shown returns a function that limits what a reader of GET /journal may see of a job. The
	// function returns the job's specification without what the reader must not see, or nil if the
	// reader must not see the job. If Shown is nil, everybody sees everything. Callers can set it
	// before ServeHTTP.
	Shown func(*http.Request) (func(job.ID, *job.Spec) *job.Spec, error)
	// Disk is the file system that the archive writes to. Callers can change it before the first fact.
	Disk disk.FS

	dir     string
	log     *slog.Logger
	started time.Time

	sorter      // only the goroutine that owns the state machine uses it
	look   Look // nil during replay

	pieces  chan piece
	done    chan struct{} // closed when Run has returned
	streams chan struct{} // one token for each client that is reading the whole archive
	mu      sync.Mutex
	dirty   map[string]bool // directories with complete files whose names might not be durable yet
	outage  *outage         // the current or next outage of the disk
}

// sorter sorts the facts of a cluster by job.
type sorter struct {
	cluster  string
	trackers map[int32]event.Event // TrackerJoined facts of the live trackers, by handle
	open     map[int32]*jobLog     // unfinished jobs
}

func newSorter() sorter {
	return sorter{trackers: map[int32]event.Event{}, open: map[int32]*jobLog{}}
}

// jobLog collects the facts of an unfinished job.
type jobLog struct {
	buf          []byte
	flushed      bool
	flushedBytes int64          // length of the file in bytes, including its header
	trackers     map[int32]bool // trackers whose TrackerJoined fact is in the file
}

// piece is a message to the writing goroutine: the next bytes of a job's file, or a request to
// close done.
type piece struct {
	file  string
	bytes []byte
	at    int64 // offset in the file
	first bool
	last  bool
	done  chan struct{} // closed when all earlier pieces are written; nil in a piece with bytes
}

// jobsPerFolder is the maximum number of jobs in a folder of the history.
const jobsPerFolder = 1000

// partial is the suffix of an incomplete file.
const partial = ".part"

const defaultMaxPending = 128 << 10

// expectedFact is the room in a buffer for the fact that exceeds MaxPending, in bytes. Most are smaller.
const expectedFact = 4 << 10

// Look calls f in the goroutine that owns the state machine, between two steps of the machine.
type Look func(ctx context.Context, f func()) error

// New returns the archive in dir, which need not exist. The caller must pass the facts of the
// journal to Replayed and then call Live.
func New(dir string, log *slog.Logger) *Archive {
	return &Archive{
		MaxPending: defaultMaxPending, Disk: disk.OS,
		dirty: map[string]bool{}, outage: &outage{begun: make(chan struct{})},
		dir: dir, log: log, started: time.Now(), sorter: newSorter(),
		pieces: make(chan piece, 1024), done: make(chan struct{}), streams: make(chan struct{}, maxStreams),
	}
}

func (a *Archive) base(id job.ID) string {
	return filepath.Join(a.dir, fmt.Sprintf("%06d", id.Seq/jobsPerFolder), id.String())
}

// FactsFile returns the name of a job's complete file.
func (a *Archive) FactsFile(id job.ID) string { return a.base(id) + ".facts" }

func (a *Archive) fileOf(seq int32) string {
	return a.FactsFile(job.ID{Cluster: a.cluster, Seq: seq})
}

// Fact adds a fact to its job's file. It buffers facts up to MaxPending or until the job ends. Only
// the goroutine that owns the state machine may call it.
func (a *Archive) Fact(e *event.Event) {
	l := a.sort(e)
	if l == nil {
		return
	}
	last := e.Type == event.JobFinished
	if last || len(l.buf) >= a.MaxPending {
		a.emit(piece{file: a.fileOf(e.Job), bytes: l.buf, at: l.flushedBytes, first: !l.flushed, last: last})
		l.flushedBytes += int64(len(l.buf))
		l.buf, l.flushed = nil, true
		if !last { // a job with one such buffer soon fills another
			l.buf = make([]byte, 0, a.MaxPending+expectedFact)
		}
	}
	if last {
		delete(a.open, e.Job)
	}
}

// sort appends a fact to its job's log and returns the log. It returns nil for facts that do not
// belong to an unfinished job.
func (s *sorter) sort(e *event.Event) *jobLog {
	switch e.Type {
	case event.Started:
		s.cluster = e.Name
		return nil
	case event.TrackerJoined:
		s.trackers[e.Tracker] = *e
		return nil
	case event.TrackerChanged:
		if t, ok := s.trackers[e.Tracker]; ok && e.Addr != "" {
			t.Addr = e.Addr
			s.trackers[e.Tracker] = t
		}
		return nil
	case event.TrackerLost:
		delete(s.trackers, e.Tracker)
		return nil
	case event.JobRetired:
		return nil
	case event.JobSubmitted:
		s.open[e.Job] = &jobLog{trackers: map[int32]bool{}}
	}
	l := s.open[e.Job]
	if l == nil {
		return nil
	}
	if len(l.buf) == 0 && !l.flushed {
		l.buf = history.AppendHeader(nil)
		l.append(&event.Event{Type: event.Started, Time: e.Time, Name: s.cluster})
	}
	if t, ok := s.trackers[e.Tracker]; ok && !l.trackers[e.Tracker] {
		l.trackers[e.Tracker] = true
		l.append(&t)
	}
	l.append(e)
	return l
}

func (l *jobLog) append(e *event.Event) {
	if b, err := history.AppendRecord(l.buf, e); err == nil { // the owner rejects facts that are too large
		l.buf = b
	}
}

// Replayed is like Fact, for the facts of the journal. It does not change complete files. Callers
// must not call it after Live.
func (a *Archive) Replayed(e *event.Event) {
	if e.Type == event.JobFinished && a.open[e.Job] != nil {
		if name := a.fileOf(e.Job); exists(name) {
			_ = a.Disk.Remove(name + partial)
			delete(a.open, e.Job)
			a.named(name)
			return
		}
	}
	a.Fact(e)
}

// Live ends the replay. After that, Run writes the facts.
func (a *Archive) Live(look Look) { a.look = look }

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// emit passes a piece to Run. During the replay it writes the piece itself.
func (a *Archive) emit(p piece) {
	if a.look != nil {
		a.pieces <- p
		return
	}
	if err := a.writePiece(p); err != nil {
		a.log.Error("cannot write a job's history", "file", p.file, "error", err)
	}
}

// Run writes the facts that Fact collects. It returns when ctx is done. ctx must outlive the owner
// of the state machine.
func (a *Archive) Run(ctx context.Context) error {
	defer close(a.done)
	for {
		select {
		case p := <-a.pieces:
			a.write(ctx, p)
		case <-ctx.Done():
			for len(a.pieces) > 0 {
				a.write(ctx, <-a.pieces)
			}
			return nil
		}
	}
}

// retryEvery is the time that the write method waits before it retries a failed write.
const retryEvery = 500 * time.Millisecond

// write writes a piece of a job's file. It retries a failed write until the disk accepts the piece
// or ctx is done. If ctx is done first, the file stays incomplete until a restart replays the
// facts.
func (a *Archive) write(ctx context.Context, p piece) {
	if p.done != nil {
		close(p.done)
		return
	}
	err := a.writePiece(p)
	if err == nil {
		return
	}
	a.log.Error("cannot write a job's history; trying again", "file", p.file, "error", err)
	a.fails(err)
	for err != nil {
		select {
		case <-ctx.Done():
			return
		case <-time.After(retryEvery):
		}
		err = a.writePiece(p)
	}
	a.fails(nil)
	a.log.Info("the job's history is written", "file", p.file)
}

// outage is a period in which the disk rejects writes.
type outage struct {
	begun chan struct{} // closed when it begins
	err   error         // set before begun is closed
}

// fails records the start of an outage, during which the disk rejects writes with err. If err is
// nil, it records that the disk accepts writes again.
func (a *Archive) fails(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err == nil {
		a.outage = &outage{begun: make(chan struct{})}
		return
	}
	a.outage.err = failure.New(failure.KindOf(err), "write the history in", a.dir, err)
	close(a.outage.begun)
}

// writePiece makes one try to write a piece. After the last piece it syncs the file and gives it
// its final name. The caller can repeat the call after an error.
func (a *Archive) writePiece(p piece) error {
	name := p.file
	part := name + partial
	flags := os.O_WRONLY | os.O_CREATE
	if p.first {
		if err := disk.MkdirAll(a.Disk, filepath.Dir(name), 0o700); err != nil {
			return err
		}
		flags |= os.O_TRUNC
	}
	f, err := a.Disk.OpenFile(part, flags, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(p.bytes, p.at)
	if err == nil && p.last {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil || !p.last {
		return err
	}
	if err := a.Disk.Rename(part, name); err != nil {
		return err
	}
	a.named(name)
	return nil
}

// named records that a file has its final name, but that the name is not yet durable.
func (a *Archive) named(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.dirty[filepath.Dir(name)] = true
}

// Sync makes the files of all ended jobs durable. The journal must not drop their facts before Sync
// has returned without an error.
func (a *Archive) Sync() error {
	if err := a.Settle(context.Background()); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for dir := range a.dirty {
		if err := a.Disk.SyncDir(dir); err != nil {
			return failure.New(failure.KindOf(err), "sync the history", dir, err)
		}
		delete(a.dirty, dir)
	}
	return nil
}

// Has reports whether a job has ended and its file is complete.
func (a *Archive) Has(id job.ID) bool { return exists(a.FactsFile(id)) }

// Load replays a job's file into a new state machine, which then shows the job as if it were live.
// If the file does not exist, Load returns nil and no error.
func (a *Archive) Load(id job.ID, policy scheduler.Policy) (*jobtracker.Machine, error) {
	f, err := os.Open(a.FactsFile(id))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, failure.New(failure.IO, "read history", id.String(), err)
	}
	defer f.Close()
	m, err := jobtracker.New(jobtracker.DefaultConfig(), policy)
	if err != nil {
		return nil, err
	}
	err = history.NewDecoder(bufio.NewReader(f)).Each(m.Apply)
	if j := m.Job(id.Seq); err == nil && (j == nil || !j.State.Terminal()) {
		err = errors.New("the end of the file is missing")
	}
	if err != nil {
		return nil, failure.New(failure.Corrupt, "read history", f.Name(), err)
	}
	return m, nil
}

// ConfFile returns the name of the file with a job's configuration.
func (a *Archive) ConfFile(id job.ID) string { return a.base(id) + "_conf.xml" }

// SaveConf keeps a job's configuration, because the original is deleted with the job's staging
// directory. The configuration must not contain secrets.
func (a *Archive) SaveConf(id job.ID, c *conf.Config) error {
	var text bytes.Buffer
	if err := c.WriteXML(&text, true); err != nil {
		return err
	}
	file := a.ConfFile(id)
	err := disk.MkdirAll(a.Disk, filepath.Dir(file), 0o700)
	if err == nil {
		err = disk.Create(a.Disk, file, text.Bytes(), 0o600)
	}
	if err != nil {
		return failure.New(failure.KindOf(err), "keep configuration", file, err)
	}
	return nil
}

// RemoveConf removes the copy of the configuration of a job that was not admitted.
func (a *Archive) RemoveConf(id job.ID) { _ = a.Disk.Remove(a.ConfFile(id)) }
