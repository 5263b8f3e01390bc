package jobtracker

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
)

// An attempt's counters come back as they were, and their sum is that of Merge.
func TestCountersOfAttempts(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	var x counters
	var sum, want, room job.Counters
	for range 100 {
		c := &job.Counters{}
		for range rng.IntN(20) {
			c.Builtin[rng.IntN(int(job.NumCounters))] = rng.Int64N(100) - 10
		}
		for range rng.IntN(3) {
			c.Add("g", string(rune('a'+rng.IntN(5))), rng.Int64N(100))
		}
		x.set(c)
		require.Equal(t, c.Builtin, x.fill(&room).Builtin)
		require.ElementsMatch(t, c.User, room.User)
		want.Merge(c)
		x.mergeInto(&sum)
		require.Equal(t, want, sum)
	}
	var none *counters
	require.Nil(t, none.fill(&room))
	none.mergeInto(&sum)
	require.Equal(t, want, sum)
}

// Pages receive a copy, which later heartbeats do not change.
func TestCountersOfPages(t *testing.T) {
	a := &attempt{detail: &noDetail}
	info := a.info(&task{&untouched})
	require.Nil(t, info.Counters())
	c := &job.Counters{User: []job.UserCounter{{Group: "g", Name: "n", Value: 1}}}
	c.Builtin[job.MapInputRecords] = 2
	a.keepCounters(c)
	info = a.info(&task{&untouched})
	page := info.Counters()
	require.Equal(t, c, page)
	a.keepCounters(&job.Counters{User: []job.UserCounter{{Group: "g", Name: "n", Value: 3}}})
	require.EqualValues(t, 1, page.User[0].Value)
	require.EqualValues(t, 2, page.Builtin[job.MapInputRecords])
	require.Zero(t, noDetail)
}
