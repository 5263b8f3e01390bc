package shuffle

import (
	"bytes"
	"context"
	"os"
	"sync"
	"testing"
	"time"

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
	p.completed(Completion{Map: 7, Addr: "a"}) // no such map
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
	p.completed(Completion{Map: 0, Attempt: -1})
	p.completed(Completion{Map: 0, Attempt: -1})
	require.Equal(t, 1, p.left)
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
	require.Equal(t, 1, h.failures, "a request that fails is one failure of the host")
	require.NoError(t, p.handle(event{host: h, target: batch[1]}))
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
