package codec

import (
	"bytes"
	stdbzip2 "compress/bzip2"
	"io"
	"testing"
)

func BenchmarkBzip2(b *testing.B) {
	data := words(2<<20, 7)
	packed, _ := bzip2Codec{}.AppendStream(nil, data)
	run := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
	var out []byte
	run("read", func() { out, _ = bzip2Codec{}.AppendDecodedStream(out[:0], packed, len(data)) })
	run("read-std", func() { _, _ = io.Copy(io.Discard, stdbzip2.NewReader(bytes.NewReader(packed))) })
	run("write", func() { out, _ = bzip2Codec{}.AppendStream(out[:0], data) })
}
