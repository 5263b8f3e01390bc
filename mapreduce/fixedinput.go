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

// FixedLengthInput reads records with a fixed number of bytes. The key is the record's offset in
// its file (LongWritable), and the value is the record's bytes (BytesWritable). If a file ends
// inside a record, the reader returns an error of kind Corrupt. FixedLengthInput is Hadoop's
// FixedLengthInputFormat.
type FixedLengthInput struct{}

// Types returns LongWritable and BytesWritable.
func (FixedLengthInput) Types(*conf.Config) (key, value Type) { return LongWritable, BytesWritable }

func recordLength(c *conf.Config) (int64, error) {
	n, err := conf.FixedLengthInputFormatRecordLength.Get(c)
	if err == nil && n == 0 {
		err = failure.New(failure.Config, "find the input", "",
			fmt.Errorf("%s is not set",
				conf.FixedLengthInputFormatRecordLength.Name)).Fix("set it to the size of a record in bytes")
	}
	return n, err
}

// Splits splits the files regardless of record boundaries. The readers find whole records.
func (FixedLengthInput) Splits(ctx context.Context, env *Env) ([]Split, error) {
	if _, err := recordLength(env.Conf); err != nil {
		return nil, err
	}
	return fileSplits(ctx, env, func(name string) bool { return codec.ByPath(name) == nil })
}

// Open returns a reader for the records in s.
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
		return nil, failure.New(failure.RecordTooLarge, "read the split", s.String(),
			fmt.Errorf("a record has %d bytes", n)).Fix("raise mapreduce.map.memory.mb")
	}
	r := &fixedReader{length: n, in: chunkSource{c: c, split: s}, buf: binary.BigEndian.AppendUint32(make([]byte, 0, 4+n),
		uint32(n))[:4+n]}
	r.from = bufio.NewReaderSize(&r.in, lineBufferSize)
	return r, nil
}

type fixedReader struct {
	length int64
	in     chunkSource
	from   *bufio.Reader
	off    int64 // offset of the next record in its file
	end    int64
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
		return failure.New(failure.Corrupt, "read", where,
			fmt.Errorf("Partial record(length = %d) found at the end of file.", n))
	}
	return failure.New(failure.KindOf(err), "read", where, err)
}

// nextChunk opens the next chunk and seeks to its first whole record.
func (r *fixedReader) nextChunk() error {
	ch, err := r.in.next()
	if err != nil {
		return err
	}
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

func (r *fixedReader) Progress() float32 { return r.in.progress(r.in.read) }

func (r *fixedReader) Close() error { return r.in.close() }
