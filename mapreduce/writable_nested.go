package mapreduce

import (
	"bytes"
	"encoding/binary"
	"strconv"

	"github.com/howdah/howdah/internal/javatext"
	"github.com/howdah/howdah/internal/vint"
)

// Writables that hold others and say which. They are values, hardly ever keys: their order is that of their bytes.
var (
	MapWritable       Type = mapType{rawType{"org.apache.hadoop.io.MapWritable"}}
	SortedMapWritable Type = mapType{rawType{"org.apache.hadoop.io.SortedMapWritable"}}
	ObjectWritable    Type = objectType{rawType{"org.apache.hadoop.io.ObjectWritable"}}
)

// maxNesting bounds maps inside maps.
const maxNesting = 100

// mapIDs are the numbers that maps have for classes without naming them, from -127 on.
var mapIDs = [...]string{
	"ArrayWritable", "BooleanWritable", "BytesWritable", "FloatWritable", "IntWritable", "LongWritable", "MapWritable", "MD5Hash",
	"NullWritable", "ObjectWritable", "SortedMapWritable", "Text", "TwoDArrayWritable", "VIntWritable", "VLongWritable",
}

type mapType struct{ rawType }

// Hash is that of a Java map: the sum over its entries. A map that holds classes which are not known here is hashed by its bytes.
func (t mapType) Hash(b []byte) int32 {
	p := nested{b: b}
	sum := int32(0)
	p.entries(func(k, v held) {
		if !p.bad {
			sum += k.of.Hash(k.b) ^ v.of.Hash(v.b)
		}
	})
	switch {
	case p.bad:
		return t.rawType.Hash(b)
	case t.class == sortedMapClass:
		return sum
	}
	return 1 + sum
}

// AppendText gives {key=value, key=value} in the order in which Java's map has the keys, and of a sorted map only class and hash
// code, as Java does; a map that holds classes which are not known here is shown as bytes.
func (t mapType) AppendText(dst, b []byte) []byte {
	if t.class == sortedMapClass {
		return strconv.AppendUint(append(append(dst, t.class...), '@'), uint64(uint32(t.Hash(b))), 16)
	}
	p := nested{b: b}
	if out := p.mapText(dst); !p.bad && len(p.b) == 0 {
		return out
	}
	return t.rawType.AppendText(dst, b)
}

const sortedMapClass = "org.apache.hadoop.io.SortedMapWritable"

type objectType struct{ rawType }

// AppendText gives OW[class=C,value=V], or the bytes of what is no known Writable.
func (t objectType) AppendText(dst, b []byte) []byte {
	p := nested{b: b}
	declared := p.utf()
	if declared == "java.lang.String" {
		if text := p.utf(); !p.bad {
			return append(append(append(dst, "OW[class=class java.lang.String,value="...), text...), ']')
		}
		return t.rawType.AppendText(dst, b)
	}
	v := p.value(nestedType(p.utf()))
	if p.bad {
		return t.rawType.AppendText(dst, b)
	}
	dst = append(append(append(dst, "OW[class=class "...), declared...), ",value="...)
	return append(appendToString(dst, v.of, v.b), ']')
}

// nested reads Writables that follow each other.
type nested struct {
	b     []byte
	bad   bool
	depth int
}

// held is a Writable inside another.
type held struct {
	of Type
	b  []byte
}

func (p *nested) take(n int) []byte {
	if p.bad || n < 0 || n > len(p.b) {
		p.bad = true
		return nil
	}
	b := p.b[:n]
	p.b = p.b[n:]
	return b
}

func (p *nested) byte() int8 {
	if b := p.take(1); b != nil {
		return int8(b[0])
	}
	return 0
}

// utf reads a string as DataOutput.writeUTF writes it.
func (p *nested) utf() string {
	n := p.take(2)
	if p.bad {
		return ""
	}
	return string(p.take(int(binary.BigEndian.Uint16(n))))
}

