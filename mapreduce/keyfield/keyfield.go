// Package keyfield selects fields of keys, like Hadoop's KeyFieldBasedComparator and
// KeyFieldBasedPartitioner. It implements the syntax of sort(1)'s -k option exactly as Hadoop does,
// including Hadoop's quirks. mapreduce.FieldComparator and mapreduce.FieldPartition apply it to key
// types.
//
// White space separates options. -n compares numbers, -r reverses the order, and -nr does both.
// They apply to all ranges that specify neither. -k BEGIN[,END] is a range of the key. Each end has
// the form FIELD[.CHARACTER][n][r]. Both numbers count from 1 and are inclusive. Without END, a
// range extends to the end of the key. If END has no CHARACTER, the range extends to the end of that
// field. Several -k options apply in order. Like Hadoop, the package ignores all other options.
package keyfield

import (
	"bytes"
	"errors"
)

// Fields selects the ranges of a key to compare or hash. The zero value selects whole keys. Its
// methods are safe for concurrent use.
type Fields struct {
	spans []span
	sep   []byte
	cut   bool // split keys at sep; otherwise the whole key is the only field
}

// span is a -k option. Numbers count from 1.
type span struct {
	beginField, beginChar int
	endField, endChar     int // endField 0 = to the end of the key; endChar 0 = to the end of the field
	numeric, reverse      bool
}

// Parse parses options such as "-k1,2nr -k4". sep separates the fields of a key and must not be
// empty. Hadoop's default is a tab.
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

// First returns Fields that select the first n fields, as in num.key.fields.for.partition. If n <
// 1, they select whole keys.
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

// Whole reports whether f has no ranges and therefore selects whole keys.
func (f *Fields) Whole() bool { return len(f.spans) == 0 }

// bounds finds the span s in the key b[from:] and returns the indices of its first and last byte in
// b. last can be less than first. ok is false if the span starts after the end of the key.
func (f *Fields) bounds(b []byte, from int, s *span) (first, last int, ok bool) {
	size := len(b) - from
	at, _, ok := f.field(b, from, s.beginField)
	if !ok || at+s.beginChar > size {
		return 0, 0, false
	}
	return from + at + s.beginChar - 1, f.end(b, from, s), true
}

// end returns the index in b of the last byte of the span s in the key b[from:].
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

// field returns the start of the nth field of the key b[from:], relative to from, and the field's
// length. After a multibyte separator, Hadoop continues the search at the separator's second byte
// but counts all its bytes. field does the same.
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

// next returns the index of the first separator in key, or -1 if there is none.
func (f *Fields) next(key []byte) int {
	if len(f.sep) == 1 {
		return bytes.IndexByte(key, f.sep[0])
	}
	return bytes.Index(key, f.sep)
}
