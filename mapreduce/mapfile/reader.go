package mapfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sort"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce/sequencefile"
)

// maxIndex is the maximum size in bytes of the index keys, which stay in memory.
const maxIndex = 1 << 30

// Reader looks up records by key. It is not safe for concurrent use.
type Reader struct {
	data    *sequencefile.Reader
	compare Compare
	keys    [][]byte
	at      []int64
	key     []byte // key of the record found by Seek
	value   []byte
	found   bool
}

// NewReader reads the index and returns a Reader. compare must be the sort order of the file.
func NewReader(data, index io.ReadSeeker, o sequencefile.ReadOptions, compare Compare) (*Reader, error) {
	d, err := sequencefile.NewReader(data, o)
	if err != nil {
		return nil, err
	}
	r := &Reader{data: d, compare: compare}
	o.Name += " (index)"
	i, err := sequencefile.NewReader(index, o)
	if err != nil {
		return nil, err
	}
	return r, r.readIndex(i, o.Name)
}

func (r *Reader) readIndex(i *sequencefile.Reader, name string) error {
	for size := 0; ; {
		key, pos, err := i.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil && len(pos) != 8 {
			err = failure.New(failure.Corrupt, "read MapFile", fmt.Sprintf("%s, record %d", name, len(r.keys)),
				errors.New("its value is not a position"))
		}
		if size += len(key) + 40; err == nil && size > maxIndex {
			err = failure.New(failure.Limit, "read MapFile", name, errors.New("the index is too large for "+
				"memory"))
		}
		if err != nil {
			return err
		}
		r.keys = append(r.keys, bytes.Clone(key))
		r.at = append(r.at, int64(binary.BigEndian.Uint64(pos)))
	}
}

// Header returns the header of the data file.
func (r *Reader) Header() *sequencefile.Header { return r.data.Header() }

// Next returns the next record, or io.EOF at the end. After Seek, it first returns the record that
// Seek found. The record is valid until the next call.
func (r *Reader) Next() (key, value []byte, err error) {
	if r.found {
		r.found = false
		return r.key, r.value, nil
	}
	return r.data.Next()
}

// Seek moves to the first record whose key is equal to or greater than key. It reports whether the
// record's key equals key. If no such record exists, it returns false.
func (r *Reader) Seek(key []byte) (bool, error) {
	r.found = false
	// Skip the records before the last index entry below key. If an entry equals key, earlier
	// records may also equal key.
	if i := sort.Search(len(r.keys), func(i int) bool { return r.compare(r.keys[i], key) >= 0 }) - 1; i >= 0 {
		if err := r.data.SeekTo(r.at[i]); err != nil {
			return false, err
		}
	} else if err := r.data.Rewind(); err != nil {
		return false, err
	}
	for {
		k, v, err := r.data.Next()
		if err == io.EOF {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if c := r.compare(k, key); c >= 0 {
			r.key, r.value, r.found = k, v, true
			return c == 0, nil
		}
	}
}

// Get returns the value of the first record whose key equals key, or false if there is no such
// record. The value is valid until the next call.
func (r *Reader) Get(key []byte) ([]byte, bool, error) {
	ok, err := r.Seek(key)
	if !ok || err != nil {
		return nil, false, err
	}
	return r.value, true, nil
}