// nestedType gives the type of a class whose values tell where they end; nil for others.
func nestedType(class string) Type {
	switch simpleName(class) {
	case "MapWritable":
		return mapType{rawType{"org.apache.hadoop.io.MapWritable"}}
	case "SortedMapWritable":
		return mapType{rawType{sortedMapClass}}
	case "Text":
		return TextWritable
	case "BytesWritable":
		return BytesWritable
	case "VIntWritable":
		return VIntWritable
	case "VLongWritable":
		return VLongWritable
	}
	for t := range fixedSizes {
		if t.Class() == class || simpleName(t.Class()) == class {
			return t
		}
	}
	return nil
}

// fixedSizes are the bytes of types that always take as many.
var fixedSizes = map[Type]int{
	IntWritable: 4, LongWritable: 8, ShortWritable: 2, ByteWritable: 1, BooleanWritable: 1, FloatWritable: 4, DoubleWritable: 8, NullWritable: 0, MD5Hash: 16,
}

// value takes one Writable.
func (p *nested) value(t Type) held {
	rest := p.b
	switch t.(type) {
	case textType:
		n, size := vint.Long(rest)
		if size == 0 || n < 0 || n > int64(len(rest)) {
			p.bad = true
			return held{}
		}
		return held{t, p.take(size + int(n))}
	case bytesType:
		return held{t, p.take(4 + int(be32(rest)))}
	case vintType, vlongType:
		if len(rest) == 0 {
			p.bad = true
			return held{}
		}
		return held{t, p.take(vint.Len(rest[0]))}
	case mapType:
		p.entries(func(held, held) {})
		return held{t, rest[:len(rest)-len(p.b)]}
	}
	size, ok := fixedSizes[t]
	p.bad = p.bad || !ok
	return held{t, p.take(size)}
}

// entries reads a map: the classes that have no fixed number, then the entries.
func (p *nested) entries(each func(key, value held)) {
	if p.depth++; p.depth > maxNesting {
		p.bad = true
	}
	own := map[int8]string{}
	for n := p.byte(); n > 0 && !p.bad; n-- {
		id := p.byte()
		own[id] = p.utf()
	}
	class := func() Type {
		id := p.byte()
		if i := int(id) + 127; i >= 0 && i < len(mapIDs) {
			return nestedType(mapIDs[i])
		}
		return nestedType(own[id])
	}
	for n := int32(be32(p.take(4))); n > 0 && !p.bad; n-- {
		key := p.value(class())
		each(key, p.value(class()))
	}
	p.depth--
}

func (p *nested) mapText(dst []byte) []byte {
	var keys, values []held
	var hashes []int32
	p.entries(func(k, v held) {
		if !p.bad {
			keys, values, hashes = append(keys, k), append(values, v), append(hashes, k.of.Hash(k.b))
		}
	})
	if p.bad {
		return dst
	}
	dst = append(dst, '{')
	for n, i := range javatext.HashOrder(hashes, 0) {
		if n > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(appendToString(dst, keys[i].of, keys[i].b), '=')
		dst = appendToString(dst, values[i].of, values[i].b)
	}
	return append(dst, '}')
}

// UTF8Writable is what old files have instead of Text: two bytes of length.
var UTF8Writable Type = utf8Type{rawType{"org.apache.hadoop.io.UTF8"}}

type utf8Type struct{ rawType }

func (utf8Type) body(b []byte) []byte              { return b[min(2, len(b)):] }
func (t utf8Type) Compare(a, b []byte) int         { return bytes.Compare(t.body(a), t.body(b)) }
func (t utf8Type) Prefix(b []byte) uint64          { return prefix8(t.body(b)) }
func (t utf8Type) Hash(b []byte) int32             { return hashBytes(t.body(b)) }
func (t utf8Type) AppendText(dst, b []byte) []byte { return append(dst, t.body(b)...) }
