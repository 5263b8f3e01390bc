package codec

import (
	"bytes"
	stdgzip "compress/gzip"
	stdzlib "compress/zlib"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/howdah/howdah/job/failure"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func text(n int) []byte { return []byte(strings.Repeat("the quick brown fox ", n/20+1)[:n]) }

func compressed(t require.TestingT, c Codec, data []byte) []byte {
	var b bytes.Buffer
	w := c.NewWriter(&b)
	_, err := w.Write(data)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, w.Close(), "a second Close does nothing")
	return b.Bytes()
}

func readAll(c Codec, r io.Reader) ([]byte, error) {
	x, err := c.NewReader(r)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	return io.ReadAll(x)
}

func TestStreamsAndBlocksComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(all).Draw(t, "codec")
		data := rapid.SliceOf(rapid.Byte()).Draw(t, "data")
		data = bytes.Repeat(data, rapid.SampledFrom([]int{1, 1, 50, 3000}).Draw(t, "times"))
		stream := compressed(t, c, data)
		got, err := readAll(c, iotest.HalfReader(bytes.NewReader(stream)))
		require.NoError(t, err)
		require.True(t, bytes.Equal(data, got))

		got, err = c.AppendDecodedStream([]byte("x"), stream, len(data))
		require.NoError(t, err)
		require.True(t, bytes.Equal(append([]byte("x"), data...), got))
		if len(data) > 0 {
			_, err = c.AppendDecodedStream(nil, stream, len(data)-1)
			require.ErrorIs(t, err, failure.Corrupt.Target())
			_, err = c.AppendDecodedStream(nil, stream[:len(stream)-1], len(data))
			require.ErrorIs(t, err, failure.Corrupt.Target())
		}
		inMemory, err := c.AppendStream([]byte("x"), data)
		require.NoError(t, err)
		got, err = readAll(c, bytes.NewReader(inMemory[1:]))
		require.NoError(t, err)
		require.True(t, bytes.Equal(data, got))

		block, err := c.Append([]byte("before"), data)
		require.NoError(t, err)
		require.Equal(t, "before", string(block[:6]))
		got, err = c.AppendDecoded([]byte("x"), block[6:], len(data))
		require.NoError(t, err)
		require.True(t, bytes.Equal(append([]byte("x"), data...), got))
		_, err = c.AppendDecoded(nil, block[6:], len(data)+1)
		require.ErrorIs(t, err, failure.Corrupt.Target())
		if len(data) > 0 {
			_, err = c.AppendDecoded(nil, block[6:], len(data)-1)
			require.ErrorIs(t, err, failure.Corrupt.Target())
		}
	})
}

func TestConcatenatedStreams(t *testing.T) {
	for _, c := range all {
		both := append(compressed(t, c, text(1000)), compressed(t, c, text(70_000))...)
		got, err := readAll(c, bytes.NewReader(both))
		require.NoError(t, err)
		require.True(t, bytes.Equal(append(text(1000), text(70_000)...), got))
	}
}

func TestDamagedStreamsAreCorrupt(t *testing.T) {
	for _, c := range all {
		whole := compressed(t, c, text(200_000))
		for _, n := range []int{1, 5, len(whole) / 2, len(whole) - 1} {
			_, err := readAll(c, bytes.NewReader(whole[:n]))
			require.ErrorIs(t, err, failure.Corrupt.Target(), "%s cut to %d bytes", c.Class(), n)
		}
		for _, at := range []int{0, len(whole) / 2, len(whole) - 2} {
			if _, framed := c.(*blockCodec); framed && at > 0 {
				continue // snappy and lz4 have no checksums
			}
			bad := bytes.Clone(whole)
			bad[at] ^= 0x55
			_, err := readAll(c, bytes.NewReader(bad))
			require.ErrorIs(t, err, failure.Corrupt.Target(), "%s damaged at %d", c.Class(), at)
		}
		// The reader returns an error from the storage unchanged.
		broken := errors.New("disk on fire")
		_, err := readAll(c, io.MultiReader(bytes.NewReader(whole[:len(whole)/2]), iotest.ErrReader(broken)))
		require.ErrorIs(t, err, broken)
		require.NotErrorIs(t, err, failure.Corrupt.Target())
		// A decoder can be reused after an error.
		got, err := readAll(c, bytes.NewReader(whole))
		require.NoError(t, err)
		require.Len(t, got, 200_000)
	}
}

