// Package aggregatewords counts words with package aggregate. Count and Histogram return Hadoop's
// aggregatewordcount and aggregatewordhist examples.
package aggregatewords

import (
	"bytes"

	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/aggregate"
)

var (
	one       = []byte("1")
	histogram = []byte("WORD_HISTOGRAM")
)

// Count returns aggregatewordcount, which counts each word.
func Count() *mapreduce.App {
	return aggregate.App("aggregatewordcount", "counts the words in the input files with the aggregate "+
		"package",
		func(_ *mapreduce.Context, _, line []byte, out *aggregate.Entries) {
			for len(line) > 0 {
				n := bytes.IndexAny(line, " \t\n\r\f") // separators of Java's StringTokenizer
				if n < 0 {
					n = len(line)
				}
				if n > 0 {
					out.Add(aggregate.LongValueSum, line[:n], one)
				}
				line = line[min(n+1, len(line)):]
			}
		})
}

// Histogram returns aggregatewordhist, which computes statistics of word frequencies. It splits
// lines as Java's String.split does. Each single space or tab separates two words, so words can be
// empty. Histogram ignores empty words at the end of a line but counts an empty line as one empty
// word.
func Histogram() *mapreduce.App {
	return aggregate.App("aggregatewordhist", "prints statistics of the frequencies of words in the input "+
		"files",
		func(_ *mapreduce.Context, _, line []byte, out *aggregate.Entries) {
			if len(line) == 0 {
				out.Count(histogram, line, 1)
				return
			}
			line = bytes.TrimRight(line, " \t")
			for len(line) > 0 {
				n := bytes.IndexAny(line, " \t")
				if n < 0 {
					n = len(line)
				}
				out.Count(histogram, line[:n], 1)
				line = line[min(n+1, len(line)):]
			}
		})
}
