package daemon

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

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/history"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
)

// histories keeps one file of facts per job, from which a job can be told long after the machine forgot it. The journal is
// what counts until a job is over; its file is complete when it has its final name, and durable before the journal drops the
// job's facts.
//
//	DIR/000000/job_202611210753_0001.facts      1000 jobs a directory
//	DIR/000000/job_202611210753_0001_conf.xml
type histories struct {
	dir    string
	log    *slog.Logger
	maxLog int // bytes of a job's facts that wait in memory

	// The owner's, used by its goroutine only.
	cluster  string
	trackers map[int32]event.Event // TrackerJoined of the trackers that live, by handle
	open     map[int32]*jobLog
	live     bool // the replay is over

	pieces chan piece
	mu     sync.Mutex
	dirty  []string // files that are complete and perhaps not yet durable
}

// jobLog collects the facts of a job that is not over.
type jobLog struct {
	buf          []byte
	flushed      bool
	flushedBytes int64          // of the file, with its header
	trackers     map[int32]bool // whose TrackerJoined is in the file
}

// piece is what the writing goroutine gets: the next bytes of a job's file.
type piece struct {
	file  string
	bytes []byte
	first bool
	last  bool
	done  chan struct{} // instead: closed when all pieces before it are written
}

// jobsPerFolder bounds the folders of the history.
const jobsPerFolder = 1000

// partial ends the name of a file that is not complete.
const partial = ".part"

// defaultMaxLog is how many bytes of a job's facts wait in memory.
const defaultMaxLog = 128 << 10

func newHistories(dir string, log *slog.Logger) *histories {
	return &histories{dir: dir, log: log, maxLog: defaultMaxLog, trackers: map[int32]event.Event{}, open: map[int32]*jobLog{}, pieces: make(chan piece, 1024)}
}

func (h *histories) base(id job.ID) string {
	return filepath.Join(h.dir, fmt.Sprintf("%06d", id.Seq/jobsPerFolder), id.String())
}

func (h *histories) factsFile(seq int32) string {
	return h.base(job.ID{Cluster: h.cluster, Seq: seq}) + ".facts"
}

// fact adds a fact to the file of its job.
func (h *histories) fact(e *event.Event) {
	switch e.Type {
	case event.Started:
		h.cluster = e.Name
		return
	case event.TrackerJoined:
		h.trackers[e.Tracker] = *e
		return
	case event.TrackerChanged:
		if t, ok := h.trackers[e.Tracker]; ok && e.Addr != "" {
			t.Addr = e.Addr
			h.trackers[e.Tracker] = t
		}
		return
	case event.TrackerLost:
		delete(h.trackers, e.Tracker)
		return
	case event.JobRetired:
		return
	case event.JobSubmitted:
		h.open[e.Job] = &jobLog{trackers: map[int32]bool{}}
	}
	if l := h.open[e.Job]; l != nil {
		h.add(l, e)
	}
}

func (h *histories) add(l *jobLog, e *event.Event) {
	if len(l.buf) == 0 && !l.flushed {
		l.append(&event.Event{Type: event.Started, Time: e.Time, Name: h.cluster})
	}
	if t, ok := h.trackers[e.Tracker]; ok && !l.trackers[e.Tracker] {
		l.trackers[e.Tracker] = true
		l.append(&t)
	}
	l.append(e)
	last := e.Type == event.JobFinished
	if last || len(l.buf) >= h.maxLog {
		h.emit(piece{file: h.factsFile(e.Job), bytes: l.buf, first: !l.flushed, last: last})
		if !l.flushed {
			l.flushedBytes = int64(len(history.Magic))
		}
		l.flushedBytes += int64(len(l.buf))
		l.buf, l.flushed = nil, true
	}
	if last {
		delete(h.open, e.Job)
	}
}

func (l *jobLog) append(e *event.Event) {
	if b, err := history.AppendRecord(l.buf, e); err == nil { // the owner stops at a fact that is too large
		l.buf = b
	}
}

// replayed is fact for the facts of the journal, before run. The file of a job that is complete is left alone.
func (h *histories) replayed(e *event.Event) {
	if e.Type == event.JobFinished && h.open[e.Job] != nil {
		if name := h.factsFile(e.Job); exists(name) {
			os.Remove(name + partial)
			delete(h.open, e.Job)
			return
		}
	}
	h.fact(e)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// emit hands a piece to the writing goroutine; during the replay there is none.
func (h *histories) emit(p piece) {
	if h.live {
		h.pieces <- p
		return
	}
	h.write(p)
}

// run writes pieces until ctx ends and the owner is gone.
func (h *histories) run(ctx context.Context) error {
	for {
		select {
		case p := <-h.pieces:
			h.write(p)
		case <-ctx.Done():
			for len(h.pieces) > 0 {
				h.write(<-h.pieces)
			}
			return nil
		}
	}
}

// write appends to a job's file. A history that cannot be written costs the history, not the job.
func (h *histories) write(p piece) {
	if p.done != nil {
		close(p.done)
		return
	}
	if err := h.writePiece(p); err != nil {
		h.log.Error("a job's history cannot be written", "file", p.file, "error", err)
	}
}

func (h *histories) writePiece(p piece) error {
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
	h.mu.Lock()
	h.dirty = append(h.dirty, name)
	h.mu.Unlock()
	return nil
}

// sync makes the files of all jobs that ended so far durable: before the journal forgets them.
func (h *histories) sync() {
	done := make(chan struct{})
	h.pieces <- piece{done: done}
	<-done
	h.mu.Lock()
	dirty := h.dirty
	h.dirty = nil
	h.mu.Unlock()
	for _, name := range dirty {
		if err := syncFile(name); err != nil {
			h.log.Error("a job's history may not be durable", "file", name, "error", err)
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

// has tells whether a job is over and its file is complete.
func (h *histories) has(id job.ID) bool {
	return exists(h.base(id) + ".facts")
}

// load replays a job's file into a machine of its own, from which the job can be told like a live one. nil = there is none.
func (h *histories) load(id job.ID, policy scheduler.Policy) (*jobtracker.Machine, error) {
	f, err := os.Open(h.base(id) + ".facts")
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

func (h *histories) confFile(id job.ID) string { return h.base(id) + "_conf.xml" }

// saveConf keeps a job's configuration beyond the life of its staging directory.
func (h *histories) saveConf(ctx context.Context, id job.ID, fs dfs.FileSystem, name string) error {
	in, err := fs.Open(ctx, name)
	if err != nil {
		return err
	}
	defer in.Close()
	file := h.confFile(id)
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
