package shuffle

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/job"
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
	require.Equal(t, 5, s.fit(room))
	for i := range int64(5) {
		add(100+i, 10)
	}
	require.Equal(t, 6, s.fit(room), "the configured factor")
	s.disk = s.disk[:0]
	add(3, 5*sortio.RunMemory)
	add(2, 2*sortio.RunMemory)
	add(1, 10)
	require.Equal(t, 2, s.fit(room-sortio.RunMemory), "the smallest runs first")
	require.EqualValues(t, 1, s.disk[0].entry.Part)
	require.EqualValues(t, 2*(5+1)*sortio.RunMemory, s.resultRoom(), "two runs at least")
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
	cfg := cl.config(0, 8)
	cfg.Cmp, cfg.InMemThreshold, cfg.Events = faultyOrder{}, 2, feed(cl.makeMaps(8, 20, 10))
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
	left, err := filepath.Glob(filepath.Join(s.cfg.Dir, "*", "*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestFailedFetchesAreLogged(t *testing.T) {
	cl := newCluster(t, 1, 1, nil)
	list := cl.makeMaps(1, 20, 10)
	cl.damage(0, 0, sortio.OutputName)
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
	m, _, err := s.result(t.Context())
	require.NoError(t, err)
	m.Close()
	require.EqualValues(t, 3+3, c.v[job.FileReadOps])
}
