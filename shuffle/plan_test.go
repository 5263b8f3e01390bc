package shuffle

import (
	"bytes"
	"context"
	"testing"

	"github.com/howdah/howdah/sortio"
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
	p.completed(Completion{Map: 1, Addr: "a"}) // told twice
	p.completed(Completion{Map: 7, Addr: "a"}) // no such map
	p.completed(Completion{Map: -1, Addr: "a"})
	require.Equal(t, []target{{0, 0}, {1, 0}}, p.hosts["a"].pending)

	p.completed(Completion{Map: 0, Attempt: 5, Obsolete: true}) // another attempt
	require.True(t, p.wanted(p.hosts["a"], target{0, 0}))
	p.completed(Completion{Map: 0, Attempt: 0, Obsolete: true})
	p.completed(Completion{Map: 1, Attempt: 0, Addr: "b"}) // the tracker has moved
	require.Empty(t, p.hosts["a"].take(p))
	require.Equal(t, []target{{1, 0}}, p.hosts["b"].take(p))

	p.maps[2].done = true
	p.completed(Completion{Map: 2, Attempt: 1, Addr: "a"})
	require.Empty(t, p.hosts["a"].pending, "an output that was taken stays valid")
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
	require.NoError(t, p.handle(event{host: h, ended: true, rest: batch[1:]}))
	require.Equal(t, []target{{1, 0}, {2, 0}, {0, 0}}, h.pending)
	require.False(t, h.busy)
	require.Equal(t, 1, h.failures)
	require.NoError(t, p.handle(event{host: h, target: batch[1]}))
	require.Zero(t, h.failures, "a success ends the series of failures")
}

func TestFailedFetchGivesItsMemoryBack(t *testing.T) {
	cfg := &Config{Maps: 1, Cmp: bytesOrder{}, Memory: 8 << 20}
	require.NoError(t, cfg.validate())
	s := newStore(cfg)
	f := newFetcher(cfg, s, nil)
	c := f.take(context.Background(), bytes.NewReader(make([]byte, 100)), sortio.Entry{Raw: 50, Part: 100}, target{0, 0}, "a")
	require.Error(t, c.err)
	require.False(t, c.fatal)
	require.Zero(t, s.reserved)
	require.Zero(t, s.inFlight)
}
