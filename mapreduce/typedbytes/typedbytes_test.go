package typedbytes

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/vint"
	"github.com/howdah/howdah/job/failure"
)

// sample returns an encoded value of each type and the corresponding Go values.
func sample() ([][]byte, []any) {
	nested := AppendVector(nil, 2)
	nested = AppendInt(nested, 7)
	nested = AppendString(AppendBool(AppendMap(nested, 1), true), "x")
	list := append(AppendDouble(AppendByte([]byte{List}, -3), 2.5), Marker)
	return [][]byte{
			AppendBytes(nil, []byte{1, 2}), AppendByte(nil, -1), AppendBool(nil, true), AppendInt(nil, math.MinInt32),
			AppendLong(nil, math.MaxInt64),
			AppendFloat(nil, 1.5), AppendDouble(nil, -0.25), AppendString(nil, "hé"), nested, list,
			AppendRaw(nil, 100, []byte("own")), {List, Marker},
		}, []any{
			[]byte{1, 2}, int8(-1), true, int32(math.MinInt32), int64(math.MaxInt64),
			float32(1.5), -0.25, "hé", []any{int32(7), []Pair{{true, "x"}}}, []any{int8(-3), 2.5}, []byte("own"), []any{},
		}
}

func TestValuesComeBack(t *testing.T) {
	raw, want := sample()
	stream := bytes.Join(raw, nil)
	r := NewReader(bufio.NewReader(iotest.HalfReader(bytes.NewReader(stream))), 1000)
	for i := range raw {
		b, err := r.Append([]byte("before"))
		require.NoError(t, err)
		require.Equal(t, "before"+string(raw[i]), string(b))
		v, n, err := Decode(append(b[6:], "after"...))
		require.NoError(t, err)
		require.Equal(t, len(raw[i]), n)
		require.Equal(t, want[i], v)
	}
	_, err := r.Append(nil)
	require.Equal(t, io.EOF, err)
}

func TestDamageIsTold(t *testing.T) {
	raw, _ := sample()
	for _, v := range raw {
		for n := 1; n < len(v); n++ {
			_, err := NewReader(bytes.NewReader(v[:n]), 1000).Append(nil)
			require.ErrorIs(t, err, failure.Corrupt.Target(), "%x cut to %d", v, n)
			_, _, err = Decode(v[:n])
			require.ErrorIs(t, err, failure.Corrupt.Target(), "%x cut to %d", v, n)
		}
	}
	deep := bytes.Repeat([]byte{List}, 1000)
	for _, bad := range [][]byte{{11}, {201}, {Marker}, {Bytes, 0xff, 0, 0, 0}, {Vector, 0x80, 0, 0, 0}, deep} {
		_, err := NewReader(bytes.NewReader(bad), 1<<20).Append(nil)
		require.ErrorIs(t, err, failure.Corrupt.Target(), "%x", bad)
		_, _, err = Decode(bad)
		require.ErrorIs(t, err, failure.Corrupt.Target(), "%x", bad)
	}
	_, err := NewReader(bytes.NewReader(AppendBytes(nil, make([]byte, 100))), 50).Append(nil)
	require.ErrorIs(t, err, failure.RecordTooLarge.Target())
	broken := errors.New("pipe on fire")
	_, err = NewReader(iotest.ErrReader(broken), 50).Append(nil)
	require.ErrorIs(t, err, broken)
	require.NotErrorIs(t, err, failure.Corrupt.Target())
}

func TestWritablesBecomeTypedBytes(t *testing.T) {
	for _, c := range []struct {
		class    string
		in, want []byte
	}{
		{"org.apache.hadoop.io.Text", append([]byte{3}, "abc"...), AppendString(nil, "abc")},
		{"org.apache.hadoop.io.Text", nil, AppendString(nil, "")},
		{"org.apache.hadoop.io.BytesWritable", append([]byte{0, 0, 0, 1}, 'x'), AppendBytes(nil, []byte("x"))},
		{"org.apache.hadoop.io.IntWritable", []byte{0, 0, 0, 5}, AppendInt(nil, 5)},
		{"org.apache.hadoop.io.IntWritable", []byte{1}, AppendInt(nil, 1<<24)},
		{"org.apache.hadoop.io.LongWritable", []byte{0, 0, 0, 0, 0, 0, 0, 5}, AppendLong(nil, 5)},
		{"org.apache.hadoop.io.VIntWritable", vint.Append(nil, -5000), AppendInt(nil, -5000)},
		{"org.apache.hadoop.io.VLongWritable", vint.Append(nil, 1<<40), AppendLong(nil, 1<<40)},
		{"org.apache.hadoop.io.BooleanWritable", []byte{1}, AppendBool(nil, true)},
		{"org.apache.hadoop.io.ByteWritable", []byte{200}, AppendByte(nil, -56)},
		{"org.apache.hadoop.io.NullWritable", nil, AppendWritable(nil, "org.apache.hadoop.io.NullWritable", nil)},
		{"org.example.Own", []byte("zz"), AppendWritable(nil, "org.example.Own", []byte("zz"))},
		{Class, AppendTyped(nil, AppendInt(nil, 1)), AppendInt(nil, 1)},
	} {
		require.Equal(t, c.want, FromWritable(c.class)(nil, c.in), c.class)
	}
}

func FuzzReaderAndDecodeAgree(f *testing.F) {
	raw, _ := sample()
	for _, v := range raw {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := NewReader(bytes.NewReader(b), 1<<16).Append(nil)
		_, n, err2 := Decode(b)
		if len(b) < 1<<16 && (err == nil) != (err2 == nil) {
			t.Fatalf("reader: %v, decoder: %v", err, err2)
		}
		if err == nil && err2 == nil && (n != len(got) || !bytes.Equal(b[:n], got)) {
			t.Fatalf("reader took %d bytes, decoder %d", len(got), n)
		}
	})
}

func BenchmarkReader(b *testing.B) {
	one := AppendInt(AppendString(nil, "the quick brown fox"), 1)
	stream := bytes.Repeat(one, 10_000)
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	src := bytes.NewReader(stream)
	buf := bufio.NewReaderSize(src, 64<<10)
	var v []byte
	for b.Loop() {
		src.Reset(stream)
		buf.Reset(src)
		r := NewReader(buf, 1<<20)
		for {
			var err error
			if v, err = r.Append(v[:0]); err != nil {
				break
			}
		}
	}
}
