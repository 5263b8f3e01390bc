// Package weighttest tests the contract of mrcluster.Weighting. Start with Run.
package weighttest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/howdah/howdah/mrcluster"
)

// Run checks a policy. Weights must be finite and not negative. A policy must be stateless and must
// not change the sample, and two policies with the same settings must return the same values. An
// idle MR-cluster without any results must weigh 0, unless the policy returns the same value for
// every sample.
func Run(t *testing.T, make func() mrcluster.Weighting) {
	t.Helper()
	const seed = 1
	r := rand.New(rand.NewPCG(seed, seed))
	w, again := make(), make()
	seen := map[float64]bool{}
	for i := range 1000 {
		s := random(r)
		before := s
		y := w.Weigh(&s)
		seen[y] = true
		if math.IsNaN(y) || math.IsInf(y, 0) || y < 0 {
			t.Fatalf("seed %d, sample %d: weight %v of %+v", seed, i, y, s)
		}
		if y != w.Weigh(&s) || y != again.Weigh(&s) {
			t.Fatalf("seed %d, sample %d: the weight of %+v is not deterministic", seed, i, s)
		}
		if s.Jobs != before.Jobs || s.WaitingTasks != before.WaitingTasks || s.Slowdown != before.Slowdown ||
			s.Lateness != before.Lateness {
			t.Fatalf("seed %d, sample %d: the policy changed its sample", seed, i)
		}
	}
	alike := len(seen) == 1
	if y := w.Weigh(&mrcluster.Sample{Slots: 80, Storage: 1 << 40}); y != 0 && !alike {
		t.Errorf("an empty MR-cluster has weight %v", y)
	}
}

// random returns a random sample, which may be impossible.
func random(r *rand.Rand) mrcluster.Sample {
	n := func() int64 {
		switch r.IntN(4) {
		case 0:
			return 0
		case 1:
			return r.Int64()
		}
		return int64(r.IntN(1000))
	}
	return mrcluster.Sample{Jobs: n(), WaitingJobs: n(), WaitingTasks: n(), WaitingBytes: n(), Bytes: n(),
		RunningTasks: n(), Slots: n(), JobsDone: n(), TasksDone: n(),
		Written: n(), Storage: n(), Slowdown: r.Float64() * float64(r.IntN(100)),
		Lateness: (r.Float64() - 0.5) * float64(r.IntN(100))}
}
