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

	"github.com/howdah/howdah/internal/owned"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/task/sortio"
)

// store holds the fetched data. Small segments are in memory, and large segments and merged runs
// are on disk. One goroutine (mergeLoop) merges segments to disk when memory fills up, and merges
// runs on disk when they become too many. Fetchers wait for memory.
type store struct {
	cfg *Config

	memLimit int64 // for segments
	single   int64 // larger segments go to disk
	mergeAt  int64

	mu      sync.Mutex
	changed chan struct{} // closed and replaced by wake
	// reserved is the memory in bytes of segments that have been or are being fetched.
	reserved int64
	inFlight int              // number of reservations not yet committed
	waiting  int              // number of fetchers waiting for memory
	taken    []bool           // by map: its output has arrived
	kept     []sortio.Segment // outputs of this process, whose memory does not belong to the store
	mem      []sortio.Segment
	memSize  int64
	disk     []run  // files of the store
	local    []run  // output files of this host's maps, which stay where they are until result runs
	dir      string // directory of the store's files; empty until the first file
	serial   int
	err      error
	broken   chan struct{} // closed when err is set
	closed   bool          // no more segments follow
}

// run is a sorted run on disk.
type run struct {
	path   string
	entry  sortio.Entry
	tag    uint32
	tagged bool
	ours   bool // the store created the file and removes it after use; otherwise it is a map's own output file
}

func newStore(cfg *Config) *store {
	s := &store{cfg: cfg, taken: make([]bool, cfg.Maps), changed: make(chan struct{}), broken: make(chan struct{})}
	s.memLimit = int64(float64(cfg.Memory) * cfg.InputBuffer)
	s.single = int64(float64(s.memLimit) * cfg.SingleLimit)
	s.mergeAt = int64(float64(s.memLimit) * cfg.MergePercent)
	return s
}

// wake wakes all waiters. The caller must hold s.mu.
func (s *store) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// wait waits until ready returns true. It calls ready with s.mu held and returns with s.mu held,
// even on error.
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

// overhead is the assumed overhead of each segment in memory, in bytes.
const overhead = 128

// inMemory reports whether a segment of the given raw size should be stored in memory.
func (s *store) inMemory(raw int64) bool { return raw+overhead <= s.single }

// reserve waits until memory for a segment of the given raw size is available, and reserves it.
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

// commit adds a fetched segment. If the output of another attempt of the map has already arrived,
// it drops the segment.
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

// release releases the reservation of a segment whose fetch failed.
func (s *store) release(raw int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight--
	s.reserved -= raw + overhead
	s.wake()
}

// commitRun adds a map's output on disk. If the output of another attempt of the map has already
// arrived, it drops this output.
func (s *store) commitRun(r run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !s.claim(r.tag):
		r.remove()
	case r.ours:
		s.disk = append(s.disk, r)
		s.wake()
	default:
		s.local = append(s.local, r)
	}
}

// commitKept adds a segment whose memory does not belong to the store.
func (s *store) commitKept(seg sortio.Segment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.claim(seg.Tag) {
		s.kept = append(s.kept, seg)
	}
}

// claim marks the map's output as having arrived. It returns false if an output of the map has
// already arrived. The caller must hold s.mu.
func (s *store) claim(mapIndex uint32) bool {
	first := !s.taken[mapIndex]
	s.taken[mapIndex] = true
	return first
}

const (
	// inPlace is the minimum size in bytes of a segment of this host that stays in its file. A
	// smaller segment is copied to memory, because that costs less than another file in the last
	// merge.
	inPlace = 128 << 10
	// maxLocal is the number of this host's files that the last merge may read in addition to
	// Factor other runs. This limit keeps a reducer well below the usual limit of 1,024 open files.
	maxLocal = 500
)

// stays reports whether a segment of this host, whose index entry is e, should stay in its file. A
// segment that is too large for memory stays. Unless maxLocal segments already stay, so does one of
// at least inPlace bytes, or one whose copy would soon have to be written from memory to disk.
func (s *store) stays(e sortio.Entry) bool {
	if !s.inMemory(e.Raw) {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.local) < maxLocal && (e.Part >= inPlace || s.reserved+e.Raw+overhead >= s.mergeAt ||
		s.cfg.InMemThreshold > 0 && len(s.mem)+s.inFlight+1 >= s.cfg.InMemThreshold)
}

// newPath returns the path of a new file, whose name contains what. The first call creates the
// store's directory.
func (s *store) newPath(what string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == "" {
		dir, err := os.MkdirTemp(s.cfg.Dir, "shuffle")
		if err != nil {
			return "", failure.New(failure.KindOf(err), "create directory in", s.cfg.Dir, err)
		}
		s.dir = dir
	}
	s.serial++
	return filepath.Join(s.dir, fmt.Sprintf("%s%d.out", what, s.serial)), nil
}

// remove removes all files that the store created.
func (s *store) remove() {
	if s.dir != "" {
		os.RemoveAll(s.dir)
	}
}

func (s *store) memFull() bool {
	return s.memSize >= s.mergeAt && len(s.mem) > 0 ||
		s.cfg.InMemThreshold > 0 && len(s.mem) >= s.cfg.InMemThreshold ||
		// A fetcher is waiting, and only a merge can free memory.
		s.waiting > 0 && s.inFlight == 0 && len(s.mem) > 0
}

