package chaos

import (
	"iter"
	"time"

	"github.com/howdah/howdah/apps/grep"
	"github.com/howdah/howdah/apps/sort"
	"github.com/howdah/howdah/apps/wordcount"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/streaming"
)

// Programs returns the programs that the test runs. If the keyMillis setting is present, the
// programs wait that many milliseconds before each record of a map and each group of a reduce, so
// that faults affect running tasks. The setting has no effect on Streaming, because its commands
// can wait on their own.
func Programs() []mapreduce.Program {
	return []mapreduce.Program{slow(wordcount.Job()), slow(sort.App()), slow(grep.App()), slow(ids), streaming.App()}
}

const keyMillis = "chaos.millis"

// ids counts how often each line occurs in the input. Each line of its input is a unique ID, so every
// count must be 1.
var ids = &mapreduce.Job{
	Name: "ids", Short: "counts equal lines", Usage: "<in>... <out>",
	Mapper: mapreduce.MapFunc(func(_ *mapreduce.Context, _ int64, line mapreduce.Text,
		out *mapreduce.Out[mapreduce.Text, int64]) error {
		out.Emit(line, 1)
		return out.Err()
	}),
	Reducer: mapreduce.Sum[int64](),
}

func slow(p mapreduce.Program) *mapreduce.App {
	a := p.App()
	for i := range a.Jobs {
		original := *a.Jobs[i]
		a.Jobs[i].Mapper.New = func() mapreduce.Mapper { return slowMapper{original.NewMapper()} }
		a.Jobs[i].Reducer.New = func() mapreduce.Reducer { return slowReducer{original.NewReducer()} }
	}
	return a
}

func wait(c *mapreduce.Context) error {
	d, err := c.Conf.Duration(keyMillis, 0, time.Millisecond, 0, time.Hour)
	time.Sleep(d)
	return err
}

// slowMapper waits before each record. It passes on Setup, because that is the only optional method
// of the wrapped mappers.
type slowMapper struct{ mapreduce.Mapper }

func (m slowMapper) Setup(c *mapreduce.Context) error {
	if s, ok := m.Mapper.(mapreduce.Setupper); ok {
		return s.Setup(c)
	}
	return nil
}

func (m slowMapper) Map(c *mapreduce.Context, key, value []byte, out mapreduce.Emitter) error {
	if err := wait(c); err != nil {
		return err
	}
	return m.Mapper.Map(c, key, value, out)
}

// slowReducer waits before each group.
type slowReducer struct{ mapreduce.Reducer }

func (r slowReducer) Setup(c *mapreduce.Context) error {
	if s, ok := r.Reducer.(mapreduce.Setupper); ok {
		return s.Setup(c)
	}
	return nil
}

func (r slowReducer) Reduce(c *mapreduce.Context, key []byte, values iter.Seq[[]byte], out mapreduce.Emitter) error {
	if err := wait(c); err != nil {
		return err
	}
	return r.Reducer.Reduce(c, key, values, out)
}
