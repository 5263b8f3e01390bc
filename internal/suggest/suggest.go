// Package suggest finds what somebody meant who mistyped a name.
package suggest

// Nearest gives the word that is closest to name by the number of letters to change, add or leave out, "" if none is near:
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

// Distance is the number of bytes to change, add or leave out to make a into b (Levenshtein's).
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for i := range row {
		row[i] = i
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for k := range len(b) {
			cost := diagonal
			if a[i] != b[k] {
				cost = 1 + min(diagonal, row[k], row[k+1])
			}
			diagonal, row[k+1] = row[k+1], cost
		}
	}
	return row[len(b)]
}
