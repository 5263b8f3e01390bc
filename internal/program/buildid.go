package program

import (
	"bytes"
	"encoding/binary"
	"io"
)

// head is the number of bytes at the start of a file in which to look for the build ID. Go's linker
// stores the ID in the first pages. In an ELF file, the ID is in a note after the program headers.
// In other formats, it is in marked text at the start of the code.
const head = 64 << 10

const maxBuildID = 200

var (
	elfMagic = []byte("\x7fELF")
	marker   = []byte("\xff Go build ID: \"")
	markEnd  = []byte("\"\n \xff")
)

// noteGoBuildID is the type of the ELF note for Go's build ID. The owner of the note is "Go".
const noteGoBuildID = 4

func buildID(r io.ReaderAt) (string, bool) {
	b := make([]byte, head)
	n, err := r.ReadAt(b, 0)
	if err != nil && err != io.EOF {
		return "", false
	}
	b = b[:n]
	id, ok := markedID(b)
	if !ok && bytes.HasPrefix(b, elfMagic) {
		id, ok = elfID(b)
	}
	return id, ok && id != "" && len(id) <= maxBuildID
}

func markedID(b []byte) (string, bool) {
	_, rest, ok := bytes.Cut(b, marker)
	if !ok {
		return "", false
	}
	id, _, ok := bytes.Cut(rest, markEnd)
	return string(id), ok
}

// elfID searches the notes (PT_NOTE) of a 64-bit ELF file.
func elfID(b []byte) (string, bool) {
	const classOffset, dataOffset, headerSize, programHeaderSize, ptNote = 4, 5, 64, 56, 4
	if len(b) < headerSize || b[classOffset] != 2 {
		return "", false
	}
	var order binary.ByteOrder = binary.LittleEndian
	if b[dataOffset] == 2 {
		order = binary.BigEndian
	}
	table, count := order.Uint64(b[32:]), int(order.Uint16(b[56:]))
	for i := range count {
		start := table + uint64(i*programHeaderSize)
		if table > head || start+programHeaderSize > uint64(len(b)) {
			return "", false
		}
		header := b[start:]
		offset, size := order.Uint64(header[8:]), order.Uint64(header[32:])
		if order.Uint32(header) != ptNote || offset > uint64(len(b)) || size > uint64(len(b))-offset {
			continue
		}
		if id, ok := noteID(b[offset:offset+size], order); ok {
			return id, true
		}
	}
	return "", false
}

// noteID finds Go's note among the notes of one segment. A note consists of the name size, the
// content size, the type, the name, and the content. The name and the content are padded to 4
// bytes.
func noteID(b []byte, order binary.ByteOrder) (string, bool) {
	for len(b) >= 12 {
		name, content, kind := uint64(order.Uint32(b)), uint64(order.Uint32(b[4:])), order.Uint32(b[8:])
		b = b[12:]
		padded := (name + 3) &^ 3
		if padded+content > uint64(len(b)) {
			return "", false
		}
		if kind == noteGoBuildID && string(b[:name]) == "Go\x00\x00" {
			return string(b[padded : padded+content]), true
		}
		b = b[min(padded+(content+3)&^3, uint64(len(b))):]
	}
	return "", false
}
