package multioutput_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/mrtest"
	"github.com/howdah/howdah/mapreduce/multioutput"
)

// byLength writes words to one file per word length, and their counts to a named output.
type byLength struct {
	outs   *multioutput.Outputs
	words  *multioutput.Typed[string, mapreduce.Null]
	counts *multioutput.Typed[string, int32]
}

func (r *byLength) Setup(c *mapreduce.Context) (err error) {
	r.outs = multioutput.New(c)
	if r.words, err = multioutput.Named[string, mapreduce.Null](r.outs, "words", mapreduce.TextOutput{}); err != nil {
		return err
	}
	r.counts, err = multioutput.Named[string, int32](r.outs, "counts", nil)
	return err
}

func (r *byLength) Reduce(_ *mapreduce.Context, word string, ones iter.Seq[int32],
	_ *mapreduce.Out[string, int32]) error {
	n := int32(0)
	for one := range ones {
		n += one
	}
	r.words.EmitTo(fmt.Sprintf("length/%d/words", len(word)), word, mapreduce.Null{})
	r.counts.Emit(word, n)
	return nil
}

func (r *byLength) Cleanup(*mapreduce.Context, *mapreduce.Out[string, int32]) error {
	return r.outs.Close()
}

func words(_ *mapreduce.Context, _ int64, line string, out *mapreduce.Out[string, int32]) error {
	for _, w := range strings.Fields(line) {
		out.Emit(w, 1)
	}
	return nil
}

func lengths() *mapreduce.Job {
	return &mapreduce.Job{Name: "lengths", Output: mapreduce.LazyOutput{Of: mapreduce.TextOutput{}},
		Mapper: mapreduce.MapFunc(words), Reducer: mapreduce.ReduceOf(func() *byLength { return &byLength{} })}
}

func Example() {
	// Each word goes to a file for its length, and its count goes to the named output "counts".
	r := mrtest.NewRunner()
	if err := r.WriteFile("/in", "to be or not to be\n"); err != nil {
		fmt.Println(err)
	}
	err := lengths().App().Run(context.Background(), r, []string{"/in", "/out"})
	for _, name := range []string{"length/2/words-r-00000", "length/3/words-r-00000", "counts-r-00000"} {
		text, _ := r.ReadFile("/out/" + name)
		fmt.Printf("%s: %q\n", name, text)
	}
	fmt.Println(err)
	// Output:
	// length/2/words-r-00000: "be\nor\nto\n"
	// length/3/words-r-00000: "not\n"
	// counts-r-00000: "be\t2\nnot\t1\nor\t1\nto\t2\n"
	// <nil>
}

func TestCounters(t *testing.T) {
	r := mrtest.NewRunner()
	require.NoError(t, r.WriteFile("/in", "to be or not to be\n"))
	c := r.Conf().Clone()
	mapreduce.AddInputPaths(c, "/in")
	mapreduce.SetOutputPath(c, "/out")
	c.Set(conf.MultipleOutputsCounters.Name, "true", "test")
	c.Set(conf.JobReduces.Name, "2", "test")
	res, err := r.Run(context.Background(), lengths(), c)
	require.NoError(t, err)
	for name, want := range map[string]int64{"counts": 4, "length/2/words": 3, "length/3/words": 1} {
		n, _ := res.Counters.Get(multioutput.CounterGroup, name)
		require.Equal(t, want, n, name)
	}
	require.Zero(t, res.Counters.Builtin[job.OutputBytesWritten], "the job's own output is empty")
	_, err = r.ReadFile("/out/part-r-00000")
	require.True(t, failure.Is(err, failure.NotFound))

	c.Set(conf.MultipleOutputsCounters.Name, "perhaps", "test")
	mapreduce.SetOutputPath(c, "/out2")
	_, err = r.Run(context.Background(), lengths(), c)
	require.True(t, failure.Is(err, failure.Config), "%v", err)
}

// setupOnly is a mapper that does nothing except in Setup, which calls the function.
type setupOnly func(c *mapreduce.Context) error

func (f setupOnly) Setup(c *mapreduce.Context) error { return f(c) }
func (setupOnly) Map(*mapreduce.Context, int64, string, *mapreduce.Out[string, string]) error {
	return nil
}

func TestConfigured(t *testing.T) {
	m := mrtest.MapOf(t, func() setupOnly {
		return func(c *mapreduce.Context) error {
			multioutput.Configure(c.Conf, "log", "TextOutputFormat", "org.apache.hadoop.io.Text",
				"org.apache.hadoop.io.LongWritable")
			outs := multioutput.New(c)
			log, err := outs.Configured("log")
			if err != nil {
				return err
			}
			if err := log.Write([]byte{1, 'k'}, []byte{0, 0, 0, 0, 0, 0, 0, 7}); err != nil {
				return err
			}
			if _, err := outs.Configured("other"); !failure.Is(err, failure.Config) {
				return fmt.Errorf("an output that is not listed: %w", err)
			}
			return errors.Join(outs.Close(), outs.Close())
		}
	})
	_, err := m.Input(0, "").Done()
	require.NoError(t, err)
}

func TestRefused(t *testing.T) {
	check := func(want string, f func(*multioutput.Outputs) error) {
		t.Helper()
		_, err := mrtest.MapOf(t, func() setupOnly {
			return func(c *mapreduce.Context) error { return f(multioutput.New(c)) }
		}).Input(0, "").Done()
		require.ErrorContains(t, err, want)
	}
	named := func(o *multioutput.Outputs, name string) (*multioutput.Typed[string, string], error) {
		return multioutput.Named[string, string](o, name, nil)
	}
	for name, want := range map[string]string{"": "empty", "a-b": `'-'`, "part": `"part"`, "é": "char"} {
		check(want, func(o *multioutput.Outputs) error { _, err := named(o, name); return err })
	}
	check("already defined", func(o *multioutput.Outputs) error {
		_, err1 := named(o, "a")
		_, err2 := named(o, "a")
		return errors.Join(err1, err2)
	})
	check("encode chan", func(o *multioutput.Outputs) error {
		_, err := multioutput.Named[chan int, string](o, "a", nil)
		return err
	})
	check("the file belongs to output a, not b", func(o *multioutput.Outputs) error {
		a, _ := named(o, "a")
		b, _ := named(o, "b")
		a.EmitTo("x", "k", "v")
		b.EmitTo("x", "k", "v")
		return o.Close()
	})
	check(`output name cannot be "part"`, func(o *multioutput.Outputs) error {
		a, _ := named(o, "a")
		a.EmitTo("part", "k", "v")
		a.Emit("k", "v") // too late
		return o.Close()
	})
}
