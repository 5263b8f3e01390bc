package streaming_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/mem"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce/typedbytes"
	"github.com/howdah/howdah/streaming"
)

func TestTypedBytesComeBackFromFiles(t *testing.T) {
	ctx, fs := context.Background(), mem.New()
	in := typedbytes.AppendString(nil, "key")
	in = typedbytes.AppendInt(in, 7)
	in = typedbytes.AppendBytes(in, []byte{1, 2})
	in = typedbytes.AppendVector(in, 1)
	in = typedbytes.AppendDouble(in, 1.5)
	require.NoError(t, streaming.LoadTypedBytes(ctx, fs, "/d/f", bytes.NewReader(in)))
	var out bytes.Buffer
	require.NoError(t, streaming.DumpTypedBytes(ctx, fs, "/d/*", &out))
	require.Equal(t, in, out.Bytes())
	out.Reset()
	require.NoError(t, streaming.DumpTypedBytes(ctx, fs, "/d", &out))
	require.Equal(t, in, out.Bytes(), "a directory is dumped by its files")

	require.True(t, failure.Is(streaming.LoadTypedBytes(ctx, fs, "/d/f", bytes.NewReader(in)), failure.Exists))
	require.Error(t, streaming.LoadTypedBytes(ctx, fs, "/d/half", bytes.NewReader(in[:len(in)-1])))
	_, err := fs.Stat(ctx, "/d/half")
	require.True(t, failure.Is(err, failure.NotFound), "nothing is half-published")
	require.True(t, failure.Is(streaming.DumpTypedBytes(ctx, fs, "/none*", io.Discard), failure.NotFound))
}

func TestTextIsDumpedAsOffsetsAndLines(t *testing.T) {
	ctx, fs := context.Background(), mem.New()
	w, err := fs.Create(ctx, "/text", dfs.CreateOptions{})
	require.NoError(t, err)
	_, err = io.Copy(w, strings.NewReader("one\r\ntwo"))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	var out bytes.Buffer
	require.NoError(t, streaming.DumpTypedBytes(ctx, fs, "/text", &out))
	want := typedbytes.AppendString(typedbytes.AppendLong(nil, 0), "one")
	want = typedbytes.AppendString(typedbytes.AppendLong(want, 5), "two")
	require.Equal(t, want, out.Bytes())
}
