package mapreduce

import (
	"math"
	"unicode/utf8"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce/keyfield"
)

// The keys of comparator and partitioner by fields of the key. Package keyfield describes the options.
const (
	KeyFieldSeparator     = "mapreduce.map.output.key.field.separator" // tab
	KeyComparatorOptions  = "mapreduce.partition.keycomparator.options"
	KeyPartitionerOptions = "mapreduce.partition.keypartitioner.options"
	KeyPartitionFields    = "num.key.fields.for.partition" // the first fields; stands for KeyPartitionerOptions
)

// FieldComparator orders keys by the fields that KeyComparatorOptions names, as Hadoop's KeyFieldBasedComparator does. Like
// that one it takes the first bytes of a serialised key for the length of a Text. Bad options are kind Config.
func FieldComparator(c *conf.Config) (Comparator, error) {
	fields, err := keyfield.Parse(c.Get(KeyComparatorOptions), fieldSeparator(c))
	if err != nil {
		return nil, c.Refuse(KeyComparatorOptions, err)
	}
	return &fieldComparator{fields}, nil
}

func fieldSeparator(c *conf.Config) string { return c.Get(KeyFieldSeparator) }

type fieldComparator struct{ fields keyfield.Fields }

func (f *fieldComparator) Compare(a, b []byte) int {
	return f.fields.Compare(a, textStart(a), b, textStart(b))
}

func (f *fieldComparator) Prefix(key []byte) uint64 { return f.fields.Prefix(key, textStart(key)) }

// textStart gives the length of the variable-length number in front of a key.
func textStart(b []byte) int {
	if len(b) == 0 {
		return 0
	}
	return min(vintLen(b[0]), len(b))
}

// fieldGrouping tells groups as a fieldComparator, and makes a group of its own of each key that lacks a field.
type fieldGrouping struct{ *fieldComparator }

func (f fieldGrouping) Compare(a, b []byte) int {
	x := f.fieldComparator.Compare(a, b)
	if x == 0 && f.fields.Distinct(a, textStart(a)) {
		return -1
	}
	return x
}

// FieldPartition sends keys to reducers by a hash of the fields that KeyPartitionerOptions names, or of the first fields that
// KeyPartitionFields counts, as Hadoop's KeyFieldBasedPartitioner does. Without options it is the hash of Java's String.
func FieldPartition(env *Env, keys Type) (Partitioner, error) {
	c := env.Conf
	p := &fieldPartitioner{keys: unordered(keys)}
	n, err := c.Int(KeyPartitionFields, -1, math.MinInt32, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	if c.Get(KeyPartitionFields) != "" {
		p.fields, err = keyfield.First(int(n), fieldSeparator(c))
	} else {
		p.fields, err = keyfield.Parse(c.Get(KeyPartitionerOptions), fieldSeparator(c))
	}
	if err != nil {
		return nil, c.Refuse(KeyPartitionerOptions, err)
	}
	return p, nil
}

type fieldPartitioner struct {
	keys   Type
	fields keyfield.Fields
	buf    []byte
}

func (p *fieldPartitioner) Partition(key, _ []byte, n int) int {
	text := JavaString(p.text(key))
	if p.fields.Whole() {
		return keyfield.Partition(hashString(text), n)
	}
	return keyfield.Partition(p.fields.Hash(text), n)
}

// text gives the key as Java's toString does, Text without a copy.
func (p *fieldPartitioner) text(key []byte) []byte {
	if p.keys == TextWritable {
		return textBody(key)
	}
	p.buf = p.keys.AppendText(p.buf[:0], key)
	return p.buf
}

// hashString is the hashCode of the java.lang.String of valid UTF-8: 31*h + unit over the units of UTF-16.
func hashString(text []byte) int32 {
	var h int32
	for len(text) > 0 {
		if c := text[0]; c < utf8.RuneSelf {
			h = 31*h + int32(c)
			text = text[1:]
			continue
		}
		r, n := utf8.DecodeRune(text)
		text = text[n:]
		if r >= 0x10000 {
			r -= 0x10000
			h = 31*h + 0xd800 + r>>10
			r = 0xdc00 + r&0x3ff
		}
		h = 31*h + r
	}
	return h
}
