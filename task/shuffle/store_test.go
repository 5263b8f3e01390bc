package shuffle

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/task/sortio"
	"github.com/stretchr/testify/require"
)

func TestHugeKeysMakeMergesNarrow(t *testing.T) {
	const room = 10 * sortio.RunMemory
	s := newStore(&Config{Memory: room, Factor: 6})
	add := func(size int64, key uint32) {
		s.disk = append(s.disk, run{entry: sortio.Entry{Part: size, MaxKey: key}})
	}
	for i := range int64(5) {
		add(i, 10)
	}
	require.Equal(t, 5, s.fit(6, room))
	for i := range int64(5) {
		add(100+i, 10)
	}
	require.Equal(t, 6, s.fit(6, room), "the configured factor")
	s.disk = s.disk[:0]
	add(3, 5*sortio.RunMemory)
	add(2, 2*sortio.RunMemory)
	add(1, 10)
	require.Equal(t, 2, s.fit(6, room-sortio.RunMemory), "the smallest runs first")
	require.EqualValues(t, 1, s.disk[0].entry.Part)
	require.EqualValues(t, 2*(5+1)*sortio.RunMemory, s.resultRoom(), "two runs at least")
	s.cfg.Memory, s.memSize = 100*sortio.RunMemory, 7
	require.EqualValues(t, (100-2*5)*sortio.RunMemory-7, s.resultRoom())
}

func TestHugeKeysCome(t *testing.T) {
	cl := newCluster(t, 2, 1, nil)
	var list []Completion
	for m := range int32(12) {
		key := strings.Repeat(string('a'+rune(m)), 500_000)
		cl.writeMap(int(m%2), m, 0, [][]rec{{{key, "1"}, {key + "x", "2"}}})
		cl.want[0] = append(cl.want[0], rec{key, "1"}, rec{key + "x", "2"})
		list = append(list, Completion{Map: m, Addr: cl.addrs[m%2]})
	}
	cfg := cl.config(0, 12)
	cfg.Memory, cfg.Factor = 4<<20, 3
	cl.shuffled(cfg, list)
}

// faultyOrder is a comparator that panics at the first comparison.
type faultyOrder struct{ bytesOrder }

func (faultyOrder) Compare([]byte, []byte) int { panic("no order") }

func TestPanicInAMergeBesideIsTheShufflesError(t *testing.T) {
	cl := newCluster(t, 1, 1, nil)
	list := cl.makeMaps(8, 20, 10)
	for _, threshold := range []int{2, -1} { // during the shuffle, and at its end
		cfg := cl.config(0, 8)
		cfg.Cmp, cfg.InMemThreshold, cfg.Events = faultyOrder{}, threshold, feed(list)
		bad := errors.New("guarded")
		cfg.Guard = func(f func() error) (err error) {
			defer func() {
				if recover() != nil {
					err = bad
				}
			}()
			return f()
		}
		_, err := Run(context.Background(), cfg)
		require.ErrorIs(t, err, bad)
	}
}

// jammedCodec fails to compress.
type jammedCodec struct {
	codec.Codec
	err error
}

func (c jammedCodec) Append([]byte, []byte) ([]byte, error) { return nil, c.err }

