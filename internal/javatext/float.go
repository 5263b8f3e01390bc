package javatext

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// AppendDouble appends the result of Double.toString on Java releases before 19, on which Hadoop
// runs. The result has enough digits to distinguish the number from its neighbors, and at least one
// digit after the point. It has an exponent only if the absolute value is not 0 and is below 1E-3,
// or is at least 1E7.
//
// Those releases do not always find the shortest digits. For example, they find them for 0.002 but
// not for 2^-44. The text must be identical to Java's, so that part files are the same.
func AppendDouble(dst []byte, f float64) []byte {
	b := math.Float64bits(f)
	return appendJavaFloat(dst, f, b&(1<<52-1), int(b>>52&0x7ff)-1023, 52)
}

// AppendFloat appends the result of Float.toString on the same releases.
func AppendFloat(dst []byte, f float32) []byte {
	b := math.Float32bits(f)
	return appendJavaFloat(dst, float64(f), uint64(b&(1<<23-1)), int(b>>23&0xff)-127, 23)
}

// appendJavaFloat appends the float f. fraction is its stored fraction, which has width bits, and
// exp is its unbiased exponent.
func appendJavaFloat(dst []byte, f float64, fraction uint64, exp, width int) []byte {
	switch {
	case f != f:
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	if math.Signbit(f) {
		dst = append(dst, '-')
	}
	if f == 0 {
		return append(dst, "0.0"...)
	}
	n := binary2{bits: fraction | 1<<width, exp: exp, precision: width + 1}
	if exp == -1023 && width == 52 || exp == -127 && width == 23 { // subnormal numbers have no hidden bit
		n = binary2{bits: fraction, exp: exp - width + bits.Len64(fraction), precision: bits.Len64(fraction)}
	}
	n.bits >>= bits.TrailingZeros64(n.bits)
	var buf [32]byte
	d := decimal{digits: buf[:0]}
	n.convert(&d)
	return d.append(dst)
}

// binary2 is a positive number of the form 1.xxx * 2^exp. bits holds its binary digits without
// trailing zeros, and precision is the number of significant bits.
type binary2 struct {
	bits      uint64
	exp       int
	precision int
}

// decimal is the number 0.digits * 10^exp.
type decimal struct {
	digits []byte
	exp    int
}

func (n *binary2) convert(d *decimal) {
	size := bits.Len64(n.bits)
	fractional := max(0, size-n.exp-1) // number of digits after the binary point
	if fractional == 0 && n.exp <= 62 {
		n.integer(d, size)
		return
	}
	n.digits(d, size, fractional)
}

// integer converts n, which must be a whole number below 2^63, to decimal digits. If n has more
// bits than its precision, integer rounds away the insignificant digits.
func (n *binary2) integer(d *decimal, size int) {
	v := n.bits << (n.exp + 1 - size)
	drop := 0
	if p := n.exp - n.precision - 1; p > 1 {
		drop = p * 30103 / 100000 // number of decimal digits in p bits
	}
	pow := uint64(1)
	for range drop {
		pow *= 10
	}
	rest := v % pow
	v /= pow
	if drop > 0 && rest >= pow/2 {
		v++
	}
	d.digits = strconv.AppendUint(d.digits, v, 10)
	d.exp = len(d.digits) + drop
	for len(d.digits) > 1 && d.digits[len(d.digits)-1] == '0' {
		d.digits = d.digits[:len(d.digits)-1]
	}
}

// digits generates decimal digits with the algorithm of Steele and White (1990). It stops when the
// rest is less than half the distance to a neighboring float. The number is b/s * 10^e, and half
// the distance is m/s * 10^e.
func (n *binary2) digits(d *decimal, size, fractional int) {
	e := n.estimate(size)
	b5, s5 := max(0, -e), max(0, e)
	b2 := b5 + fractional + n.exp
	s2 := s5 + fractional
	m2 := b2 - n.precision
	b2 -= size - 1
	common := min(b2, s2)
	b2, s2, m2 = b2-common, s2-common, m2-common
	if size == 1 {
		m2-- // the neighbor below a power of two is half as far
	}
	if m2 < 0 {
		b2, s2, m2 = b2-m2, s2-m2, 0
	}
	bBits, tenBits := size+b2+bitsOf5(b5), s2+1+bitsOf5(s5+1)
	switch b, s, m := n.bits*pow5(b5)<<b2, pow5(s5)<<s2, pow5(b5)<<m2; {
	case bBits < 32 && tenBits < 32:
		n.generate(d, e, &small[int32]{b: int32(b), s: int32(s), m: int32(m)})
	case bBits < 64 && tenBits < 64:
		n.generate(d, e, &small[int64]{b: int64(b), s: int64(s), m: int64(m)})
	default:
		n.generate(d, e, newLarge(n.bits, b5, b2, s5, s2, m2))
	}
}

// estimate computes the decimal exponent from the first terms of a series for the logarithm. The
// result can be too large by one.
func (n *binary2) estimate(size int) int {
	one := math.Float64frombits(1023<<52 | n.bits<<(53-size)&(1<<52-1))
	return int(math.Floor(float64((one-1.5)*0.289529654) + 0.176091259 + float64(float64(n.exp)*0.301029995663981)))
}

// bitsOf5 returns the size of 5^n in bits. For large n it returns an upper bound.
func bitsOf5(n int) int {
	switch {
	case n == 0:
		return 0
	case n > 26:
		return 3 * n
	}
	return bits.Len64(pow5(n))
}

func pow5(n int) uint64 {
	p := uint64(1)
	for range n {
		p *= 5
	}
	return p
}

// fractionDigits is the arithmetic on b, s, and m that the generate method needs.
type fractionDigits interface {
	// next divides b by s and multiplies the rest and m by ten. It reports whether no more digits
	// are needed, because the rest is very small (low) or very near the next digit (high).
	next() (digit byte, low, high bool)
	// half compares the rest with half a digit. The result is negative, zero, or positive.
	half() int
}

func (n *binary2) generate(d *decimal, e int, f fractionDigits) {
	q, low, high := f.next()
	if q == 0 && !high {
		e--
	} else {
		d.digits = append(d.digits, '0'+q)
	}
	if e < -3 || e >= 8 {
		low, high = false, false // a number with an exponent has at least two digits
	}
	for !low && !high {
		q, low, high = f.next()
		d.digits = append(d.digits, '0'+q)
	}
	d.exp = e + 1
	if !high {
		return
	}
	if low {
		switch h := f.half(); {
		case h < 0, h == 0 && d.digits[len(d.digits)-1]&1 == 0:
			return
		}
	}
	d.roundUp()
}

func (d *decimal) roundUp() {
	i := len(d.digits) - 1
	for ; d.digits[i] == '9'; i-- {
		d.digits[i] = '0'
		if i == 0 {
			d.exp++
			d.digits[0] = '1'
			return
		}
	}
	d.digits[i]++
}

// append appends the number in Java's format to dst.
func (d *decimal) append(dst []byte) []byte {
	switch n := len(d.digits); {
	case d.exp > 0 && d.exp < 8:
		for i := range d.exp {
			if i < n {
				dst = append(dst, d.digits[i])
			} else {
				dst = append(dst, '0')
			}
		}
		return appendOr0(append(dst, '.'), d.digits[min(d.exp, n):])
	case d.exp <= 0 && d.exp > -3:
		dst = append(dst, "0.00"[:2-d.exp]...)
		return append(dst, d.digits...)
	}
	dst = append(dst, d.digits[0], '.')
	dst = append(appendOr0(dst, d.digits[1:]), 'E')
	return strconv.AppendInt(dst, int64(d.exp-1), 10)
}

func appendOr0(dst, digits []byte) []byte {
	if len(digits) == 0 {
		return append(dst, '0')
	}
	return append(dst, digits...)
}

// small implements fractionDigits with machine words. As in Java, m can overflow. If m is then 0 or
// less, it counts as larger than any rest. After any other overflow, the digits are the same as in
// Java.
type small[W int32 | int64] struct {
	b, s, m W
	begun   bool
}

func (x *small[W]) next() (digit byte, low, high bool) {
	q := x.b / x.s
	x.b = x.b % x.s * 10
	x.m *= 10
	if x.begun && x.m <= 0 {
		return byte(q), true, true
	}
	x.begun = true
	return byte(q), x.b < x.m, x.b+x.m > x.s*10
}

func (x *small[W]) half() int { return cmp.Compare(x.b<<1-x.s*10, 0) }

// large implements fractionDigits with arbitrary precision.
type large struct{ b, s, tens, m, q, t big.Int }

func newLarge(v uint64, b5, b2, s5, s2, m2 int) *large {
	x := &large{}
	five := func(n int) *big.Int { return x.t.Exp(big.NewInt(5), big.NewInt(int64(n)), nil) }
	x.m.Set(five(b5))
	x.b.Mul(x.b.SetUint64(v), &x.m)
	x.b.Lsh(&x.b, uint(b2))
	x.m.Lsh(&x.m, uint(m2))
	x.s.Lsh(five(s5), uint(s2))
	x.tens.Mul(&x.s, ten)
	return x
}

var ten = big.NewInt(10)

func (x *large) next() (digit byte, low, high bool) {
	x.q.QuoRem(&x.b, &x.s, &x.b)
	x.b.Mul(&x.b, ten)
	x.m.Mul(&x.m, ten)
	return byte(x.q.Uint64()), x.b.Cmp(&x.m) < 0, x.t.Add(&x.b, &x.m).Cmp(&x.tens) > 0
}

func (x *large) half() int { return x.t.Lsh(&x.b, 1).Cmp(&x.tens) }
