package example

import (
	"maps"
	oldrand "math/rand"
	"math/rand/v2"
	"sort"
)

func random(seed uint64, m map[string]int) int {
	n := rand.IntN(3)                  // want "math/rand/v2.IntN"
	n += oldrand.Intn(3)               // want "math/rand.Intn"
	rand.Shuffle(2, func(i, j int) {}) // want "random streams are named"
	r := rand.New(rand.NewPCG(seed, 1))
	for k := range m { // want "range over a map"
		n += m[k]
	}
	_ = maps.Keys(m) // want "maps.Keys"
	type set map[int]bool
	for range (set{}) { // want "use internal/ordered"
	}
	for _, x := range (sort.IntSlice{1, 2}) {
		n += x
	}
	return n + r.IntN(2)
}
