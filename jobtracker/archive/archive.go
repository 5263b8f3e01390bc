// Package archive keeps the facts of all jobs of a JobTracker after the state machine has dropped
// them. An [Archive] writes one file per job and serves all of them as one journal. An [Exporter]
// also writes finished jobs in Hadoop's own formats.
package archive

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/jobtracker/history"
	"github.com/howdah/howdah/scheduler"
)

// An Archive keeps one file of facts for each job. Until a job ends, the journal is authoritative.
// A job's file gets its final name when it is complete. The file is durable before the journal
// drops the job's facts.
//
//	DIR/000000/job_202611210753_0001.facts      1000 jobs per directory
//	DIR/000000/job_202611210753_0001_conf.xml
type Archive struct {
	// MaxPending is the number of bytes at which a job's facts in memory go to the file. Callers can
	// change it before the first fact.
	MaxPending int

	dir     string
	log     *slog.Logger
	started time.Time

	// Only the goroutine that owns the state machine uses cluster, trackers, and open.
	cluster  string
	trackers map[int32]event.Event // TrackerJoined facts of the live trackers, by handle
	open     map[int32]*jobLog
	look     Look // nil during replay

	pieces  chan piece
	done    chan struct{} // closed when Run has returned
	streams chan struct{} // one token for each client that is reading the whole archive
	mu      sync.Mutex
	dirty   []string // complete files that might not be durable yet
}

// jobLog collects the facts of an unfinished job.
type jobLog struct {
	buf          []byte
	flushed      bool
	flushedBytes int64          // length of the file in bytes, including its header
	trackers     map[int32]bool // trackers whose TrackerJoined fact is in the file
}

// piece is a message to the writing goroutine: the next bytes of a job's file.
type piece struct {
	file  string
	bytes []byte
	first bool
	last  bool
	done  chan struct{} // closed when all earlier pieces are written; nil in a piece with bytes
}

// jobsPerFolder is the maximum number of jobs in a folder of the history.
const jobsPerFolder = 1000

// partial is the suffix of an incomplete file.
const partial = ".part"

const defaultMaxPending = 128 << 10

// Look calls f in the goroutine that owns the state machine, between two steps of the machine.
type Look func(ctx context.Context, f func()) error

