package mapreduce

import (
	"errors"
	"iter"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

// kept stores emitted records in the format of Java's toString.
type kept struct {
	key, val Type
	lines    []string
	err      error
}

func (k *kept) Emit(key, value []byte) error {
	b := append(k.key.AppendText(nil, key), '=')
	k.lines = append(k.lines, string(k.val.AppendText(b, value)))
	return k.err
}

type dropped struct{}

func (dropped) Emit(_, _ []byte) error { return nil }

func seq(values ...[]byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for _, v := range values {
			if !yield(v) {
				return
			}
		}
	}
}

func TestTypedMapperDecodesAndEncodes(t *testing.T) {
	class := MapFunc(func(_ *Context, off int64, line string, out *Out[string, float64]) error {
		out.Emit(line, float64(off)/2)
		return nil
	})
	require.Equal(t, []Type{LongWritable, TextWritable, TextWritable, DoubleWritable},
		[]Type{class.InKey, class.InVal, class.Key, class.Val})
	to := &kept{key: TextWritable, val: DoubleWritable}
	m := class.New()
	require.NoError(t, m.Map(nil, appendLong(nil, 3), appendText(nil, "x"), to))
	require.Equal(t, []string{"x=1.5"}, to.lines)
	err := m.Map(nil, []byte{1}, appendText(nil, "x"), to)
	require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
	err = m.Map(nil, appendLong(nil, 3), []byte{5}, to)
	require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
}

func TestFailedEmitEndsTheCall(t *testing.T) {
	full := errors.New("full")
	to := &kept{key: TextWritable, val: TextWritable, err: full}
	calls := 0
	m := MapFunc(func(_ *Context, _ int64, line string, out *Out[string, string]) error {
		for range 3 {
			out.Emit(line, line)
			calls++
		}
		return out.Err()
	}).New()
	require.Equal(t, full, m.Map(nil, appendLong(nil, 0), appendText(nil, "x"), to))
	require.Len(t, to.lines, 1)
	require.Equal(t, 3, calls)
}

func TestTypedReducer(t *testing.T) {
	class := ReduceFunc(func(_ *Context, key Text, values iter.Seq[int32], out *Out[Text, int32]) error {
		sum := int32(0)
		for v := range values {
			if v < 0 {
				break
			}
			sum += v
		}
		out.Emit(key, sum)
		return nil
	})
	to := &kept{key: TextWritable, val: IntWritable}
	r := class.New()
	require.NoError(t, r.Reduce(nil, appendText(nil, "k"),
		seq(appendInt(nil, 0), appendInt(nil, 1), appendInt(nil, 2)), to))
	require.NoError(t, r.Reduce(nil, appendText(nil, "stop"),
		seq(appendInt(nil, 5), appendInt(nil, -1), appendInt(nil, 5)), to))
	require.Equal(t, []string{"k=3", "stop=5"}, to.lines)
	err := r.Reduce(nil, appendText(nil, "bad"), seq(appendInt(nil, 5), []byte{1}), to)
	require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
}

func TestSum(t *testing.T) {
	to := &kept{key: TextWritable, val: IntWritable}
	s := Sum[int32]().New()
	require.NoError(t, s.Reduce(nil, appendText(nil, "a"), seq(appendInt(nil, 2), appendInt(nil, 3)), to))
	require.NoError(t, s.Reduce(nil, appendText(nil, "b"), seq(appendInt(nil, 1<<31-1), appendInt(nil, 1)), to))
	require.Equal(t, []string{"a=5", "b=-2147483648"}, to.lines)
	require.True(t, failure.Is(s.Reduce(nil, nil, seq([]byte{1}), to), failure.Corrupt))
}

