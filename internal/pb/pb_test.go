package pb

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFields(t *testing.T) {
	m := Message(nil).Uint(1, 300).Int(2, -5).Sint(3, -6).Bool(4, true).
		Fixed32(5, 0xfffffffe).Fixed64(6, 1<<60).
		Bytes(7, []byte{1, 2}).String(8, "text").Uint(99, 1)
	var got []any
	r := Read(m)
	for r.Next() {
		switch r.Num {
		case 1:
			got = append(got, r.Uint())
		case 2:
			got = append(got, r.Int())
		case 3:
			got = append(got, r.Sint())
		case 4:
			got = append(got, r.Bool())
		case 5:
			got = append(got, r.Int32())
		case 6:
			got = append(got, r.Int())
		case 7:
			got = append(got, r.Bytes())
		case 8:
			got = append(got, r.String())
		}
	}
	require.NoError(t, r.Err)
	require.Equal(t, []any{uint64(300), int64(-5), int64(-6), true, int32(-2), int64(1 << 60), []byte{1, 2}, "text"}, got)
}

func TestDelimited(t *testing.T) {
	b := Delimited(Delimited(nil, Message("one")), Message("two"))
	v, rest, ok := CutDelimited(b)
	require.True(t, ok)
	require.Equal(t, "one", string(v))
	v, rest, ok = CutDelimited(rest)
	require.True(t, ok)
	require.Equal(t, "two", string(v))
	require.Empty(t, rest)
	_, _, ok = CutDelimited([]byte{9, 1})
	require.False(t, ok)
}

func TestDamage(t *testing.T) {
	for _, b := range []string{"\x08", "\x0a\x05abc", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "\x0d\x01", "\x07"} {
		r := Read([]byte(b))
		for r.Next() {
		}
		require.Error(t, r.Err, "%q", b)
	}
}

func TestReadingAllocatesNothing(t *testing.T) {
	m := Message(nil).Uint(1, 300).Bytes(7, []byte{1, 2})
	require.Zero(t, testing.AllocsPerRun(100, func() {
		r := Read(m)
		for r.Next() {
			_ = r.Bytes()
		}
	}))
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(Message(nil).Uint(1, 300).String(8, "text").Fixed32(5, 1)))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := Read(b)
		for n := 0; r.Next(); n++ {
			if n > len(b) {
				t.Fatal("more fields than bytes")
			}
		}
	})
}
