package mrcluster

// Claim is what an MR-cluster may ask for: its core nodes in any case, and a part of the rest by weight.
type Claim struct {
	Core   int
	Weight float64 // share of the whole, 0 to 1
}

// Shares divides total nodes. Everybody gets his core; what is left goes to those whose weight entitles them to more than
// that, in proportion to how much more:
//
//	share_i = core_i + (total - sum of cores) * max(0, w_i*total - core_i) / sum of max(0, w_k*total - core_k)
//
// Fractions are rounded by largest remainder, the first of equals first. Where nobody is entitled to more, the rest stays
// free; cores that do not fit into total are given all the same, since admission sees to it that they do.
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
	if rest <= 0 || sum <= 0 {
		return shares
	}
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
