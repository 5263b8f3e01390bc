package simulator_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/simulator/trace"
)

var (
	seedFlag   = flag.Uint64("seed", 1, "first seed of the random traces")
	tracesFlag = flag.Int("traces", 1000, "how many random traces")
)

// eachSeed runs a test on n random traces, at least one. On failure it prints a command that runs only
// the failed trace.
func eachSeed(t *testing.T, n int, f func(t *testing.T, r *rand.Rand)) {
	t.Helper()
	for i := range uint64(max(1, n)) {
		seed := *seedFlag + i
		ok := t.Run(fmt.Sprint("seed", seed), func(t *testing.T) { f(t, rand.New(rand.NewPCG(seed, 1))) })
		if !ok {
			t.Fatalf("repeat with: go test ./simulator -run '%s' -seed %d -traces 1", t.Name(), seed)
		}
	}
}

// The printed command uses -traces 1. A test of a fraction of the traces then still runs one.
func TestAtLeastOneSeed(t *testing.T) {
	n := 0
	eachSeed(t, 0, func(*testing.T, *rand.Rand) { n++ })
	require.Equal(t, 1, n)
}

func between(r *rand.Rand, lo, hi int) int { return lo + r.IntN(hi-lo+1) }

// shape configures the random jobs of a trace.
type shape struct {
	jobs       int
	slowStart  string // "" means Hadoop's
	oneShuffle bool   // first and typical shuffles take the same time
	failures   bool
	hosts      int
}

func (s shape) draw(r *rand.Rand) []*trace.Job {
	var list []*trace.Job
	at := int64(0)
	for i := range s.jobs {
		j := &trace.Job{ID: fmt.Sprint("job", i), Name: "random", User: fmt.Sprint("u", i%3), Submit: at}
		if s.slowStart != "" {
			j.Conf = slowStart(s.slowStart)
		}
		for range between(r, 0, 20) {
			m := trace.Map{Time: int64(between(r, 1, 20_000)), Input: int64(between(r, 0, 9)), Failed: s.fails(r)}
			for k := range s.hosts {
				m.Hosts = append(m.Hosts, fmt.Sprint("h", (r.IntN(4)+k)%4))
			}
			j.Maps = append(j.Maps, m)
		}
		shuffle := int64(between(r, 0, 5000))
		for range between(r, 0, 8) {
			d := trace.Reduce{First: r.IntN(2) == 0, Shuffle: shuffle, Time: int64(between(r, 1, 10_000)), Failed: s.fails(r)}
			if !s.oneShuffle {
				d.Shuffle = int64(between(r, 0, 5000))
			}
			j.Reduces = append(j.Reduces, d)
		}
		list = append(list, j)
		at += int64(between(r, 0, 30_000))
	}
	return list
}

func (s shape) fails(r *rand.Rand) (list []int64) {
	if s.failures && r.IntN(10) == 0 {
		for range between(r, 1, 3) {
			list = append(list, int64(between(r, 1, 5000)))
		}
	}
	return list
}

func slowStart(share string) []job.Property {
	return []job.Property{{Name: "mapreduce.job.reduce.slowstart.completedmaps", Value: share}}
}
