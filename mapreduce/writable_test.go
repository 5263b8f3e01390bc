package mapreduce

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/structpb"
	"pgregory.net/rapid"

	"github.com/howdah/howdah/job/failure"
)

func prefixLaw(t require.TestingT, c Comparator, a, b []byte) {
	p, q, order := c.Prefix(a), c.Prefix(b), c.Compare(a, b)
	require.False(t, p < q && order >= 0 || p > q && order <= 0 || order == 0 && p != q,
		"prefixes %x and %x of %x and %x, which compare %d", p, q, a, b, order)
}

// ordered checks that the bytes of a type sort like its values and that values survive encoding and
// decoding.
func ordered[T any](t *testing.T, gen *rapid.Generator[T], compare func(a, b T) int) {
	t.Helper()
	codec, err := CodecOf[T]()
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		a, b := gen.Draw(t, "a"), gen.Draw(t, "b")
		x, y := codec.Append(nil, a), codec.Append(nil, b)
		require.Equal(t, sign(compare(a, b)), sign(codec.Type.Compare(x, y)), "%v against %v", a, b)
		require.Equal(t, sign(compare(b, a)), sign(codec.Type.Compare(y, x)), "%v against %v", b, a)
		prefixLaw(t, codec.Type, x, y)
		if e, ok := codec.Type.(ExactComparator); ok && e.Exact() {
			require.Equal(t, bytes.Equal(x, y), codec.Type.Compare(x, y) == 0)
		}
		back, err := codec.Decode(x)
		require.NoError(t, err)
		require.Zero(t, compare(a, back), "%v became %v", a, back)
		for _, wrong := range [][]byte{append(bytes.Clone(x), 0), x[:max(len(x)-1, 0)]} {
			if len(wrong) != len(x) {
				_, err := codec.Decode(wrong)
				require.True(t, failure.Is(err, failure.Corrupt), "%x: %v", wrong, err)
			}
		}
	})
}

// near generates numbers that are often close to each other and to the limits.
func near[T int | int8 | int16 | int32 | int64 | VInt32 | VInt64](lo, hi int64) *rapid.Generator[T] {
	return rapid.Custom(func(t *rapid.T) T {
		shift := rapid.IntRange(0, 62).Draw(t, "shift")
		return T(rapid.Int64Range(lo>>shift, hi>>shift).Draw(t, "n"))
	})
}

func javaCompare(a, b float64) int {
	if a != a || b != b {
		return cmp.Compare(btoi(a != a), btoi(b != b)) // NaN is the largest number
	}
	if a == 0 && b == 0 {
		return cmp.Compare(btoi(math.Signbit(b)), btoi(math.Signbit(a)))
	}
	return cmp.Compare(a, b)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func floats() *rapid.Generator[float64] {
	return rapid.OneOf(rapid.Float64(),
		rapid.SampledFrom([]float64{0, math.Copysign(0, -1), math.NaN(), -math.NaN(), math.Inf(1), math.Inf(-1), 1, -1}),
		rapid.Map(rapid.Uint64(), math.Float64frombits))
}

func TestBytesOrderAsValues(t *testing.T) {
	t.Run("string", func(t *testing.T) {
		words := rapid.StringOfN(rapid.RuneFrom([]rune("ab\x00\xffé")), 0, 12, -1)
		ordered(t, words, cmp.Compare[string])
		ordered(t, rapid.Map(words, func(s string) Text { return Text(s) }),
			func(a, b Text) int { return bytes.Compare(a, b) })
		ordered(t, rapid.Map(words, func(s string) []byte { return []byte(s) }), bytes.Compare)
		long := rapid.Map(rapid.IntRange(100, 300), func(n int) string { return string(make([]byte, n)) })
		ordered(t, long, cmp.Compare[string])
	})
	t.Run("whole", func(t *testing.T) {
		ordered(t, near[int](math.MinInt64, math.MaxInt64), cmp.Compare[int])
		ordered(t, near[int64](math.MinInt64, math.MaxInt64), cmp.Compare[int64])
		ordered(t, near[int32](math.MinInt32, math.MaxInt32), cmp.Compare[int32])
		ordered(t, near[int16](math.MinInt16, math.MaxInt16), cmp.Compare[int16])
		ordered(t, near[int8](math.MinInt8, math.MaxInt8), cmp.Compare[int8])
		ordered(t, near[VInt32](math.MinInt32, math.MaxInt32), cmp.Compare[VInt32])
		ordered(t, near[VInt64](math.MinInt64, math.MaxInt64), cmp.Compare[VInt64])
	})
	t.Run("float", func(t *testing.T) {
		ordered(t, floats(), javaCompare)
		ordered(t, rapid.Map(floats(), func(f float64) float32 { return float32(f) }),
			func(a, b float32) int { return javaCompare(float64(a), float64(b)) })
	})
	t.Run("other", func(t *testing.T) {
		ordered(t, rapid.Bool(), func(a, b bool) int { return btoi(a) - btoi(b) })
		ordered(t, rapid.Just(Null{}), func(a, b Null) int { return 0 })
		ordered(t, rapid.Map(rapid.Uint64(), func(u uint64) (m MD5) { binary.BigEndian.PutUint64(m[u%9:], u); return m }),
			func(a, b MD5) int { return bytes.Compare(a[:], b[:]) })
		pairs := rapid.Custom(func(t *rapid.T) IntPair {
			return IntPair{near[int32](-9, 9).Draw(t, "first"), near[int32](math.MinInt32, math.MaxInt32).Draw(t, "second")}
		})
		ordered(t, pairs, func(a, b IntPair) int {
			return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.Second, b.Second))
		})
	})
}

