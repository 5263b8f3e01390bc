package avro

import (
	"fmt"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Style is a text format for values.
type Style int

const (
	// JSON is Avro's JSON encoding, which `fs -text` uses. Values of unions include their type.
	JSON Style = iota
	// Plain is the format of GenericData.toString, which AvroAsTextInputFormat uses.
	Plain
)

func (d *decoder) separate() {
	if d.out = append(d.out, ','); d.style == Plain {
		d.out = append(d.out, ' ')
	}
}

func (d *decoder) colon() {
	if d.out = append(d.out, ':'); d.style == Plain {
		d.out = append(d.out, ' ')
	}
}

// number calls text to append f. It adds quotes if JSON cannot represent f.
func (d *decoder) number(f float64, text func()) {
	odd := math.IsNaN(f) || math.IsInf(f, 0)
	if odd {
		d.out = append(d.out, '"')
	}
	if text(); odd {
		d.out = append(d.out, '"')
	}
}

// quoted appends b in quotes and replaces malformed UTF-8 with U+FFFD.
func (d *decoder) quoted(b []byte) {
	d.out = append(d.out, '"')
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		d.char(r)
		b = b[n:]
	}
	d.out = append(d.out, '"')
}

// latin appends, in quotes, each byte of b as the character whose code is that byte.
func (d *decoder) latin(b []byte) {
	d.out = append(d.out, '"')
	for _, x := range b {
		d.char(rune(x))
	}
	d.out = append(d.out, '"')
}

var escapes = map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}

func (d *decoder) char(r rune) {
	control := r < ' ' || d.style == Plain && (r >= 0x7f && r <= 0x9f || r >= 0x2000 && r <= 0x20ff)
	switch {
	case r == '"' || r == '\\' || control && escapes[r] != "":
		d.out = append(d.out, escapes[r]...)
	case control:
		d.out = fmt.Appendf(d.out, `\u%04X`, r)
	case r > 0xffff && d.style == JSON:
		high, low := utf16.EncodeRune(r)
		d.out = fmt.Appendf(d.out, `\u%04X\u%04X`, high, low)
	default:
		d.out = utf8.AppendRune(d.out, r)
	}
}

// fixed appends the bytes of a fixed value. In the Plain style, they are an array of signed numbers,
// as in Java. In JSON, they have the format of a bytes value.
func (d *decoder) fixed(b []byte) {
	if d.style == JSON {
		d.latin(b)
		return
	}
	d.out = append(d.out, '[')
	for i, x := range b {
		if i > 0 {
			d.separate()
		}
		d.out = strconv.AppendInt(d.out, int64(int8(x)), 10)
	}
	d.out = append(d.out, ']')
}
