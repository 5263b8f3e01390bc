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
	if n, ok := parsePlain(s); ok {
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

// parsePlain parses decimal digits with an optional sign and an optional point. There must be at
// most 9 digits before the point. If s has any other form, ok is false.
func parsePlain[T string | []byte](s T) (n Number, ok bool) {
	i, neg := 0, false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		i, neg = 1, s[0] == '-'
	}
	digits, places := 0, -1
	for ; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '.' && places < 0:
			places = 0
			continue
		case c < '0' || c > '9':
			return 0, false
		case places == 9:
			if c >= '5' {
				n++
			}
			places++
		case places < 9:
			n = n*10 + Number(c-'0')
			if places >= 0 {
				places++
			} else if digits++; digits > 9 {
				return 0, false
			}
		}
	}
	if digits == 0 && places <= 0 {
		return 0, false
	}
	for places = max(places, 0); places < 9; places++ {
		n *= 10
	}
	if neg {
		n = -n
	}
	return n, true
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
	dst = append(dst, '.')
	for div := uint64(One) / 10; frac > 0; div /= 10 {
		dst = append(dst, byte('0'+frac/div))
		frac %= div
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
