//go:build integration

package formats

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/job/failure"
)

// codecs are the codecs for which Hadoop needs no native code of its own. ZStandardCodec is missing
// because it needs libhadoop, which no published artifact contains.
var codecs = []string{"DefaultCodec", "DeflateCodec", "GzipCodec", "BZip2Codec", "SnappyCodec", "Lz4Codec"}

const codecPackage = "org.apache.hadoop.io.compress."

// contents returns random, textual, and constant byte strings, with lengths around the sizes of the
// codecs' blocks.
func contents() map[string][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 10<<20)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	var words bytes.Buffer
	for words.Len() < 1<<20 {
		fmt.Fprintf(&words, "word%.0f ", r.ExpFloat64()*300)
	}
	all := map[string][]byte{}
	for _, n := range []int{0, 1, 64<<10 - 1, 64 << 10, 64<<10 + 1, 1 << 20, 10 << 20} {
		all[fmt.Sprint("noise", n)] = noise[:n]
		if n < 10<<20 {
			all[fmt.Sprint("text", n)] = words.Bytes()[:n]
		}
		all[fmt.Sprint("constant", n)] = bytes.Repeat([]byte{'a'}, n)
	}
	return all
}

func TestCodecsBothWays(t *testing.T) {
	h := start(t)
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	all := contents()
	var s script
	for name, data := range all {
		require.NoError(t, os.WriteFile(at(name), data, 0o644))
		for _, class := range codecs {
			if len(data) == 10<<20 && class == "DeflateCodec" {
				continue // the same as DefaultCodec
			}
			c, err := codec.ByClass(codecPackage + class)
			require.NoError(t, err)
			file := at(name + "." + class)
			s.add("compress", codecPackage+class, at(name), file+".theirs")
			out, err := os.Create(file + ".ours")
			require.NoError(t, err)
			w := c.NewWriter(out)
			_, err = io.Copy(w, bytes.NewReader(data))
			require.NoError(t, err)
			require.NoError(t, w.Close())
			require.NoError(t, out.Close())
			s.add("decompress", codecPackage+class, file+".ours", file+".back")
		}
	}
	h.run(t, s)
	for name, data := range all {
		for _, class := range codecs {
			file := at(name + "." + class)
			if _, err := os.Stat(file + ".theirs"); err != nil {
				continue
			}
			c, err := codec.ByClass(class)
			require.NoError(t, err)
			in, err := os.Open(file + ".theirs")
			require.NoError(t, err)
			r, err := c.NewReader(in)
			require.NoError(t, err, "%s %s", name, class)
			got, err := io.ReadAll(r)
			require.NoError(t, err, "%s %s", name, class)
			require.True(t, bytes.Equal(data, got), "%s %s: what Hadoop wrote", name, class)
			packed, err := os.ReadFile(file + ".theirs")
			require.NoError(t, err)
			got, err = c.AppendDecodedStream(nil, packed, len(data))
			require.NoError(t, err, "%s %s", name, class)
			require.True(t, bytes.Equal(data, got), "%s %s: in memory", name, class)
			got, err = os.ReadFile(file + ".back")
			require.NoError(t, err)
			require.True(t, bytes.Equal(data, got), "%s %s: what we wrote", name, class)
			_ = in.Close()
		}
	}
}

// Hadoop and howdah treat empty files and files of several streams alike.
func TestOddFilesMeanTheSame(t *testing.T) {
	h := start(t)
	dir := t.TempDir()
	for _, class := range codecs {
		c, err := codec.ByClass(class)
		require.NoError(t, err)
		one, err := c.AppendStream(nil, []byte("one "))
		require.NoError(t, err)
		two, err := c.AppendStream(nil, []byte("two"))
		require.NoError(t, err)
		for name, b := range map[string][]byte{"empty": nil, "two streams": append(one, two...), "cut": two[:len(two)-1],
			"rubbish behind": append(two, "rubbish"...)} {
			file := filepath.Join(dir, "f")
			require.NoError(t, os.WriteFile(file, b, 0o644))
			var s script
			s.add("decompress", codecPackage+class, file, file+".out")
			theirs := h.try(t, s)[0]
			out, _ := os.ReadFile(file + ".out")
			var ours []byte
			r, err := c.NewReader(bytes.NewReader(b))
			if err == nil {
				ours, err = io.ReadAll(r)
			}
			// We reject all files that Hadoop rejects. In some formats Hadoop accepts a truncated
			// file, or rubbish after the last stream, and we reject these as well.
			if theirs != "ok" || name == "cut" || name == "rubbish behind" {
				require.ErrorIs(t, err, failure.Corrupt.Target(), "%s %s", class, name)
				continue
			}
			require.NoError(t, err, "%s %s", class, name)
			require.Equal(t, string(out), string(ours), "%s %s", class, name)
		}
	}
}
