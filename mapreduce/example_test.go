package mapreduce_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"log"
	"strings"

	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/mrtest"
)

// This example counts words. The mapper emits each word with the number 1, and a sum serves as
// combiner and reducer. A real program passes the job to howdah.Main.
func Example() {
	words := func(_ *mapreduce.Context, _ int64, line string, out *mapreduce.Out[string, int32]) error {
		for _, w := range strings.Fields(line) {
			out.Emit(w, 1)
		}
		return nil
	}
	job := &mapreduce.Job{
		Name:     "wordcount",
		Mapper:   mapreduce.MapFunc(words),
		Combiner: mapreduce.Sum[int32](),
		Reducer:  mapreduce.Sum[int32](),
	}
	run(job, "to be or\nnot to be\n")
	// Output:
	// be	2
	// not	1
	// or	1
	// to	2
}

// run runs a job on text in memory and prints its output.
func run(job *mapreduce.Job, text string) { runOn(job, map[string]string{"text": text}) }

// runOn is like run for several input files.
func runOn(job *mapreduce.Job, files map[string]string) {
	r := mrtest.NewRunner()
	for name, text := range files {
		if err := r.WriteFile("/in/"+name, text); err != nil {
			log.Fatal(err)
		}
	}
	if err := job.App().Run(context.Background(), r, []string{"/in", "/out"}); err != nil {
		log.Fatal(err)
	}
	out, err := r.Output("/out")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(out)
}

// The types of the function's parameters determine the Writables that the mapper reads and emits.
// Text is a view of the record, so decoding the line copies nothing.
func ExampleMapFunc() {
	class := mapreduce.MapFunc(func(_ *mapreduce.Context, _ int64, line mapreduce.Text,
		out *mapreduce.Out[int32, mapreduce.Text]) error {
		out.Emit(int32(len(line)), line)
		return nil
	})
	fmt.Println(class.InKey.Class())
	fmt.Println(class.Key.Class())
	run(&mapreduce.Job{Name: "by-length", Mapper: class}, "three\ntwo\nseventeen\n")
	// Output:
	// org.apache.hadoop.io.LongWritable
	// org.apache.hadoop.io.IntWritable
	// 3	two
	// 5	three
	// 9	seventeen
}

// longest is a mapper that finds the longest line and emits it in Cleanup.
type longest struct{ line string }

func (l *longest) Map(_ *mapreduce.Context, _ int64, line string, _ *mapreduce.Out[mapreduce.Null, string]) error {
	if len(line) > len(l.line) {
		l.line = line
	}
	return nil
}

func (l *longest) Cleanup(_ *mapreduce.Context, out *mapreduce.Out[mapreduce.Null, string]) error {
	out.Emit(mapreduce.Null{}, l.line)
	return nil
}

// A mapper with state is a type. Every attempt creates a new value of the type.
func ExampleMapOf() {
	run(&mapreduce.Job{Name: "longest", Mapper: mapreduce.MapOf(func() *longest { return &longest{} })}, "a\nccc\nbb\n")
	// Output:
	// ccc
}

// A reducer iterates over the values of a key.
func ExampleReduceFunc() {
	lines := func(_ *mapreduce.Context, key string, values iter.Seq[string], out *mapreduce.Out[string, string]) error {
		var all []string
		for v := range values {
			all = append(all, v)
		}
		out.Emit(key, strings.Join(all, ","))
		return nil
	}
	run(&mapreduce.Job{Name: "join", Input: mapreduce.KeyValueTextInput{}, Reducer: mapreduce.ReduceFunc(lines)},
		"a\t1\nb\t2\na\t3\n")
	// Output:
	// a	1,3
	// b	2
}

// Point is a custom record type.
type Point struct{ X, Y uint8 }

// Codec implements mapreduce.Writable. A Point is a BytesWritable of two bytes.
func (Point) Codec() mapreduce.Codec[Point] {
	return mapreduce.Codec[Point]{
		Type:   mapreduce.BytesWritable,
		Append: func(dst []byte, p Point) []byte { return append(binary.BigEndian.AppendUint32(dst, 2), p.X, p.Y) },
		Decode: func(b []byte) (Point, error) {
			if len(b) != 6 {
				return Point{}, fmt.Errorf("%d bytes are not a point", len(b))
			}
			return Point{b[4], b[5]}, nil
		},
	}
}

func ExampleWritable() {
	points := func(_ *mapreduce.Context, _ int64, line string, out *mapreduce.Out[string, Point]) error {
		out.Emit(line, Point{line[0], line[1]})
		return nil
	}
	run(&mapreduce.Job{Name: "points", Mapper: mapreduce.MapFunc(points)}, "AB\n")
	// Output:
	// AB	41 42
}

// This example is a secondary sort. It orders pairs by both numbers but groups and partitions them
// by the first number only.
func ExampleIntPair() {
	pairs := func(_ *mapreduce.Context, _ int64, line string, out *mapreduce.Out[mapreduce.IntPair, int32]) error {
		var p mapreduce.IntPair
		if _, err := fmt.Sscan(line, &p.First, &p.Second); err != nil {
			return err
		}
		out.Emit(p, p.Second)
		return nil
	}
	list := func(_ *mapreduce.Context, p mapreduce.IntPair, values iter.Seq[int32],
		out *mapreduce.Out[int32, string]) error {
		var all []string
		for v := range values {
			all = append(all, fmt.Sprint(v))
		}
		out.Emit(p.First, strings.Join(all, " "))
		return nil
	}
	run(&mapreduce.Job{
		Name:        "secondarysort",
		Mapper:      mapreduce.MapFunc(pairs),
		Reducer:     mapreduce.ReduceFunc(list),
		Partitioner: mapreduce.FirstOfPairPartition,
		Group:       mapreduce.FirstOfPair,
	}, "1 9\n2 5\n1 -3\n2 0\n1 4\n")
	// Output:
	// 1	-3 4 9
	// 2	0 5
}
