// Package keyfield picks fields out of keys, as Hadoop's KeyFieldBasedComparator and KeyFieldBasedPartitioner do: the language
// of sort(1)'s -k option, byte for byte with Hadoop's meaning, its oddities included. mapreduce.KeyFieldComparator and
// mapreduce.KeyFieldPartition join it with the types of keys.
//
// Options are separated by blanks. -n compares numbers, -r turns the order around, -nr does both, for all fields that say
// neither themselves. -k BEGIN[,END] is a stretch of the key: each end is FIELD[.CHARACTER][n][r], counted from 1, both ends
// included. Without END a stretch reaches to the end of the key, without CHARACTER in END to the end of its field. Several -k
// are compared, or hashed, one after the other. As in Hadoop, what is not one of these options is ignored.
package keyfield

import (
	"bytes"
	"errors"
)

// Fields are the stretches of a key that count. The zero value has none: whole keys count. Its methods may be called
// concurrently.
type Fields struct {
	spans []span
	sep   []byte
	cut   bool // whether keys are cut at sep at all; else the whole key is the only field
}

// span is one -k. Numbers count from 1.
type span struct {
	beginField, beginChar int
	endField, endChar     int // endField 0: the end of the key; endChar 0: the end of the field
	numeric, reverse      bool
}

// Parse reads options. Keys are cut at sep, which must not be empty; Hadoop's default is a tab.
func Parse(options, sep string) (Fields, error) {
	f, err := newFields(sep)
	if err != nil {
		return f, err
	}
	if options == "" {
		return f, nil
	}
	return f, f.parse(options)
}

// First gives the stretch of the first n fields, as num.key.fields.for.partition says it. With n < 1 there is none.
func First(n int, sep string) (Fields, error) {
	f, err := newFields(sep)
	if n >= 1 {
		f.spans, f.cut = []span{{beginField: 1, beginChar: 1, endField: n}}, true
	}
	return f, err
}

func newFields(sep string) (Fields, error) {
	if sep == "" {
		return Fields{}, errors.New("the separator of key fields is empty")
	}
	return Fields{sep: []byte(sep)}, nil
}

// Whole reports whether there are no options: whole keys count.
func (f *Fields) Whole() bool { return len(f.spans) == 0 }

// bounds gives the indices in b of the first and the last byte of a span of the key b[from:]; last may be less than first. ok
// is false when the span begins behind the key's end.
func (f *Fields) bounds(b []byte, from int, s *span) (first, last int, ok bool) {
	size := len(b) - from
	at, _, ok := f.field(b, from, s.beginField)
	if !ok || at+s.beginChar > size {
		return 0, 0, false
	}
	return from + at + s.beginChar - 1, f.end(b, from, s), true
}

// end gives the index of a span's last byte.
func (f *Fields) end(b []byte, from int, s *span) int {
	if s.endField == 0 {
		return len(b) - 1
	}
	at, length, ok := f.field(b, from, s.endField)
	if !ok {
		return len(b) - 1
	}
	if s.endChar == 0 {
		at += length
	}
	if at+s.endChar > len(b)-from {
		return len(b) - 1
	}
	return from + at + s.endChar - 1
}

// field gives where the nth field of the key b[from:] begins, counted from there, and its length. Behind a separator of
// several bytes Hadoop goes on searching one byte later, yet counts all its bytes; so do we.
func (f *Fields) field(b []byte, from, n int) (at, length int, ok bool) {
	if !f.cut {
		return 0, 0, n <= 1
	}
	key := b[from:]
	for i := 1; ; i++ {
		length = f.next(key)
		last := length < 0
		if last {
			length = len(key)
		}
		if i >= n {
			return at, length, true
		}
		if last {
			return 0, 0, false
		}
		at += length + len(f.sep)
		key = key[length+1:]
	}
}

// next gives the index of the next separator, or -1.
func (f *Fields) next(key []byte) int {
	if len(f.sep) == 1 {
		return bytes.IndexByte(key, f.sep[0])
	}
	return bytes.Index(key, f.sep)
}
