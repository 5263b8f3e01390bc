package shuffle

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/sortio"
)

// store holds what was fetched: small segments in memory, large ones and merged runs on disk. One goroutine (mergeLoop)
// merges segments to disk when memory fills, and runs on disk when there are too many of them. Fetchers wait while there
// is no memory.
type store struct {
	cfg *Config

	memLimit int64 // for segments
	single   int64 // above, a segment goes to disk
	mergeAt  int64

	mu      sync.Mutex
	changed chan struct{} // closed and replaced when anything below changes
	// reserved is the memory that segments have, fetched ones and those on their way.
	reserved int64
	inFlight int    // reservations that are not committed
	waiting  int    // fetchers without memory
	taken    []bool // maps whose output is here
	mem      []sortio.Segment
	memSize  int64
	disk     []run
	dir      string // of our files, once there are any
	serial   int
	err      error
	broken   chan struct{} // closed when err is set
	closed   bool          // no more segments come
}

// run is a sorted run on disk.
type run struct {
	path   string
	entry  sortio.Entry
	tag    uint32
	tagged bool
	ours   bool // made here, removed after use; otherwise a map's output that is read in place
}

func newStore(cfg *Config) *store {
	s := &store{cfg: cfg, taken: make([]bool, cfg.Maps), changed: make(chan struct{}), broken: make(chan struct{})}
	s.memLimit = int64(float64(cfg.Memory) * cfg.InputBuffer)
	s.single = int64(float64(s.memLimit) * cfg.SingleLimit)
	s.mergeAt = int64(float64(s.memLimit) * cfg.MergePercent)
	return s
}

// wake tells everyone who waits; s.mu is held.
func (s *store) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// wait waits until ready, called with s.mu held, says yes. It returns with s.mu held, also on error.
func (s *store) wait(ctx context.Context, ready func() bool) error {
	for {
		if s.err != nil {
			return s.err
		}
		if ready() {
			return nil
		}
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		s.mu.Lock()
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// overhead is counted for each segment in memory beside its bytes.
const overhead = 128

// inMemory reports whether a segment of raw bytes belongs into memory.
func (s *store) inMemory(raw int64) bool { return raw+overhead <= s.single }

// reserve waits for the memory of a segment.
func (s *store) reserve(ctx context.Context, raw int64) error {
	n := raw + overhead
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reserved+n > s.memLimit {
		s.waiting++
		s.wake()
		defer func() { s.waiting-- }()
		if err := s.wait(ctx, func() bool { return s.reserved+n <= s.memLimit }); err != nil {
			return err
		}
	}
	s.reserved += n
	s.inFlight++
	return nil
}

// commit adds a fetched segment to what is there. It drops it if another attempt of the map was faster.
func (s *store) commit(seg sortio.Segment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight--
	n := int64(len(seg.Data)) + overhead
	if s.claim(seg.Tag) {
		s.mem = append(s.mem, seg)
		s.memSize += n
	} else {
		s.reserved -= n
	}
	s.wake()
}

// release gives back what was reserved for a segment that did not come.
func (s *store) release(raw int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight--
	s.reserved -= raw + overhead
	s.wake()
}

// commitRun adds a map's output on disk, or drops it likewise.
func (s *store) commitRun(r run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.claim(r.tag) {
		r.remove()
		return
	}
	s.disk = append(s.disk, r)
	s.wake()
}

// claim reports whether a map's output comes for the first time; s.mu is held.
func (s *store) claim(mapIndex uint32) bool {
	first := !s.taken[mapIndex]
	s.taken[mapIndex] = true
	return first
}

func (s *store) diskRuns() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.disk)
}

// newPath gives a name for a further file, in a directory that is made when the first one is asked for.
func (s *store) newPath(what string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == "" {
		dir, err := os.MkdirTemp(s.cfg.Dir, "shuffle")
		if err != nil {
			return "", failure.New(failure.KindOf(err), "make directory in", s.cfg.Dir, err)
		}
		s.dir = dir
	}
	s.serial++
	return filepath.Join(s.dir, fmt.Sprintf("%s%d.out", what, s.serial)), nil
}

// remove removes every file that was made here.
func (s *store) remove() {
	if s.dir != "" {
		os.RemoveAll(s.dir)
	}
}

func (s *store) memFull() bool {
	return s.memSize >= s.mergeAt && len(s.mem) > 0 ||
		s.cfg.InMemThreshold > 0 && len(s.mem) >= s.cfg.InMemThreshold ||
		// A fetcher waits and nobody else will make room.
		s.waiting > 0 && s.inFlight == 0 && len(s.mem) > 0
}

// diskFull tells when runs on disk are merged while fetches go on, if that is possible in the memory beside the segments.
func (s *store) diskFull() bool { return len(s.disk) > 2*s.cfg.Factor-1 && s.fit(s.beside()) >= 2 }

func (s *store) beside() int64 { return s.cfg.Memory - s.memLimit }

// fit gives how many runs on disk, the smallest first, a merge can read at once within room bytes: Factor, if the frames and
// the keys of so many fit. s.mu is held, or mergeLoop has ended.
func (s *store) fit(room int64) int {
	s.sortRuns()
	n := min(s.cfg.Factor, len(s.disk))
	for i := range n {
		if room -= sortio.RunMemory + int64(s.disk[i].entry.MaxKey); room < 0 {
			return i
		}
	}
	return n
}

// sortRuns puts the smallest runs first.
func (s *store) sortRuns() {
	slices.SortStableFunc(s.disk, func(a, b run) int { return cmp.Compare(a.entry.Part, b.entry.Part) })
}

