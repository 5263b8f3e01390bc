package mapreduce

import (
	"bytes"

	"github.com/howdah/howdah/conf"
)

// The keys by which a user names the types of records that neither the program nor the input format knows: Java classes.
const (
	KeyOutputKeyClass   = "mapreduce.job.output.key.class"
	KeyOutputValueClass = "mapreduce.job.output.value.class"
	KeyMapKeyClass      = "mapreduce.map.output.key.class"   // that of the output
	KeyMapValueClass    = "mapreduce.map.output.value.class" // that of the output
)

// TypeOf gives the type of a Java class: Hadoop's own by TypeByClass, any other as bytes that are passed through.
func TypeOf(class string) Type {
	if t := TypeByClass(class); t != nil {
		return t
	}
	return rawType{class}
}

// rawType is a class that is not known here: ordered and hashed by its serialised bytes, shown as their hexadecimal digits.
type rawType struct{ class string }

func (t rawType) Class() string         { return t.class }
func (rawType) Compare(a, b []byte) int { return bytes.Compare(a, b) }
func (rawType) Prefix(b []byte) uint64  { return prefix8(b) }
func (rawType) Hash(b []byte) int32     { return hashBytes(b) }
func (rawType) Exact() bool             { return true }
func (rawType) AppendText(dst, b []byte) []byte {
	for i, x := range b {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = appendHex(dst, x)
	}
	return dst
}

// configuredType gives the type that the first of the keys names that is set; nil if none is.
func configuredType(c *conf.Config, keys ...string) Type {
	for _, k := range keys {
		if class := c.Get(k); class != "" {
			return TypeOf(class)
		}
	}
	return nil
}
