package mapreduce

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/mapreduce/typedbytes"
)

// entry returns an entry of a MapWritable. Both key and value consist of an ID and the serialized
// Writable.
func entry(key string, id byte, value []byte) []byte {
	return append(append(append([]byte{0x8c}, appendText(nil, key)...), id), value...)
}

func mapOf(own string, entries ...[]byte) []byte {
	b := []byte{0}
	if own != "" {
		b = append([]byte{1, 1, 0, byte(len(own))}, own...)
	}
	b = append(b, 0, 0, 0, byte(len(entries)))
	for _, e := range entries {
		b = append(b, e...)
	}
	return b
}

func TestWritablesInsideOthersHaveText(t *testing.T) {
	b := mapOf("org.apache.hadoop.io.ShortWritable", entry("b", 1, []byte{1, 0}),
		entry("a", 0x87, mapOf("", entry("x", 0x89, nil))))
	require.Equal(t, "org.apache.hadoop.io.SortedMapWritable@199", string(SortedMapWritable.AppendText(nil, b)))
	require.Equal(t, "{a={x=(null)}, b=256}", string(MapWritable.AppendText(nil, b)))
	require.Equal(t, "00 00", string(MapWritable.AppendText(nil, []byte{0, 0})), "no map")

	utf := func(s string) []byte { return append([]byte{0, byte(len(s))}, s...) }
	long := "org.apache.hadoop.io.LongWritable"
	require.Equal(t, "OW[class=class "+long+",value=7]",
		string(ObjectWritable.AppendText(nil, append(append(utf(long), utf(long)...), appendLong(nil, 7)...))))
	require.Equal(t, "OW[class=class java.lang.String,value=hi]",
		string(ObjectWritable.AppendText(nil, append(utf("java.lang.String"), utf("hi")...))))
	require.Equal(t, "old", string(UTF8Writable.AppendText(nil, utf("old"))))
	require.Equal(t, "7", string(TypedBytesWritable.AppendText(nil,
		typedbytes.AppendTyped(nil, typedbytes.AppendInt(nil, 7)))))
}

// Java reads a map into a TreeMap, which sorts numbers by value.
func TestTextOfTypedMaps(t *testing.T) {
	nan, zero := math.NaN(), math.Copysign(0, -1)
	for want, keys := range map[string][]any{
		"{-1=0, 9=1, 10=2}":                       {int32(-1), int32(9), int32(10)},
		"{-128=0, 9=1, 127=2}":                    {int8(-128), int8(9), int8(127)},
		"{-10=0, -9=1, 100=2}":                    {int64(-10), int64(-9), int64(100)},
		"{-9.5=0, 9.0=1, 10.0=2}":                 {float32(-9.5), float32(9), float32(10)},
		"{-0.0=0, 0.0=1, 9.0=2, 1.0E10=3, NaN=4}": {zero, 0.0, 9.0, 1e10, nan},
		"{false=0, true=1}":                       {false, true},
		"{10=0, 9=1}":                             {"10", "9"},
		"{0a=0, 10=1}":                            {[]byte{10}, []byte{16}},
	} {
		var pairs []typedbytes.Pair
		for i, k := range keys {
			pairs = append([]typedbytes.Pair{{Key: k, Value: int32(i)}}, pairs...)
		}
		require.Equal(t, want, string(appendJava(nil, pairs)))
	}
}

func TestTypesByClass(t *testing.T) {
	for _, want := range builtinTypes {
		require.Equal(t, want, TypeOf(want.Class()))
		require.Equal(t, fmt.Sprintf("%T", want), fmt.Sprintf("%T", TypeOf(simpleName(want.Class()))))
	}
	own := TypeOf("org.example.Own")
	require.Equal(t, "org.example.Own", own.Class())
	require.Equal(t, "01 ff", string(own.AppendText(nil, []byte{1, 255})))
}

func FuzzTextOfWritables(f *testing.F) {
	f.Add(mapOf("org.apache.hadoop.io.ShortWritable", entry("b", 1, []byte{1, 0})))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, kind := range builtinTypes {
			kind.AppendText(nil, b)
			kind.Hash(b)
			if kind.Compare(b, b) != 0 {
				t.Fatalf("%s: a value differs from itself", kind.Class())
			}
		}
	})
}
