// Package multifilewc is Hadoop's MultiFileWordCount example. It counts the words in many small
// files and combines several files into one split.
package multifilewc

import (
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/library"
)

// Job returns the multifilewc job. Unless the maximum split size or the minimum size per node is
// set, all files form one split.
func Job() *mapreduce.Job {
	return &mapreduce.Job{
		Name:     "multifilewc",
		Short:    "counts the words of many small files, with several files per map",
		Usage:    "<in>... <out>",
		Input:    mapreduce.CombineTextInput{},
		Mapper:   library.TokenCounter[int32](mapreduce.TextWritable),
		Combiner: mapreduce.Sum[int32](),
		Reducer:  mapreduce.Sum[int32](),
	}
}
