package mapreduce

import (
	"fmt"
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
