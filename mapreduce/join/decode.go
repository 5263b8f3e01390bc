package join

import (
	"encoding/binary"
	"errors"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// decoder decodes the parts of a Tuple. After an invalid part, it returns only empty parts.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) number() int64 {
	v, n, err := mapreduce.VLong(d.b)
	if d.bad || err != nil {
		d.bad = true
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) bytes(n int64) []byte {
	if d.bad || n < 0 || n > int64(len(d.b)) {
		d.bad = true
		return nil
	}
	out := d.b[:n:n]
	d.b = d.b[n:]
	return out
}

func (d *decoder) fail() error {
	return failure.New(failure.Corrupt, "decode", "TupleWritable", errors.New("malformed bytes"))
}

func typeOf(class string) mapreduce.Type {
	if class == Tuple.Class() {
		return Tuple
	}
	return mapreduce.TypeOf(class)
}

// sizeOf returns the length of the serialized value of type t at the start of b. It returns a
// negative number if it cannot determine the length.
func sizeOf(t mapreduce.Type, b []byte) int64 {
	switch t {
	case mapreduce.NullWritable:
		return 0
	case mapreduce.ByteWritable, mapreduce.BooleanWritable:
		return 1
	case mapreduce.ShortWritable:
		return 2
	case mapreduce.IntWritable, mapreduce.FloatWritable:
		return 4
	case mapreduce.LongWritable, mapreduce.DoubleWritable:
		return 8
	case mapreduce.MD5Hash:
		return 16
	case mapreduce.BytesWritable:
		if len(b) < 4 {
			return -1
		}
		return 4 + int64(int32(binary.BigEndian.Uint32(b)))
	case mapreduce.TextWritable:
		if n, w, err := mapreduce.VInt(b); err == nil && n >= 0 {
			return int64(w) + int64(n)
		}
	case mapreduce.VIntWritable, mapreduce.VLongWritable:
		if _, w, err := mapreduce.VLong(b); err == nil {
			return int64(w)
		}
	case Tuple:
		return tupleSize(b)
	}
	return -1
}

// tupleSize returns the length of the Tuple at the start of b, or -1 if the Tuple is malformed.
func tupleSize(b []byte) int64 {
	d := decoder{b: b}
	n, bits := d.number(), d.number()
	if n < 0 || n > maxInputs {
		return -1
	}
	types := make([]mapreduce.Type, n)
	for i := range types {
		types[i] = typeOf(string(d.bytes(d.number())))
	}
	for i, t := range types {
		if bits>>i&1 != 0 && !d.bad {
			d.bytes(sizeOf(t, d.b))
		}
	}
	if d.bad {
		return -1
	}
	return int64(len(b) - len(d.b))
}
