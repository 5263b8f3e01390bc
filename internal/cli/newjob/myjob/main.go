// Command myjob counts the words of its input. "./myjob IN... OUT" runs it in this process or, if a
// cluster is configured, on the cluster.
package main

import (
	"strings"

	"github.com/howdah/howdah"
	mr "github.com/howdah/howdah/mapreduce"
)

// job is the program's job. A cluster's tasks find it by its name.
var job = &mr.Job{
	Name:     "myjob",
	Mapper:   mr.MapFunc(words),
	Combiner: mr.Sum[int64](),
	Reducer:  mr.Sum[int64](),
}

func main() { howdah.Main(job) }

// words emits each word of a line with the count 1.
func words(_ *mr.Context, _ int64, line string, out *mr.Out[string, int64]) error {
	for word := range strings.FieldsSeq(line) {
		out.Emit(strings.ToLower(word), 1)
	}
	return nil
}