// A merge that cannot write its last frame fails and leaves no file.
func TestFailedMergeLeavesNoFile(t *testing.T) {
	c := jammedCodec{err: errors.New("jammed")}
	s := newStore(&Config{Memory: 8 << 20, Factor: 3, Dir: t.TempDir(), Cmp: bytesOrder{}, Counters: &tally{}, Codec: c})
	_, err := s.write(t.Context(), []sortio.Segment{{Data: []byte{1, 1, 'k', 'v'}}})
	require.ErrorIs(t, err, c.err)
	_, err = s.write(t.Context(), []sortio.Segment{{Data: []byte{1, 9, 'k'}}})
	require.ErrorIs(t, err, failure.Corrupt.Target())
	left, err := filepath.Glob(filepath.Join(s.cfg.Dir, "*", "*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestFailedFetchesAreLogged(t *testing.T) {
	cl := newCluster(t, 1, 1, nil)
	list := cl.makeMaps(1, 20, 10)
	cl.damage(0, 0, 100)
	var lines []string
	cfg := cl.config(0, 1)
	cfg.Events = feed(list)
	cfg.RetryMax = time.Millisecond
	cfg.Log = func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	_, err := Run(context.Background(), cfg)
	require.Error(t, err)
	require.Len(t, lines, 30)
	require.Contains(t, lines[0], "map 0, attempt 0, from "+cl.addrs[0])
	require.Contains(t, lines[0], "checksum")
}

// TestResultMergesWidely checks that the last merges read as many runs as Factor and memory allow. For
// five runs, the reducer must read three runs after a single merge of three.
func TestResultMergesWidely(t *testing.T) {
	c := &tally{}
	s := newStore(&Config{Memory: 10 * sortio.RunMemory, Factor: 3, Dir: t.TempDir(), Cmp: bytesOrder{}, Counters: c})
	for range 5 {
		r, err := s.write(t.Context(), nil)
		require.NoError(t, err)
		s.disk = append(s.disk, r)
	}
	s.disk[0].entry.Raw = 40
	s.disk = append(s.disk[1:], s.disk[0])
	s.mem = []sortio.Segment{{Data: []byte{1, 1, 'k', 'v'}}}
	m, size, err := s.result(t.Context())
	require.NoError(t, err)
	m.Close()
	require.EqualValues(t, 3+3, c.v[job.FileReadOps])
	require.EqualValues(t, 40+4, size)
}

// TestSharesOfMemory checks the limits that follow from the shares of the memory. The overhead of a
// segment counts.
func TestSharesOfMemory(t *testing.T) {
	s := newStore(&Config{Memory: 8000, InputBuffer: 0.5, SingleLimit: 0.25, MergePercent: 0.75})
	require.EqualValues(t, []int64{4000, 1000, 3000}, []int64{s.memLimit, s.single, s.mergeAt})
	require.True(t, s.inMemory(1000-overhead))
	require.False(t, s.inMemory(1000-overhead+1))
}

// TestFetchersWaitForMemory checks that a fetcher waits until the memory for its segment is available,
// and that segments can use all of the memory.
func TestFetchersWaitForMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(&Config{Memory: 1000, InputBuffer: 1, Maps: 1})
		require.NoError(t, s.reserve(t.Context(), 1000-overhead), "without waiting")
		require.EqualValues(t, 1000, s.reserved)
		require.Equal(t, 1, s.inFlight)
		got := make(chan error, 1)
		go func() { got <- s.reserve(t.Context(), 1000-overhead) }()
		synctest.Wait()
		require.Equal(t, 1, s.waiting)
		s.release(1000 - overhead)
		synctest.Wait()
		require.Len(t, got, 1)
		require.NoError(t, <-got)
		require.Zero(t, s.waiting)
		require.EqualValues(t, 1000, s.reserved)

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, s.reserve(ctx, 0), context.Canceled)
		require.Zero(t, s.waiting)
		s.commit(sortio.Segment{Data: make([]byte, 1000-overhead)})
		require.Zero(t, s.inFlight)
		require.EqualValues(t, 1000, s.memSize)
		require.EqualValues(t, 1000, s.reserved)
	})
}

// TestMemoryIsFull checks when segments in memory are merged: when they use their share, when they are
// many, or when a fetcher waits and no other fetch will end.
func TestMemoryIsFull(t *testing.T) {
	for _, x := range []struct {
		segments, threshold int
		size                int64
		waiting, inFlight   int
		want                bool
	}{
		{segments: 0, threshold: -1},
		{segments: 0, threshold: 0},
		{segments: 0, threshold: -1, size: 100},
		{segments: 1, threshold: -1, size: 99},
		{segments: 1, threshold: -1, size: 100, want: true},
		{segments: 1, threshold: 2},
		{segments: 2, threshold: 2, want: true},
		{segments: 1, threshold: -1, waiting: 1, inFlight: 1},
		{segments: 1, threshold: -1, waiting: 1, want: true},
		{segments: 0, threshold: -1, waiting: 1},
		{segments: 1, threshold: -1},
	} {
		s := newStore(&Config{InMemThreshold: x.threshold})
		s.mergeAt, s.memSize, s.waiting, s.inFlight = 100, x.size, x.waiting, x.inFlight
		s.mem = make([]sortio.Segment, x.segments)
		require.Equal(t, x.want, s.memFull(), "%+v", x)
	}
}

