// Package multifilewc counts the words of many small files, several of which make a split: Hadoop's example MultiFileWordCount.
package multifilewc

import (
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/library"
)

// Job gives the job. All files that are in one place make one split.
func Job() *mapreduce.Job {
	return &mapreduce.Job{
		Name:     "multifilewc",
		Short:    "counts the words of many small files, several to a map",
		Usage:    "<in>... <out>",
		Input:    mapreduce.CombineTextInput{},
		Mapper:   library.TokenCounter[int32](mapreduce.TextWritable),
		Combiner: mapreduce.Sum[int32](),
		Reducer:  mapreduce.Sum[int32](),
	}
}