// The standard library and the codecs for gzip and zlib can read each other's output.
func TestFormatsAreTheCommonOnes(t *testing.T) {
	data := text(100_000)
	var gz, zl bytes.Buffer
	w := stdgzip.NewWriter(&gz)
	_, _ = w.Write(data)
	require.NoError(t, w.Close())
	z := stdzlib.NewWriter(&zl)
	_, _ = z.Write(data)
	require.NoError(t, z.Close())
	got, err := readAll(ByPath("a.gz"), &gz)
	require.NoError(t, err)
	require.Equal(t, data, got)
	got, err = readAll(ByPath("a.deflate"), &zl)
	require.NoError(t, err)
	require.Equal(t, data, got)

	r, err := stdgzip.NewReader(bytes.NewReader(compressed(t, ByPath("a.gz"), data)))
	require.NoError(t, err)
	got, err = io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, data, got)
	r2, err := stdzlib.NewReader(bytes.NewReader(compressed(t, ByPath("a.deflate"), data)))
	require.NoError(t, err)
	got, err = io.ReadAll(r2)
	require.NoError(t, err)
	require.Equal(t, data, got)
}

func TestRegistry(t *testing.T) {
	for _, c := range all {
		got, err := ByClass(c.Class())
		require.NoError(t, err)
		require.Equal(t, c, got)
		require.Equal(t, c.Extension(), ByPath("dir.x/part-r-00000"+c.Extension()).Extension())
	}
	for name, want := range map[string]string{"org.apache.hadoop.io.compress.DeflateCodec": ".deflate", "bzip2": ".bz2",
		"GZIP": ".gz"} {
		got, err := ByClass(name)
		require.NoError(t, err)
		require.Equal(t, want, got.Extension())
	}
	require.Nil(t, ByPath("part-r-00000"))
	require.Nil(t, ByPath("dir.gz/file"))
	_, err := ByClass("org.example.Zip")
	require.ErrorIs(t, err, failure.Config.Target())
	require.ErrorContains(t, err, "GzipCodec")
}

// As in Hadoop, an empty file is not a valid gzip or zlib file. The other codecs read it as an
// empty stream.
func TestFilesWithoutBytes(t *testing.T) {
	for _, c := range all {
		got, err := readAll(c, bytes.NewReader(nil))
		require.Empty(t, got)
		if _, deflate := c.(*deflateCodec); deflate {
			require.ErrorIs(t, err, failure.Corrupt.Target(), c.Class())
		} else {
			require.NoError(t, err, c.Class())
		}
	}
}

func TestManyAtATime(t *testing.T) {
	for _, c := range all {
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				data := text(10_000 * (i + 1))
				for range 5 {
					got, err := readAll(c, bytes.NewReader(compressed(t, c, data)))
					if err != nil || !bytes.Equal(got, data) {
						t.Error(c.Class(), "stream", err)
					}
					b, err := c.Append(nil, data)
					if err == nil {
						got, err = c.AppendDecoded(nil, b, len(data))
					}
					if err != nil || !bytes.Equal(got, data) {
						t.Error(c.Class(), "block", err)
					}
				}
			})
		}
		wg.Wait()
	}
}

func FuzzAppendDecoded(f *testing.F) {
	for i, c := range all {
		b, _ := c.Append(nil, text(300))
		f.Add(b, uint16(300), uint8(i))
	}
	f.Fuzz(func(t *testing.T, b []byte, size uint16, which uint8) {
		got, err := all[int(which)%len(all)].AppendDecoded(nil, b, int(size))
		if err == nil && len(got) != int(size) {
			t.Fatalf("%d bytes instead of %d", len(got), size)
		}
	})
}

func FuzzReader(f *testing.F) {
	for i, c := range all {
		f.Add(compressed(f, c, text(300)), uint8(i))
	}
	f.Fuzz(func(t *testing.T, b []byte, which uint8) {
		c := all[int(which)%len(all)]
		r, err := c.NewReader(bytes.NewReader(b))
		if err != nil {
			return
		}
		defer r.Close()
		_, _ = io.CopyN(io.Discard, r, 1<<20)
	})
}

func BenchmarkBlocks(b *testing.B) {
	data := text(128 << 10)
	for _, c := range all {
		b.Run(c.Class()[strings.LastIndexByte(c.Class(), '.')+1:], func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			var packed, plain []byte
			for b.Loop() {
				packed, _ = c.Append(packed[:0], data)
				plain, _ = c.AppendDecoded(plain[:0], packed, len(data))
			}
		})
	}
}

func BenchmarkStreamsInMemory(b *testing.B) {
	data := text(300)
	for _, c := range all {
		b.Run(c.Extension()[1:], func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			var packed, plain []byte
			for b.Loop() {
				packed, _ = c.AppendStream(packed[:0], data)
				plain, _ = c.AppendDecodedStream(plain[:0], packed, len(data))
			}
		})
	}
}
