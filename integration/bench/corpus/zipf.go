package corpus

import (
	"bufio"
	"io"
	"math/rand"
)

// The parameters of the Zipf text. The published figures (docs/reference/benchmarks.md) are for
// these values.
const (
	zipfSeed       = 7
	zipfWords      = 200_000
	zipfExponent   = 1.1
	zipfOffset     = 2.7
	shortestWord   = 2
	longestWord    = 10
	shortestLine   = 5 // words
	longestLine    = 16
	lettersInWords = 26
)

// Zipf writes at least size bytes of random words. The last line is complete. Words consist of
// lower-case letters, and their frequencies follow Zipf's law. A billion bytes contain about 142
// million words.
func Zipf(w io.Writer, size int64) error {
	r := rand.New(rand.NewSource(zipfSeed))
	words := vocabulary(r)
	rank := rand.NewZipf(r, zipfExponent, zipfOffset, zipfWords-1)
	out := bufio.NewWriterSize(w, 1<<20)
	for written := int64(0); written < size; {
		n := shortestLine + r.Intn(longestLine-shortestLine+1)
		for i := range n {
			word := words[rank.Uint64()]
			out.Write(word)
			end := byte(' ')
			if i == n-1 {
				end = '\n'
			}
			if err := out.WriteByte(end); err != nil {
				return err
			}
			written += int64(len(word)) + 1
		}
	}
	return out.Flush()
}

func vocabulary(r *rand.Rand) [][]byte {
	words := make([][]byte, zipfWords)
	for i := range words {
		word := make([]byte, shortestWord+r.Intn(longestWord-shortestWord+1))
		for j := range word {
			word[j] = byte('a' + r.Intn(lettersInWords))
		}
		words[i] = word
	}
	return words
}
