package mapreduce_test

import (
	"fmt"
	"iter"

	"github.com/howdah/howdah/mapreduce"
)

// This example divides each user's clicks into sessions. A session ends when the user does not click
// for more than 30 minutes. A secondary sort delivers the clicks in the order of time, so that the
// reducer needs no memory for them.
func Example_sessions() {
	const gap = 30
	clicks := func(_ *mapreduce.Context, _ int64, line string,
		out *mapreduce.Out[mapreduce.IntPair, mapreduce.Null]) error {
		var click mapreduce.IntPair // user and minute
		if _, err := fmt.Sscan(line, &click.First, &click.Second); err != nil {
			return err
		}
		out.Emit(click, mapreduce.Null{})
		return nil
	}
	pairs, err := mapreduce.CodecOf[mapreduce.IntPair]()
	if err != nil {
		panic(err)
	}
	sessions := func(c *mapreduce.Context, first mapreduce.IntPair, clicks iter.Seq[mapreduce.Null],
		out *mapreduce.Out[int32, string]) error {
		n, start, last := 0, first.Second, first.Second
		for range clicks {
			click, err := pairs.Decode(c.Key()) // the key of this value; first does not change
			if err != nil {
				return err
			}
			if click.Second > last+gap {
				out.Emit(first.First, fmt.Sprintf("%d-%d: %d", start, last, n))
				n, start = 0, click.Second
			}
			n, last = n+1, click.Second
		}
		out.Emit(first.First, fmt.Sprintf("%d-%d: %d", start, last, n))
		return nil
	}
	run(&mapreduce.Job{
		Name:        "sessions",
		Mapper:      mapreduce.MapFunc(clicks),
		Reducer:     mapreduce.ReduceFunc(sessions),
		Partitioner: mapreduce.FirstOfPairPartition,
		Group:       mapreduce.FirstOfPair,
	}, "7 100\n8 5\n7 10\n7 25\n7 131\n7 130\n")
	// Output:
	// 7	10-25: 2
	// 7	100-131: 3
	// 8	5-5: 1
}
