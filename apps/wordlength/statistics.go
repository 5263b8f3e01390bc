package wordlength

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
)

// mean returns the mean length, or NaN if there are no words.
func mean(t totals) float64 { return float64(t[keyLength]) / float64(t[keyCount]) }

// deviation returns the standard deviation, which is the square root of the difference between the
// mean square and the squared mean. It does the operations in the same order as Hadoop's example.
func deviation(t totals) float64 {
	m := mean(t)
	return math.Sqrt(float64(t[keySquare])/float64(t[keyCount]) - float64(m*m))
}

// median returns the median length. If there are two middle lengths, it returns the shorter one, as
// Hadoop's example does. ok is false if there are no words.
func median(t totals) (length int, ok bool, err error) {
	counts, all := map[int]int64{}, int64(0)
	for text, n := range t {
		length, err := strconv.Atoi(text)
		if err != nil {
			return 0, false, fmt.Errorf("%q is not a word length", text)
		}
		counts[length], all = n, all+n
	}
	seen := int64(0)
	for _, length := range slices.Sorted(maps.Keys(counts)) {
		if seen += counts[length]; seen >= (all+1)/2 {
			return length, true, nil
		}
	}
	return 0, false, nil
}
