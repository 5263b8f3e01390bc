package bbp

import (
	"fmt"
	"math/big"
	"math/bits"
	"strings"
)

// fraction is a number modulo 1, in units of 2^-128.
type fraction struct{ hi, lo uint64 }

func (f fraction) plus(g fraction) fraction {
	lo, carry := bits.Add64(f.lo, g.lo, 0)
	hi, _ := bits.Add64(f.hi, g.hi, carry)
	return fraction{hi, lo}
}

func (f fraction) minus(g fraction) fraction {
	lo, borrow := bits.Sub64(f.lo, g.lo, 0)
	hi, _ := bits.Sub64(f.hi, g.hi, borrow)
	return fraction{hi, lo}
}

// shifted returns f * 2^n for n below 64.
func (f fraction) shifted(n uint) fraction { return fraction{f.hi<<n | f.lo>>(64-n), f.lo << n} }

// quotient returns a/m, rounded down. a must be less than m.
func quotient(a, m uint64) fraction {
	hi, rest := bits.Div64(a, 0, m)
	lo, _ := bits.Div64(rest, 0, m)
	return fraction{hi, lo}
}

// terms adds up the terms [from, to) of Bailey, Borwein, and Plouffe's series,
//
//	π = sum over k of 16^-k (4/(8k+1) - 2/(8k+4) - 1/(8k+5) - 1/(8k+6)),
//
// multiplied by 2^skip. It computes only the fractional part of the sum, so it needs powers of two
// only modulo the denominators. Rounding changes each term by less than four units of 2^-128, so
// the error of a sum of 10^15 terms is less than 2^-75.
func terms(skip, from, to uint64) (sum fraction) {
	for k := from; k < to; k++ {
		sum = sum.plus(term(skip, k, 8*k+1).shifted(2)).minus(term(skip, k, 8*k+4).shifted(1)).
			minus(term(skip, k, 8*k+5)).minus(term(skip, k, 8*k+6))
	}
	return sum
}

// term returns 2^(skip-4k) / m modulo 1, rounded down.
func term(skip, k, m uint64) fraction {
	if 4*k <= skip {
		return quotient(power2(skip-4*k, m), m)
	}
	f, down := quotient(1, m), 4*k-skip
	if down < 64 {
		return fraction{f.hi >> down, f.hi<<(64-down) | f.lo>>down}
	}
	return fraction{0, f.hi >> (down - 64)}
}

// termsFor returns the number of terms to add up. Every later term, multiplied by 2^skip, is less
// than 2^-128.
func termsFor(skip uint64) uint64 { return skip/4 + 33 }

// power2 returns 2^n modulo m. m must not be 0.
func power2(n, m uint64) uint64 {
	x, square := 1%m, 2%m
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			x = product(x, square, m)
		}
		square = product(square, square, m)
	}
	return x
}

func product(a, b, m uint64) uint64 {
	if m < 1<<32 {
		return a * b % m
	}
	hi, lo := bits.Mul64(a, b)
	return bits.Rem64(hi, lo, m)
}

// piDigits returns four hexadecimal digits of π, starting at the given place, which is at least 1.
func piDigits(place int64) uint16 {
	skip := uint64(place-1) * 4
	return uint16(terms(skip, 0, termsFor(skip)).hi >> 48)
}

// piText returns the readable output of Hadoop's example, with the hexadecimal digits and the same
// number of decimal digits.
func piText(hex []byte) []byte {
	var b strings.Builder
	lines(&b, "Pi = 0x3.", 5, len(hex), func(i int) string { return fmt.Sprintf("%02X", hex[i]) })
	fmt.Fprintf(&b, "Total number of hexadecimal digits is %d.\n", 2*len(hex))
	n := 2 * len(hex)
	decimals := new(big.Int).SetBytes(hex)
	decimals.Mul(decimals, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)).Rsh(decimals, uint(8*len(hex)))
	text := fmt.Sprintf("%0*s", n, decimals.Text(10))
	lines(&b, "Pi = 3.", 10, n, func(i int) string { return text[i : i+1] })
	fmt.Fprintf(&b, "Total number of decimal digits is %d.\n", n)
	return []byte(b.String())
}

// groupsPerLine is the number of digit groups in a line.
const groupsPerLine = 5

// lines writes n elements in groups of the given size, after a prefix. It indents subsequent lines
// by the prefix's width.
func lines(b *strings.Builder, prefix string, group, n int, element func(int) string) {
	b.WriteString("\n" + prefix)
	for i := range n {
		switch {
		case i == 0 || i%group != 0:
		case i/group%groupsPerLine == 0:
			b.WriteString("\n" + strings.Repeat(" ", len(prefix)))
		default:
			b.WriteByte(' ')
		}
		b.WriteString(element(i))
	}
	b.WriteByte('\n')
}
