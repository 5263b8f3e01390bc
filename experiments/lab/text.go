package lab

import (
	"math/rand/v2"
	"strconv"
)

// Text returns at least n bytes of random words in lines. Only a few of the words are frequent.
func Text(r *rand.Rand, n int) []byte {
	rank := rand.NewZipf(r, 1.1, 10, 1<<17)
	var b []byte
	for len(b) < n {
		end := byte(' ')
		if r.IntN(12) == 0 {
			end = '\n'
		}
		b = append(strconv.AppendUint(append(b, "word"...), rank.Uint64(), 10), end)
	}
	return append(b, '\n')
}
