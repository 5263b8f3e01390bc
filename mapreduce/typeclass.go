package mapreduce

import (
	"bytes"

	"github.com/howdah/howdah/conf"
)

// TypeOf returns the type that corresponds to the given Java class. For a class that TypeByClass
// does not recognize, it returns a type of opaque bytes.
func TypeOf(class string) Type {
	if t := TypeByClass(class); t != nil {
		return t
	}
	return rawType{class}
}

// rawType is the type of an unknown class. It compares and hashes serialized bytes and formats them
// in hexadecimal.
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

// configuredType returns the type of the class in the first key that is set, or nil if no key is
// set.
func configuredType(c *conf.Config, keys ...string) Type {
	for _, k := range keys {
		if class := c.Get(k); class != "" {
			return TypeOf(class)
		}
	}
	return nil
}
