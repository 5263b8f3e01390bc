// Package ranges is an input without files: each split is a range of numbers, which the mapper gets one by one.
package ranges

import (
	"context"
	"encoding/binary"
	"io"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// Range is the numbers from First on.
type Range struct{ First, Count int64 }

// Input makes one split of each range that Cut gives. Keys are LongWritable, values NullWritable.
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
