package shuffle

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/task/sortio"
	"github.com/stretchr/testify/require"
)

func testPlan(t *testing.T, maps int32) *plan {
	cfg := &Config{Maps: maps, Cmp: bytesOrder{}, Memory: 8 << 20}
	require.NoError(t, cfg.validate())
	return newPlan(cfg)
}

func TestPlanFollowsTheList(t *testing.T) {
	p := testPlan(t, 3)
	p.completed(Completion{Map: 0, Addr: "a"})
	p.completed(Completion{Map: 1, Addr: "a"})
	p.completed(Completion{Map: 1, Addr: "a"}) // reported twice
	p.completed(Completion{Map: 3, Addr: "a"}) // no such map
	p.completed(Completion{Map: -1, Addr: "a"})
	require.Equal(t, []target{{0, 0}, {1, 0}}, p.hosts["a"].pending)

	p.completed(Completion{Map: 0, Attempt: 5, Obsolete: true}) // another attempt
	require.True(t, p.wanted(p.hosts["a"], target{0, 0}))
	p.completed(Completion{Map: 0, Attempt: 0, Obsolete: true})
	p.completed(Completion{Map: 1, Attempt: 0, Addr: "b"}) // the tracker has a new address
	require.Empty(t, p.hosts["a"].take(p))
	require.Equal(t, []target{{1, 0}}, p.hosts["b"].take(p))

	p.completed(Completion{Map: 1, Attempt: 1, Addr: "b"}) // another attempt at the same address
	p.hosts["b"].pending = append(p.hosts["b"].pending, target{1, 0})
	require.Equal(t, []target{{1, 1}}, p.hosts["b"].take(p))

	p.maps[2].done = true
	p.completed(Completion{Map: 2, Attempt: 1, Addr: "a"})
	require.Empty(t, p.hosts["a"].pending, "an output that was taken stays valid")
}

func TestMapWithoutOutput(t *testing.T) {
	p := testPlan(t, 2)
	var progress [][2]int
	p.cfg.Progress = func(done, maps int) { progress = append(progress, [2]int{done, maps}) }
	p.completed(Completion{Map: 0, Attempt: -1})
	p.completed(Completion{Map: 0, Attempt: -1})
	require.Equal(t, 1, p.left)
	require.Equal(t, [][2]int{{1, 2}}, progress)
	require.Empty(t, p.hosts)
}

