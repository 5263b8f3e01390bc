package skip

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
)

func rng(start, length int64) job.Range { return job.Range{Start: start, Length: length} }

// attempt simulates a task of n records in skipping mode, which processes at most held records at a
// time. It returns the records that the task was processing when it failed, and whether it failed. If
// the task did not fail, attempt returns the records that it processed.
func attempt(p Plan, n int64, bad map[int64]bool, held int64) (hand job.Range, failed bool, done []int64) {
	c := p.Cursor()
	first := int64(-1)
	for {
		r, all := c.Next()
		if all || r >= n {
			return job.Range{}, false, done
		}
		if first < 0 || int64(len(done))%held == 0 {
			first = r
		}
		if bad[r] {
			return job.Range{Start: first, Length: r - first + 1}, true, nil
		}
		done = append(done, r)
	}
}

// narrow runs attempts until one of them succeeds and is not a test. It returns the number of attempts
// and the records that the last one processed.
func narrow(t *testing.T, n int64, bad map[int64]bool, held, max int64) (attempts int, done []int64) {
	s := &State{}
	for {
		p := s.Plan()
		hand, failed, got := attempt(p, n, bad, held)
		switch {
		case failed:
			s.Failed(hand, max)
		case p.Test:
			s.Passed(max)
		default:
			return attempts + 1, got
		}
		attempts++
		require.Less(t, attempts, 10_000, "it does not converge")
	}
}

func TestOneBadRecord(t *testing.T) {
	attempts, done := narrow(t, 100, map[int64]bool{41: true}, 1, 1)
	require.Equal(t, 2, attempts, "one to find it, one without it")
	require.Len(t, done, 99)
}

// If an attempt processes many records at a time, tests halve the range, so the number of attempts is
// logarithmic.
func TestNarrowingConverges(t *testing.T) {
	attempts, done := narrow(t, 1000, map[int64]bool{700: true}, 1000, 1)
	require.Len(t, done, 999)
	require.LessOrEqual(t, attempts, 12)
	attempts, done = narrow(t, 1000, map[int64]bool{700: true}, 1000, 100)
	require.GreaterOrEqual(t, len(done), 900)
	require.LessOrEqual(t, attempts, 6)
}

func TestNarrowingFindsWhatIsBadAndLittleMore(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		n, held, limit := 1+r.Int64N(200), 1+r.Int64N(50), 1+r.Int64N(5)
		bad := map[int64]bool{}
		for range r.IntN(6) {
			bad[r.Int64N(n)] = true
		}
		_, done := narrow(t, n, bad, held, limit)
		require.GreaterOrEqual(t, int64(len(done)), n-int64(len(bad))*limit, "seed %d", seed)
		for _, d := range done {
			require.False(t, bad[d], "seed %d", seed)
		}
	}
}

func TestRangesAreJoined(t *testing.T) {
	s := &State{}
	for _, r := range []job.Range{rng(5, 2), rng(9, 1), rng(7, 2), rng(20, 3), rng(21, 1), rng(0, 0), rng(-1, 5),
		rng(math.MaxInt64, 3)} {
		s.Failed(r, 10)
	}
	require.Equal(t, []job.Range{rng(5, 5), rng(20, 3)}, s.Plan().Skip)
	require.EqualValues(t, 8, s.Bad())
	c := s.Plan().Cursor()
	var got []int64
	for range 8 {
		r, all := c.Next()
		require.False(t, all)
		got = append(got, r)
	}
	require.Equal(t, []int64{0, 1, 2, 3, 4, 10, 11, 12}, got)
}

func TestPlansStayAsTheyAre(t *testing.T) {
	s := &State{}
	s.Failed(rng(5, 1), 1)
	before := s.Plan()
	s.Failed(rng(3, 1), 1)
	require.Equal(t, []job.Range{rng(5, 1)}, before.Skip)
	s.Failed(rng(10, 4), 1)
	p := s.Plan()
	require.True(t, p.Test)
	require.Equal(t, []job.Range{rng(0, 10), rng(12, math.MaxInt64-12)}, p.Skip)
	c := p.Cursor()
	for _, want := range []int64{10, 11} {
		r, all := c.Next()
		require.False(t, all)
		require.Equal(t, want, r)
	}
	_, all := c.Next()
	require.True(t, all)
}
