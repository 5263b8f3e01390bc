package avro

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

func long(dst []byte, v int64) []byte {
	return binary.AppendUvarint(dst, uint64(v<<1^v>>63))
}

func str[S string | []byte](dst []byte, s S) []byte {
	return append(long(dst, int64(len(s))), s...)
}

const syncBytes = "0123456789abcdef"

// file returns an uncompressed Avro file with one block per list of values.
func file(schema string, blocks ...[][]byte) []byte {
	b := long([]byte(magic), 1)
	b = str(str(b, "avro.schema"), schema)
	b = append(long(b, 0), syncBytes...)
	for _, values := range blocks {
		b = long(b, int64(len(values)))
		b = str(b, bytes.Join(values, nil))
		b = append(b, syncBytes...)
	}
	return b
}

func lines(b []byte, style Style) (out []string, err error) {
	r, err := NewReader(iotest.HalfReader(bytes.NewReader(b)), "f.avro", style)
	if err != nil {
		return nil, err
	}
	for {
		v, err := r.Next()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out = append(out, string(v))
	}
}

const everything = `{"type":"record","name":"R","namespace":"n.s","fields":[
 {"name":"i","type":"int"},{"name":"l","type":"long"},{"name":"f","type":"float"},{"name":"d","type":{"type":"double"}},
 {"name":"s","type":"string"},{"name":"b","type":"bytes"},{"name":"x","type":{"type":"fixed","name":"F","size":2}},
 {"name":"e","type":{"type":"enum","name":"E","symbols":["A","B"]}},{"name":"t","type":"boolean"},{"name":"n",` +
	`"type":"null"},
 {"name":"a","type":{"type":"array","items":"int"}},{"name":"m","type":{"type":"map","values":"long"}},
 {"name":"u","type":["null","string","E"]},{"name":"next","type":["null","R"]}]}`

func value(next bool) []byte {
	b := long(long(nil, -1), math.MaxInt64)
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(1.5))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(math.Inf(-1)))
	b = str(str(b, "q\"\n\u20ac"), []byte{0, 0xe9})
	b = append(b, 1, 0xff)
	b = long(b, 1)
	b = append(b, 1)
	b = long(long(long(b, 2), 7), 8)
	b = long(b, 0)
	b = long(long(b, -1), 3) // a block of items preceded by its size in bytes
	b = long(str(b, "k"), 9)
	b = long(b, 0)
	if next {
		b = str(long(b, 1), "z")
		return append(long(b, 1), value(false)...)
	}
	return long(long(long(b, 2), 0), 0)
}

func TestEveryType(t *testing.T) {
	got, err := lines(file(everything, [][]byte{value(true)}), JSON)
	require.NoError(t, err)
	inner := `{"i":-1,"l":9223372036854775807,"f":1.5,"d":"-Infinity","s":"q\"\n€","b":"\u0000é","x":"` + "\u0001ÿ" +
		`","e":"B","t":true,"n":null,"a":[7,8],"m":{"k":9},"u":%s,"next":%s}`
	inner = strings.ReplaceAll(inner, "\u0001", `\u0001`)
	require.Equal(t, fmt.Sprintf(inner, `{"string":"z"}`, `{"n.s.R":`+fmt.Sprintf(inner, `{"n.s.E":"A"}`, "null")+"}"),
		got[0])

	got, err = lines(file(everything, [][]byte{value(false)}), Plain)
	require.NoError(t, err)
	require.Equal(t, `{"i": -1, "l": 9223372036854775807, "f": 1.5, "d": "-Infinity", "s": "q\"\n\u20AC", "b": `+
		`"\u0000é", "x": [1, -1], "e": "B", "t": true, "n": null, "a": [7, 8], "m": {"k": 9}, "u": "A", "next": null}`,
		got[0])
}

func TestPartsAreTheWhole(t *testing.T) {
	var blocks [][][]byte
	var want []string
	for i := range 30 {
		var values [][]byte
		for j := range i % 4 {
			values = append(values, long(nil, int64(100*i+j)))
			want = append(want, fmt.Sprint(100*i+j))
		}
		blocks = append(blocks, values)
	}
	b := file(`"long"`, blocks...)
	for step := 1; step < len(b); step += 7 {
		var got []string
		for from := 0; from < len(b); from += step {
			r, err := NewReader(bytes.NewReader(b), "f", JSON)
			require.NoError(t, err)
			require.NoError(t, r.Part(int64(from), int64(min(from+step, len(b)))))
			for {
				v, err := r.Next()
				if err == io.EOF {
					break
				}
				require.NoError(t, err)
				got = append(got, string(v))
			}
		}
		require.Equal(t, want, got, "parts of %d bytes", step)
	}
}

func TestDamageIsToldWithItsPosition(t *testing.T) {
	whole := file(everything, [][]byte{value(true), value(false)}, [][]byte{value(true)})
	for n := range len(whole) {
		if got, err := lines(whole[:n], JSON); err == nil {
			require.Less(t, len(got), 3)
		} else {
			require.ErrorIs(t, err, failure.Corrupt.Target(), "cut to %d", n)
			require.ErrorContains(t, err, "f.avro at byte ")
		}
		bad := bytes.Clone(whole)
		bad[n] ^= 0xff
		_, _ = lines(bad, JSON)
	}
	_, err := NewReader(strings.NewReader("Obj\x01\x02\x14avro.codec\x04xz\x00"+syncBytes), "f", JSON)
	require.Error(t, err)
}

func FuzzReader(f *testing.F) {
	f.Add(file(everything, [][]byte{value(true), value(false)}))
	f.Add(file(`{"type":"array","items":"null"}`, [][]byte{{200, 1, 0}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := NewReader(bytes.NewReader(b), "f", Plain)
		for i := 0; err == nil && i < 1000; i++ {
			_, err = r.Next()
		}
	})
}