// New returns the archive in dir, which need not exist. The caller passes the facts of the journal
// to Replayed and then calls Live.
func New(dir string, log *slog.Logger) *Archive {
	return &Archive{
		MaxPending: defaultMaxPending, dir: dir, log: log, started: time.Now(),
		trackers: map[int32]event.Event{}, open: map[int32]*jobLog{},
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

// Fact adds a fact to its job's file. Only the goroutine that owns the state machine can call it.
func (a *Archive) Fact(e *event.Event) {
	switch e.Type {
	case event.Started:
		a.cluster = e.Name
		return
	case event.TrackerJoined:
		a.trackers[e.Tracker] = *e
		return
	case event.TrackerChanged:
		if t, ok := a.trackers[e.Tracker]; ok && e.Addr != "" {
			t.Addr = e.Addr
			a.trackers[e.Tracker] = t
		}
		return
	case event.TrackerLost:
		delete(a.trackers, e.Tracker)
		return
	case event.JobRetired:
		return
	case event.JobSubmitted:
		a.open[e.Job] = &jobLog{trackers: map[int32]bool{}}
	}
	if l := a.open[e.Job]; l != nil {
		a.add(l, e)
	}
}

func (a *Archive) add(l *jobLog, e *event.Event) {
	if len(l.buf) == 0 && !l.flushed {
		l.append(&event.Event{Type: event.Started, Time: e.Time, Name: a.cluster})
	}
	if t, ok := a.trackers[e.Tracker]; ok && !l.trackers[e.Tracker] {
		l.trackers[e.Tracker] = true
		l.append(&t)
	}
	l.append(e)
	last := e.Type == event.JobFinished
	if last || len(l.buf) >= a.MaxPending {
		a.emit(piece{file: a.fileOf(e.Job), bytes: l.buf, first: !l.flushed, last: last})
		if !l.flushed {
			l.flushedBytes = int64(len(history.Magic))
		}
		l.flushedBytes += int64(len(l.buf))
		l.buf, l.flushed = nil, true
	}
	if last {
		delete(a.open, e.Job)
	}
}

func (l *jobLog) append(e *event.Event) {
	if b, err := history.AppendRecord(l.buf, e); err == nil { // the owner rejects facts that are too large
		l.buf = b
	}
}

// Replayed is like Fact, for the facts of the journal. It must not be called after Live. It does
// not change complete files.
func (a *Archive) Replayed(e *event.Event) {
	if e.Type == event.JobFinished && a.open[e.Job] != nil {
		if name := a.fileOf(e.Job); exists(name) {
			os.Remove(name + partial)
			delete(a.open, e.Job)
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
	a.write(p)
}

// Run writes the facts that Fact collects until ctx ends. ctx must outlive the owner of the state
// machine.
func (a *Archive) Run(ctx context.Context) error {
	defer close(a.done)
	for {
		select {
		case p := <-a.pieces:
			a.write(p)
		case <-ctx.Done():
			for len(a.pieces) > 0 {
				a.write(<-a.pieces)
			}
			return nil
		}
	}
}

// write appends to a job's file. If it fails, the job's history is lost, but the job continues.
func (a *Archive) write(p piece) {
	if p.done != nil {
		close(p.done)
		return
	}
	if err := a.writePiece(p); err != nil {
		a.log.Error("cannot write a job's history", "file", p.file, "error", err)
	}
}

func (a *Archive) writePiece(p piece) error {
	name := p.file
	part := name + partial
	flags := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	if p.first {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		flags |= os.O_TRUNC
		p.bytes = append(history.AppendHeader(make([]byte, 0, len(p.bytes)+16)), p.bytes...)
	}
	f, err := os.OpenFile(part, flags, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(p.bytes)
	if err := errors.Join(err, f.Close()); err != nil || !p.last {
		return err
	}
	if err := os.Rename(part, name); err != nil {
		return err
	}
	a.mu.Lock()
	a.dirty = append(a.dirty, name)
	a.mu.Unlock()
	return nil
}

// Sync makes the files of all ended jobs durable. The journal must not drop their facts before Sync
// returns. Sync only logs errors.
func (a *Archive) Sync() {
	done := make(chan struct{})
	a.pieces <- piece{done: done}
	<-done
	a.mu.Lock()
	dirty := a.dirty
	a.dirty = nil
	a.mu.Unlock()
	for _, name := range dirty {
		if err := syncFile(name); err != nil {
			a.log.Error("a job's history may not be durable", "file", name, "error", err)
		}
	}
}

func syncFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
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
	if err := history.NewDecoder(bufio.NewReader(f)).Each(m.Apply); err != nil {
		return nil, failure.New(failure.Corrupt, "read history", f.Name(), err)
	}
	return m, nil
}

// ConfFile returns the name of the file with a job's configuration.
func (a *Archive) ConfFile(id job.ID) string { return a.base(id) + "_conf.xml" }

// SaveConf copies a job's configuration, because the original is deleted with the job's staging
// directory.
func (a *Archive) SaveConf(ctx context.Context, id job.ID, fs dfs.FileSystem, name string) error {
	in, err := fs.Open(ctx, name)
	if err != nil {
		return err
	}
	defer in.Close()
	file := a.ConfFile(id)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return failure.New(failure.KindOf(err), "keep configuration", file, err)
	}
	out, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return failure.New(failure.KindOf(err), "keep configuration", file, err)
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Close()); err != nil {
		return failure.New(failure.KindOf(err), "keep configuration", file, err)
	}
	return nil
}