// diskFull reports whether to merge runs on disk while fetches continue. The memory not used by
// segments must be large enough for the merge.
func (s *store) diskFull() bool {
	return len(s.disk) > 2*s.cfg.Factor-1 && s.fit(s.cfg.Factor, s.beside()) >= 2
}

func (s *store) beside() int64 { return s.cfg.Memory - s.memLimit }

// fit sorts the runs on disk by size and returns how many of them, starting with the smallest, a
// single merge can read. The number is at most limit, and the frames and keys of these runs fit
// into room bytes. The caller must hold s.mu, or mergeLoop must have ended.
func (s *store) fit(limit int, room int64) int {
	s.sortRuns()
	n := min(limit, len(s.disk))
	for i := range n {
		if room -= sortio.RunMemory + int64(s.disk[i].entry.MaxKey); room < 0 {
			return i
		}
	}
	return n
}

// sortRuns sorts the runs on disk by size, smallest first.
func (s *store) sortRuns() {
	slices.SortStableFunc(s.disk, func(a, b run) int { return cmp.Compare(a.entry.Part, b.entry.Part) })
}

// mergeLoop merges until finish is called, ctx is canceled, or a merge fails. While it runs, only
// mergeLoop removes entries from mem and disk.
func (s *store) mergeLoop(ctx context.Context) error {
	for {
		s.mu.Lock()
		err := s.wait(ctx, func() bool { return s.closed || s.memFull() || s.diskFull() })
		closed, memFull := s.closed, s.memFull()
		runs := s.fit(s.cfg.Factor, s.beside())
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

// mergeMemory merges all segments in memory into one run on disk and releases their memory.
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

// mergeDisk merges the n smallest runs on disk into one run and removes their files if the store
// created them.
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

// open opens runs for a merge. It adds their sizes to the counters of bytes read.
func (s *store) open(runs []run) ([]sortio.Segment, []io.Closer, error) {
	var segs []sortio.Segment
	var files []io.Closer
	for _, r := range runs {
		f, err := s.openRun(r)
		if err != nil {
			for _, f := range files {
				f.Close()
			}
			return nil, nil, err
		}
		files = append(files, f)
		segs = append(segs, sortio.Segment{Src: f, Entry: r.entry, Codec: s.cfg.Codec, Name: r.path, Tag: r.tag,
			Tagged: r.tagged})
		s.cfg.Counters.Inc(job.FileBytesRead, r.entry.Part)
		s.cfg.Counters.Inc(job.FileReadOps, 1)
	}
	return segs, files, nil
}

// file is an open run.
type file interface {
	io.ReaderAt
	io.Closer
}

func (s *store) openRun(r run) (file, error) {
	if !r.ours {
		return s.cfg.Cache.open(filepath.Dir(r.path))
	}
	f, err := owned.Open(filepath.Split(r.path))
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "open run", r.path, err)
	}
	return f, nil
}

// write merges segments into a new run on disk. It closes files, the sources of the segments.
func (s *store) write(ctx context.Context, segs []sortio.Segment, files ...io.Closer) (run, error) {
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

// merger returns a merger of segs. It adds the number of map outputs in segs to the counters.
func (s *store) merger(segs []sortio.Segment, files []io.Closer) *sortio.Merger {
	for i := range segs {
		if !segs[i].Tagged {
			s.cfg.Counters.Inc(job.MergedMapOutputs, 1)
		}
	}
	return sortio.NewMerger(s.cfg.Cmp, segs, s.cfg.MaxRecord, files...)
}

// finish stops mergeLoop.
func (s *store) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.wake()
}

// smallRest is the number of bytes that may stay in memory while the reducer runs, even if Retain
// is 0. Creating a file for less data is not worthwhile.
const smallRest = 64 << 10

// result merges the remaining data to the point where the reducer can read it in one pass. It
// returns the merged sequence and its size in bytes. mergeLoop must have ended.
func (s *store) result(ctx context.Context) (*sortio.Merger, int64, error) {
	if s.err != nil {
		return nil, 0, s.err
	}
	if s.memSize > max(smallRest, int64(s.cfg.Retain*float64(s.cfg.Memory))) {
		if err := s.mergeMemory(ctx); err != nil {
			return nil, 0, err
		}
	}
	if err := s.mergeTo(ctx, s.cfg.Factor); err != nil {
		return nil, 0, err
	}
	s.disk, s.local = append(s.disk, s.local...), nil
	if err := s.mergeTo(ctx, s.cfg.Factor+maxLocal); err != nil {
		return nil, 0, err
	}
	segs, files, err := s.open(s.disk)
	if err != nil {
		return nil, 0, err
	}
	segs = append(append(segs, s.mem...), s.kept...)
	size := int64(0)
	for i := range segs {
		size += int64(len(segs[i].Data)) + segs[i].Entry.Raw
	}
	return s.merger(segs, files), size, nil
}

// mergeTo merges runs on disk until a single merge can read all remaining runs, of which there are
// then at most limit. mergeLoop must have ended.
func (s *store) mergeTo(ctx context.Context, limit int) error {
	for room := s.resultRoom(); ; {
		n := s.fit(limit, room)
		if n == len(s.disk) {
			return nil
		}
		if err := s.mergeDisk(ctx, sortio.FirstPass(len(s.disk), n)); err != nil {
			return err
		}
	}
}

// resultRoom returns the number of bytes available for reading runs after all fetches have ended.
// This is enough for at least two runs. It does not include the memory for two copies of the
// current group's key.
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
