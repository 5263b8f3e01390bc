package history

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"

	"github.com/howdah/howdah/job/event"
)

// Hash is a hash of a sequence of facts. Machines that make the same decisions have equal hashes.
type Hash struct {
	h   hash.Hash
	buf []byte
	n   int64
}

// NewHash returns the hash of an empty sequence.
func NewHash() *Hash { return &Hash{h: sha256.New()} }

// Add appends a fact to the sequence.
func (s *Hash) Add(e *event.Event) {
	b, err := AppendRecord(s.buf[:0], e)
	if err != nil { // too large for a journal record: hash the event without a frame
		b = AppendEvent(s.buf[:0], e)
	}
	s.buf = b
	s.h.Write(b)
	s.n++
}

// Count returns the number of added facts.
func (s *Hash) Count() int64 { return s.n }

// String returns the hash in hexadecimal.
func (s *Hash) String() string { return hex.EncodeToString(s.h.Sum(nil)) }
