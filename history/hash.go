package history

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"

	"github.com/howdah/howdah/job/event"
)

// Hash sums facts up: two machines that decided the same have the same hash.
type Hash struct {
	h   hash.Hash
	buf []byte
	n   int64
}

// NewHash begins with no facts.
func NewHash() *Hash { return &Hash{h: sha256.New()} }

// Add takes a fact in.
func (s *Hash) Add(e *event.Event) {
	b, err := AppendRecord(s.buf[:0], e)
	if err != nil { // too large for a journal: hash what there is
		b = AppendEvent(s.buf[:0], e)
	}
	s.buf = b
	s.h.Write(b)
	s.n++
}

// Count is how many facts were added.
func (s *Hash) Count() int64 { return s.n }

// String gives the hash in hexadecimal.
func (s *Hash) String() string { return hex.EncodeToString(s.h.Sum(nil)) }
