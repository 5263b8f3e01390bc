package btworld

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWorldHasNoMemory checks that a scrape does not depend on the scrapes generated before it.
func TestWorldHasNoMemory(t *testing.T) {
	const n = 5000
	w := world{seed: 7, swarms: 600, trackers: 9, skew: 2}
	var want [][]byte
	for i := range int64(n) {
		want = append(want, bytes.Clone(w.scrape(i)))
	}
	for _, i := range rand.Perm(n) {
		require.Equal(t, string(want[i]), string(w.scrape(int64(i))), "scrape %d", i)
	}
	fresh := world{seed: 7, swarms: 600, trackers: 9, skew: 2}
	require.Equal(t, string(want[n-1]), string(fresh.scrape(n-1)))
	other := world{seed: 8, swarms: 600, trackers: 9, skew: 2}
	require.NotEqual(t, string(want[0]), string(other.scrape(0)))
}

// TestWorld checks that a generated world is plausible. All lines are scrapes of the expected hour.
// The first tracker has the most swarms, all different. Several trackers share some hashes. Swarms
// come and go, and trackers are sometimes down.
func TestWorld(t *testing.T) {
	const hours, swarms, trackers = 48, 2000, 10
	w := world{seed: 1, swarms: swarms, trackers: trackers, skew: 2}
	size, answered := 0, map[int]int{}
	born, before, largest := 0, map[string]bool{}, ""
	for h := range int64(hours) {
		at, hashes, now := map[string]int{}, map[string]int{}, map[string]bool{}
		for i := range int64(swarms) {
			line := w.scrape(h*swarms + i)
			size += len(line) + 1
			var s scrape
			require.True(t, s.parse(line), "%q", line)
			require.Equal(t, began/hour+h, s.second/hour)
			require.Len(t, s.hash, 40)
			swarm := string(s.tracker) + string(s.hash)
			require.False(t, now[swarm], "twice in an hour: %q", line)
			now[swarm] = true
			at[string(s.tracker)]++
			hashes[string(s.hash)]++
			if i == 0 {
				largest = string(s.tracker)
			}
		}
		for tracker, n := range at {
			require.LessOrEqual(t, n, at[largest], tracker)
		}
		require.Greater(t, at[largest], swarms/2)
		require.Less(t, len(hashes), swarms, "no hash is shared")
		require.Greater(t, len(hashes), swarms*8/10)
		answered[len(at)]++
		for s := range now {
			if h > 0 && !before[s] {
				born++
			}
		}
		before = now
	}
	require.Greater(t, len(answered), 1, "no tracker was ever down: %v", answered)
	require.Greater(t, born, hours*swarms/50)
	require.Less(t, born, hours*swarms/2)
	require.InDelta(t, 100, float64(size)/(hours*swarms), 5)
}

// TestSmallWorlds checks that scrapes are valid in worlds with one tracker and one swarm, and with
// trackers that are too small for a swarm.
func TestSmallWorlds(t *testing.T) {
	for _, w := range []world{{swarms: 1, trackers: 1}, {swarms: 1, trackers: 50, skew: 4},
		{swarms: 7, trackers: maxTrackers}, {swarms: 3, trackers: 3, skew: 0}} {
		for i := range int64(20) {
			require.True(t, new(scrape).parse(w.scrape(i)), "%q", w.buf)
		}
	}
}

func TestGeneratorAllocatesNothing(t *testing.T) {
	w := world{seed: 1, swarms: 1000, trackers: 5, skew: 2}
	n := int64(0)
	w.scrape(n)
	require.Zero(t, testing.AllocsPerRun(900, func() { n++; w.scrape(n) }))
}

func TestReadingAllocatesNothing(t *testing.T) {
	w := world{seed: 1, swarms: 1000, trackers: 5, skew: 2}
	line := w.scrape(3)
	var s scrape
	c := clock{group: hour}
	c.text(0)
	var key []byte
	s.parse(line)
	key = join(key, s.hash, s.tracker, c.text(s.second))
	require.Zero(t, testing.AllocsPerRun(100, func() {
		s.parse(line)
		key = join(key[:0], s.hash, s.tracker, c.text(s.second))
	}))
}
