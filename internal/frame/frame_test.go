package frame

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/wire/umbilical"
	"github.com/howdah/howdah/job/failure"
)

func message(status string) *umbilical.FromChild {
	return &umbilical.FromChild{Progress: &umbilical.Progress{Status: status, Progress: 7}}
}

func TestRoundTrip(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	texts := []string{"first", strings.Repeat("long ", 1000), "", "last"}
	for _, s := range texts {
		require.NoError(t, w.Write(message(s)))
	}
	r := NewReader(iotest.OneByteReader(&b))
	for _, s := range texts {
		var m umbilical.FromChild
		require.NoError(t, r.Read(&m))
		require.Equal(t, s, m.GetProgress().GetStatus())
	}
	require.Equal(t, io.EOF, r.Read(&umbilical.FromChild{}))
}

func TestEveryCutIsNoticed(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, NewWriter(&b).Write(message("hello")))
	for n := 1; n < b.Len(); n++ {
		r := NewReader(bytes.NewReader(b.Bytes()[:n]))
		r.buf = make([]byte, n%2*100) // both with and without a buffer that is large enough
		require.Equal(t, io.ErrUnexpectedEOF, r.Read(&umbilical.FromChild{}), n)
	}
}

func TestLimits(t *testing.T) {
	r := NewReader(strings.NewReader("\xff\xff\xff\xff"))
	require.True(t, failure.Is(r.Read(&umbilical.FromChild{}), failure.Corrupt))
	r = NewReader(strings.NewReader("\x00\x00\x00\x01\xff"))
	require.True(t, failure.Is(r.Read(&umbilical.FromChild{}), failure.Corrupt))

	var b bytes.Buffer
	err := NewWriter(&b).Write(message(strings.Repeat("x", MaxSize)))
	require.True(t, failure.Is(err, failure.Limit), err)
	require.Zero(t, b.Len())
}

func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	_ = NewWriter(&b).Write(message("seed"))
	f.Add(b.Bytes())
	f.Add([]byte{0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, in []byte) {
		r := NewReader(bytes.NewReader(in))
		for r.Read(&umbilical.FromChild{}) == nil {
		}
	})
}
