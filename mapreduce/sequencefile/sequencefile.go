// Package sequencefile reads and writes Hadoop's SequenceFiles. A file contains pairs of serialized
// keys and values. The values can be compressed one by one, or keys and values can be compressed in
// blocks of many records. The file also contains the Java classes of the keys and values, metadata,
// and sync marks at which a reader can start. In this package, keys and values are bytes; package
// mapreduce interprets them. The package reads versions 4 to 6 and writes version 6. It allocates
// no memory per record. It trusts a length in a file only after it has read that many bytes. Start
// with [NewReader] and [NewWriter].
package sequencefile

import (
	"errors"
	"fmt"

	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/job/failure"
)

// Compression is the unit of compression.
type Compression byte

const (
	None   Compression = iota
	Record             // each value
	Block              // keys and values of many records together
)

// ParseCompression parses NONE, RECORD, or BLOCK.
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

// DefaultCodec is the codec of a compressed file if the options do not specify one.
const DefaultCodec = "org.apache.hadoop.io.compress.DefaultCodec"

// Sizes of format elements and the default of ReadOptions.MaxRecord, in bytes.
const (
	SyncSize         = 16
	markSize         = 4 + SyncSize // a length of -1 and the sync marker
	DefaultMaxRecord = 1 << 30
)

// Pair is an entry of a file's metadata.
type Pair struct{ Key, Value string }

// Header is the header of a file.
type Header struct {
	Version              byte
	KeyClass, ValueClass string // Java classes
	Compression          Compression
	Codec                string // Java class; "" = uncompressed
	Metadata             []Pair
	Sync                 [SyncSize]byte // the file's sync marker
}

const (
	magic      = "SEQ"
	version    = 6
	oldest     = 4
	vCodec     = 5        // first version whose header contains the codec
	vMetadata  = 6        // first version whose header contains metadata
	maxClass   = 64 << 10 // maximum size of a class name, in bytes
	maxMeta    = 16 << 20 // maximum size of all metadata, in bytes
	syncEscape = -1       // replaces the length of a record before a sync marker
)

// Is reports whether b looks like the beginning of a SequenceFile.
func Is(b []byte) bool { return len(b) > 3 && string(b[:3]) == magic }

// codecOf returns the header's codec, or nil for an uncompressed file.
func (h *Header) codecOf() (codec.Codec, error) {
	if h.Compression == None {
		return nil, nil
	}
	return codec.ByClass(h.Codec)
}

// at adds the file and the position to an error. An error without a kind becomes an error of kind
// Corrupt.
func at(name string, pos int64, err error) error {
	kind := failure.Corrupt
	if k := failure.KindOf(err); k != failure.Unknown {
		kind = k
	}
	return failure.New(kind, "read SequenceFile", fmt.Sprintf("%s at byte %d", name, pos), err)
}
