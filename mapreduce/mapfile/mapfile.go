// Package mapfile reads and writes Hadoop's MapFiles: a directory with a SequenceFile of records in the order of their keys,
// called data, and one with every 128th key and its position, called index, by which a key is found.
package mapfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce/sequencefile"
)

// The files of the directory.
const (
	Data  = "data"
	Index = "index"
)

// DefaultInterval is the number of records for each one in the index (io.map.index.interval).
const DefaultInterval = 128

// position is the class of the index's values.
const position = "org.apache.hadoop.io.LongWritable"

// Compare orders serialised keys.
type Compare func(a, b []byte) int

// Writer writes one MapFile. One goroutine uses it.
type Writer struct {
	data, index *sequencefile.Writer
	compare     Compare
	interval    int64
	n           int64
	indexed     int64 // n of the last record in the index
	indexedAt   int64 // its position
	last        []byte
	pos         [8]byte
}

// NewWriter starts both files; interval 0 is DefaultInterval.
func NewWriter(data, index io.Writer, o sequencefile.Options, interval int64, compare Compare) (*Writer, error) {
	if interval == 0 {
		interval = DefaultInterval
	}
	w := &Writer{compare: compare, interval: interval, indexed: math.MinInt64 / 2, indexedAt: -1}
	var err error
	if w.data, err = sequencefile.NewWriter(data, o); err != nil {
		return nil, err
	}
	w.index, err = sequencefile.NewWriter(index, sequencefile.Options{KeyClass: o.KeyClass, ValueClass: position, Compression: sequencefile.Block, SyncInterval: o.SyncInterval})
	return w, err
}

// Append writes a record. A key that belongs before the last one is kind User.
func (w *Writer) Append(key, value []byte) error {
	if w.n > 0 && w.compare(w.last, key) > 0 {
		return failure.New(failure.User, "write MapFile", fmt.Sprintf("record %d", w.n+1), errors.New("key out of order")).Fix("sort the records by key")
	}
	w.last = append(w.last[:0], key...)
	// In a compressed file many records have the position of their block: the first of them is in the index.
	if at := w.data.Length(); w.n >= w.indexed+w.interval && at > w.indexedAt {
		binary.BigEndian.PutUint64(w.pos[:], uint64(at))
		if err := w.index.Append(key, w.pos[:]); err != nil {
			return err
		}
		w.indexed, w.indexedAt = w.n, at
	}
	w.n++
	return w.data.Append(key, value)
}

// Close ends both files. It does not close the writers below.
func (w *Writer) Close() error { return errors.Join(w.data.Close(), w.index.Close()) }
