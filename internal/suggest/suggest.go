// Package suggest finds corrections for mistyped names.
package suggest

// Nearest returns the word with the smallest Distance to name. Among equally close words, the first
// wins. A word counts only if its Distance is less than its length, and at most a third of name's
// length, rounded up. If no word counts, Nearest returns "".
func Nearest(name string, words []string) string {
	best, limit := "", max(1, (len(name)+2)/3)
	for _, w := range words {
		if d := Distance(name, w); d <= limit && d < len(w) {
			best, limit = w, d-1
		}
	}
	return best
}

// Distance returns the minimum number of edits that turn a into b. An edit changes, inserts, or
// deletes a byte, or swaps two neighboring bytes. No byte is edited twice.
func Distance(a, b string) int {
	// Three rows of the table: the row of a's current byte and the rows of the two previous bytes.
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
