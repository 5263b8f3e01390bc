// Command multi counts words and writes many files: a named output, and a file in a folder for each
// length of words. Settings make the first attempts of reduces fail or wait:
//
//	multi.fail=record|close   fail in the middle of the output, or after its end
//	multi.attempts=N          how many attempts of each reduce fail
//	multi.slow=MS             make the first attempt of reduce 0 wait in the middle of its output
package main

import (
	"errors"
	"iter"
	"strings"
	"time"

	"github.com/howdah/howdah"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/multioutput"
)

func main() {
	howdah.Main(&mapreduce.Job{
		Name:    "multi",
		Mapper:  mapreduce.MapFunc(words),
		Reducer: mapreduce.ReduceOf(func() *reducer { return &reducer{} }),
		Output:  mapreduce.LazyOutput{Of: mapreduce.TextOutput{}},
	})
}

func words(_ *mapreduce.Context, _ int64, line string, out *mapreduce.Out[string, int32]) error {
	for _, w := range strings.Fields(line) {
		out.Emit(w, 1)
	}
	return nil
}

type reducer struct {
	outs   *multioutput.Outputs
	counts *multioutput.Typed[string, int32]
	fail   string
	slow   time.Duration
	done   int
}

func (r *reducer) Setup(c *mapreduce.Context) (err error) {
	attempts, err := c.Conf.Int("multi.attempts", 0, 0, 10)
	if err != nil {
		return err
	}
	attempt := c.Task().Attempt
	if int64(attempt.N) < attempts {
		r.fail = c.Conf.Get("multi.fail")
	}
	ms, err := c.Conf.Int("multi.slow", 0, 0, 1e6)
	if err != nil {
		return err
	}
	if attempt.N == 0 && attempt.Index == 0 {
		r.slow = time.Duration(ms) * time.Millisecond
	}
	r.outs = multioutput.New(c)
	r.counts, err = multioutput.Named[string, int32](r.outs, "counts", nil)
	return err
}

func (r *reducer) Reduce(c *mapreduce.Context, word string, ones iter.Seq[int32],
	_ *mapreduce.Out[string, int32]) error {
	n := int32(0)
	for one := range ones {
		n += one
	}
	r.counts.Emit(word, n)
	r.counts.EmitTo("by/length/"+string(rune('0'+len(word)))+"/words", word, n)
	select {
	case <-time.After(r.slow):
		r.slow = 0
	case <-c.Context().Done():
		return c.Context().Err()
	}
	if r.done++; r.fail == "record" && r.done == 3 {
		return errors.New("in the middle of its output")
	}
	return nil
}

func (r *reducer) Cleanup(_ *mapreduce.Context, _ *mapreduce.Out[string, int32]) error {
	if err := r.outs.Close(); err != nil || r.fail != "close" {
		return err
	}
	return errors.New("after the end of its output")
}
