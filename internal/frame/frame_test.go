package frame

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/howdah/howdah/job/failure"
)

func message(status string) *structpb.Value {
	return structpb.NewStringValue(status)
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
		var m structpb.Value
		require.NoError(t, r.Read(&m))
		require.Equal(t, s, m.GetStringValue())
	}
	require.Equal(t, io.EOF, r.Read(&structpb.Value{}))
}

func TestEveryCutIsNoticed(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, NewWriter(&b).Write(message("hello")))
	for n := 1; n < b.Len(); n++ {
		r := NewReader(bytes.NewReader(b.Bytes()[:n]))
		r.buf = make([]byte, n%2*100) // with and without a large enough buffer
		require.Equal(t, io.ErrUnexpectedEOF, r.Read(&structpb.Value{}), n)
	}
}

func TestLimits(t *testing.T) {
	r := NewReader(strings.NewReader("\xff\xff\xff\xff"))
	require.True(t, failure.Is(r.Read(&structpb.Value{}), failure.Corrupt))
	r = NewReader(strings.NewReader("\x00\x00\x00\x01\xff"))
	require.True(t, failure.Is(r.Read(&structpb.Value{}), failure.Corrupt))

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
		for r.Read(&structpb.Value{}) == nil {
		}
	})
}
