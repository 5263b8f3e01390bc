package streaming

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/mapreduce"
)

// toFile returns a pump whose command's input is the file that written reads.
func toFile(t *testing.T, e encoder) (p *pump, written func() []byte) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "stdin")
	f, err := os.Create(name)
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return &pump{side: &side{}, proc: &process{stdin: f}, encode: e}, func() []byte {
		require.NoError(t, p.send())
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		return b
	}
}

// serialized returns a key or value of n bytes of content.
func serialized(as mapreduce.Type, n int) []byte {
	content := bytes.Repeat([]byte("0123456\x80"), n/8+1)[:n]
	switch as {
	case mapreduce.TextWritable:
		return append(mapreduce.AppendVLong(nil, int64(n)), content...)
	case mapreduce.BytesWritable, mapreduce.TypedBytesWritable:
		return append(binary.BigEndian.AppendUint32(nil, uint32(n)), content...)
	}
	return content
}

func TestHugeRecordsLookLikeOthers(t *testing.T) {
	types := []mapreduce.Type{mapreduce.TextWritable, mapreduce.BytesWritable, mapreduce.TypedBytesWritable}
	sizes := [][2]int{{3, hugeRecord + 1}, {hugeRecord + 1, 0}, {hugeRecord / 2, hugeRecord/2 + 9},
		{hugeRecord + 8, 2 * hugeRecord}}
	for _, f := range formats {
		for i, as := range types {
			for _, ignoreKey := range []bool{false, true} {
				e := f.encoder(as, types[(i+1)%len(types)], "::", ignoreKey)
				p, written := toFile(t, e)
				want := []byte{}
				for _, n := range sizes {
					key, value := serialized(as, n[0]), serialized(types[(i+1)%len(types)], n[1])
					short := serialized(as, 5)
					require.NoError(t, p.write(short, short))
					require.NoError(t, p.write(key, value))
					want = e.append(e.append(want, short, short), key, value)
				}
				require.True(t, bytes.Equal(want, written()), "%s, %s, %v", f.name, as.Class(), ignoreKey)
			}
		}
	}
}

func TestHugeRecordsAreNotCopied(t *testing.T) {
	const n = 32 << 20
	text, raw := mapreduce.TextWritable, mapreduce.BytesWritable
	for _, x := range []struct {
		format     string
		key, value mapreduce.Type
	}{{"text", text, text}, {"text", raw, text}, {"keyonlytext", text, text}, {"rawbytes", raw, raw}} {
		p, written := toFile(t, formatOf(x.format).encoder(x.key, x.value, "\t", false))
		key, value := serialized(x.key, n), serialized(x.value, n)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		require.NoError(t, p.write(key, value))
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(n/4), "%+v", x)
		require.Greater(t, len(written()), n)
	}
}
