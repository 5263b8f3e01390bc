package archive

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker/history"
)

// maxStreams is the maximum number of clients that read the whole archive concurrently.
const maxStreams = 4

// ServeHTTP answers GET /journal with the facts of all jobs in the JobTracker's history that the
// reader may see, as one journal. GET /journal?job=ID selects one job. docs/reference/protocol.md
// describes the format. ServeHTTP streams the data, so neither a long history nor a slow client
// costs memory.
func (a *Archive) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case a.streams <- struct{}{}:
		defer func() { <-a.streams }()
	default:
		http.Error(w, "too many clients are reading the journal; try again later", http.StatusServiceUnavailable)
		return
	}
	s := &factStream{trackers: map[int32]bool{}}
	if name := r.FormValue("job"); name != "" {
		id, err := job.ParseID(name)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		s.only = &id
	}
	if a.Shown != nil {
		var err error
		if s.shown, err = a.Shown(r); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	b := bufio.NewWriterSize(w, 64<<10)
	s.w = b
	err := a.streamJournal(r.Context(), s)
	if err == nil {
		err = b.Flush()
	}
	if err != nil && r.Context().Err() == nil {
		a.log.Error("cannot send the whole journal", "client", r.RemoteAddr, "error", err)
		panic(http.ErrAbortHandler) // aborts the response, so that the client detects that it is incomplete
	}
}

// factStream writes facts as one journal. It writes Started and the TrackerJoined of each tracker
// only once.
type factStream struct {
	w        io.Writer
	buf      []byte
	begun    bool
	trackers map[int32]bool
	cluster  string
	only     *job.ID                           // the only job of the stream; nil means all jobs
	shown    func(job.ID, *job.Spec) *job.Spec // nil shows everything
}

// errHidden means that the stream omits a job's facts because the reader must not see the job.
var errHidden = errors.New("the job is hidden")

func (s *factStream) fact(e *event.Event) error {
	switch {
	case e.Type == event.Started && s.begun, e.Type == event.TrackerJoined && s.trackers[e.Tracker]:
		return nil
	case e.Type == event.Started:
		s.begun = true
	case e.Type == event.TrackerJoined:
		s.trackers[e.Tracker] = true
	case e.Type == event.JobSubmitted && s.shown != nil: // the first fact of a job
		spec := s.shown(job.ID{Cluster: s.cluster, Seq: e.Job}, e.Spec)
		if spec == nil {
			return errHidden
		}
		shown := *e
		shown.Spec = spec
		e = &shown
	}
	b, err := history.AppendRecord(s.buf[:0], e)
	if err != nil {
		return err
	}
	s.buf = b
	_, err = s.w.Write(b)
	return err
}

// copy appends the facts in r to the stream.
func (s *factStream) copy(r io.Reader) error {
	return history.NewDecoder(r).Each(s.fact)
}

func (a *Archive) streamJournal(ctx context.Context, s *factStream) error {
	b, err := a.beginStream(ctx)
	if err != nil {
		return err
	}
	if _, err := s.w.Write(history.AppendHeader(nil)); err != nil {
		return err
	}
	s.cluster = b.cluster
	if err := s.fact(&event.Event{Type: event.Started, Time: a.started.UnixMilli(), Name: b.cluster}); err != nil {
		return err
	}
	if s.only != nil {
		if s.only.Cluster != b.cluster {
			return nil
		}
		return a.streamJob(ctx, s, *s.only)
	}
	for i := range b.trackers {
		if err := s.fact(&b.trackers[i]); err != nil {
			return err
		}
	}
	folders, err := a.folders(b.open)
	if err != nil {
		return err
	}
	for _, f := range folders {
		if err := a.streamFolder(ctx, s, f, b); err != nil {
			return err
		}
	}
	return nil
}

// streamFolder streams the jobs of one folder of the history, including unfinished jobs that will
// be in that folder.
func (a *Archive) streamFolder(ctx context.Context, s *factStream, folder int32, b *beginning) error {
	all, err := a.complete(folder)
	if err != nil {
		return err
	}
	for _, seq := range b.open {
		if seq/jobsPerFolder == folder {
			all = append(all, seq)
		}
	}
	slices.Sort(all)
	for _, seq := range slices.Compact(all) {
		if err := a.streamJob(ctx, s, job.ID{Cluster: b.cluster, Seq: seq}); err != nil {
			return err
		}
	}
	return nil
}

// beginning is the JobTracker's state at the start of a stream.
type beginning struct {
	cluster  string
	open     []int32       // unfinished jobs
	trackers []event.Event // TrackerJoined facts of the live trackers
}

