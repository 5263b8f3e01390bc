// Command wordcount is a whole MapReduce program: ./wordcount IN... OUT runs it in this process, and on a cluster where one
// is configured.
package main

import (
	"iter"
	"strings"

	"github.com/howdah/howdah"
	. "github.com/howdah/howdah/mapreduce"
)

func split(_ *Context, _ int64, line Text, out *Out[Text, int64]) error {
	for _, word := range strings.Fields(string(line)) {
		out.Emit(Text(word), 1)
	}
	return out.Err()
}

func sum(_ *Context, word Text, counts iter.Seq[int64], out *Out[Text, int64]) error {
	var total int64
	for n := range counts {
		total += n
	}
	out.Emit(word, total)
	return out.Err()
}

func main() {
	howdah.Main(&Job{Name: "wordcount", Mapper: MapFunc(split), Combiner: ReduceFunc(sum), Reducer: ReduceFunc(sum)})
}
