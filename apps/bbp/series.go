package bbp

import (
	"fmt"
	"math/big"
	"math/bits"
	"strings"
)

// piDigits gives four hexadecimal digits of π, of which the first has the given place, at least 1.
//
// π is the sum over k of 16^-k (4/(8k+1) - 2/(8k+4) - 1/(8k+5) - 1/(8k+6)). Multiplied by 16^(place-1) the wanted digits are the
// first ones of the fraction, in which powers of 16 count by their remainders alone. Fractions are in units of 2^-64; each of
// at most 4*10^8 terms is cut off by less than one, so that 2^-35 is wrong at most.
func piDigits(place int64) uint16 {
	d := uint64(place - 1)
	sum := 4*series(d, 1) - 2*series(d, 4) - series(d, 5) - series(d, 6)
	return uint16(sum >> 48)
}

// series is the fraction of the sum of 16^(d-k) / (8k+j).
func series(d, j uint64) (sum uint64) {
	for k := range d + 1 {
		m := 8*k + j
		q, _ := bits.Div64(power16(d-k, m), 0, m)
		sum += q
	}
	for k := d + 1; k-d < 16; k++ { // 16^-16 is less than a unit
		sum += (1 << (64 - 4*(k-d))) / (8*k + j)
	}
	return sum
}

// power16 is 16^n modulo m, which is below 2^32.
func power16(n, m uint64) uint64 {
	x, square := 1%m, 16%m
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			x = x * square % m
		}
		square = square * square % m
	}
	return x
}

// piText is what Hadoop's example writes for people: the digits, and as many decimal ones.
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

// groupsPerLine is how many groups of digits stand in a line.
const groupsPerLine = 5

// lines writes n elements in groups of the given size, lines under each other behind a prefix.
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
