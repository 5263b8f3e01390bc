package btworld

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// fold describes how most queries combine the values of a key. A value is a list of integers, and
// ops[i] combines the integers at index i. The order of the values does not matter, so the combiner
// and the reducer combine them in the same way. If ops is empty, only the key remains. line appends
// the result as one line of output.
type fold struct {
	ops  []op
	line func(dst []byte, key mapreduce.Text, n []int64) []byte
}

// op combines two numbers. It must be associative and commutative.
type op func(a, b int64) int64

func sum(a, b int64) int64      { return a + b }
func least(a, b int64) int64    { return min(a, b) }
func greatest(a, b int64) int64 { return max(a, b) }

func (f fold) combiner() mapreduce.ReducerClass {
	return mapreduce.ReducerClass{
		New:   func() mapreduce.Reducer { return newFolder(f.ops) },
		InKey: mapreduce.TextWritable, InVal: numbersWritable, Key: mapreduce.TextWritable, Val: numbersWritable,
	}
}

func (f fold) reducer() mapreduce.ReducerClass {
	return mapreduce.ReducerClass{
		New: func() mapreduce.Reducer {
			return &lineWriter{folder: newFolder(f.ops), line: f.line, n: make([]int64, len(f.ops)), text: textCodec()}
		},
		InKey: mapreduce.TextWritable, InVal: numbersWritable, Key: mapreduce.TextWritable, Val: mapreduce.NullWritable,
	}
}

// folder applies a fold to the serialized values of a key.
type folder struct {
	ops  []op
	key  []byte
	acc  []byte
	some bool // acc contains the result of at least one value
	err  error
	step func([]byte) bool // reused for every key
}

func newFolder(ops []op) *folder {
	f := &folder{ops: ops}
	f.step = f.one
	return f
}

// fold copies the key to f.key and combines the values into f.acc.
func (f *folder) fold(key []byte, values iter.Seq[[]byte]) error {
	f.key = append(f.key[:0], key...) // the engine reuses the key's memory
	f.some, f.err = false, nil
	values(f.step)
	return f.err
}

func (f *folder) one(value []byte) bool {
	switch {
	case len(value) != 8*len(f.ops):
		f.err = notNumbers(value, len(f.ops))
	case f.some:
		f.CombineInPlace(f.acc, value)
	default:
		f.acc, f.some = append(f.acc[:0], value...), true
	}
	return f.err == nil
}

// Reduce implements mapreduce.Reducer for the combiner.
func (f *folder) Reduce(_ *mapreduce.Context, key []byte, values iter.Seq[[]byte], out mapreduce.Emitter) error {
	if err := f.fold(key, values); err != nil {
		return err
	}
	return out.Emit(f.key, f.acc)
}

// CombineInPlace implements mapreduce.InPlaceCombiner.
func (f *folder) CombineInPlace(acc, value []byte) bool {
	if len(acc) != 8*len(f.ops) || len(value) != len(acc) {
		return false
	}
	for i, do := range f.ops {
		at := acc[8*i:]
		binary.BigEndian.PutUint64(at,
			uint64(do(int64(binary.BigEndian.Uint64(at)), int64(binary.BigEndian.Uint64(value[8*i:])))))
	}
	return true
}

// lineWriter is the reducer, which writes a line for each key.
type lineWriter struct {
	*folder
	line func(dst []byte, key mapreduce.Text, n []int64) []byte
	text mapreduce.Codec[mapreduce.Text]
	n    []int64
	buf  []byte
	rec  []byte
}

// Reduce implements mapreduce.Reducer.
func (w *lineWriter) Reduce(_ *mapreduce.Context, key []byte, values iter.Seq[[]byte], out mapreduce.Emitter) error {
	if err := w.fold(key, values); err != nil {
		return err
	}
	k, err := w.text.Decode(w.key)
	if err != nil {
		return failure.New(failure.Corrupt, "read", "key of a record", err)
	}
	for i := range w.n {
		w.n[i] = int64(binary.BigEndian.Uint64(w.acc[8*i:]))
	}
	w.buf = w.line(w.buf[:0], k, w.n)
	w.rec = w.text.Append(w.rec[:0], w.buf)
	return out.Emit(w.rec, nil)
}

func textCodec() mapreduce.Codec[mapreduce.Text] {
	c, err := mapreduce.CodecOf[mapreduce.Text]()
	if err != nil {
		panic(err) // Text always has a codec
	}
	return c
}

// numbers is the type of the values that a fold combines.
type numbers []int64

// numbersWritable is the type of numbers. Each number takes eight bytes, big-endian.
var numbersWritable mapreduce.Type = numbersType{}

// Codec implements mapreduce.Writable.
func (numbers) Codec() mapreduce.Codec[numbers] {
	return mapreduce.Codec[numbers]{
		Type: numbersWritable,
		Append: func(dst []byte, v numbers) []byte {
			for _, n := range v {
				dst = binary.BigEndian.AppendUint64(dst, uint64(n))
			}
			return dst
		},
		Decode: func(b []byte) (numbers, error) {
			if len(b)%8 != 0 {
				return nil, notNumbers(b, len(b)/8)
			}
			v := make(numbers, len(b)/8)
			for i := range v {
				v[i] = int64(binary.BigEndian.Uint64(b[8*i:]))
			}
			return v, nil
		},
	}
}

func notNumbers(b []byte, want int) error {
	return failure.New(failure.Corrupt, "read", "value of a record",
		fmt.Errorf("%d bytes are not %d numbers", len(b), want))
}

type numbersType struct{}

func (numbersType) Class() string           { return "org.howdah.apps.btworld.Numbers" }
func (numbersType) Compare(a, b []byte) int { return bytes.Compare(a, b) }

func (numbersType) Prefix(b []byte) uint64 {
	var p [8]byte
	copy(p[:], b)
	return binary.BigEndian.Uint64(p[:])
}

func (numbersType) Hash(b []byte) int32 {
	h := int32(1)
	for _, c := range b {
		h = 31*h + int32(c)
	}
	return h
}

func (numbersType) AppendText(dst, b []byte) []byte {
	for i := 0; i+8 <= len(b); i += 8 {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = fmt.Append(dst, int64(binary.BigEndian.Uint64(b[i:])))
	}
	return dst
}
