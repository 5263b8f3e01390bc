// Command slowcount is a program of a user's own for the integration tests: it counts words, and slowcount.map.millis and
// slowcount.reduce.millis make each map record and each group take that long.
package main

import (
	"iter"
	"strings"
	"time"

	"github.com/howdah/howdah"
	"github.com/howdah/howdah/mapreduce"
)

func main() {
	howdah.Main(&mapreduce.Job{
		Name: "slowcount", Short: "counts words slowly", Usage: "<in>... <out>",
		Mapper: mapreduce.MapFunc(count), Reducer: mapreduce.ReduceFunc(add),
	})
}

func pause(c *mapreduce.Context, key string) {
	d, err := c.Conf.Duration(key, 0, time.Millisecond, 0, time.Hour)
	if err == nil && d > 0 {
		time.Sleep(d)
	}
}

func count(c *mapreduce.Context, _ int64, line mapreduce.Text, out *mapreduce.Out[mapreduce.Text, int64]) error {
	pause(c, "slowcount.map.millis")
	for _, w := range strings.Fields(string(line)) {
		out.Emit(mapreduce.Text(w), 1)
	}
	return out.Err()
}

func add(c *mapreduce.Context, word mapreduce.Text, counts iter.Seq[int64], out *mapreduce.Out[mapreduce.Text, int64]) error {
	pause(c, "slowcount.reduce.millis")
	var sum int64
	for n := range counts {
		sum += n
	}
	out.Emit(word, sum)
	return out.Err()
}