// TestDiskIsFull checks that runs on disk are merged during the shuffle when twice the factor is
// reached, if the memory outside the segments suffices for at least two runs.
func TestDiskIsFull(t *testing.T) {
	for _, x := range []struct {
		runs   int
		beside int64
		want   bool
	}{{5, 2 * sortio.RunMemory, false}, {6, 2 * sortio.RunMemory, true}, {6, 2*sortio.RunMemory - 1, false},
		{7, 9 * sortio.RunMemory, true}} {
		s := newStore(&Config{Memory: 2 * x.beside, InputBuffer: 0.5, Factor: 3})
		s.disk = make([]run, x.runs)
		require.Equal(t, x.want, s.diskFull(), "%+v", x)
	}
}

// TestFailedMergesEndTheLoop checks that the loop of merges returns the errors of merges in memory and
// on disk.
func TestFailedMergesEndTheLoop(t *testing.T) {
	cfg := Config{Memory: 8 << 20, InputBuffer: 0.5, MergePercent: 1, InMemThreshold: 1, Factor: 2, Dir: t.TempDir(),
		Cmp: bytesOrder{}, Counters: &tally{}}
	s := newStore(&cfg)
	s.mem = []sortio.Segment{{Data: []byte{1, 9, 'k'}}}
	require.ErrorIs(t, s.mergeLoop(t.Context()), failure.Corrupt.Target())
	s = newStore(&cfg)
	s.disk = make([]run, 4)
	require.ErrorIs(t, s.mergeLoop(t.Context()), failure.NotFound.Target())
}

// TestNamesOfFiles checks that files are numbered in one directory.
func TestNamesOfFiles(t *testing.T) {
	s := newStore(&Config{Dir: t.TempDir()})
	a, err := s.newPath("fetch")
	require.NoError(t, err)
	b, err := s.newPath("merge")
	require.NoError(t, err)
	require.Equal(t, filepath.Join(s.dir, "fetch1.out"), a)
	require.Equal(t, filepath.Join(s.dir, "merge2.out"), b)
}

// TestPipeAsRun checks that a merge does not wait for the other end of a pipe that has replaced a run.
func TestPipeAsRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), sortio.OutputName)
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	for _, ours := range []bool{true, false} {
		_, _, err := newStore(&Config{Counters: &tally{}}).open([]run{{path: path, ours: ours}})
		require.Equal(t, failure.Permission, failure.KindOf(err), "%v", err)
	}
}

// TestSegmentsStayInMemory checks how much may stay in memory while reducing: a share of the memory,
// but at least 64 KiB.
func TestSegmentsStayInMemory(t *testing.T) {
	for _, x := range []struct {
		retain float64
		size   int64
		merged int64
	}{{0, 64 << 10, 0}, {0, 64<<10 + 1, 1}, {0.5, 4 << 20, 0}, {0.5, 4<<20 + 1, 1}} {
		c := &tally{}
		s := newStore(&Config{Memory: 8 << 20, Factor: 3, Dir: t.TempDir(), Cmp: bytesOrder{}, Counters: c, Retain: x.retain})
		s.mem, s.memSize = []sortio.Segment{{Data: []byte{1, 1, 'k', 'v'}}}, x.size
		m, _, err := s.result(t.Context())
		require.NoError(t, err)
		require.NoError(t, m.Close())
		require.Equal(t, x.merged, c.v[job.FileWriteOps], "%+v", x)
	}
}
