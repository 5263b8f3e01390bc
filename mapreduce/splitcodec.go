package mapreduce

import (
	"encoding/binary"
	"errors"
	"math"
)

// splitVersion is the first byte of an encoded split.
const splitVersion = 2

// EncodeSplit appends s to dst in howdah's encoding of splits. The encoding starts with a version.
// Numbers are uvarints, and strings are preceded by their length.
func EncodeSplit(dst []byte, s *Split) []byte {
	dst = append(dst, splitVersion)
	dst = binary.AppendUvarint(dst, uint64(s.Length))
	dst = binary.AppendUvarint(dst, uint64(len(s.Hosts)))
	for _, h := range s.Hosts {
		dst = appendCounted(dst, h)
	}
	dst = binary.AppendUvarint(dst, uint64(len(s.Chunks)))
	for _, c := range s.Chunks {
		dst = appendCounted(dst, c.Path)
		dst = binary.AppendUvarint(dst, uint64(c.Start))
		dst = binary.AppendUvarint(dst, uint64(c.Length))
	}
	dst = append(dst, 0)
	if s.Combined {
		dst[len(dst)-1] = 1
	}
	return appendCounted(dst, s.Extra)
}

func appendCounted[S string | []byte](dst []byte, s S) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// DecodeSplit decodes a split encoded by EncodeSplit. For any other input, it returns an error of
// kind Corrupt. The split shares no memory with b.
func DecodeSplit(b []byte) (*Split, error) {
	d := splitDecoder{b: b}
	if d.byte() != splitVersion {
		return nil, corrupt("split", errors.New("unknown version"))
	}
	s := &Split{Length: d.number()}
	// A host needs at least one byte and a chunk at least three. count rejects larger numbers
	// before any allocation.
	if n := d.count(1); n > 0 {
		s.Hosts = make([]string, n)
	}
	for i := range s.Hosts {
		s.Hosts[i] = string(d.bytes())
	}
	if n := d.count(3); n > 0 {
		s.Chunks = make([]Chunk, n)
	}
	for i := range s.Chunks {
		s.Chunks[i] = Chunk{string(d.bytes()), d.number(), d.number()}
		if c := s.Chunks[i]; c.Start+c.Length < 0 {
			d.bad = true
		}
	}
	switch d.byte() {
	case 0:
	case 1:
		s.Combined = true
	default:
		d.bad = true
	}
	if x := d.bytes(); len(x) > 0 {
		s.Extra = append([]byte(nil), x...)
	}
	if d.bad || len(d.b) > 0 {
		return nil, corrupt("split", errors.New("malformed bytes"))
	}
	return s, nil
}

// splitDecoder decodes a split field by field and records whether a field was invalid.
type splitDecoder struct {
	b   []byte
	bad bool
}

func (d *splitDecoder) byte() byte {
	if len(d.b) == 0 {
		d.bad = true
		return 0
	}
	v := d.b[0]
	d.b = d.b[1:]
	return v
}

func (d *splitDecoder) number() int64 {
	v, n := binary.Uvarint(d.b)
	if d.bad || n <= 0 || v > math.MaxInt64 {
		d.bad = true
		return 0
	}
	d.b = d.b[n:]
	return int64(v)
}

// count reads the number of items that follow, each at least size bytes long.
func (d *splitDecoder) count(size int) int {
	n := d.number()
	if n > int64(len(d.b)/size) {
		d.bad = true
		return 0
	}
	return int(n)
}

func (d *splitDecoder) bytes() []byte {
	n := d.count(1)
	if d.bad {
		return nil
	}
	out := d.b[:n]
	d.b = d.b[n:]
	return out
}
