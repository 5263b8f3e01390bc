package tfidf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"

	"github.com/howdah/howdah/mapreduce"
)

// termKey is a key for joining two inputs: all of a term meet in one reducer, what has the lower Side first.
type termKey struct {
	Term string
	Side byte
}

// Codec implements mapreduce.Writable: the term's bytes, then one for the side.
func (termKey) Codec() mapreduce.Codec[termKey] {
	return mapreduce.Codec[termKey]{
		Type:   termType{},
		Append: func(dst []byte, k termKey) []byte { return append(append(dst, k.Term...), k.Side) },
		Decode: func(b []byte) (termKey, error) {
			if len(b) == 0 {
				return termKey{}, errors.New("an empty key")
			}
			return termKey{string(b[:len(b)-1]), b[len(b)-1]}, nil
		},
	}
}

// termType orders by term, then by side.
type termType struct{}

func term(b []byte) []byte { return b[:max(0, len(b)-1)] }

func (termType) Class() string { return "org.howdah.apps.tfidf.TermKey" }

func (termType) Compare(a, b []byte) int {
	if c := bytes.Compare(term(a), term(b)); c != 0 {
		return c
	}
	return bytes.Compare(a[len(term(a)):], b[len(term(b)):])
}

func (termType) Prefix(b []byte) uint64 { return byTerm{}.Prefix(b) }

func (termType) Hash(b []byte) int32 {
	h := int32(0)
	for _, c := range term(b) {
		h = 31*h + int32(c)
	}
	return h
}

func (termType) AppendText(dst, b []byte) []byte { return append(dst, term(b)...) }

// byTerm groups keys by term.
type byTerm struct{}

func (byTerm) Compare(a, b []byte) int { return bytes.Compare(term(a), term(b)) }

func (byTerm) Prefix(b []byte) uint64 {
	var p [8]byte
	copy(p[:], term(b))
	return binary.BigEndian.Uint64(p[:])
}

// termPartition sends all of a term to one reducer.
func termPartition(*mapreduce.Env, mapreduce.Type) (mapreduce.Partitioner, error) {
	return partitioner{}, nil
}

type partitioner struct{}

func (partitioner) Partition(key, _ []byte, n int) int {
	return int(termType{}.Hash(key)&math.MaxInt32) % n
}
