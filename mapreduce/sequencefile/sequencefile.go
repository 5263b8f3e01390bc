// Package sequencefile reads and writes Hadoop's SequenceFiles: pairs of serialised keys and values, not compressed, with
// each value compressed, or in compressed blocks; with the names of the Java classes of both, metadata, and marks at which
// a reader can start in the middle. Keys and values are bytes here; what they mean is known to package mapreduce. Versions
// 4 to 6 are read, 6 is written. Nothing is allocated per record, and no length in a file is believed before as many bytes
// were read.
package sequencefile

import (
	"errors"
	"fmt"

	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/job/failure"
)

// Compression says what is compressed.
type Compression byte

const (
	None   Compression = iota
	Record             // each value
	Block              // the keys and the values of many records together
)

// ParseCompression reads NONE, RECORD or BLOCK.
func ParseCompression(s string) (Compression, error) {
	switch s {
	case "NONE":
		return None, nil
	case "RECORD":
		return Record, nil
	case "BLOCK":
		return Block, nil
	}
	return None, errors.New("want NONE, RECORD or BLOCK")
}

// DefaultCodec compresses where no codec is named.
const DefaultCodec = "org.apache.hadoop.io.compress.DefaultCodec"

// Sizes of the format, in bytes.
const (
	SyncSize            = 16
	markSize            = 4 + SyncSize // a length of -1, then the sync bytes
	DefaultSyncInterval = 5 * 1024 * markSize
	DefaultBlockSize    = 1_000_000
	DefaultMaxRecord    = 1 << 30
)

// Pair is one entry of a file's metadata.
type Pair struct{ Key, Value string }

// Header is what a file says of itself.
type Header struct {
	Version              byte
	KeyClass, ValueClass string // Java classes
	Compression          Compression
	Codec                string // Java class; "" without compression
	Metadata             []Pair
	Sync                 [SyncSize]byte // what marks are made of
}

const (
	magic      = "SEQ"
	version    = 6
	oldest     = 4
	vCodec     = 5 // names the codec
	vMetadata  = 6
	maxClass   = 64 << 10 // bytes of a class name
	maxMeta    = 16 << 20 // bytes of metadata altogether
	syncEscape = -1       // in place of a record's length
)

// Is reports whether a file that starts with b looks like a SequenceFile.
func Is(b []byte) bool { return len(b) > 3 && string(b[:3]) == magic }

// codecOf finds the codec of a header, nil for none.
func (h *Header) codecOf() (codec.Codec, error) {
	if h.Compression == None {
		return nil, nil
	}
	return codec.ByClass(h.Codec)
}

// at makes the error of damage at a position.
func at(name string, pos int64, err error) error {
	kind := failure.Corrupt
	if k := failure.KindOf(err); k != failure.Unknown {
		kind = k
	}
	return failure.New(kind, "read SequenceFile", fmt.Sprintf("%s at byte %d", name, pos), err)
}
