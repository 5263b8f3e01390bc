package sequencefile

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"io"
	"slices"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/internal/vint"
	"github.com/howdah/howdah/job/failure"
)

// Options contains the options of a Writer. SyncInterval corresponds to io.seqfile.sync.interval, and
// BlockSize to io.seqfile.compress.blocksize.
type Options struct {
	KeyClass, ValueClass string
	Compression          Compression
	Codec                string // Java class; "" = DefaultCodec
	Metadata             []Pair
	SyncInterval         int64          // minimum bytes between marks, except with Block; 0 = the key's default
	BlockSize            int            // size of a block's keys and values, in bytes; 0 = the key's default
	Sync                 [SyncSize]byte // zero = random
}

// Writer writes a SequenceFile. It is not safe for concurrent use.
type Writer struct {
	w        io.Writer
	o        Options
	codec    codec.Codec // nil = uncompressed
	buf      []byte      // buffered output
	pos      int64       // position of the start of buf in the file
	lastSync int64
	err      error

	// The block being collected.
	records                     int
	keyLens, keys, valLens, val []byte
	packed                      []byte
}

const writeBuffer = 64 << 10

// NewWriter returns a Writer whose output starts with the header. It returns an error of kind Config
// for an unknown codec.
func NewWriter(w io.Writer, o Options) (*Writer, error) {
	o.SyncInterval = cmp.Or(o.SyncInterval, conf.IOSeqFileSyncInterval.BuiltIn())
	o.BlockSize = cmp.Or(o.BlockSize, int(conf.IOSeqFileCompressBlockSize.BuiltIn()))
	o.Codec = cmp.Or(o.Codec, DefaultCodec)
	if o.Sync == ([SyncSize]byte{}) {
		_, _ = rand.Read(o.Sync[:]) // never fails
	}
	h := Header{KeyClass: o.KeyClass, ValueClass: o.ValueClass, Compression: o.Compression, Metadata: o.Metadata,
		Sync: o.Sync}
	var how codec.Codec
	if o.Compression != None {
		var err error
		if how, err = codec.ByClass(o.Codec); err != nil {
			return nil, err
		}
		h.Codec = how.Class()
	}
	return &Writer{w: w, o: o, codec: how, buf: appendHeader(make([]byte, 0, 2*writeBuffer), &h)}, nil
}

func appendHeader(dst []byte, h *Header) []byte {
	dst = append(append(dst, magic...), version)
	dst = appendText(appendText(dst, h.KeyClass), h.ValueClass)
	dst = appendBool(appendBool(dst, h.Compression != None), h.Compression == Block)
	if h.Compression != None {
		dst = appendText(dst, h.Codec)
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(h.Metadata)))
	// Hadoop stores metadata in a TreeMap, which is sorted by key.
	for _, p := range slices.SortedFunc(slices.Values(h.Metadata),
		func(a, b Pair) int { return strings.Compare(a.Key, b.Key) }) {
		dst = appendText(appendText(dst, p.Key), p.Value)
	}
	return append(dst, h.Sync[:]...)
}

func appendText(dst []byte, s string) []byte { return append(vint.Append(dst, int64(len(s))), s...) }

func appendBool(dst []byte, v bool) []byte {
	if v {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// Append writes a record. It copies key and value.
func (w *Writer) Append(key, value []byte) error {
	switch {
	case w.err != nil:
		return w.err
	case len(key)+len(value) > 1<<31-1-64:
		return failure.New(failure.RecordTooLarge, "write SequenceFile", "", nil).Fix("a record can have at most 2 " +
			"GiB")
	case w.o.Compression == Block:
		w.gather(key, value)
	default:
		w.record(key, value)
	}
	return w.err
}

func (w *Writer) record(key, value []byte) {
	if w.Length() >= w.lastSync+w.o.SyncInterval {
		w.mark()
	}
	if w.codec != nil {
		if w.packed, w.err = w.codec.AppendStream(w.packed[:0], value); w.err != nil {
			return
		}
		value = w.packed
	}
	w.buf = binary.BigEndian.AppendUint32(w.buf, uint32(len(key)+len(value)))
	w.buf = binary.BigEndian.AppendUint32(w.buf, uint32(len(key)))
	w.put(key)
	w.put(value)
}

// gather adds a record to the current block and writes the block when it is full.
func (w *Writer) gather(key, value []byte) {
	w.keyLens = vint.Append(w.keyLens, int64(len(key)))
	w.keys = append(w.keys, key...)
	w.valLens = vint.Append(w.valLens, int64(len(value)))
	w.val = append(w.val, value...)
	if w.records++; len(w.keys)+len(w.val) >= w.o.BlockSize {
		w.block()
	}
}

// block writes the collected records as a block. If there are no records, it does nothing.
func (w *Writer) block() {
	if w.records == 0 || w.err != nil {
		return
	}
	w.mark()
	w.buf = vint.Append(w.buf, int64(w.records))
	for _, b := range []*[]byte{&w.keyLens, &w.keys, &w.valLens, &w.val} {
		if w.packed, w.err = w.codec.AppendStream(w.packed[:0], *b); w.err != nil {
			return
		}
		w.buf = vint.Append(w.buf, int64(len(w.packed)))
		w.put(w.packed)
		*b = (*b)[:0]
	}
	w.records = 0
}

// mark writes a sync mark unless the file already ends with one.
func (w *Writer) mark() {
	if w.lastSync == w.Length() {
		return
	}
	w.buf = append(w.buf, 0xff, 0xff, 0xff, 0xff)
	w.buf = append(w.buf, w.o.Sync[:]...)
	w.lastSync = w.Length()
}

// put appends bytes to the buffer and writes the buffer when it is full.
func (w *Writer) put(b []byte) {
	if len(w.buf)+len(b) > writeBuffer {
		w.flush()
		if len(b) >= writeBuffer && w.err == nil {
			_, w.err = w.w.Write(b)
			w.pos += int64(len(b))
			return
		}
	}
	w.buf = append(w.buf, b...)
}

func (w *Writer) flush() {
	if w.err == nil && len(w.buf) > 0 {
		_, w.err = w.w.Write(w.buf)
	}
	w.pos += int64(len(w.buf))
	w.buf = w.buf[:0]
}

// Sync ends the current block or, in a file without blocks, writes a mark. Either one allows a
// reader to start at the next record.
func (w *Writer) Sync() error {
	if w.o.Compression == Block {
		w.block()
	} else {
		w.mark()
	}
	return w.err
}

// Length returns the current size of the file. It does not include records that are still being
// collected into a block.
func (w *Writer) Length() int64 { return w.pos + int64(len(w.buf)) }

// Close writes all remaining data. It does not close the underlying writer.
func (w *Writer) Close() error {
	w.block()
	w.flush()
	return w.err
}
