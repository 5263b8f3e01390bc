// Command authored contains jobs that use features that are available only to programs. These
// features are several outputs, several inputs, and chains. java/Authored.java contains the same
// jobs in Java.
package main

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/howdah/howdah"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/chain"
	"github.com/howdah/howdah/mapreduce/multioutput"
)

func main() { howdah.Main(outputs(), inputs(), chained()) }

// words emits the words of a line, separated by Java's white space. It decodes the line as Java
// does.
var words = mapreduce.MapFunc(func(_ *mapreduce.Context, _ int64, line mapreduce.Text,
	out *mapreduce.Out[string, int64]) error {
	for w := range strings.FieldsFuncSeq(string(mapreduce.JavaString(line)),
		func(r rune) bool { return strings.ContainsRune(" \t\n\v\f\r", r) }) {
		out.Emit(w, 1)
	}
	return out.Err()
})

// outputs writes words that occur once to a named text output, twice to outputs by their length, and
// three times to a named SequenceFile. It writes all other words to the job's own output.
func outputs() *mapreduce.Job {
	return &mapreduce.Job{Name: "outputs", Mapper: words, Combiner: mapreduce.Sum[int64](),
		Reducer: mapreduce.ReduceOf(func() *sorter { return &sorter{} })}
}

type sorter struct {
	outs *multioutput.Outputs
	rare *multioutput.Typed[string, int64]
	seq  *multioutput.Typed[string, int64]
}

func (s *sorter) Setup(c *mapreduce.Context) (err error) {
	s.outs = multioutput.New(c)
	if s.rare, err = multioutput.Named[string, int64](s.outs, "rare", mapreduce.TextOutput{}); err == nil {
		s.seq, err = multioutput.Named[string, int64](s.outs, "seq", mapreduce.SequenceOutput{})
	}
	return err
}

func (s *sorter) Reduce(_ *mapreduce.Context, word string, ones iter.Seq[int64],
	out *mapreduce.Out[string, int64]) error {
	n := int64(0)
	for one := range ones {
		n += one
	}
	switch {
	case n == 1:
		s.rare.Emit(word, n)
	case n == 2:
		s.rare.EmitTo("by/length"+strconv.Itoa(len(word)), word, n)
	case n == 3:
		s.seq.Emit(word, n)
	default:
		out.Emit(word, n)
	}
	return nil
}

func (s *sorter) Cleanup(*mapreduce.Context, *mapreduce.Out[string, int64]) error {
	return s.outs.Close()
}

// inputs joins lines of KEY TAB VALUE with lines whose first word is the key.
func inputs() *mapreduce.App {
	in := mapreduce.MultipleInputs{
		{Name: "pairs", Format: mapreduce.KeyValueTextInput{},
			Mapper: mapreduce.MapFunc(func(_ *mapreduce.Context, k, v string, out *mapreduce.Out[string, string]) error {
				out.Emit(k, "pair "+v)
				return nil
			})},
		{Name: "lines", Format: mapreduce.TextInput{},
			Mapper: mapreduce.MapFunc(func(_ *mapreduce.Context, _ int64, line string,
				out *mapreduce.Out[string, string]) error {
				k, v, _ := strings.Cut(line, " ")
				out.Emit(k, "line "+v)
				return nil
			})},
	}
	j := &mapreduce.Job{Name: "inputs", Input: in, Mapper: in.Mapper(), Reducer: mapreduce.ReduceFunc(
		func(_ *mapreduce.Context, key string, values iter.Seq[string], out *mapreduce.Out[string, string]) error {
			out.Emit(key, strings.Join(slices.Sorted(values), "|"))
			return nil
		})}
	return &mapreduce.App{Name: "inputs", Usage: "<pairs> <lines> <out>", Jobs: []*mapreduce.Job{j},
		Run: func(ctx context.Context, r mapreduce.Runner, args []string) error {
			if len(args) != 3 {
				return failure.New(failure.Usage, "inputs", "", errors.New("needs two inputs and an output"))
			}
			c := r.Conf().Clone()
			in.Add(c, "pairs", args[0])
			in.Add(c, "lines", args[1])
			mapreduce.SetOutputPath(c, args[2])
			_, err := r.Run(ctx, j, c)
			return err
		}}
}

// chained counts words of more than two bytes, with W instead of w. It is a chain of three mappers, a
// reducer, and a mapper.
func chained() *mapreduce.Job {
	upper := mapreduce.MapFunc(func(_ *mapreduce.Context, w string, n int64, out *mapreduce.Out[string, int64]) error {
		out.Emit(strings.ReplaceAll(w, "w", "W"), n)
		return nil
	})
	long := mapreduce.MapFunc(func(_ *mapreduce.Context, w string, n int64, out *mapreduce.Out[string, int64]) error {
		if len(w) > 2 {
			out.Emit(w, n)
		}
		return nil
	})
	swap := mapreduce.MapFunc(func(_ *mapreduce.Context, w string, n int64, out *mapreduce.Out[int64, string]) error {
		out.Emit(n, w)
		return nil
	})
	return &mapreduce.Job{Name: "chained", Mapper: chain.Mapper(words, upper, long),
		Reducer: chain.Reducer(mapreduce.Sum[int64](), swap)}
}
