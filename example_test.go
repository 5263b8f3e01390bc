package howdah_test

import (
	"strings"

	"github.com/howdah/howdah"
	"github.com/howdah/howdah/mapreduce"
)

type (
	Context = mapreduce.Context
	Counts  = mapreduce.Out[string, int32]
)

// A whole program. go build it, then ./wordcount IN OUT.
func ExampleMain() {
	howdah.Main(&mapreduce.Job{
		Name: "wordcount",
		Mapper: mapreduce.MapFunc(func(_ *Context, _ int64, line string, out *Counts) error {
			for _, word := range strings.Fields(line) {
				out.Emit(word, 1)
			}
			return nil
		}),
		Combiner: mapreduce.Sum[int32](),
		Reducer:  mapreduce.Sum[int32](),
	})
}
