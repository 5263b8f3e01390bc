// Package ranges provides an Input without files. Each split is a Range of numbers, which the
// mapper receives one by one.
package ranges

import (
	"context"
	"encoding/binary"
	"io"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// Range is a sequence of Count numbers that starts with First.
type Range struct{ First, Count int64 }

// Each returns one range for each map. Each range consists of a single number, which is 0 for the
// first map, 1 for the second, and so on.
func Each(maps int64) []Range { return Evenly(maps, maps) }

// Evenly returns one range for each map. Together, the ranges cover the numbers from 0 to total-1.
// The sizes of the ranges differ by at most one.
func Evenly(total, maps int64) []Range {
	out := make([]Range, maps)
	for i := range maps {
		first, end := total/maps*i+total%maps*i/maps, total/maps*(i+1)+total%maps*(i+1)/maps
		out[i] = Range{First: first, Count: end - first}
	}
	return out
}

// Input creates one split for each range that Cut returns. Keys are LongWritable, and values are
// NullWritable.
type Input struct {
	Cut func(c *conf.Config) ([]Range, error)
}

// Types implements mapreduce.InputFormat.
func (Input) Types(*conf.Config) (key, value mapreduce.Type) {
	return mapreduce.LongWritable, mapreduce.NullWritable
}

// Splits implements mapreduce.InputFormat.
func (in Input) Splits(_ context.Context, env *mapreduce.Env) ([]mapreduce.Split, error) {
	all, err := in.Cut(env.Conf)
	if err != nil {
		return nil, err
	}
	splits := make([]mapreduce.Split, len(all))
	for i, r := range all {
		extra := binary.BigEndian.AppendUint64(nil, uint64(r.First))
		splits[i].Extra = binary.BigEndian.AppendUint64(extra, uint64(r.Count))
	}
	return splits, nil
}

// Open implements mapreduce.InputFormat.
func (Input) Open(_ *mapreduce.Context, s *mapreduce.Split) (mapreduce.RecordReader, error) {
	if len(s.Extra) != 16 {
		return nil, failure.New(failure.Corrupt, "open split", s.String(), nil)
	}
	return &reader{Range: Range{int64(binary.BigEndian.Uint64(s.Extra)), int64(binary.BigEndian.Uint64(s.Extra[8:]))}}, nil
}

type reader struct {
	Range
	done int64
	key  [8]byte
}

func (r *reader) Next() (key, value []byte, err error) {
	if r.done >= r.Count {
		return nil, nil, io.EOF
	}
	binary.BigEndian.PutUint64(r.key[:], uint64(r.First+r.done))
	r.done++
	return r.key[:], nil, nil
}

func (r *reader) Progress() float32 { return float32(r.done) / float32(max(r.Count, 1)) }
func (r *reader) Close() error      { return nil }
