package streaming_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	dfslocal "github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/dfs/mem"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce/streaming"
	"github.com/howdah/howdah/mapreduce/typedbytes"
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

// A command can read SequenceFiles, whose types are unknown until they are opened. A mapper also
// receives the keys.
func TestSequenceFilesAreRead(t *testing.T) {
	first := newStream(t, "a\t1\nb\t2\n")
	first.run("-mapper", "cat", "-reducer", "cat", "-outputformat", "SequenceFileOutputFormat")
	require.NoError(t, first.err)
	text := first.file("seq", first.parts["part-00000"])
	typed := first.file("typed", "")
	require.NoError(t, os.Remove(typed))
	var records bytes.Buffer
	local, err := dfslocal.New(conf.New())
	require.NoError(t, err)
	require.NoError(t, streaming.DumpTypedBytes(context.Background(), local, text, &records))
	raw := records.String()
	require.NoError(t, streaming.LoadTypedBytes(context.Background(), local, typed, &records))
	for _, class := range []string{"SequenceFileInputFormat", "org.apache.hadoop.streaming.AutoInputFormat"} {
		newStream(t, "").run("-input", text, "-inputformat", class, "-mapper", "cat", "-reducer", "cat").gives("a\t1\nb\t2\n")
		s := newStream(t, "")
		s.run("-input", typed, "-inputformat", class, "-io", "typedbytes", "-mapper", "tee "+s.dir+"/seen", "-reducer",
			"NONE", "-outputformat", "SequenceFileOutputFormat")
		require.NoError(t, s.err)
		seen, err := os.ReadFile(s.dir + "/seen")
		require.NoError(t, err)
		require.Equal(t, raw, string(seen), "typed bytes are passed on as they are")
	}
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
