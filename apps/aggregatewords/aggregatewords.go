// Package aggregatewords counts words by package aggregate: Hadoop's examples aggregatewordcount and aggregatewordhist.
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

// Count gives aggregatewordcount: how often each word comes.
func Count() *mapreduce.App {
	return aggregate.App("aggregatewordcount", "counts the words in the input files by the aggregate package",
		func(_ *mapreduce.Context, _, line []byte, out *aggregate.Entries) {
			for len(line) > 0 {
				n := bytes.IndexAny(line, " \t\n\r\f") // what Java's StringTokenizer cuts at
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

// Histogram gives aggregatewordhist: statistics of how often words come. Words are what is between single blanks and tabs, so
// that there are empty ones, except at the end of a line that is not empty: Java's split does so.
func Histogram() *mapreduce.App {
	return aggregate.App("aggregatewordhist", "gives statistics of how often the words in the input files come",
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
