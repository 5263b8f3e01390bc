// Package generate produces workloads from the applications of SimMR's testbed, Facebook's job mix,
// a shared cluster, given distributions, or a recorded trace. Arrivals and deadlines follow the
// papers. All random values come from named streams, so a workload depends only on its seed and
// settings. A change to one part of a workload leaves the other parts unchanged.
package generate

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/howdah/howdah/simulator/trace/dist"
)

// Stream returns the n-th random stream with the given name. Streams with different names, numbers,
// or seeds are independent.
func Stream(seed uint64, name string, n int) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name)) // never fails
	return rand.New(rand.NewPCG(seed, mix(h.Sum64()+uint64(n)*0x9e3779b97f4a7c15)))
}

// mix scatters the bits of a number, which makes streams with adjacent numbers independent.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// millis draws a duration and limits it to the range from 1 to longest, in ms.
func millis(d dist.Dist, r *rand.Rand) int64 {
	return int64(math.Round(min(longest, max(1, d.Draw(r)))))
}
