package mapreduce

import (
	"bytes"
	"encoding/binary"
	"strconv"

	"github.com/howdah/howdah/internal/javatext"
	"github.com/howdah/howdah/internal/vint"
)

// Writables that contain other Writables with their classes. They are rarely used as keys, so
// they sort only by their bytes.
var (
	MapWritable       Type = mapType{rawType{"org.apache.hadoop.io.MapWritable"}}
	SortedMapWritable Type = mapType{rawType{"org.apache.hadoop.io.SortedMapWritable"}}
	ObjectWritable    Type = objectType{rawType{"org.apache.hadoop.io.ObjectWritable"}}
)

// maxNesting is the maximum nesting depth of maps.
const maxNesting = 100

// mapIDs lists the classes with fixed IDs in maps, starting at -127. A map does not contain their
// names.
var mapIDs = [...]string{
	"ArrayWritable", "BooleanWritable", "BytesWritable", "FloatWritable", "IntWritable", "LongWritable",
	"MapWritable", "MD5Hash",
	"NullWritable", "ObjectWritable", "SortedMapWritable", "Text", "TwoDArrayWritable", "VIntWritable", "VLongWritable",
}

type mapType struct{ rawType }

// Hash returns the hash code of Java's MapWritable or SortedMapWritable, a sum over the entries. For
// unknown classes or malformed bytes, it returns the hash of the bytes.
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

// AppendText appends {key=value, key=value} in the order of Java's map. For a sorted map, it
// appends only the class and the hash code, like Java. For unknown classes or malformed bytes, it
// appends the bytes in hexadecimal.
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

// AppendText appends OW[class=class C,value=V]. For an unknown class or malformed bytes, it appends
// the bytes in hexadecimal.
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

// nested decodes consecutive Writables.
type nested struct {
	b     []byte
	bad   bool
	depth int
}

// held is a decoded Writable that is part of another Writable.
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

// utf decodes a string written by DataOutput.writeUTF.
func (p *nested) utf() string {
	n := p.take(2)
	if p.bad {
		return ""
	}
	return string(p.take(int(binary.BigEndian.Uint16(n))))
}

// nestedType returns the type of a class whose values are self-delimiting. It returns nil for other
// classes.
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

// fixedSizes contains the sizes of fixed-size types, in bytes.
var fixedSizes = map[Type]int{
	IntWritable: 4, LongWritable: 8, ShortWritable: 2, ByteWritable: 1, BooleanWritable: 1, FloatWritable: 4,
	DoubleWritable: 8, NullWritable: 0, MD5Hash: 16,
}

// value decodes a Writable.
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

// entries decodes a map and calls each for every entry. A map consists of the classes without a
// fixed ID and then the entries.
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

// UTF8Writable is the predecessor of Text, found in old files. Its length field is two bytes long.
var UTF8Writable Type = utf8Type{rawType{"org.apache.hadoop.io.UTF8"}}

type utf8Type struct{ rawType }

func (utf8Type) body(b []byte) []byte              { return b[min(2, len(b)):] }
func (t utf8Type) Compare(a, b []byte) int         { return bytes.Compare(t.body(a), t.body(b)) }
func (t utf8Type) Prefix(b []byte) uint64          { return prefix8(t.body(b)) }
func (t utf8Type) Hash(b []byte) int32             { return hashBytes(t.body(b)) }
func (t utf8Type) AppendText(dst, b []byte) []byte { return append(dst, t.body(b)...) }
