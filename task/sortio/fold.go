package sortio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"iter"

	"github.com/howdah/howdah/job/failure"
)

// folder runs the combiner over encoded values and encodes the combined values.
type folder struct {
	combine Combiner
	onKey   func([]byte)
	each    iter.Seq[[]byte]
	key     []byte
	in, out []byte
}

// run combines vals, the encoded values of key, and returns the combined values in the same
// encoding. The result is valid until the next call.
func (f *folder) run(key, vals []byte) ([]byte, error) {
	f.key = append(f.key[:0], key...)
	f.in, f.out = vals, f.out[:0]
	if f.onKey != nil {
		f.onKey(f.key)
	}
	err := f.combine(f.key, f.each, f)
	return f.out, err
}

func (f *folder) values(yield func([]byte) bool) {
	for len(f.in) > 0 {
		n, v := firstValue(f.in)
		f.in = f.in[n:]
		if !yield(v) {
			return
		}
	}
}

// Emit receives a record from the combiner.
func (f *folder) Emit(key, value []byte) error {
	if !bytes.Equal(key, f.key) {
		return badCombinerKey()
	}
	f.out = binary.AppendUvarint(f.out, uint64(len(value)))
	f.out = append(f.out, value...)
	return nil
}

func badCombinerKey() error {
	return failure.New(failure.User, "combine", "",
		errors.New("the combiner emitted a key that differs from its input key")).
		Fix("emit the input key in the combiner")
}

// firstValue decodes the first value in b, a sequence of encoded values. It returns the value's
// encoded size and the value itself.
func firstValue(b []byte) (int, []byte) {
	if len(b) > 0 && b[0] < 0x80 {
		n := 1 + int(b[0])
		return n, b[1:n:n]
	}
	x, k := binary.Uvarint(b)
	n := k + int(x)
	return n, b[k:n:n]
}
