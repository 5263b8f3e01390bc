package pi

// halton generates points in the unit square from the Halton sequence in bases 2 and 3. These
// points are more evenly distributed than random ones.
type halton struct {
	x [2]float64
	d [2][]int     // digits of the index
	q [2][]float64 // q[j] = base^-(j+1)
}

var (
	bases  = [2]int{2, 3}
	digits = [2]int{63, 40}
)

// newHalton returns a halton that is at the given index, so next first returns point number
// index+1.
func newHalton(index int64) *halton {
	h := &halton{}
	for i, base := range bases {
		h.d[i], h.q[i] = make([]int, digits[i]), make([]float64, digits[i])
		k, q := index, 1.0
		for j := range h.d[i] {
			q /= float64(base)
			h.q[i][j] = q
			h.d[i][j] = int(k % int64(base))
			k = (k - int64(h.d[i][j])) / int64(base)
			h.x[i] += float64(float64(h.d[i][j]) * q)
		}
	}
	return h
}

// next increments the index, digit by digit, and returns the point at the new index.
func (h *halton) next() (x, y float64) {
	for i, base := range bases {
		for j := range h.d[i] {
			h.d[i][j]++
			h.x[i] += h.q[i][j]
			if h.d[i][j] < base {
				break
			}
			h.d[i][j] = 0
			if j == 0 {
				h.x[i]--
			} else {
				h.x[i] -= h.q[i][j-1]
			}
		}
	}
	return h.x[0], h.x[1]
}