func TestNaNsAreOne(t *testing.T) {
	x := binary.BigEndian.AppendUint64(nil, 0x7ff8000000000000)
	y := binary.BigEndian.AppendUint64(nil, 0xfff0000000000001)
	require.Zero(t, DoubleWritable.Compare(x, y))
	require.Equal(t, DoubleWritable.Hash(x), DoubleWritable.Hash(y))
	prefixLaw(t, DoubleWritable, x, y)
}

// For any bytes, the methods of a type do not panic and the prefixes are consistent with the order.
func FuzzTypesTakeAnyBytes(f *testing.F) {
	f.Add([]byte{}, []byte{0})
	f.Add([]byte{0x8f, 200}, []byte("abc"))
	f.Add([]byte{0x88}, []byte{0x80, 0xff, 1, 2, 3, 4, 5, 6, 7})
	f.Fuzz(func(t *testing.T, a, b []byte) {
		for _, typ := range append(allTypes, JSON[visit]{}.Codec().Type, Gob[visit]{}.Codec().Type,
			Proto[*structpb.Struct]{}.Codec().Type, nil) {
			if typ == nil {
				prefixLaw(t, FirstOfPair, a, b)
				continue
			}
			prefixLaw(t, typ, a, b)
			require.Equal(t, sign(typ.Compare(a, b)), -sign(typ.Compare(b, a)))
			typ.Hash(a)
			typ.AppendText(nil, a)
		}
	})
}

// decodes checks that a decoder either rejects the bytes or returns a value that survives encoding
// and decoding.
func decodes[T any](t *testing.T, b []byte) {
	codec, err := CodecOf[T]()
	require.NoError(t, err)
	v, err := codec.Decode(bytes.Clone(b))
	if err != nil {
		require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
		return
	}
	x := codec.Append(nil, v)
	require.Zero(t, codec.Type.Compare(b, x), "%x became %x", b, x)
	_, err = codec.Decode(x)
	require.NoError(t, err)
}

func FuzzDecode(f *testing.F) {
	for _, b := range [][]byte{nil, {0}, {0x85, 1, 2}, {0, 0, 0, 2, 7, 7}, {1, 'x'}, {0x8f, 200, 1},
		{0x80, 255, 255, 255, 255, 255, 255, 255, 255}} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		decodes[string](t, b)
		decodes[Text](t, b)
		decodes[[]byte](t, b)
		decodes[int](t, b)
		decodes[int64](t, b)
		decodes[int32](t, b)
		decodes[int16](t, b)
		decodes[int8](t, b)
		decodes[VInt32](t, b)
		decodes[VInt64](t, b)
		decodes[bool](t, b)
		decodes[float32](t, b)
		decodes[float64](t, b)
		decodes[Null](t, b)
		decodes[MD5](t, b)
		decodes[IntPair](t, b)
	})
}

func TestVIntLengths(t *testing.T) {
	buf := make([]byte, 16)
	for _, v := range []int{0, 1, 127, 128, 255, 256, 65535, 65536, 1<<24 - 1, 1 << 24, math.MaxInt32} {
		want := AppendVInt(nil, int32(v))
		require.Equal(t, want, buf[putVInt(buf, len(buf), v):], v)
		require.LessOrEqual(t, len(want), MaxVIntLen)
	}
	require.Len(t, AppendVLong(nil, math.MinInt64), MaxVLongLen)
	_, _, err := VInt(AppendVLong(nil, math.MaxInt32+1))
	require.True(t, failure.Is(err, failure.Corrupt))
}

func TestUnknownGoTypes(t *testing.T) {
	_, err := CodecOf[map[string]int]()
	require.True(t, failure.Is(err, failure.Config))
	require.ErrorContains(t, err, "map[string]int")
	_, err = CodecOf[any]()
	require.True(t, failure.Is(err, failure.Config))
}

func BenchmarkPrefix(b *testing.B) {
	for _, x := range []struct {
		name string
		typ  Type
		key  []byte
	}{{"text", TextWritable, appendText(nil, "understanding")}, {"short text", TextWritable, appendText(nil, "the")},
		{"long", LongWritable, appendLong(nil, 77)}} {
		b.Run(x.name, func(b *testing.B) {
			for b.Loop() {
				x.typ.Prefix(x.key)
			}
		})
	}
}

func BenchmarkHashPartition(b *testing.B) {
	key := appendText(nil, "understanding")
	p, _ := HashPartition(nil, TextWritable)
	for b.Loop() {
		p.Partition(key, nil, 7)
	}
}
