package job

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUserCountersAddUp(t *testing.T) {
	var a, b Counters
	a.Add("g", "y", 1)
	a.Add("g", "x", 2)
	a.Add("f", "z", 3)
	b.SetUser([]UserCounter{{"g", "x", 10}, {"a", "new", 5}, {"h", "new", 6}})
	a.Merge(&b)
	require.Equal(t, []UserCounter{{"a", "new", 5}, {"f", "z", 3}, {"g", "x", 12}, {"g", "y", 1}, {"h", "new", 6}}, a.User)
	n, ok := a.Get("g", "x")
	require.True(t, ok)
	require.EqualValues(t, 12, n)
	_, ok = a.Get("g", "z")
	require.False(t, ok)

	var sum Counters
	sum.Merge(&a)
	sum.Add("g", "x", 1)
	n, _ = a.Get("g", "x")
	require.EqualValues(t, 12, n, "merging copies")
}

func TestLimitsOfCounters(t *testing.T) {
	var c Counters
	for i := range 6 {
		c.Add(fmt.Sprint("g", i/2), fmt.Sprint(i), 0)
	}
	require.NoError(t, c.CheckLimits(0, 0))
	require.NoError(t, c.CheckLimits(6, 3))
	require.EqualError(t, c.CheckLimits(5, 3), "Too many counters: 6 max=5")
	require.EqualError(t, c.CheckLimits(6, 2), "Too many counter groups: 3 max=2")
}

// Merge and Get are fast even for many counters. Quadratic algorithms would take minutes.
func TestAGreatManyCounters(t *testing.T) {
	var odd, even, all Counters
	var list [2][]UserCounter
	for i := range 100_000 {
		list[i%2] = append(list[i%2], UserCounter{"g", fmt.Sprint(i), 1})
	}
	even.SetUser(list[0])
	odd.SetUser(list[1])
	all.Merge(&even)
	all.Merge(&odd)
	require.Len(t, all.User, 100_000)
	for _, u := range all.User {
		_, ok := all.Get(u.Group, u.Name)
		require.True(t, ok)
	}
}

// Merge keeps the maximum of a peak over all tasks and adds up other counters.
func TestPeaksAreNotAddedUp(t *testing.T) {
	var all Counters
	for _, peak := range []int64{5, 9, 7} {
		var one Counters
		one.Builtin[MapPhysicalMemoryMax], one.Builtin[PhysicalMemoryBytes] = peak, peak
		all.Merge(&one)
	}
	require.EqualValues(t, 9, all.Builtin[MapPhysicalMemoryMax])
	require.EqualValues(t, 21, all.Builtin[PhysicalMemoryBytes])
}
