// Command slowcount is a user's own program for the integration tests. It counts words.
// slowcount.map.millis and slowcount.reduce.millis set how long each map record and each group of a
// reduce takes, in ms. slowcount.slow.tracker names a TaskTracker of the minicluster on which a map
// record takes ten times as long.
package main

import (
	"errors"
	"iter"
	"os"
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

func pause(c *mapreduce.Context, key string, times time.Duration) {
	d, err := c.Conf.Duration(key, 0, time.Millisecond, 0, time.Hour)
	if err == nil && d > 0 {
		time.Sleep(times * d)
	}
}

func count(c *mapreduce.Context, _ int64, line mapreduce.Text, out *mapreduce.Out[mapreduce.Text, int64]) error {
	times := time.Duration(1)
	if dir, err := os.Getwd(); err == nil && strings.Contains(dir, "/"+c.Conf.Get("slowcount.slow.tracker")+"/") {
		times = 10
	}
	pause(c, "slowcount.map.millis", times)
	for _, w := range strings.Fields(string(line)) {
		out.Emit(mapreduce.Text(w), 1)
	}
	lines, err := c.Counter("slowcount", "LINES")
	lines.Add(1)
	return errors.Join(err, out.Err())
}

func add(c *mapreduce.Context, word mapreduce.Text, counts iter.Seq[int64],
	out *mapreduce.Out[mapreduce.Text, int64]) error {
	pause(c, "slowcount.reduce.millis", 1)
	var sum int64
	for n := range counts {
		sum += n
	}
	out.Emit(word, sum)
	return out.Err()
}
