// Package multifilewc is Hadoop's example MultiFileWordCount. It counts the words of many small
// files and combines several files in a split.
package multifilewc

import (
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/library"
)

// Job returns the job multifilewc. Unless the maximum size of a split or the minimum size per node is
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
