package daemon

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

	"github.com/howdah/howdah/history"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
)

// maxStreams bounds how many clients read the whole history at once.
const maxStreams = 4

// serveJournal answers GET /journal: the facts of all jobs that this JobTracker ever had, as one journal. docs/protocol.md
// describes its form. It is written as it is read: neither a long history nor a slow client costs memory.
func (d *Daemon) serveJournal(w http.ResponseWriter, r *http.Request) {
	select {
	case d.streams <- struct{}{}:
		defer func() { <-d.streams }()
	default:
		http.Error(w, "too many clients read the journal now; try again later", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	b := bufio.NewWriterSize(w, 64<<10)
	err := d.streamJournal(r.Context(), b)
	if err == nil {
		err = b.Flush()
	}
	if err != nil && r.Context().Err() == nil {
		d.cfg.Log.Error("the journal could not be told to its end", "client", r.RemoteAddr, "error", err)
		panic(http.ErrAbortHandler) // the client sees that the answer is not complete
	}
}

// factStream writes facts as one journal: its first fact and each tracker once.
type factStream struct {
	w        io.Writer
	buf      []byte
	begun    bool
	trackers map[int32]bool
}

func (s *factStream) fact(e *event.Event) error {
	switch {
	case e.Type == event.Started && s.begun, e.Type == event.TrackerJoined && s.trackers[e.Tracker]:
		return nil
	case e.Type == event.Started:
		s.begun = true
	case e.Type == event.TrackerJoined:
		s.trackers[e.Tracker] = true
	}
	b, err := history.AppendRecord(s.buf[:0], e)
	if err != nil {
		return err
	}
	s.buf = b
	_, err = s.w.Write(b)
	return err
}

// copy adds the facts that r holds.
func (s *factStream) copy(r io.Reader) error {
	return history.NewDecoder(r).Each(s.fact)
}

func (d *Daemon) streamJournal(ctx context.Context, w io.Writer) error {
	open, trackers, err := d.beginStream(ctx)
	if err != nil {
		return err
	}
	if _, err := w.Write(history.AppendHeader(nil)); err != nil {
		return err
	}
	s := &factStream{w: w, trackers: map[int32]bool{}}
	if err := s.fact(&event.Event{Type: event.Started, Time: d.started.UnixMilli(), Name: d.cluster}); err != nil {
		return err
	}
	for i := range trackers {
		if err := s.fact(&trackers[i]); err != nil {
			return err
		}
	}
	folders, err := d.history.folders(open)
	if err != nil {
		return err
	}
	for _, f := range folders {
		if err := d.streamFolder(ctx, s, f, open); err != nil {
			return err
		}
	}
	return nil
}

// streamFolder adds the jobs of one folder of the history, with those among open that will be in it.
func (d *Daemon) streamFolder(ctx context.Context, s *factStream, folder int32, open []int32) error {
	all, err := d.history.complete(folder)
	if err != nil {
		return err
	}
	for _, seq := range open {
		if seq/jobsPerFolder == folder {
			all = append(all, seq)
		}
	}
	slices.Sort(all)
	for _, seq := range slices.Compact(all) {
		if err := d.streamJob(ctx, s, seq); err != nil {
			return err
		}
	}
	return nil
}

// beginStream lists the jobs that are not over and the trackers that live.
func (d *Daemon) beginStream(ctx context.Context) (open []int32, trackers []event.Event, err error) {
	_, err = look(ctx, d.owner, func(*jobtracker.Machine) (struct{}, error) {
		for seq := range d.history.open {
			open = append(open, seq)
		}
		for _, t := range d.history.trackers {
			trackers = append(trackers, t)
		}
		return struct{}{}, nil
	})
	slices.SortFunc(trackers, func(a, b event.Event) int { return int(a.Tracker - b.Tracker) })
	return open, trackers, err
}

// streamJob adds one job: from its file if it is over, else from what there is of it. What cannot be read is left out: one
// damaged file must not hide all others.
func (d *Daemon) streamJob(ctx context.Context, s *factStream, seq int32) error {
	b, err := d.history.facts(ctx, d.owner, job.ID{Cluster: d.cluster, Seq: seq})
	if err != nil || b == nil {
		return err
	}
	defer b.Close()
	err = s.copy(b)
	if failure.Is(err, failure.Corrupt) || errors.Is(err, history.ErrTorn) {
		d.cfg.Log.Error("a job's history is damaged; the rest of it is left out", "job", seq, "error", err)
		return nil
	}
	return err
}

// folders lists the folders of the history, and those in which the given jobs will be, in the order of their jobs.
func (h *histories) folders(open []int32) ([]int32, error) {
	var list []int32
	entries, err := os.ReadDir(h.dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, failure.New(failure.IO, "list", h.dir, err)
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

// complete lists the jobs of a folder whose files are complete.
func (h *histories) complete(folder int32) ([]int32, error) {
	dir := filepath.Join(h.dir, fmt.Sprintf("%06d", folder))
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

// facts opens what there is of a job's facts by now, in the form of a journal. nil = nothing.
func (h *histories) facts(ctx context.Context, o *owner, id job.ID) (io.ReadCloser, error) {
	name := h.base(id) + ".facts"
	if f, err := os.Open(name); err == nil {
		return opened{bufio.NewReader(f), f}, nil
	}
	var buf []byte
	var flushed int64
	open, err := look(ctx, o, func(*jobtracker.Machine) (bool, error) {
		l := h.open[id.Seq]
		if l != nil {
			buf, flushed = slices.Clone(l.buf), l.flushedBytes
		}
		return l != nil, nil
	})
	if err != nil {
		return nil, err
	}
	if err := h.settle(ctx, o); err != nil {
		return nil, err
	}
	f, err := os.Open(name) // it may have ended meanwhile
	switch {
	case err == nil:
		return opened{bufio.NewReader(f), f}, nil
	case !open:
		return nil, nil // it never was, or its file was removed
	case flushed == 0:
		return io.NopCloser(io.MultiReader(bytes.NewReader(history.AppendHeader(nil)), bytes.NewReader(buf))), nil
	}
	if f, err = os.Open(name + partial); err != nil {
		return nil, failure.New(failure.KindOf(err), "read history", name, err)
	}
	return opened{bufio.NewReader(io.MultiReader(io.LimitReader(f, flushed), bytes.NewReader(buf))), f}, nil
}

// opened reads an open file.
type opened struct {
	io.Reader
	io.Closer
}

// settle waits until everything that the owner has handed to the writing goroutine is in the files.
func (h *histories) settle(ctx context.Context, o *owner) error {
	done := make(chan struct{})
	select {
	case h.pieces <- piece{done: done}:
	case <-ctx.Done():
		return busy(ctx)
	case <-o.done:
		return errStopping()
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return busy(ctx)
	case <-o.done:
		return errStopping()
	}
}