func (a *Archive) beginStream(ctx context.Context) (*beginning, error) {
	var b beginning
	err := a.look(ctx, func() {
		b.cluster = a.cluster
		for seq := range a.open {
			b.open = append(b.open, seq)
		}
		for _, t := range a.trackers {
			b.trackers = append(b.trackers, t)
		}
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(b.trackers, func(x, y event.Event) int { return int(x.Tracker - y.Tracker) })
	// Wait for Run, because a job that is no longer open might not have its complete file yet.
	return &b, a.Settle(ctx)
}

// streamJob streams one job. For a finished job it reads the job's file. For an unfinished job it
// reads the facts so far. It skips the rest of a damaged file, so that the damage does not hide
// other jobs.
func (a *Archive) streamJob(ctx context.Context, s *factStream, id job.ID) error {
	facts, err := a.Facts(ctx, id)
	if err != nil || facts == nil {
		return err
	}
	defer facts.Close()
	err = s.copy(facts)
	if errors.Is(err, errHidden) {
		return nil
	}
	if failure.Is(err, failure.Corrupt) || errors.Is(err, history.ErrTorn) {
		a.log.Error("skipping the rest of a damaged job history", "job", id.Seq, "error", err)
		return nil
	}
	return err
}

// Split reads a journal and calls f with the facts of each job that ends in it, in the form of a
// journal. f must not keep the facts. Split returns the first error of f. If the journal ends in
// the middle of a record, it returns history.ErrTorn after it has called f for all jobs that
// precede that record.
func Split(journal io.Reader, f func(id job.ID, facts []byte) error) error {
	s := newSorter()
	return history.NewDecoder(journal).Each(func(e *event.Event) error {
		l := s.sort(e)
		if l == nil || e.Type != event.JobFinished {
			return nil
		}
		delete(s.open, e.Job)
		return f(job.ID{Cluster: s.cluster, Seq: e.Job}, l.buf)
	})
}

// folders returns the folders of the history and the future folders of the given jobs, in the order
// of job numbers.
func (a *Archive) folders(open []int32) ([]int32, error) {
	var list []int32
	entries, err := os.ReadDir(a.dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, failure.New(failure.IO, "list", a.dir, err)
	}
	for _, e := range entries {
		if n, err := strconv.ParseInt(e.Name(), 10, 32); err == nil && n >= 0 {
			list = append(list, int32(n))
		}
	}
	for _, seq := range open {
		list = append(list, seq/jobsPerFolder)
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// complete returns the jobs in a folder whose files are complete.
func (a *Archive) complete(folder int32) ([]int32, error) {
	dir := filepath.Join(a.dir, fmt.Sprintf("%06d", folder))
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, failure.New(failure.IO, "list", dir, err)
	}
	var list []int32
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".facts")
		if id, err := job.ParseID(name); ok && err == nil {
			list = append(list, id.Seq)
		}
	}
	slices.Sort(list)
	return list, nil
}

// Newest returns the n jobs with the highest numbers among those with complete files, in ascending
// order.
func (a *Archive) Newest(n int) ([]int32, error) {
	folders, err := a.folders(nil)
	if err != nil {
		return nil, err
	}
	var list []int32
	for _, f := range slices.Backward(folders) {
		some, err := a.complete(f)
		if err != nil {
			return nil, err
		}
		if list = append(some, list...); len(list) >= n {
			return list[len(list)-n:], nil
		}
	}
	return list, nil
}

// Facts opens the facts recorded so far for a job, in the form of a journal. If there are none, it
// returns nil and no error.
func (a *Archive) Facts(ctx context.Context, id job.ID) (io.ReadCloser, error) {
	name := a.FactsFile(id)
	if f, err := os.Open(name); err == nil {
		return opened{bufio.NewReader(f), f}, nil
	}
	var buf []byte
	var flushed int64
	var open bool
	if err := a.look(ctx, func() {
		if l := a.open[id.Seq]; l != nil {
			open, buf, flushed = true, slices.Clone(l.buf), l.flushedBytes
		}
	}); err != nil {
		return nil, err
	}
	if err := a.Settle(ctx); err != nil {
		return nil, err
	}
	f, err := os.Open(name) // the job might have ended in the meantime
	switch {
	case err == nil:
		return opened{bufio.NewReader(f), f}, nil
	case !open:
		return nil, nil // the job does not exist, or its file was removed
	case flushed == 0:
		return io.NopCloser(bytes.NewReader(buf)), nil
	}
	if f, err = os.Open(name + partial); err != nil {
		return nil, failure.New(failure.KindOf(err), "read history", name, err)
	}
	return opened{bufio.NewReader(io.MultiReader(io.LimitReader(f, flushed), bytes.NewReader(buf))), f}, nil
}

// opened is a reader that closes its file.
type opened struct {
	io.Reader
	io.Closer
}

// Settle waits until Run has written all earlier pieces to their files. If the disk rejects a piece,
// Settle returns the disk's error.
func (a *Archive) Settle(ctx context.Context) error {
	written := make(chan struct{})
	a.mu.Lock()
	out := a.outage
	a.mu.Unlock()
	select {
	case a.pieces <- piece{done: written}:
	case <-out.begun:
		return out.err
	case <-ctx.Done():
		return failure.New(failure.Timeout, "query", "the JobTracker", ctx.Err())
	case <-a.done:
		return errStopping()
	}
	select {
	case <-written:
		return nil
	case <-out.begun:
		return out.err
	case <-ctx.Done():
		return failure.New(failure.Timeout, "query", "the JobTracker", ctx.Err())
	case <-a.done:
		return errStopping()
	}
}

func errStopping() error {
	return failure.New(failure.Unreachable, "query", "the JobTracker", errors.New("it is shutting down")).
		Fix("retry after it restarts")
}
