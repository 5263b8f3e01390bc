// Package fixed adds numbers exactly, so that a result does not depend on the order of records. A
// Number is a decimal with nine places, and a Sum has 128 bits.
package fixed

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"strconv"
)

// One is the number 1. A Number counts billionths.
const One Number = 1_000_000_000

// Number is a decimal with nine places, from -9.2e9 to 9.2e9.
type Number int64

// Parse parses a decimal number and rounds it to nine places, half away from zero. It rejects
// numbers out of range, NaN, and infinities. A plain decimal with at most nine digits before the
// point is rounded only once. Any other number is first rounded to a float64.
func Parse[T string | []byte](s T) (Number, error) {
	if n, size := Prefix([]byte(s)); size == len(s) && size > 0 {
		return n, nil
	}
	x, err := strconv.ParseFloat(string(s), 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number", s)
	}
	x = math.Round(float64(x * float64(One)))
	if !(math.Abs(x) < math.MaxInt64) {
		return 0, fmt.Errorf("%s is out of range: want -9.2e9 to 9.2e9", s)
	}
	return Number(x), nil
}

// scale[p] is the number of billionths in the unit of the p-th decimal place.
var scale = [...]Number{1e9, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 1e1, 1}

// Prefix parses the plain decimal at the start of s. A plain decimal consists of digits with an
// optional sign and an optional point, with at most nine digits before the point. size is the
// decimal's length in bytes, or 0 if there is none. Prefix does not check that the number ends
// there: for "1e3", it returns 1 and a size of 1.
func Prefix(s []byte) (n Number, size int) {
	if n, size := shortPrefix(s); size > 0 {
		return n, size
	}
	i, neg := 0, false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		i, neg = 1, s[0] == '-'
	}
	start := i
	for ; i < len(s) && s[i]-'0' <= 9; i++ {
		n = n*10 + Number(s[i]-'0')
	}
	digits := i - start
	if digits > 9 {
		return 0, 0
	}
	if i == len(s) || s[i] != '.' {
		n *= One
	} else {
		i++
		first, last := i, min(len(s), i+9)
		for ; i < last && s[i]-'0' <= 9; i++ {
			n = n*10 + Number(s[i]-'0')
		}
		places := i - first
		n *= scale[places]
		digits += places
		if places == 9 {
			if i < len(s) && s[i]-'5' <= 4 {
				n++
			}
			for ; i < len(s) && s[i]-'0' <= 9; i++ {
			}
		}
	}
	if digits == 0 {
		return 0, 0
	}
	if neg {
		n = -n
	}
	return n, i
}

// shortPrefix is like Prefix, but it also returns 0 if s is shorter than nine bytes, if the decimal
// starts with a plus sign, or if the decimal does not end within eight bytes after its sign. It
// processes these eight bytes as one word, because branches on each digit are hard to predict.
func shortPrefix(s []byte) (n Number, size int) {
	if len(s) < 9 {
		return 0, 0
	}
	sign := 0
	if s[0] == '-' {
		sign = 1
	}
	const every = 0x0101010101010101 // 1 in each byte
	w := binary.LittleEndian.Uint64(s[sign:]) ^ '0'*every
	other := (w&(0x7f*every) + 0x76*every | w) & (0x80 * every) // the top bits of bytes that are not digits
	first := bits.TrailingZeros64(other) &^ 7                   // number of bits before such a byte
	end, places := first, 0
	if byte(w>>first) == '.'^'0' {
		if other &= other - 1; other == 0 {
			return 0, 0
		}
		size = 1
		end = bits.TrailingZeros64(other)&^7 - 8
		places = (end - first) / 8
		whole := uint64(1)<<first - 1
		w = w&whole | w>>8&^whole
	}
	if other == 0 || end == 0 {
		return 0, 0
	}
	w <<= 64 - end // The last digit is now in the top byte. Zeros precede the first digit.
	w = (w*10 + w>>8) & 0x00ff00ff00ff00ff
	w = (w*100 + w>>16) & 0x0000ffff0000ffff
	w = (w*10000 + w>>32) & 0xffffffff
	n = Number(w) * scale[places]
	return (n ^ Number(-sign)) + Number(sign), size + sign + end/8
}

// Append appends the number with only the decimal places that it needs.
func (n Number) Append(dst []byte) []byte {
	u := uint64(n)
	if n < 0 {
		dst = append(dst, '-')
		u = -u
	}
	dst = strconv.AppendUint(dst, u/uint64(One), 10)
	frac := u % uint64(One)
	if frac == 0 {
		return dst
	}
	places := 9
	for ; frac%1000 == 0; frac /= 1000 {
		places -= 3
	}
	for ; frac%10 == 0; frac /= 10 {
		places--
	}
	dst = append(dst, ".000000000"[:1+places]...)
	for i := len(dst) - 1; frac > 0; i-- {
		dst[i] = byte('0' + frac%10)
		frac /= 10
	}
	return dst
}

func (n Number) String() string { return string(n.Append(nil)) }

// Float returns the number as a float64, rounded.
func (n Number) Float() float64 { return float64(n) / float64(One) }

// Sum is a sum of Numbers. It cannot overflow because it has 128 bits, in two's complement.
type Sum struct {
	hi int64
	lo uint64
}

// Add adds a number to the sum.
func (s *Sum) Add(n Number) { s.Merge(Sum{int64(n) >> 63, uint64(n)}) }

// Merge adds another sum to s.
func (s *Sum) Merge(o Sum) {
	lo, carry := bits.Add64(s.lo, o.lo, 0)
	s.hi, s.lo = s.hi+o.hi+int64(carry), lo
}

// Mean returns the sum divided by count, rounded half away from zero. count must be positive and
// must not be less than the number of Numbers in the sum.
func (s Sum) Mean(count int64) Number {
	neg := s.hi < 0
	hi, lo := uint64(s.hi), s.lo
	if neg {
		var borrow uint64
		lo, borrow = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
	}
	q, r := bits.Div64(hi, lo, uint64(count))
	if r >= uint64(count)-r {
		q++
	}
	if neg {
		return -Number(q)
	}
	return Number(q)
}

// SumLen is the length of a serialized Sum in bytes.
const SumLen = 16

// Append appends the serialized sum.
func (s Sum) Append(dst []byte) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(dst, uint64(s.hi)), s.lo)
}

// Decode decodes a serialized sum from the first SumLen bytes of b.
func Decode(b []byte) Sum {
	return Sum{int64(binary.BigEndian.Uint64(b)), binary.BigEndian.Uint64(b[8:])}
}
