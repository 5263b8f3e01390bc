package disktest

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// Cuts tests a program against n power failures at random moments. It calls run once without a
// power failure and then n times with one. dir is an empty directory on the disk d. run must return
// soon after the power is cut. It returns a function, check, to which Cuts passes a directory with
// the surviving changes. Cuts prints the seed and the command that repeats the test.
func Cuts(t *testing.T, n int, run func(t *testing.T, d *Disk, dir string, rng *rand.Rand) (check func(dir string))) {
	seed := Seed(t)
	total := 0
	for i := range n + 1 {
		dir := t.TempDir()
		d, err := New(dir)
		require.NoError(t, err)
		if i > 0 {
			d.CutAfter(1 + rand.New(rand.NewPCG(seed, uint64(i)<<32)).IntN(total))
		}
		rng := rand.New(rand.NewPCG(seed, 0)) // so that every call of run does the same work
		check := run(t, d, dir, rng)
		if i == 0 {
			total = d.Ops()
			require.Greater(t, total, 10, "the program does not use the disk")
		}
		after := t.TempDir()
		require.NoError(t, d.Restore(after, rand.New(rand.NewPCG(seed, uint64(i)))))
		check(after)
		if t.Failed() {
			t.Logf("power failure %d", i)
			return
		}
		_ = os.RemoveAll(dir)
		_ = os.RemoveAll(after)
	}
}

// Seed returns a random seed, or the one in HOWDAH_SEED. It logs the command that repeats the test.
func Seed(t *testing.T) uint64 {
	seed := rand.Uint64()
	if text := os.Getenv("HOWDAH_SEED"); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
	}
	t.Logf("again: HOWDAH_SEED=%d go test -count=1 -run '^%s$' .", seed, t.Name())
	return seed
}
