package mapreduce

import (
	"bytes"
	"iter"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// TestAggregationsAreUserCode checks that each aggregation emits the same bytes as a reducer that is
// written as user code, whether or not values are combined first. rapid prints the seed of a failure.
func TestAggregationsAreUserCode(t *testing.T) {
	integers := []int64{0, 1, -1, math.MinInt32, math.MaxInt32, math.MinInt64, math.MaxInt64}
	testAggregations(t, rapid.OneOf(rapid.Int32(), rapid.SampledFrom([]int32{0, -1, math.MinInt32, math.MaxInt32})))
	testAggregations(t, rapid.OneOf(rapid.Int64(), rapid.SampledFrom(integers)))
	testAggregations(t, rapid.Map(rapid.OneOf(rapid.Int64(), rapid.SampledFrom(integers)),
		func(v int64) int { return int(v) }))
	testAggregations(t, rapid.Map(rapid.OneOf(rapid.Uint32(), rapid.SampledFrom([]uint32{0, 1 << 31, 0x7f800000,
		0xff800000, 0x7fc00000, 0xffc00001})), math.Float32frombits))
	testAggregations(t, rapid.Map(rapid.OneOf(rapid.Uint64(), rapid.SampledFrom([]uint64{0, 1 << 63, 0x7ff << 52,
		0xfff << 52, 0x7ff8 << 48, 0xfff8<<48 | 1})), math.Float64frombits))
}

func testAggregations[V Number](t *testing.T, value *rapid.Generator[V]) {
	codec, err := CodecOf[V]()
	require.NoError(t, err)
	for _, x := range []struct {
		class ReducerClass
		both  func(x, y V) V
	}{
		{Sum[V](), func(x, y V) V { return x + y }},
		{Min[V](), func(x, y V) V { return min(x, y) }},
		{Max[V](), func(x, y V) V { return max(x, y) }},
	} {
		user := ReduceFunc(func(_ *Context, key Text, values iter.Seq[V], out *Out[Text, V]) error {
			var so V
			first := true
			for v := range values {
				if first {
					so, first = v, false
				} else {
					so = x.both(so, v)
				}
			}
			out.Emit(key, so)
			return nil
		}).New()
		rapid.Check(t, func(t *rapid.T) {
			var values [][]byte
			for _, v := range rapid.SliceOfN(value, 1, 20).Draw(t, "values") {
				values = append(values, codec.Append(nil, v))
			}
			r := x.class.New()
			want := reduced(t, user, values)
			require.Equal(t, want, reduced(t, r, values))
			acc := bytes.Clone(values[0])
			for _, v := range values[1:] {
				require.True(t, r.(InPlaceCombiner).CombineInPlace(acc, v))
			}
			require.Equal(t, want, acc)
			if a := r.(Aggregator).Aggregation(); a != (Aggregation{}) { // then the order does not matter
				n := rapid.IntRange(0, len(values)-1).Draw(t, "split")
				late := reduced(t, r, values[n:])
				require.Equal(t, want, reduced(t, r, append([][]byte{late}, values[:n]...)))
			}
		})
	}
}

// reduced returns the value that r emits for the given values.
func reduced(t require.TestingT, r Reducer, values [][]byte) []byte {
	to := &lastValue{}
	require.NoError(t, r.Reduce(nil, appendText(nil, "key"), seq(values...), to))
	return to.value
}

type lastValue struct{ value []byte }

func (l *lastValue) Emit(_, value []byte) error {
	l.value = bytes.Clone(value)
	return nil
}

// TestFloatExtremes checks the documented treatment of NaN and -0.
func TestFloatExtremes(t *testing.T) {
	c, err := CodecOf[float64]()
	require.NoError(t, err)
	nan, negative, zero, one := math.NaN(), math.Copysign(0, -1), 0.0, 1.0
	for _, x := range []struct {
		class ReducerClass
		a, b  float64
		want  float64
	}{{Min[float64](), zero, negative, negative}, {Max[float64](), negative, zero, zero},
		{Min[float64](), one, nan, nan}, {Max[float64](), nan, one, nan}} {
		got := reduced(t, x.class.New(), [][]byte{c.Append(nil, x.a), c.Append(nil, x.b)})
		require.Equal(t, c.Append(nil, x.want), got, "%+v", x)
	}
}

func TestAggregationsRejectMalformedValues(t *testing.T) {
	for _, c := range []ReducerClass{Min[int32](), Max[float64]()} {
		require.True(t, failure.Is(c.New().Reduce(nil, nil, seq([]byte{1}), dropped{}), failure.Corrupt))
	}
}

// TestCountAsCombiner checks that maps of a job that combines with Count emit the number 1, that
// nothing else changes, and that a combiner without its reducer is rejected.
func TestCountAsCombiner(t *testing.T) {
	c := conf.New()
	j := &Job{Name: "count", Mapper: MapFunc(lengths), Combiner: Count(), Reducer: Count()}
	s, err := j.Shaped(c)
	require.NoError(t, err)
	require.NoError(t, s.Validate(c))
	key, val := s.MapOutputTypes(c)
	require.Equal(t, []Type{TextWritable, LongWritable}, []Type{key, val})
	require.Equal(t, Aggregation{Op: OpSum, Width: 8}, s.Combiner.New().(Aggregator).Aggregation())
	to := &kept{key: key, val: val}
	require.NoError(t, s.NewMapper().Map(nil, appendLong(nil, 0), appendText(nil, "two words"), to))
	require.NotEmpty(t, to.lines)
	for _, l := range to.lines {
		require.Regexp(t, "=1$", l)
	}
	again, err := s.Shaped(c)
	require.NoError(t, err)
	require.Same(t, s, again)

	c.Set(conf.JobReduces.Name, "0", "test")
	s, err = j.Shaped(c)
	require.NoError(t, err)
	require.Same(t, j, s, "a map-only job keeps its values")

	c = conf.New()
	j.Reducer = Sum[int64]()
	s, err = j.Shaped(c)
	require.NoError(t, err)
	require.ErrorContains(t, s.Validate(c), "the combiner is Count, but the reducer is not")
}

// TestCountForwardsTheMapper checks that a mapper whose records are counted keeps its optional methods.
func TestCountForwardsTheMapper(t *testing.T) {
	m := &everyMethod{}
	j := &Job{Name: "count", Mapper: MapperClass{New: func() Mapper { return m }, Key: TextWritable, Val: IntWritable},
		Combiner: Count(), Reducer: Count()}
	s, err := j.Shaped(conf.New())
	require.NoError(t, err)
	got := s.NewMapper()
	to := &kept{key: TextWritable, val: LongWritable}
	require.NoError(t, got.(Setupper).Setup(nil))
	require.Equal(t, []byte("need"), got.(Selective).Needs())
	require.NoError(t, got.Map(nil, nil, nil, to))
	require.NoError(t, got.(Cleanuper).Cleanup(nil, to))
	got.(Closer).Close()
	require.Equal(t, []string{"map=1", "cleanup=1"}, to.lines)
	require.Equal(t, []string{"setup", "close"}, m.calls)
}

type everyMethod struct{ calls []string }

func (m *everyMethod) Setup(*Context) error { m.calls = append(m.calls, "setup"); return nil }
func (m *everyMethod) Close()               { m.calls = append(m.calls, "close") }
func (m *everyMethod) Needs() []byte        { return []byte("need") }
func (m *everyMethod) Map(_ *Context, _, _ []byte, out Emitter) error {
	return out.Emit(appendText(nil, "map"), appendInt(nil, 7))
}
func (m *everyMethod) Cleanup(_ *Context, out Emitter) error {
	return out.Emit(appendText(nil, "cleanup"), appendInt(nil, 7))
}

// TestCountTakesTheShortcut checks that a record for which the engine has a shortcut counts as 1 there,
// and that the shortcut is optional.
func TestCountTakesTheShortcut(t *testing.T) {
	words := MapFunc(func(_ *Context, _ int64, word Text, out *Out[Text, int32]) error {
		out.Emit(word, 7)
		return nil
	})
	s, err := (&Job{Name: "count", Mapper: words, Combiner: Count(), Reducer: Count()}).Shaped(conf.New())
	require.NoError(t, err)
	m := s.NewMapper()
	for _, known := range []bool{true, false} {
		to := &shortcut{kept: kept{key: TextWritable, val: LongWritable}, known: known}
		require.NoError(t, m.Map(nil, appendLong(nil, 0), appendText(nil, "word"), to))
		require.NotEmpty(t, to.added)
		for _, a := range to.added {
			require.Equal(t, [2]uint64{8, 1}, a)
		}
		require.Equal(t, known, len(to.lines) == 0)
	}
}

type shortcut struct {
	kept
	known bool
	added [][2]uint64 // width and value
}

func (s *shortcut) Adder() Adder { return s }

func (s *shortcut) Add(_ byte, _ []byte, width int, value uint64) bool {
	s.added = append(s.added, [2]uint64{uint64(width), value})
	return s.known
}
