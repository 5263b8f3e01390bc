package mapreduce

import (
	"math"
	"unicode/utf8"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/vint"
	"github.com/howdah/howdah/mapreduce/keyfield"
)

// FieldComparator returns a comparator that compares the key fields selected by
// conf.PartitionKeyComparatorOptions, like Hadoop's KeyFieldBasedComparator. As in Hadoop, it
// interprets the first bytes of a serialized key as the length of a Text. It returns an error of
// kind Config for invalid options.
func FieldComparator(c *conf.Config) (Comparator, error) {
	fields, err := keyfield.Parse(conf.PartitionKeyComparatorOptions.Get(c), fieldSeparator(c))
	if err != nil {
		return nil, c.Refuse(conf.PartitionKeyComparatorOptions.Name, err)
	}
	return &fieldComparator{fields}, nil
}

func fieldSeparator(c *conf.Config) string { return conf.MapOutputKeyFieldSeparator.Get(c) }

type fieldComparator struct{ fields keyfield.Fields }

func (f *fieldComparator) Compare(a, b []byte) int {
	return f.fields.Compare(a, textStart(a), b, textStart(b))
}

func (f *fieldComparator) Prefix(key []byte) uint64 { return f.fields.Prefix(key, textStart(key)) }

// textStart returns the length of the variable-length number at the start of a key.
func textStart(b []byte) int {
	if len(b) == 0 {
		return 0
	}
	return min(vintLen(b[0]), len(b))
}

// fieldGrouping groups like fieldComparator, except that each key lacking a field forms its own
// group.
type fieldGrouping struct{ *fieldComparator }

func (f fieldGrouping) Compare(a, b []byte) int {
	x := f.fieldComparator.Compare(a, b)
	if x == 0 && f.fields.Distinct(a, textStart(a)) {
		return -1
	}
	return x
}

// FieldPartition returns a partitioner like Hadoop's KeyFieldBasedPartitioner. The partitioner
// hashes the first conf.NumKeyFieldsForPartition fields or the fields that
// conf.PartitionKeyPartitionerOptions selects. Without options, it uses the hash of the key as a
// Java String.
func FieldPartition(env *Env, keys Type) (Partitioner, error) {
	c := env.Conf
	p := &fieldPartitioner{keys: unordered(keys)}
	n, err := conf.NumKeyFieldsForPartition.Within(c, math.MinInt32, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	if c.Get(conf.NumKeyFieldsForPartition.Name) != "" {
		p.fields, err = keyfield.First(int(n), fieldSeparator(c))
	} else {
		p.fields, err = keyfield.Parse(conf.PartitionKeyPartitionerOptions.Get(c), fieldSeparator(c))
	}
	if err != nil {
		return nil, c.Refuse(conf.PartitionKeyPartitionerOptions.Name, err)
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

// text returns the key in the format of Java's toString. It does not copy a Text.
func (p *fieldPartitioner) text(key []byte) []byte {
	if p.keys == TextWritable {
		return vint.Body(key)
	}
	p.buf = p.keys.AppendText(p.buf[:0], key)
	return p.buf
}

// hashString returns the hashCode of a java.lang.String: 31*h + unit over its UTF-16 units. text
// must be valid UTF-8.
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
