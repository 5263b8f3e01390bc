//go:build integration

package formats

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/sequencefile"
)

const io_ = "org.apache.hadoop.io."

// kinds returns the ways to compress SequenceFiles. Only Text is tested with bzip2, which is slow
// for small values.
func kinds(keys mapreduce.Type) (all [][2]string) {
	all = append(all, [2]string{"NONE", ""})
	for _, c := range codecs {
		if c == "BZip2Codec" && keys != mapreduce.TextWritable {
			continue
		}
		all = append(all, [2]string{"RECORD", codecPackage + c}, [2]string{"BLOCK", codecPackage + c})
	}
	return all
}

// values returns n values of a Go type in serialized form.
func values[T any](t *testing.T, n int, make func(i int) T) (mapreduce.Type, [][]byte) {
	c, err := mapreduce.CodecOf[T]()
	require.NoError(t, err)
	out := [][]byte{}
	for i := range n {
		out = append(out, c.Append(nil, make(i)))
	}
	return c.Type, out
}

// columns returns serialized values by type.
func columns(t *testing.T) map[mapreduce.Type][][]byte {
	r := rand.New(rand.NewPCG(7, 7))
	all := map[mapreduce.Type][][]byte{}
	add := func(kind mapreduce.Type, b [][]byte) { all[kind] = b }
	const n = 60
	long := func(int) int64 { return int64(r.Uint64() >> r.IntN(64) << r.IntN(8)) }
	add(values(t, n, func(i int) string {
		return string([]rune{rune('a' + i), 'é', '雪', 0x1F600})[:i%8] + fmt.Sprint(i)
	}))
	add(values(t, n, func(i int) []byte { return bytes.Repeat([]byte{byte(i * 7)}, i) }))
	add(values(t, n, func(i int) int32 { return int32(long(i)) }))
	add(values(t, n, long))
	add(values(t, n, func(i int) mapreduce.VInt32 { return mapreduce.VInt32(long(i)) }))
	add(values(t, n, func(i int) mapreduce.VInt64 { return mapreduce.VInt64(long(i)) }))
	add(values(t, n, func(i int) int16 { return int16(long(i)) }))
	add(values(t, n, func(i int) int8 { return int8(long(i)) }))
	add(values(t, n, func(i int) bool { return i%2 == 0 }))
	floats := []float64{0, math.Copysign(0, -1), 1, -1.5, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64,
		math.SmallestNonzeroFloat64, 1e7, 1e-3, 123456.789}
	add(values(t, n, func(i int) float64 {
		if i < len(floats) {
			return floats[i]
		}
		return math.Float64frombits(r.Uint64())
	}))
	add(values(t, n, func(i int) float32 {
		if i < len(floats) {
			return float32(floats[i])
		}
		return math.Float32frombits(r.Uint32())
	}))
	add(values(t, n, func(int) mapreduce.Null { return mapreduce.Null{} }))
	add(values(t, n, func(i int) mapreduce.MD5 { return mapreduce.MD5{byte(i), 200, byte(long(i))} }))
	add(values(t, n, func(i int) mapreduce.IntPair { return mapreduce.IntPair{First: int32(long(i)), Second: int32(i)} }))
	return all
}

// Hadoop and howdah read each other's SequenceFiles, with keys of each type in columns and the
// compressions in kinds. They compute the same hash codes and print the same text.
func TestSequenceFilesBothWays(t *testing.T) {
	h := start(t)
	dir := t.TempDir()
	at := func(form string, a ...any) string { return filepath.Join(dir, fmt.Sprintf(form, a...)) }
	all := columns(t)
	text := all[mapreduce.TextWritable]
	var s script
	for kind, keys := range all {
		name := kind.Class()
		var rs []record
		for i := range 400 {
			rs = append(rs, record{key: keys[i%len(keys)], value: text[i%len(text)]})
		}
		writeRecords(t, at("%s.records", name), name, io_+"Text", rs)
		for i, how := range kinds(kind) {
			s.add("seqwrite", how[0], how[1], at("%s.records", name), at("%s.%d.theirs", name, i), "meta", "data", "a", "b")
			write(t, at("%s.%d.ours", name, i), kind.Class(), io_+"Text", how, rs)
			s.add("seqread", at("%s.%d.ours", name, i), at("%s.%d.dump", name, i))
		}
	}
	h.run(t, s)
	for kind, keys := range all {
		name := kind.Class()
		for i, how := range kinds(kind) {
			keyClass, valueClass, dump := readDump(t, at("%s.%d.dump", name, i))
			require.Equal(t, name+io_+"Text", keyClass+valueClass)
			theirs, header := read(t, at("%s.%d.theirs", name, i))
			require.Equal(t, []sequencefile.Pair{{Key: "a", Value: "b"}, {Key: "meta", Value: "data"}}, header.Metadata)
			require.Equal(t, name, header.KeyClass)
			require.Len(t, dump, 400)
			require.Len(t, theirs, 400, "%s %v", name, how)
			for j := range dump {
				key, value := keys[j%len(keys)], text[j%len(text)]
				require.Equal(t, string(value), string(theirs[j].value), "%s %v", name, how)
				require.Equal(t, string(value), string(dump[j].value))
				if !isNaN(kind, key) { // Java writes the same bits for every NaN
					require.Equal(t, string(key), string(theirs[j].key), "%s %v", name, how)
					require.Equal(t, string(key), string(dump[j].key))
				}
				require.Equal(t, dump[j].hash, kind.Hash(key), "hash of %s %x", name, key)
				if kind == mapreduce.IntPairWritable {
					continue // Java prints the class and hash code
				}
				require.Equal(t, dump[j].keyText, string(mapreduce.JavaString(kind.AppendText(nil, key))),
					"text of %s %x", name, key)
			}
		}
	}
}

func isNaN(kind mapreduce.Type, b []byte) bool { return string(kind.AppendText(nil, b)) == "NaN" }

func write(t *testing.T, file, keyClass, valueClass string, how [2]string, rs []record) {
	t.Helper()
	c, err := sequencefile.ParseCompression(how[0])
	require.NoError(t, err)
	f, err := os.Create(file)
	require.NoError(t, err)
	w, err := sequencefile.NewWriter(f, sequencefile.Options{
		KeyClass: keyClass, ValueClass: valueClass, Compression: c, Codec: how[1],
		Metadata: []sequencefile.Pair{{Key: "meta", Value: "data"}}, BlockSize: 3000,
	})
	require.NoError(t, err)
	for _, r := range rs {
		require.NoError(t, w.Append(r.key, r.value))
	}
	require.NoError(t, w.Close())
	require.NoError(t, f.Close())
}

func read(t *testing.T, file string) (all []record, h *sequencefile.Header) {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	r, err := sequencefile.NewReader(f, sequencefile.ReadOptions{Name: file})
	require.NoError(t, err)
	for {
		k, v, err := r.Next()
		if err == io.EOF {
			return all, r.Header()
		}
		require.NoError(t, err)
		all = append(all, record{key: bytes.Clone(k), value: bytes.Clone(v)})
	}
}
