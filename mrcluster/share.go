package mrcluster

// A Claim is an MR-cluster's claim to nodes. It covers the core nodes in any case, and a share by
// weight of the remaining nodes.
type Claim struct {
	Core   int
	Weight float64 // share of all nodes, from 0 to 1
}

// Shares divides total nodes among claims. Each claim gets its core nodes. The remaining nodes go
// to claims whose weight entitles them to more, in proportion to the excess:
//
//	share_i = core_i + (total - sum of cores) * max(0, w_i*total - core_i) / sum of max(0, w_k*total - core_k)
//
// Shares rounds fractions by largest remainder; ties go to the earlier claim. If no claim is
// entitled to more, the remaining nodes stay free. Shares assigns all core nodes even if they
// exceed total.
func Shares(total int, claims []Claim) []int {
	shares := make([]int, len(claims))
	need := make([]float64, len(claims))
	rest, sum := total, 0.0
	for i, c := range claims {
		shares[i] = c.Core
		rest -= c.Core
		need[i] = max(0, float64(c.Weight*float64(total))-float64(c.Core))
		sum += need[i]
	}
	if sum <= 0 {
		return shares
	}
	rest = max(0, rest)
	left := rest
	for i := range need {
		exact := float64(float64(rest)*need[i]) / sum
		whole := min(int(exact), left)
		shares[i] += whole
		left -= whole
		need[i] = exact - float64(whole)
	}
	for ; left > 0; left-- {
		most := 0
		for i := range need {
			if need[i] > need[most] {
				most = i
			}
		}
		shares[most]++
		need[most] = -1
	}
	return shares
}
