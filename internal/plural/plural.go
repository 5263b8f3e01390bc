// Package plural formats counted nouns.
package plural

import "strconv"

// Of returns a number with its noun, such as "1 node" or "2 nodes". The plural of the noun must be
// the noun followed by s.
func Of[N ~int | ~int32 | ~int64](n N, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.FormatInt(int64(n), 10) + " " + noun
}
