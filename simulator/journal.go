package simulator

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"

	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker/history"
)

// journal encodes facts in the codec of the real journal, block by block, and computes the same
// hash as history.Hash.
type journal struct {
	w   io.Writer // if nil, only the hash is computed
	h   hash.Hash
	buf []byte
	err error
}

const journalBlock = 128 << 10

func newJournal(w io.Writer) (*journal, error) {
	j := &journal{w: w, h: sha256.New(), buf: make([]byte, 0, journalBlock+4096)}
	if w != nil {
		if _, err := w.Write(history.AppendHeader(nil)); err != nil {
			return nil, failure.New(failure.IO, "write journal", "", err)
		}
	}
	return j, nil
}

func (j *journal) add(e *event.Event) {
	b, err := history.AppendRecord(j.buf, e)
	if err != nil {
		j.fail(err)
		return
	}
	if j.buf = b; len(b) >= journalBlock {
		j.flush()
	}
}

func (j *journal) flush() {
	j.h.Write(j.buf)
	if j.w != nil && j.err == nil {
		if _, err := j.w.Write(j.buf); err != nil {
			j.fail(failure.New(failure.IO, "write journal", "", err))
		}
	}
	j.buf = j.buf[:0]
}

func (j *journal) fail(err error) {
	if j.err == nil {
		j.err = err
	}
}

func (j *journal) hash() string { return hex.EncodeToString(j.h.Sum(nil)) }
