// Package mapfile reads and writes Hadoop's MapFiles. A MapFile is a directory with two
// SequenceFiles: data contains the sorted records, and index contains, by default, every 128th key
// and its position. The index makes lookups by key fast. Start with [NewWriter] and [NewReader].
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

// The names of the files in the directory.
const (
	Data  = "data"
	Index = "index"
)

// position is the Java class of the values in the index, which are positions in the data file.
const position = "org.apache.hadoop.io.LongWritable"

// Compare orders serialized keys.
type Compare func(a, b []byte) int

// Writer writes a MapFile. It is not safe for concurrent use.
type Writer struct {
	data, index *sequencefile.Writer
	compare     Compare
	interval    int64
	n           int64
	indexed     int64 // number of the last indexed record
	indexedAt   int64 // position of that record
	last        []byte
	pos         [8]byte
}

// NewWriter returns a Writer that writes a MapFile's two files to data and index. interval is the
// number of records per index entry, such as 128 (io.map.index.interval).
func NewWriter(data, index io.Writer, o sequencefile.Options, interval int64, compare Compare) (*Writer, error) {
	w := &Writer{compare: compare, interval: interval, indexed: math.MinInt64 / 2, indexedAt: -1}
	var err error
	if w.data, err = sequencefile.NewWriter(data, o); err != nil {
		return nil, err
	}
	w.index, err = sequencefile.NewWriter(index, sequencefile.Options{KeyClass: o.KeyClass, ValueClass: position,
		Compression: sequencefile.Block, SyncInterval: o.SyncInterval})
	return w, err
}

// Append writes a record. It returns an error of kind User if the key sorts before the previous
// key.
func (w *Writer) Append(key, value []byte) error {
	if w.n > 0 && w.compare(w.last, key) > 0 {
		return failure.New(failure.User, "write MapFile", fmt.Sprintf("record %d", w.n+1),
			errors.New("the key is out of order")).Fix("sort the records by key")
	}
	w.last = append(w.last[:0], key...)
	// In a file that compresses blocks, many records share the position of their block. Only the
	// first of these records can be indexed.
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

// Close completes both files. It does not close the underlying writers.
func (w *Writer) Close() error { return errors.Join(w.data.Close(), w.index.Close()) }
