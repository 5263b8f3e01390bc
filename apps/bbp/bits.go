package bbp

import (
	"fmt"
	"math"
	"strconv"
)

// String returns the fraction as 32 hexadecimal digits.
func (f fraction) String() string { return fmt.Sprintf("%016x%016x", f.hi, f.lo) }

func parseFraction(s string) (f fraction, err error) {
	if len(s) != 32 {
		return f, fmt.Errorf("%q is not a sum", s)
	}
	if f.hi, err = strconv.ParseUint(s[:16], 16, 64); err == nil {
		f.lo, err = strconv.ParseUint(s[16:], 16, 64)
	}
	return f, err
}

// precision is the number of bits that Hadoop's example prints, which is the size of a float64's
// fraction.
const precision = 52

// bitText returns the first 52 bits of f as Hadoop's example prints them, in hexadecimal. skip is
// the number of skipped bits. A space follows the digits that Hadoop considers reliable, which are
// fewer for a larger skip. The digits after the space may be wrong in Hadoop but are correct here.
func bitText(f fraction, skip uint64) string {
	n := accuracy(7 * (skip / 10))
	value, rest := f.hi>>(64-precision), precision-n
	return fmt.Sprintf("%0*X %0*X (%d hex digits)", n/4, value>>rest, 13-n/4, value&(1<<rest-1), n/4)
}

// accuracy returns the number of bits that Hadoop's example considers reliable in a sum of the
// given number of terms. It rounds the number down to whole hexadecimal digits.
func accuracy(terms uint64) int {
	lost := 2.0
	if terms > 0 {
		lost = math.Log(float64(terms)) / math.Log(2) / 2
	}
	n := precision + 1 - int(math.Ceil(lost))
	return n - n%4
}

func bitsOf(n uint64) string {
	if n < 2 {
		return "bit"
	}
	return "bits"
}

// commas returns n with commas as thousands separators.
func commas(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