// Mappers and reducers that use views allocate nothing per record. A group allocates the closure of
// its range loop.
func TestNothingIsAllocatedPerRecord(t *testing.T) {
	m := MapFunc(func(_ *Context, _ int64, line Text, out *Out[Text, int32]) error {
		out.Emit(line[:1], 1)
		out.Emit(line, 1)
		return nil
	}).New()
	key, value := appendLong(nil, 1), appendText(nil, "some line of text")
	require.Zero(t, testing.AllocsPerRun(100, func() { m.Map(nil, key, value, dropped{}) }))

	s := Sum[int64]().New()
	hundred := make([][]byte, 100)
	for i := range hundred {
		hundred[i] = appendLong(nil, 1)
	}
	values := seq(hundred...)
	word := appendText(nil, "word")
	require.Zero(t, testing.AllocsPerRun(100, func() { s.Reduce(nil, word, values, dropped{}) }))

	r := ReduceFunc(func(_ *Context, key Text, values iter.Seq[int64], out *Out[Text, int64]) error {
		n := int64(0)
		for v := range values {
			n += v
		}
		out.Emit(key, n)
		return nil
	}).New()
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { r.Reduce(nil, word, values, dropped{}) }), 3.0)
}

// A reducer does not copy its key, which can be as large as a quarter of the task's memory.
func TestReducersDoNotCopyKeys(t *testing.T) {
	key, one := appendText(nil, strings.Repeat("k", 8<<20)), appendLong(nil, 1)
	for _, r := range []Reducer{Sum[int64]().New(), ReduceFunc(
		func(_ *Context, key Text, _ iter.Seq[int64], out *Out[int64, int64]) error {
			out.Emit(int64(len(key)), 1)
			return nil
		}).New()} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		require.NoError(t, r.Reduce(nil, key, seq(one), dropped{}))
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4<<20))
	}
}

func BenchmarkTypedMap(b *testing.B) {
	m := MapFunc(func(_ *Context, _ int64, line Text, out *Out[Text, int32]) error {
		out.Emit(line, 1)
		return nil
	}).New()
	key, value := appendLong(nil, 1), appendText(nil, "word")
	b.ReportAllocs()
	for b.Loop() {
		m.Map(nil, key, value, dropped{})
	}
}

func BenchmarkSum(b *testing.B) {
	s := Sum[int32]().New()
	values := seq(appendInt(nil, 1), appendInt(nil, 1), appendInt(nil, 1), appendInt(nil, 1))
	word := appendText(nil, "word")
	b.ReportAllocs()
	for b.Loop() {
		s.Reduce(nil, word, values, dropped{})
	}
}

// last is a mapper that emits only in Cleanup.
type last struct{}

func (last) Map(*Context, int64, string, *Out[string, int32]) error { return nil }
func (last) Cleanup(_ *Context, out *Out[string, int32]) error {
	out.Emit("end", 1)
	return nil
}

func TestCleanupEmitsWithoutInput(t *testing.T) {
	to := &kept{key: TextWritable, val: IntWritable}
	m := MapOf(func() last { return last{} }).New()
	require.NoError(t, m.(Cleanuper).Cleanup(nil, to))
	require.Equal(t, []string{"end=1"}, to.lines)
	to.err = errors.New("full")
	m = MapOf(func() last { return last{} }).New()
	require.Equal(t, to.err, m.(Cleanuper).Cleanup(nil, to))
}

func TestOutDropsHugeRecord(t *testing.T) {
	codec, err := CodecOf[Text]()
	require.NoError(t, err)
	out := newOut(codec, codec)
	out.sendTo(dropped{})
	huge := make(Text, dropFrom)
	for _, r := range []struct{ key, value Text }{{huge, nil}, {nil, huge}, {huge[:dropFrom/2], huge[:dropFrom/2]}} {
		out.Emit(r.key, r.value)
		require.Less(t, cap(out.kbuf)+cap(out.vbuf), dropFrom/2)
	}
	out.Emit(huge[:100], nil)
	require.GreaterOrEqual(t, cap(out.kbuf), 100, "a small record's buffer stays")
}
