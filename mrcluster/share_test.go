package mrcluster

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShares(t *testing.T) {
	for _, c := range []struct {
		total  int
		claims []Claim
		want   []int
	}{
		{60, []Claim{{10, 1}, {10, 0}, {10, 0}}, []int{40, 10, 10}},
		{60, []Claim{{10, 1. / 3}, {10, 1. / 3}, {10, 1. / 3}}, []int{20, 20, 20}},
		{60, []Claim{{10, 0}, {10, 0}}, []int{10, 10}},                   // no claim is above its core
		{48, []Claim{{10, .5}, {10, .25}, {10, .25}}, []int{24, 12, 12}}, // 18 nodes above the cores, divided 14 to 2 to 2
		{10, []Claim{{5, .9}, {5, .1}}, []int{5, 5}},
		{7, []Claim{{1, .5}, {1, .5}}, []int{4, 3}},
		{10, []Claim{{1, .64}, {1, .36}}, []int{6, 4}},              // 5.4 and 2.6 above the cores
		{10, []Claim{{1, .37}, {1, .37}, {1, .26}}, []int{4, 4, 2}}, // 2.7, 2.7, and 1.6 above the cores
		{4, []Claim{{5, 1}}, []int{5}},
		{4, nil, []int{}},
	} {
		require.Equal(t, c.want, Shares(c.total, c.claims), "%+v", c)
	}
}

// TestSharesAlwaysAddUp checks Shares with random weights. No claim falls below its core and no
// node is assigned twice. No node is left over if a claim is entitled to more.
func TestSharesAlwaysAddUp(t *testing.T) {
	const seed = 7
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range 20_000 {
		claims := make([]Claim, 1+draw(r, 6))
		cores, sum := 0, 0.0
		for k := range claims {
			claims[k] = Claim{Core: 1 + draw(r, 10), Weight: float64(draw(r, 5)) * r.Float64()}
			cores += claims[k].Core
			sum += claims[k].Weight
		}
		total := cores + draw(r, 60)
		entitled := false
		for k := range claims {
			if sum > 0 {
				claims[k].Weight /= sum
			}
			entitled = entitled || claims[k].Weight*float64(total) > float64(claims[k].Core)
		}
		given := 0
		for k, s := range Shares(total, claims) {
			require.GreaterOrEqual(t, s, claims[k].Core, "seed %d, case %d", seed, i)
			given += s
		}
		if entitled {
			require.Equal(t, total, given, "seed %d, case %d", seed, i)
		} else {
			require.Equal(t, cores, given, "seed %d, case %d", seed, i)
		}
	}
}
