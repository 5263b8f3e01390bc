package chain_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/chain"
	"github.com/howdah/howdah/mapreduce/mrtest"
)

func words(_ *mapreduce.Context, _ int64, line string, out *mapreduce.Out[string, int32]) error {
	for _, w := range strings.Fields(line) {
		out.Emit(w, 1)
	}
	return nil
}

func lower(_ *mapreduce.Context, word string, n int32, out *mapreduce.Out[string, int32]) error {
	out.Emit(strings.ToLower(word), n)
	return nil
}

// longer drops words up to a configured length. At the end it emits the number of dropped words.
type longer struct{ than, dropped int }

func (l *longer) Setup(c *mapreduce.Context) error {
	n, err := c.Conf.Int("longer.than", 0, 0, 100)
	l.than = int(n)
	return err
}

func (l *longer) Map(_ *mapreduce.Context, word string, n int32, out *mapreduce.Out[string, int32]) error {
	if len(word) > l.than {
		out.Emit(word, n)
	} else {
		l.dropped++
	}
	return nil
}

func (l *longer) Cleanup(_ *mapreduce.Context, out *mapreduce.Out[string, int32]) error {
	out.Emit(fmt.Sprintf("DROPPED by %d", l.than), int32(l.dropped))
	return nil
}

func newLonger() mapreduce.MapperClass {
	return mapreduce.MapOf(func() *longer { return &longer{} })
}

func text(_ *mapreduce.Context, word string, n int32, out *mapreduce.Out[string, string]) error {
	out.Emit(word, strings.Repeat("*", int(n)))
	return nil
}

func stars() *mapreduce.Job {
	return &mapreduce.Job{
		Name: "stars",
		Mapper: chain.Mapper(mapreduce.MapFunc(words), newLonger(), mapreduce.MapFunc(lower),
			chain.Configured(newLonger(), map[string]string{"longer.than": "2"})),
		Combiner: mapreduce.Sum[int32](),
		Reducer:  chain.Reducer(mapreduce.Sum[int32](), newLonger(), mapreduce.MapFunc(text)),
	}
}

func run(j *mapreduce.Job, in string) (string, error) {
	r := mrtest.NewRunner()
	if err := r.WriteFile("/in", in); err != nil {
		return "", err
	}
	if err := j.App().Run(context.Background(), r, []string{"/in", "/out"}); err != nil {
		return "", err
	}
	return r.Output("/out")
}

func Example() {
	j := &mapreduce.Job{
		Name:    "loud",
		Mapper:  chain.Mapper(mapreduce.MapFunc(words), mapreduce.MapFunc(lower)),
		Reducer: chain.Reducer(mapreduce.Sum[int32](), mapreduce.MapFunc(text)),
	}
	out, err := run(j, "To be or not to Be\n")
	fmt.Print(out, err)
	// Output:
	// be	**
	// not	*
	// or	*
	// to	**
	// <nil>
}

// The output of a link's cleanup passes through the following links. Each link has its own
// settings.
func TestLastWords(t *testing.T) {
	out, err := run(stars(), "To be or not to Be\n")
	require.NoError(t, err)
	require.Equal(t, "DROPPED by 2\t*****\ndropped by 0\t\nnot\t*\nDROPPED by 0\t\n", out)
}

func TestLinksThatDoNotFit(t *testing.T) {
	for _, j := range []*mapreduce.Job{
		{Name: "j", Mapper: chain.Mapper(mapreduce.MapFunc(words), mapreduce.MapFunc(words))},
		{Name: "j", Mapper: mapreduce.MapFunc(words), Reducer: chain.Reducer(mapreduce.Sum[int32](), mapreduce.MapFunc(text),
			mapreduce.MapFunc(text))},
	} {
		_, err := run(j, "x\n")
		require.True(t, failure.Is(err, failure.Config), "%v", err)
		require.ErrorContains(t, err, "of the chain reads")
	}
}