// mergeLoop merges until finish is called or something fails. It is the only one that removes from mem and disk.
func (s *store) mergeLoop(ctx context.Context) error {
	for {
		s.mu.Lock()
		err := s.wait(ctx, func() bool { return s.closed || s.memFull() || s.diskFull() })
		closed, memFull := s.closed, s.memFull()
		runs := s.fit(s.beside())
		s.mu.Unlock()
		switch {
		case err != nil:
		case closed:
			return nil
		case memFull:
			err = s.mergeMemory(ctx)
		default:
			err = s.mergeDisk(ctx, runs)
		}
		if err != nil {
			return err
		}
	}
}

func (s *store) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
		close(s.broken)
		s.wake()
	}
}

// mergeMemory merges all segments in memory to one run on disk.
func (s *store) mergeMemory(ctx context.Context) error {
	s.mu.Lock()
	segs, size := s.mem, s.memSize
	s.mem, s.memSize = nil, 0
	s.mu.Unlock()
	r, err := s.write(ctx, segs)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.disk = append(s.disk, r)
	s.reserved -= size
	s.wake()
	return nil
}

// mergeDisk merges the n smallest runs on disk to one.
func (s *store) mergeDisk(ctx context.Context, n int) error {
	s.mu.Lock()
	s.sortRuns()
	runs := append([]run(nil), s.disk[:n]...)
	s.disk = append([]run(nil), s.disk[n:]...)
	s.mu.Unlock()
	segs, files, err := s.open(runs)
	if err != nil {
		return err
	}
	r, err := s.write(ctx, segs, files...)
	if err != nil {
		return err
	}
	for _, r := range runs {
		r.remove()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.disk = append(s.disk, r)
	s.wake()
	return nil
}

func (r *run) remove() {
	if r.ours {
		os.Remove(r.path)
	}
}

// open opens runs for a merge and counts their bytes as read.
func (s *store) open(runs []run) ([]sortio.Segment, []*os.File, error) {
	var segs []sortio.Segment
	var files []*os.File
	for _, r := range runs {
		f, err := os.Open(r.path)
		if err != nil {
			for _, f := range files {
				f.Close()
			}
			return nil, nil, failure.New(failure.KindOf(err), "open run", r.path, err)
		}
		files = append(files, f)
		segs = append(segs, sortio.Segment{Src: f, Entry: r.entry, Codec: s.cfg.Codec, Name: r.path, Tag: r.tag, Tagged: r.tagged})
		s.cfg.Counters.Inc(job.FileBytesRead, r.entry.Part)
		s.cfg.Counters.Inc(job.FileReadOps, 1)
	}
	return segs, files, nil
}

// write merges segments to a new run on disk.
func (s *store) write(ctx context.Context, segs []sortio.Segment, files ...*os.File) (run, error) {
	m := s.merger(segs, files)
	defer m.Close()
	path, err := s.newPath("merge")
	if err != nil {
		return run{}, err
	}
	w, err := sortio.NewWriter(path, sortio.WriterConfig{Codec: s.cfg.Codec, Tagged: true, Counters: s.cfg.Counters})
	if err != nil {
		return run{}, err
	}
	if err = sortio.Copy(ctx, w, m); err == nil {
		err = w.EndSegment()
	}
	if err == nil {
		var x sortio.Index
		if x, err = w.Close(); err == nil {
			return run{path: path, entry: x[0], tagged: true, ours: true}, nil
		}
	}
	w.Abort()
	return run{}, err
}

// merger merges segments and counts the map outputs among them.
func (s *store) merger(segs []sortio.Segment, files []*os.File) *sortio.Merger {
	closers := make([]io.Closer, len(files))
	for i, f := range files {
		closers[i] = f
	}
	for i := range segs {
		if !segs[i].Tagged {
			s.cfg.Counters.Inc(job.MergedMapOutputs, 1)
		}
	}
	return sortio.NewMerger(s.cfg.Cmp, segs, s.cfg.MaxRecord, closers...)
}

// finish stops mergeLoop.
func (s *store) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.wake()
}

// smallRest is what may stay in memory while reducing even with a Retain of 0: for less a file is not worth its making.
const smallRest = 64 << 10

// result merges what is left, so far that the reducer can read the rest as it goes, and gives its size in bytes. mergeLoop
// has ended.
func (s *store) result(ctx context.Context) (*sortio.Merger, int64, error) {
	if s.err != nil {
		return nil, 0, s.err
	}
	if s.memSize > max(smallRest, int64(s.cfg.Retain*float64(s.cfg.Memory))) {
		if err := s.mergeMemory(ctx); err != nil {
			return nil, 0, err
		}
	}
	for room := s.resultRoom(); ; {
		n := s.fit(room)
		if n == len(s.disk) {
			break
		}
		if err := s.mergeDisk(ctx, sortio.FirstPass(len(s.disk), max(n, 2))); err != nil {
			return nil, 0, err
		}
	}
	segs, files, err := s.open(s.disk)
	if err != nil {
		return nil, 0, err
	}
	segs = append(segs, s.mem...)
	size := int64(0)
	for i := range segs {
		size += int64(len(segs[i].Data)) + segs[i].Entry.Raw
	}
	return s.merger(segs, files), size, nil
}

// resultRoom gives the memory for reading runs when all is fetched. The key of the current group is copied once or twice.
func (s *store) resultRoom() int64 {
	var largest uint32
	for _, r := range s.disk {
		largest = max(largest, r.entry.MaxKey)
	}
	return max(s.cfg.Memory-s.memSize-2*int64(largest), 2*(sortio.RunMemory+int64(largest)))
}

func (s *store) firstError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}
