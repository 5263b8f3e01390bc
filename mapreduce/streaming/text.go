package streaming

import (
	"bytes"

	"github.com/howdah/howdah/mapreduce"
)

// textReader converts lines into records. The separator after the key's last field divides a line
// into key and value. A line without this separator is a key with an empty value.
type textReader struct {
	*lineReader
	separator []byte
	fields    int // number of fields in the key; 0 = 1
	key       []byte
}

var emptyText = []byte{0}

func (r *textReader) next() (key, value []byte, err error) {
	start, end, err := r.line()
	if err != nil {
		return nil, nil, err
	}
	cut := r.cut(start, end)
	if cut < 0 {
		return r.buf[putLength(r.buf, start, end-start):end], emptyText, nil
	}
	from := cut + len(r.separator)
	head := putLength(r.buf, start, cut-start)
	key = r.buf[head:cut]
	if from-lengthSize(end-from) < cut { // the value's length prefix does not fit into the separator
		r.key = append(r.key[:0], key...)
		key = r.key
	}
	return key, r.buf[putLength(r.buf, from, end-from):end], nil
}

// cut returns the position at which the key ends, or -1 if the line has too few separators.
func (r *textReader) cut(start, end int) int {
	at := start
	for n := 1; ; n++ {
		i := bytes.Index(r.buf[at:end], r.separator)
		if i < 0 {
			return -1
		}
		if n >= r.fields {
			return at + i
		}
		at += i + len(r.separator)
	}
}

// keyReader converts each line into a record without a value.
type keyReader struct{ *lineReader }

func (r *keyReader) next() (key, value []byte, err error) {
	start, end, err := r.line()
	if err != nil {
		return nil, nil, err
	}
	return r.buf[putLength(r.buf, start, end-start):end], nil, nil
}

// putLength writes the length prefix of a Text of n bytes, so that the prefix ends before b[at]. It
// returns the index of the prefix's first byte.
func putLength(b []byte, at, n int) int {
	if n < 128 {
		b[at-1] = byte(n)
		return at - 1
	}
	from := at - lengthSize(n)
	mapreduce.AppendVLong(b[from:from], int64(n))
	return from
}

// lengthSize returns the size of the encoded length n in bytes: 1 for n < 128, otherwise 1 plus the
// number of bytes of n.
func lengthSize(n int) int {
	size := 1
	if n >= 128 {
		for ; n > 0; n >>= 8 {
			size++
		}
	}
	return size
}
