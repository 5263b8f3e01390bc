package mapreduce

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/job/failure"
)

// KeyRecordLength is the number of bytes of each of FixedLengthInput's records; there is no default.
const KeyRecordLength = "fixedlengthinputformat.record.length"

// FixedLengthInput reads records of so many bytes: the key is the record's offset in its file (LongWritable), the value its
// bytes (BytesWritable). It is Hadoop's FixedLengthInputFormat; a file that ends inside a record is kind Corrupt.
type FixedLengthInput struct{}

// Types gives LongWritable and BytesWritable.
func (FixedLengthInput) Types(*conf.Config) (key, value Type) { return LongWritable, BytesWritable }

func recordLength(c *conf.Config) (int64, error) {
	n, err := c.Int(KeyRecordLength, 0, 1, math.MaxInt32)
	if err == nil && n == 0 {
		err = failure.New(failure.Config, "find the input", "", fmt.Errorf("%s is not set", KeyRecordLength)).Fix("set it to the bytes of a record")
	}
	return n, err
}

// Splits cuts the files; readers look for whole records.
func (FixedLengthInput) Splits(ctx context.Context, env *Env) ([]Split, error) {
	if _, err := recordLength(env.Conf); err != nil {
		return nil, err
	}
	return fileSplits(ctx, env, func(name string) bool { return codec.ByPath(name) == nil })
}

// Open reads the records of a split.
func (FixedLengthInput) Open(c *Context, s *Split) (RecordReader, error) {
	n, err := recordLength(c.Conf)
	if err != nil {
		return nil, err
	}
	limit, err := recordLimit(c.Conf)
	if err != nil {
		return nil, err
	}
	if n > int64(limit) {
		return nil, failure.New(failure.RecordTooLarge, "read the split", s.String(), fmt.Errorf("records of %d bytes", n)).Fix("raise mapreduce.map.memory.mb")
	}
	r := &fixedReader{split: s, length: n, in: chunkSource{c: c}, buf: binary.BigEndian.AppendUint32(make([]byte, 0, 4+n), uint32(n))[:4+n]}
	r.from = bufio.NewReaderSize(&r.in, lineBufferSize)
	return r, nil
}

type fixedReader struct {
	split  *Split
	length int64
	in     chunkSource
	from   *bufio.Reader
	chunk  int   // the next one
	off    int64 // of the next record in its file
	end    int64
	done   int64 // bytes of the chunks before
	key    [8]byte
	buf    []byte
}

func (r *fixedReader) Next() (key, value []byte, err error) {
	for {
		if r.in.open() && r.off < r.end {
			n, err := io.ReadFull(r.from, r.buf[4:])
			if err == nil {
				binary.BigEndian.PutUint64(r.key[:], uint64(r.off))
				r.off += r.length
				return r.key[:], r.buf, nil
			}
			if err != io.EOF {
				return nil, nil, r.explain(n, err)
			}
		}
		if err := r.nextChunk(); err != nil {
			return nil, nil, err
		}
	}
}

func (r *fixedReader) explain(n int, err error) error {
	where := fmt.Sprintf("%s at byte %d", r.in.chunk.Path, r.off)
	if err == io.ErrUnexpectedEOF {
		return failure.New(failure.Corrupt, "read", where, fmt.Errorf("Partial record(length = %d) found at the end of file.", n))
	}
	return failure.New(failure.KindOf(err), "read", where, err)
}

// nextChunk opens the next chunk and goes to its first whole record.
func (r *fixedReader) nextChunk() error {
	if r.in.open() {
		r.done += r.in.chunk.Length
	}
	if err := r.in.close(); err != nil {
		return err
	}
	if r.chunk == len(r.split.Chunks) {
		return io.EOF
	}
	ch := r.split.Chunks[r.chunk]
	r.chunk++
	begin := ch.Start
	if rest := begin % r.length; rest != 0 {
		begin += r.length - rest
	}
	r.off, r.end = begin, ch.Start+ch.Length
	if err := r.in.start(Chunk{ch.Path, begin, max(r.end-begin, 0)}); err != nil {
		return err
	}
	if r.in.decoder != nil {
		r.end = math.MaxInt64
	}
	r.from.Reset(&r.in)
	return nil
}

func (r *fixedReader) Progress() float32 {
	if r.split.Length <= 0 {
		return 0
	}
	done := r.done
	if r.in.open() {
		done += min(r.in.read, r.in.chunk.Length)
	}
	return min(float32(float64(done)/float64(r.split.Length)), 1)
}

func (r *fixedReader) Close() error { return r.in.close() }
