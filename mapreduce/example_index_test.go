package mapreduce_test

import (
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/howdah/howdah/mapreduce"
)

// Posting counts the occurrences of a word in a file.
type Posting struct {
	File  string
	Count int
}

// This example builds an inverted index. Its values are structs, encoded as JSON. It takes the name
// of the file from the context.
func Example_invertedIndex() {
	type posting = mapreduce.JSON[Posting]
	words := func(c *mapreduce.Context, _ int64, line string, out *mapreduce.Out[string, posting]) error {
		for word := range strings.FieldsSeq(line) {
			out.Emit(word, posting{V: Posting{path.Base(c.InputFile()), 1}})
		}
		return nil
	}
	merge := func(_ *mapreduce.Context, word string, all iter.Seq[posting], out *mapreduce.Out[string, posting]) error {
		counts := map[string]int{}
		for p := range all {
			counts[p.V.File] += p.V.Count
		}
		for _, file := range slices.Sorted(maps.Keys(counts)) {
			out.Emit(word, posting{V: Posting{file, counts[file]}})
		}
		return nil
	}
	job := &mapreduce.Job{
		Name:     "index",
		Mapper:   mapreduce.MapFunc(words),
		Combiner: mapreduce.ReduceFunc(merge),
		Reducer:  mapreduce.ReduceFunc(merge),
	}
	runOn(job, map[string]string{"hamlet": "to be or\nnot to be\n", "song": "let it be\n"})
	// Output:
	// be	{"File":"hamlet","Count":2}
	// be	{"File":"song","Count":1}
	// it	{"File":"song","Count":1}
	// let	{"File":"song","Count":1}
	// not	{"File":"hamlet","Count":1}
	// or	{"File":"hamlet","Count":1}
	// to	{"File":"hamlet","Count":2}
}