// closer is a mapper and a reducer whose Setup can fail. It counts the calls of Close.
type closer struct {
	fails  error
	closed *int
}

func (c closer) Setup(*mapreduce.Context) error { return c.fails }

func (closer) Map(_ *mapreduce.Context, key, value []byte, out mapreduce.Emitter) error {
	return out.Emit(key, value)
}

func (closer) Reduce(*mapreduce.Context, []byte, iter.Seq[[]byte], mapreduce.Emitter) error {
	return nil
}

func (c closer) Close() { *c.closed++ }

func TestLinksAreClosed(t *testing.T) {
	for _, fails := range []error{nil, errors.New("no setup")} {
		closed := 0
		link := mapreduce.MapperClass{New: func() mapreduce.Mapper { return closer{fails, &closed} }}
		j := &mapreduce.Job{Name: "j", Mapper: chain.Mapper(link, chain.Configured(link, nil))}
		_, err := run(j, "x\n")
		require.ErrorIs(t, err, fails)
		require.Equal(t, 2, closed, "mapper")

		closed = 0
		j = &mapreduce.Job{Name: "j", Reducer: chain.Reducer(
			mapreduce.ReducerClass{New: func() mapreduce.Reducer { return closer{fails, &closed} }}, link, link)}
		_, err = run(j, "x\n")
		require.ErrorIs(t, err, fails)
		require.Equal(t, 3, closed, "reducer")
	}
}

func TestOneLink(t *testing.T) {
	out, err := run(&mapreduce.Job{Name: "j", Mapper: chain.Mapper(), Reducer: chain.Reducer(mapreduce.ReducerClass{})},
		"x\ny\n")
	require.NoError(t, err)
	require.Equal(t, "0\tx\n2\ty\n", out)
}

type nowhere struct{}

func (nowhere) Emit(_, _ []byte) error { return nil }

func pass(_ *mapreduce.Context, key, value mapreduce.Text, out *mapreduce.Out[mapreduce.Text, mapreduce.Text]) error {
	out.Emit(key, value)
	return nil
}

func TestNothingIsAllocated(t *testing.T) {
	m := chain.Mapper(mapreduce.MapFunc(pass), mapreduce.MapFunc(pass)).New()
	c := mapreduce.NewContext(context.Background(), mapreduce.Env{Conf: conf.New()}, mapreduce.TaskInfo{})
	require.NoError(t, m.(mapreduce.Setupper).Setup(c))
	key := []byte{3, 'a', 'b', 'c'}
	require.Zero(t, testing.AllocsPerRun(100, func() { _ = m.Map(c, key, key, nowhere{}) }))
}

func BenchmarkMapper(b *testing.B) {
	m := chain.Mapper(mapreduce.MapFunc(pass), mapreduce.MapFunc(pass), mapreduce.MapFunc(pass)).New()
	c := mapreduce.NewContext(context.Background(), mapreduce.Env{Conf: conf.New()}, mapreduce.TaskInfo{})
	require.NoError(b, m.(mapreduce.Setupper).Setup(c))
	key := []byte{3, 'a', 'b', 'c'}
	b.ReportAllocs()
	for b.Loop() {
		if err := m.Map(c, key, key, nowhere{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReducer(b *testing.B) {
	r := chain.Reducer(mapreduce.ReducerClass{}, mapreduce.MapFunc(pass)).New()
	c := mapreduce.NewContext(context.Background(), mapreduce.Env{Conf: conf.New()}, mapreduce.TaskInfo{})
	require.NoError(b, r.(mapreduce.Setupper).Setup(c))
	key := []byte{3, 'a', 'b', 'c'}
	one := iter.Seq[[]byte](func(yield func([]byte) bool) { yield(key) })
	b.ReportAllocs()
	for b.Loop() {
		if err := r.Reduce(c, key, one, nowhere{}); err != nil {
			b.Fatal(err)
		}
	}
}
