package sortio

import (
	"context"
	"fmt"
	"iter"
	"math/rand"
	"os"
	"sync"
	"testing"

	"github.com/howdah/howdah/mapreduce"
)

// zipfWords returns words as consecutive Text keys, each a length byte and the word. The words have
// 2 to 10 letters and are Zipf-distributed over a vocabulary of 200,000. The argument bytes is the
// size of a text of these words with a space after each word.
func zipfWords(bytes int) []byte {
	r := rand.New(rand.NewSource(7))
	words := make([][]byte, 200_000)
	for i := range words {
		b := make([]byte, 3+r.Intn(9))
		b[0] = byte(len(b) - 1)
		for j := range b[1:] {
			b[j+1] = byte('a' + r.Intn(26))
		}
		words[i] = b
	}
	z := rand.NewZipf(r, 1.1, 2.7, uint64(len(words)-1))
	out := make([]byte, 0, bytes+16)
	for len(out) < bytes {
		out = append(out, words[z.Uint64()]...)
	}
	return out
}

var benchWords = sync.OnceValue(func() []byte { return zipfWords(100 << 20) })

// eachWord calls f with each key from zipfWords.
func eachWord(words []byte, f func(key []byte)) (n int) {
	for len(words) > 0 {
		k := int(words[0]) + 1
		f(words[:k:k])
		words = words[k:]
		n++
	}
	return n
}

type benchConfig struct {
	cmp     mapreduce.Comparator
	combine Combiner
	inPlace func(acc, value []byte) bool
	of      mapreduce.Aggregation
	parts   int
	buffer  int64
}

func (bc benchConfig) collector(b testing.TB, dir string) *Collector {
	c, err := NewCollector(Config{Dir: dir, Partitions: bc.parts, Cmp: bc.cmp, Combine: bc.combine,
		CombineInPlace: bc.inPlace, Aggregation: bc.of, Buffer: bc.buffer})
	if err != nil {
		b.Fatal(err)
	}
	return c
}

func benchCollect(b *testing.B, bytes int, bc benchConfig, feed func(c *Collector) int) {
	dir := b.TempDir()
	records := 0
	b.SetBytes(int64(bytes))
	b.ReportAllocs()
	for b.Loop() {
		c := bc.collector(b, dir)
		records += feed(c)
		out, err := c.Close(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(out.Index.Part())/1e6, "outMB")
		os.Remove(out.Path)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(records), "ns/record")
}

// sumCombiner is wordcount's combiner, driven in the same way as in package task.
func sumCombiner() Combiner {
	r := mapreduce.Sum[int]().New()
	return func(key []byte, values iter.Seq[[]byte], out mapreduce.Emitter) error {
		return r.Reduce(nil, key, values, out)
	}
}

var one = []byte{0, 0, 0, 0, 0, 0, 0, 1}

func benchZipf(b *testing.B, bc benchConfig) {
	words := benchWords()
	benchCollect(b, len(words), bc, func(c *Collector) int {
		return eachWord(words, func(key []byte) {
			if err := c.Collect(int(mapreduce.TextWritable.Hash(key)&0x7fffffff)%bc.parts, key, one); err != nil {
				b.Fatal(err)
			}
		})
	})
}

func BenchmarkWordsCombined(b *testing.B) {
	benchZipf(b, benchConfig{cmp: mapreduce.TextWritable, combine: sumCombiner(), parts: 2, buffer: 100 << 20})
}

func BenchmarkWordsInPlace(b *testing.B) {
	add := mapreduce.Sum[int]().New().(mapreduce.InPlaceCombiner).CombineInPlace
	benchZipf(b, benchConfig{cmp: mapreduce.TextWritable, combine: sumCombiner(), inPlace: add, parts: 2,
		buffer: 100 << 20})
}

// BenchmarkWordsAggregated measures the aggregations that the collector computes itself.
func BenchmarkWordsAggregated(b *testing.B) {
	for name, class := range map[string]mapreduce.ReducerClass{"sum": mapreduce.Sum[int64](),
		"min": mapreduce.Min[int64](), "max": mapreduce.Max[int64](), "max of floats": mapreduce.Max[float64]()} {
		b.Run(name, func(b *testing.B) {
			benchZipf(b, benchConfig{cmp: mapreduce.TextWritable, combine: sumCombiner(),
				of: class.New().(mapreduce.Aggregator).Aggregation(), parts: 2, buffer: 100 << 20})
		})
	}
}

func BenchmarkWords(b *testing.B) {
	benchZipf(b, benchConfig{cmp: mapreduce.TextWritable, parts: 2, buffer: 100 << 20})
}

// BenchmarkLongPrefix collects keys with a long common prefix, such as web addresses.
func BenchmarkLongPrefix(b *testing.B) {
	const n = 1_000_000
	r := rand.New(rand.NewSource(7))
	keys := make([][]byte, n)
	for i := range keys {
		k := fmt.Appendf(nil, " http://www.example.org/%d/%d", r.Intn(50), r.Intn(n))
		k[0] = byte(len(k) - 1)
		keys[i] = k
	}
	benchCollect(b, n*len(keys[0]), benchConfig{cmp: mapreduce.TextWritable, parts: 1, buffer: 200 << 20},
		func(c *Collector) int {
			for _, k := range keys {
				if err := c.Collect(0, k, one); err != nil {
					b.Fatal(err)
				}
			}
			return n
		})
}

// BenchmarkTera collects records with 10-byte keys and 90-byte values.
func BenchmarkTera(b *testing.B) {
	const rows = 1_000_000
	r := rand.New(rand.NewSource(7))
	data := make([]byte, rows*100)
	r.Read(data)
	benchCollect(b, len(data), benchConfig{cmp: bytesOrder{}, parts: 2, buffer: 100 << 20}, func(c *Collector) int {
		for i := 0; i < len(data); i += 100 {
			if err := c.Collect(int(data[i]>>7), data[i:i+10], data[i+10:i+100]); err != nil {
				b.Fatal(err)
			}
		}
		return rows
	})
}

// BenchmarkTiny collects one record with the default buffer, to measure the minimum cost of a task.
func BenchmarkTiny(b *testing.B) {
	benchCollect(b, 10, benchConfig{cmp: mapreduce.TextWritable, combine: sumCombiner(), parts: 1, buffer: 100 << 20},
		func(c *Collector) int {
			if err := c.Collect(0, []byte("\x04word"), one); err != nil {
				b.Fatal(err)
			}
			return 1
		})
}
