package sequencefile

import (
	"errors"
	"fmt"
	"io"

	"github.com/howdah/howdah/internal/vint"
)

// block is the current block of a reader.
type block struct {
	at                          int64 // position of the block
	records                     int   // number of remaining records
	keyLens, keys, valLens, val field
}

// field is one of the four parts of a block. rest is the unread part.
type field struct{ all, rest []byte }

func (b *block) reset() { b.records = 0 }

var errLengths = errors.New("the lengths of a block's records do not match its size")

func (r *Reader) nextInBlock() (key, value []byte, err error) {
	b := &r.block
	r.marked = false
	for b.records == 0 {
		if b.at = r.w.pos; b.at >= r.stop {
			return nil, nil, io.EOF
		}
		if err := r.readBlock(); err == io.EOF {
			return nil, nil, io.EOF
		} else if err != nil {
			return nil, nil, at(r.o.Name, b.at, err)
		}
		r.marked = true
	}
	b.records--
	key, okKey := b.keys.cut(&b.keyLens)
	value, okVal := b.val.cut(&b.valLens)
	if !okKey || !okVal || b.records == 0 && len(b.keys.rest)+len(b.val.rest) > 0 {
		return nil, nil, at(r.o.Name, b.at, errLengths)
	}
	return key, value, nil
}

// cut returns the next record's part of the field. It reads the length of that part from lens.
func (f *field) cut(lens *field) (b []byte, ok bool) {
	v, n := vint.Long(lens.rest)
	if n == 0 || v < 0 || v > int64(len(f.rest)) {
		return nil, false
	}
	lens.rest = lens.rest[n:]
	b, f.rest = f.rest[:v:v], f.rest[v:]
	return b, true
}

// readBlock reads a mark and the following block. At the end of the file, it returns io.EOF, even
// after a mark.
func (r *Reader) readBlock() error {
	if n, err := r.w.int(); err != nil {
		return err
	} else if n != syncEscape {
		return errors.New("the sync marker before a block is missing")
	}
	if err := r.checkSync(); err != nil {
		return err
	}
	n, err := r.w.vint()
	if err != nil {
		return err
	}
	const maxLength = 5 // maximum size of a length, in bytes
	for _, f := range []struct {
		to    *field
		limit int
	}{
		{&r.block.keyLens, maxLength * n}, {&r.block.keys, r.o.MaxRecord},
		{&r.block.valLens, maxLength * n}, {&r.block.val, r.o.MaxRecord},
	} {
		if err := r.readField(f.to, min(f.limit, r.o.MaxRecord)); err != nil {
			return unexpected(err)
		}
	}
	if n > len(r.block.keyLens.all) {
		return fmt.Errorf("%w: %d records", errLengths, n)
	}
	r.block.records = n
	return nil
}

func (r *Reader) readField(f *field, limit int) error {
	n, err := r.w.vint()
	if err != nil {
		return err
	}
	packed, err := r.w.take(n)
	if err != nil {
		return err
	}
	f.all, err = r.codec.AppendDecodedStream(f.all[:0], packed, limit)
	f.rest = f.all
	return err
}
