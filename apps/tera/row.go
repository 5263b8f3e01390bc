// Package tera contains TeraGen (Gen), TeraSort (Sort), and TeraValidate (Validate). Its rows are
// those of Hadoop's TeraGen, which are also gensort's binary rows, so the checksums agree.
package tera

import (
	"fmt"
	"math/bits"
)

// The layout of a row: 10 bytes of key, 2 bytes of break, 32 hexadecimal digits of the row's
// number, 4 bytes of break, 12 groups of 4 filler characters, 4 bytes of break.
const (
	KeyLen = 10
	RowLen = 100
)

// uint128 is an unsigned number that wraps around at 2^128.
type uint128 struct{ hi, lo uint64 }

func (a uint128) add(b uint128) uint128 {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	return uint128{a.hi + b.hi + carry, lo}
}

func (a uint128) mul(b uint128) uint128 {
	hi, lo := bits.Mul64(a.lo, b.lo)
	return uint128{hi + a.hi*b.lo + a.lo*b.hi, lo}
}

// digit returns the i-th of the 32 hexadecimal digits, highest first.
func (a uint128) digit(i int) byte {
	half := a.hi
	if i >= 16 {
		half = a.lo
	}
	return "0123456789ABCDEF"[half>>(60-4*(i%16))&15]
}

// String returns the number in hexadecimal without leading zeros, which is the printed form of
// checksums.
func (a uint128) String() string {
	if a.hi == 0 {
		return fmt.Sprintf("%x", a.lo)
	}
	return fmt.Sprintf("%x%016x", a.hi, a.lo)
}

// parse128 parses the format of String.
func parse128(s string) (uint128, error) {
	var a uint128
	if s == "" || len(s) > 32 {
		return a, fmt.Errorf("%q is not a checksum: want 1 to 32 hexadecimal digits", s)
	}
	for _, c := range []byte(s) {
		var d uint64
		switch {
		case c >= '0' && c <= '9':
			d = uint64(c - '0')
		case c >= 'a' && c <= 'f':
			d = uint64(c-'a') + 10
		default:
			return a, fmt.Errorf("%q is not a checksum: %q is not a hexadecimal digit", s, c)
		}
		a = uint128{a.hi<<4 | a.lo>>60, a.lo<<4 | d}
	}
	return a, nil
}

// The constants for the random numbers x(n+1) = A*x(n) + C modulo 2^128, as in gensort. The first
// bytes of C spell "JimGrayRIP".
var (
	genA = uint128{0x2360ed051fc65da4, 0x4385df649fccf645}
	genC = uint128{0x4a696d4772617952, 0x4950202020202001}
)

func next(x uint128) uint128 { return x.mul(genA).add(genC) }

// skip returns x(n), where x(0) = 0. It uses repeated squaring, so that a map can start at any row
// without computing all earlier numbers.
func skip(n uint64) uint128 {
	x := uint128{}
	a, c := genA, genC // 2^i steps together are x -> a*x + c
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			x = x.mul(a).add(c)
		}
		a, c = a.mul(a), a.mul(c).add(c)
	}
	return x
}

// fillRow fills row with row number n, whose random number is x.
func fillRow(row []byte, x uint128, n uint64) {
	_ = row[RowLen-1]
	for i := range 8 {
		row[i] = byte(x.hi >> (56 - 8*i))
	}
	row[8], row[9] = byte(x.lo>>56), byte(x.lo>>48)
	row[10], row[11] = 0x00, 0x11
	id := uint128{lo: n}
	for i := range 32 {
		row[12+i] = id.digit(i)
	}
	row[44], row[45], row[46], row[47] = 0x88, 0x99, 0xAA, 0xBB
	for i := range 12 {
		d := x.digit(20 + i)
		p := row[48+4*i : 52+4*i]
		p[0], p[1], p[2], p[3] = d, d, d, d
	}
	row[96], row[97], row[98], row[99] = 0xCC, 0xDD, 0xEE, 0xFF
}
