// Package wordcount counts the words in text.
package wordcount

import "github.com/howdah/howdah/mapreduce"

// Job returns the wordcount job. Every run of characters other than white space is a word, as in
// Hadoop's example.
func Job() *mapreduce.Job {
	return &mapreduce.Job{
		Name:     "wordcount",
		Short:    "counts the words in the input files",
		Usage:    "<in>… <out>",
		Mapper:   mapreduce.MapFunc(words),
		Combiner: mapreduce.Sum[int32](),
		Reducer:  mapreduce.Sum[int32](),
	}
}

// anyKey is the key of an input record. The job ignores keys, so it accepts keys of any type.
type anyKey struct{}

// Codec implements mapreduce.Writable.
func (anyKey) Codec() mapreduce.Codec[anyKey] {
	return mapreduce.Codec[anyKey]{Decode: func([]byte) (anyKey, error) { return anyKey{}, nil }}
}

func words(_ *mapreduce.Context, _ anyKey, line mapreduce.Text, out *mapreduce.Out[mapreduce.Text, int32]) error {
	line = mapreduce.JavaString(line)
	for i := 0; i < len(line); {
		for i < len(line) && blank(line[i]) {
			i++
		}
		start := i
		for i < len(line) && !blank(line[i]) {
			i++
		}
		if i > start {
			out.Emit(line[start:i], 1)
		}
	}
	return out.Err()
}

// blank reports whether Java's StringTokenizer treats c as a delimiter.
func blank(c byte) bool { return c <= ' ' && blanks>>c&1 != 0 }

const blanks uint64 = 1<<' ' | 1<<'\t' | 1<<'\n' | 1<<'\r' | 1<<'\f'
