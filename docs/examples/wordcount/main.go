// Command wordcount is a complete MapReduce program. "./wordcount IN... OUT" runs it in this
// process or, if a cluster is configured, on the cluster.
package main

import (
	"strings"

	"github.com/howdah/howdah"
	mr "github.com/howdah/howdah/mapreduce"
)

func split(_ *mr.Context, _ int64, line mr.Text, out *mr.Out[mr.Text, int64]) error {
	for _, word := range strings.Fields(string(line)) {
		out.Emit(mr.Text(word), 1)
	}
	return out.Err()
}

func main() {
	howdah.Main(&mr.Job{Name: "wordcount", Mapper: mr.MapFunc(split), Combiner: mr.Sum[int64](),
		Reducer: mr.Sum[int64]()})
}
