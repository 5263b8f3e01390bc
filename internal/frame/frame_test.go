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
	require.True(t, failure.Is(r.Read(&structpb.Value{}), failure.Limit))
	r = NewReader(strings.NewReader("\x00\x00\x00\x01\xff"))
	require.True(t, failure.Is(r.Read(&structpb.Value{}), failure.Corrupt))

	var b bytes.Buffer
	err := NewWriter(&b).Write(message(strings.Repeat("x", MaxSize)))
	require.True(t, failure.Is(err, failure.Limit), err)
	require.Zero(t, b.Len())
}

func TestLimitsOfAReader(t *testing.T) {
	read := func(m *structpb.ListValue, size, parts int) error {
		var b bytes.Buffer
		require.NoError(t, NewWriter(&b).Write(m))
		return NewLimited(&b, size, parts).Read(&structpb.ListValue{})
	}
	text := &structpb.ListValue{Values: []*structpb.Value{message(strings.Repeat("x", 990))}}
	require.NoError(t, read(text, 1000, 2))
	require.True(t, failure.Is(read(text, 900, 2), failure.Limit))

	// Each value occupies two bytes of the message and at least forty when decoded.
	many := &structpb.ListValue{Values: make([]*structpb.Value, 500)}
	for i := range many.Values {
		many.Values[i] = &structpb.Value{}
	}
	require.NoError(t, read(many, 1000, 500))
	require.True(t, failure.Is(read(many, 1000, 499), failure.Limit))
}

// TestNext checks that a caller can learn the size of a message before the message arrives.
func TestNext(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, NewWriter(&b).Write(message("hello")))
	r := NewReader(&b)
	for range 2 {
		n, err := r.Next()
		require.NoError(t, err)
		require.Equal(t, 7, n)
	}
	var m structpb.Value
	require.NoError(t, r.Read(&m))
	require.Equal(t, "hello", m.GetStringValue())
	_, err := r.Next()
	require.Equal(t, io.EOF, err)
}

// TestLargeBuffersAreNotKept checks that a Reader that waits holds little memory.
func TestLargeBuffersAreNotKept(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	require.NoError(t, w.Write(message("small")))
	require.NoError(t, w.Write(message(strings.Repeat("x", 1<<20))))
	r := NewReader(&b)
	require.NoError(t, r.Read(&structpb.Value{}))
	require.NotNil(t, r.buf)
	require.NoError(t, r.Read(&structpb.Value{}))
	require.Nil(t, r.buf)
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
