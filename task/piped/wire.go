package piped

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/task/sortio"
)

// pieceSize is the maximum number of segment bytes in one Streaming record.
const pieceSize = 128 << 10

// place is the key of a Streaming record. It identifies piece n of map m's output for a partition.
type place struct{ partition, m, n uint32 }

const placeSize = 12

func (p place) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, p.partition)
	b = binary.BigEndian.AppendUint32(b, p.m)
	return binary.BigEndian.AppendUint32(b, p.n)
}

func parsePlace(b []byte) (place, error) {
	if len(b) != placeSize {
		return place{}, damaged("a key of %d bytes", len(b))
	}
	return place{binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:]), binary.BigEndian.Uint32(b[8:])}, nil
}

// headSize is the size, in bytes, of a segment's header, which is piece 0. The header consists of
// the raw length, length, checksum, and largest key.
const headSize = 8 + 8 + 4 + 4

func appendHead(b []byte, e sortio.Entry) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(e.Raw))
	b = binary.BigEndian.AppendUint64(b, uint64(e.Part))
	b = binary.BigEndian.AppendUint32(b, e.CRC)
	return binary.BigEndian.AppendUint32(b, e.MaxKey)
}

func parseHead(b []byte) (sortio.Entry, error) {
	if len(b) != headSize {
		return sortio.Entry{}, damaged("a header of %d bytes", len(b))
	}
	e := sortio.Entry{Raw: int64(binary.BigEndian.Uint64(b)), Part: int64(binary.BigEndian.Uint64(b[8:])),
		CRC: binary.BigEndian.Uint32(b[16:]), MaxKey: binary.BigEndian.Uint32(b[20:])}
	if e.Raw < 0 || e.Part < 0 {
		return sortio.Entry{}, damaged("a segment of negative length")
	}
	return e, nil
}

func damaged(format string, args ...any) error {
	return failure.New(failure.Corrupt, "read what Hadoop delivers", "standard input", fmt.Errorf(format, args...))
}

// writer writes records in Streaming's raw bytes, in which the length of each key and each value
// precedes it.
type writer struct {
	w    *bufio.Writer
	head []byte
}

func (w *writer) record(p place, value []byte) error {
	b := binary.BigEndian.AppendUint32(w.head[:0], placeSize)
	b = p.append(b)
	b = binary.BigEndian.AppendUint32(b, uint32(len(value)))
	w.head = b
	if _, err := w.w.Write(b); err != nil {
		return err
	}
	_, err := w.w.Write(value)
	return err
}

// reader reads records in Streaming's raw bytes.
type reader struct {
	r     *bufio.Reader
	key   [placeSize]byte
	value []byte
}

// next returns the next record, or io.EOF at the end. The value is valid until the next call.
func (r *reader) next() (place, []byte, error) {
	n, err := r.length(placeSize)
	if err != nil {
		return place{}, nil, err
	}
	if _, err := io.ReadFull(r.r, r.key[:n]); err != nil {
		return place{}, nil, early(err)
	}
	p, err := parsePlace(r.key[:n])
	if err != nil {
		return place{}, nil, err
	}
	if n, err = r.length(pieceSize); err != nil {
		return place{}, nil, early(err)
	}
	if r.value == nil {
		r.value = make([]byte, pieceSize)
	}
	if _, err := io.ReadFull(r.r, r.value[:n]); err != nil {
		return place{}, nil, early(err)
	}
	return p, r.value[:n], nil
}

func (r *reader) length(most uint32) (int, error) {
	var b [4]byte
	if _, err := io.ReadFull(r.r, b[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return 0, early(err)
		}
		return 0, err
	}
	n := binary.BigEndian.Uint32(b[:])
	if n > most {
		return 0, damaged("%d bytes, want at most %d", n, most)
	}
	return int(n), nil
}

// early converts an EOF inside a record to an error about damaged data.
func early(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return damaged("it ends inside a record")
	}
	return err
}