// No more hosts than Copies are asked at the same time.
func TestPlanAsksFewHosts(t *testing.T) {
	p := testPlan(t, 3)
	p.cfg.Copies = 2
	for m, addr := range []string{"a", "b", "c"} {
		p.completed(Completion{Map: int32(m), Addr: addr})
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	f := newFetcher(p.cfg, newStore(p.cfg), nil)
	defer f.close()
	var wg sync.WaitGroup
	p.dispatch(ctx, f, &wg, time.NewTimer(time.Hour))
	wg.Wait()
	require.Equal(t, 2, p.active)
	require.Len(t, p.hosts["c"].pending, 1)
}

func TestFailedTargetsGoBehindTheOthers(t *testing.T) {
	p := testPlan(t, 3)
	for m := range int32(3) {
		p.completed(Completion{Map: m, Addr: "a"})
	}
	h := p.hosts["a"]
	batch := h.take(p)
	require.Len(t, batch, 3)
	h.busy, p.active = true, 1
	require.NoError(t, p.handle(event{host: h, target: batch[0], cause: &cause{err: context.Canceled}}))
	require.NoError(t, p.handle(event{host: h, target: batch[1], cause: &cause{err: context.Canceled}}))
	require.NoError(t, p.handle(event{host: h, ended: true, rest: batch[2:]}))
	require.Equal(t, []target{{2, 0}, {0, 0}, {1, 0}}, h.pending)
	require.False(t, h.busy)
	require.Zero(t, p.active)
	require.Equal(t, 1, h.failures, "a request that fails is one failure of the host")
	var progress [][2]int
	p.cfg.Progress = func(done, maps int) { progress = append(progress, [2]int{done, maps}) }
	require.NoError(t, p.handle(event{host: h, target: batch[1]}))
	require.Equal(t, [][2]int{{1, 3}}, progress)
	require.Zero(t, h.failures, "a success ends the series of failures")
}

// TestRepliesGoOnBehindAMissingOutput checks that outputs after a missing output in a response need
// no further request.
func TestRepliesGoOnBehindAMissingOutput(t *testing.T) {
	cl := newCluster(t, 1, 1, nil)
	list := cl.makeMaps(5, 5, 5)
	require.NoError(t, os.RemoveAll(OutputDir(cl.roots[0], attempt(1, 0))))
	cfg := cl.config(0, 5)
	require.NoError(t, cfg.validate())
	f := newFetcher(&cfg, newStore(&cfg), nil)
	defer f.close()
	var missing, taken []int32
	targets := []target{{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}}
	f.fetch(context.Background(), list[0].Addr, targets, func(t target, c *cause) {
		if c == nil {
			taken = append(taken, t.mapIndex)
		} else {
			missing = append(missing, t.mapIndex)
		}
	})
	require.Equal(t, []int32{1}, missing)
	require.Equal(t, []int32{0, 2, 3, 4}, taken)
}

func TestFailedFetchGivesItsMemoryBack(t *testing.T) {
	cfg := &Config{Maps: 1, Cmp: bytesOrder{}, Memory: 8 << 20}
	require.NoError(t, cfg.validate())
	s := newStore(cfg)
	f := newFetcher(cfg, s, nil)
	c := f.take(context.Background(), bytes.NewReader(make([]byte, 100)), sortio.Entry{Raw: 50, Part: 100},
		target{0, 0}, "a")
	require.Error(t, c.err)
	require.False(t, c.fatal)
	require.Zero(t, s.reserved)
	require.Zero(t, s.inFlight)
}

// TestHostsTakeTurns checks that a host gets one request at a time, for a limited number of maps, and
// then lets other hosts go first.
func TestHostsTakeTurns(t *testing.T) {
	p := testPlan(t, perFetch+3)
	p.cfg.Copies = 1
	for m := range p.cfg.Maps {
		addr := "a"
		if m == p.cfg.Maps-1 {
			addr = "b"
		}
		p.completed(Completion{Map: m, Addr: addr})
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	f := newFetcher(p.cfg, newStore(p.cfg), nil)
	defer f.close()
	var wg sync.WaitGroup
	dispatch := func() []int {
		p.dispatch(ctx, f, &wg, time.NewTimer(time.Hour))
		wg.Wait()
		return []int{len(p.hosts["a"].pending), len(p.hosts["b"].pending), p.active}
	}
	require.Equal(t, []int{2, 1, 1}, dispatch(), "the first request asks for perFetch maps")
	p.cfg.Copies = 2
	require.Equal(t, []int{2, 0, 2}, dispatch(), "the first host is busy")
	for _, h := range p.hosts {
		require.NoError(t, p.handle(event{host: h, ended: true}))
	}
	p.cfg.Copies = 1
	p.completed(Completion{Map: p.cfg.Maps - 1, Attempt: 1, Addr: "b"})
	require.Equal(t, []int{0, 1, 1}, dispatch())
	require.NoError(t, p.handle(event{host: p.hosts["a"], ended: true, rest: []target{{0, 0}}}))
	require.Equal(t, []int{1, 0, 1}, dispatch(), "the first host was served before")
}

// TestLargeJobsGiveUpLater checks that a tenth of the maps is the number of failures of one map after
// which the shuffle of a large job fails.
func TestLargeJobsGiveUpLater(t *testing.T) {
	p := testPlan(t, 400)
	p.completed(Completion{Map: 5, Addr: "a"})
	e := event{host: p.hosts["a"], target: target{5, 0}, cause: &cause{err: context.Canceled}}
	for range 39 {
		require.NoError(t, p.handle(e))
	}
	require.Error(t, p.handle(e))
}

// TestStalledPeers checks that only a timeout after the connection was established counts as a
// stalled peer.
func TestStalledPeers(t *testing.T) {
	for _, x := range []struct {
		err  error
		want bool
	}{
		{&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, true},
		{&net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, false},
		{&net.OpError{Op: "read", Err: syscall.ECONNRESET}, false},
		{context.DeadlineExceeded, false},
	} {
		require.Equal(t, x.want, stalled(x.err), "%v", x.err)
	}
}

// TestKindsOfFetchErrors checks the kinds of errors for peers that cannot be reached or that refuse a
// request.
func TestKindsOfFetchErrors(t *testing.T) {
	code := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }))
	defer s.Close()
	cfg := &Config{Maps: 1, Cmp: bytesOrder{}, Memory: 8 << 20, Job: testJob}
	require.NoError(t, cfg.validate())
	kind := func(f *fetcher) failure.Kind {
		defer f.close()
		var got *cause
		f.fetch(t.Context(), strings.TrimPrefix(s.URL, "http://"), []target{{0, 0}}, func(_ target, c *cause) { got = c })
		require.True(t, got.connect)
		require.False(t, got.fatal)
		return failure.KindOf(got.err)
	}
	for c, want := range map[int]failure.Kind{
		http.StatusOK:                  failure.Permission, // the reply is not signed
		http.StatusUnauthorized:        failure.Permission,
		http.StatusServiceUnavailable:  failure.Limit,
		http.StatusInternalServerError: failure.Unreachable,
	} {
		code = c
		require.Equal(t, want, kind(newFetcher(cfg, newStore(cfg), nil)), "status %d", c)
	}
	for err, want := range map[error]failure.Kind{errors.New("no route"): failure.Unreachable,
		os.ErrDeadlineExceeded: failure.Timeout} {
		dial := func(context.Context, string, string) (net.Conn, error) { return nil, err }
		require.Equal(t, want, kind(newFetcher(cfg, newStore(cfg), dial)), "%v", err)
	}
}

