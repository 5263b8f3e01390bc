package tfidf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"

	"github.com/howdah/howdah/mapreduce"
)

// termKey is a key for joining two inputs. All records of a term go to one reducer, ordered by
// Rest.
type termKey struct {
	Term string // contains no 0 byte
	Rest string
}

// Codec implements mapreduce.Writable. It encodes term and rest, separated by a 0 byte.
func (termKey) Codec() mapreduce.Codec[termKey] {
	return mapreduce.Codec[termKey]{
		Type:   termType{},
		Append: func(dst []byte, k termKey) []byte { return append(append(append(dst, k.Term...), 0), k.Rest...) },
		Decode: func(b []byte) (termKey, error) {
			t, rest, ok := bytes.Cut(b, []byte{0})
			if !ok {
				return termKey{}, errors.New("the key has no byte 0 after its term")
			}
			return termKey{string(t), string(rest)}, nil
		},
	}
}

// termType orders by term, then by rest. The bytes sort the same way because no term contains a 0
// byte.
type termType struct{}

func term(b []byte) []byte {
	t, _, _ := bytes.Cut(b, []byte{0})
	return t
}

func (termType) Class() string                   { return "org.howdah.apps.tfidf.TermKey" }
func (termType) Compare(a, b []byte) int         { return bytes.Compare(a, b) }
func (termType) AppendText(dst, b []byte) []byte { return append(dst, term(b)...) }
func (termType) Prefix(b []byte) uint64          { return prefix(b) }

func (termType) Hash(b []byte) int32 {
	h := int32(0)
	for _, c := range term(b) {
		h = 31*h + int32(c)
	}
	return h
}

func prefix(b []byte) uint64 {
	var p [8]byte
	copy(p[:], b)
	return binary.BigEndian.Uint64(p[:])
}

// byTerm groups keys by term.
type byTerm struct{}

func (byTerm) Compare(a, b []byte) int { return bytes.Compare(term(a), term(b)) }
func (byTerm) Prefix(b []byte) uint64  { return prefix(term(b)) }

// termPartition returns a partitioner that sends all records of a term to one reducer.
func termPartition(*mapreduce.Env, mapreduce.Type) (mapreduce.Partitioner, error) {
	return partitioner{}, nil
}

type partitioner struct{}

func (partitioner) Partition(key, _ []byte, n int) int {
	return int(termType{}.Hash(key)&math.MaxInt32) % n
}
