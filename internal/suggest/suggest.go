// Package suggest finds what somebody meant who mistyped a name.
package suggest

// Nearest gives the word that is closest to name by the number of letters to change, add, leave out or swap, "" if none is near:
// more than a third of the letters, and more than one, differ. Of equally close words the first counts.
func Nearest(name string, words []string) string {
	best, limit := "", max(1, (len(name)+2)/3)
	for _, w := range words {
		if d := Distance(name, w); d <= limit && d < len(w) {
			best, limit = w, d-1
		}
	}
	return best
}

// Distance is the number of bytes to change, add, leave out or swap with their neighbour to make a into b.
func Distance(a, b string) int {
	// Three rows of the table: that of a's current byte, and those of the two bytes before.
	row, above, top := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for k := range row {
		row[k] = k
	}
	for i := range len(a) {
		row, above, top = top, row, above
		row[0] = i + 1
		for k := range len(b) {
			d := above[k]
			if a[i] != b[k] {
				d = 1 + min(d, row[k], above[k+1])
			}
			if i > 0 && k > 0 && a[i] == b[k-1] && a[i-1] == b[k] {
				d = min(d, 1+top[k-1])
			}
			row[k+1] = d
		}
	}
	return row[len(b)]
}