// TestKindsOfBrokenReplies checks that a reply that ends early counts as an unreachable peer, and that
// other errors keep their kind.
func TestKindsOfBrokenReplies(t *testing.T) {
	err := brokenOff("a:1", errors.New("unexpected end"))
	require.ErrorIs(t, err, failure.Unreachable.Target())
	require.ErrorContains(t, err, "a:1")
	require.ErrorIs(t, brokenOff("a:1", os.ErrDeadlineExceeded), failure.Timeout.Target())
	bad := badHeader("bad")
	require.Equal(t, bad, brokenOff("a:1", bad))
}

// TestErrorsOfTheLocalDisk checks that an error of the local file, and no other, is known as such.
func TestErrorsOfTheLocalDisk(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	require.NoError(t, err)
	w := &localWriter{File: f}
	_, err = w.Write([]byte("x"))
	require.NoError(t, err)
	require.NoError(t, w.err)
	require.NoError(t, f.Close())
	_, err = w.Write([]byte("x"))
	require.Error(t, err)
	require.Equal(t, err, w.err)
}

// TestNoSuchReducer checks that the output of a job with fewer reducers is refused, on this host as
// well as by a peer.
func TestNoSuchReducer(t *testing.T) {
	cl := newCluster(t, 1, 1, nil)
	list := cl.makeMaps(1, 5, 5)
	for _, root := range []string{"", cl.roots[0]} {
		cfg := cl.config(1, 1)
		cfg.LocalAddr, cfg.LocalRoot = list[0].Addr, root
		require.NoError(t, cfg.validate())
		f := newFetcher(&cfg, newStore(&cfg), nil)
		var got *cause
		f.fetch(t.Context(), list[0].Addr, []target{{0, 0}}, func(_ target, c *cause) { got = c })
		f.close()
		require.Equal(t, job.ShuffleWrongReduce, got.counter)
	}
}

// TestLocalOutputs checks which outputs of this host stay in their files: those from 128 KiB, and
// smaller ones if memory would overflow. There is a limit on the number of files, except for outputs
// that are too large for memory.
func TestLocalOutputs(t *testing.T) {
	const exact = 130_995 // the size of a value with which the segment has exactly 128 KiB
	for _, x := range []struct {
		value, local, segments int
		reserved               int64 // the share of the memory in use, in bytes
		memory                 int64
		stays                  bool
	}{
		{value: exact - 1, memory: 64 << 20},
		{value: exact, memory: 64 << 20, stays: true},
		{value: exact, local: maxLocal - 1, memory: 64 << 20, stays: true},
		{value: exact, local: maxLocal, memory: 64 << 20},
		{value: 500_000, local: maxLocal, memory: 1 << 20, stays: true},
		{value: 1000, reserved: 30 << 20, memory: 64 << 20, stays: true},
		{value: 1000, reserved: 29 << 20, memory: 64 << 20},
		{value: 1000, reserved: 30 << 20, local: maxLocal, memory: 64 << 20},
		{value: 1000, segments: 999, memory: 64 << 20, stays: true},
		{value: 1000, segments: 998, memory: 64 << 20},
	} {
		cl := newCluster(t, 1, 1, nil)
		cl.writeMap(0, 0, 0, [][]rec{{{"k", strings.Repeat("v", x.value)}}})
		cfg := cl.config(0, 1)
		cfg.LocalRoot, cfg.Memory = cl.roots[0], x.memory
		require.NoError(t, cfg.validate())
		s := newStore(&cfg)
		s.local, s.mem, s.reserved = make([]run, x.local), make([]sortio.Segment, x.segments), x.reserved
		f := newFetcher(&cfg, s, nil)
		require.Nil(t, f.local(t.Context(), target{0, 0}))
		counters := cfg.Counters.(*tally)
		require.Greater(t, counters.v[job.ReduceShuffleBytes], int64(x.value))
		if x.stays {
			require.Len(t, s.local, x.local+1, "%+v", x)
			require.Zero(t, counters.v[job.FileBytesRead])
		} else {
			require.Len(t, s.mem, x.segments+1, "%+v", x)
			require.Equal(t, counters.v[job.ReduceShuffleBytes], counters.v[job.FileBytesRead])
		}
	}
}
