package keyfield

// Numbers are compared as text, digit by digit, so that they may be of any length: an optional minus, digits, perhaps a point
// and more digits. What is no digit ends a number. All positions are inclusive, and Hadoop looks at the first byte of a number
// even if its stretch is empty: the functions below take whole keys and indices for that reason.

const (
	minus = '-'
	zero  = '0'
	point = '.'
)

// byteAt gives b[i], and 0 outside of b.
func byteAt(b []byte, i int) byte {
	if i < 0 || i >= len(b) {
		return 0
	}
	return b[i]
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// number is what is left of one of two numbers that are compared.
type operand struct {
	b       []byte
	i, last int
}

func (o *operand) done() bool { return o.i > o.last }
func (o *operand) now() byte  { return byteAt(o.b, o.i) }

// skip passes over zeros.
func (o *operand) skipZeros() {
	for !o.done() && o.now() == zero {
		o.i++
	}
}

// digits passes over digits, and over what ends them, and gives how many there were.
func (o *operand) digits() (n int) {
	for !o.done() {
		digit := isDigit(o.now())
		o.i++
		if !digit {
			break
		}
		n++
	}
	return n
}

func compareNumbers(a []byte, firstA, lastA int, b []byte, firstB, lastB int) int {
	x, y := operand{a, firstA, lastA}, operand{b, firstB, lastB}
	cx, cy := x.now(), y.now()
	switch {
	case cx == minus && cy == minus:
		x.i++
		y.i++
		return -compareMagnitudes(x, y, cx, cy)
	case cx == minus:
		x.i++
		return compareSigns(x, y)
	case cy == minus:
		y.i++
		return -compareSigns(y, x)
	}
	return compareMagnitudes(x, y, cx, cy)
}

// compareMagnitudes compares numbers without sign. cx and cy are the first bytes of both, sign included: where a number is
// used up they take part in the comparison, as they do in Hadoop.
func compareMagnitudes(x, y operand, cx, cy byte) int {
	x.skipZeros()
	y.skipZeros()
	for !x.done() && !y.done() && isDigit(x.now()) && x.now() == y.now() {
		x.i++
		y.i++
	}
	if !x.done() {
		cx = x.now()
	}
	if !y.done() {
		cy = y.now()
	}
	if cx == point && (!isDigit(cy) || y.done()) || cy == point && (!isDigit(cx) || x.done()) {
		return compareFractions(x, y)
	}
	if d := x.digits() - y.digits(); d != 0 {
		return d
	}
	return int(int8(cx)) - int(int8(cy))
}

// compareFractions compares what follows equal whole parts.
func compareFractions(x, y operand) int {
	switch {
	case x.done():
		return -y.after().fraction()
	case y.done():
		return x.after().fraction()
	case x.now() == point && y.now() == point:
		return comparePlaces(x, y)
	case x.now() == point:
		return x.after().fraction()
	case y.now() == point:
		return -y.after().fraction()
	}
	return 0
}

func comparePlaces(x, y operand) int {
	for !x.done() && !y.done() {
		a, b := x.now(), y.now()
		if a != b {
			switch {
			case isDigit(a) && isDigit(b):
				return int(a) - int(b)
			case isDigit(a):
				return 1
			case isDigit(b):
				return -1
			}
			return 0
		}
		x.i++
		y.i++
	}
	if x.done() && y.done() {
		return 0
	}
	if x.done() {
		return -y.fraction()
	}
	return x.fraction()
}

// after gives what follows the next byte.
func (o operand) after() operand {
	o.i++
	return o
}

// fraction gives 1 if the places that are left are more than zero, else 0.
func (o operand) fraction() int {
	o.skipZeros()
	if !o.done() && isDigit(o.now()) {
		return 1
	}
	return 0
}

// compareSigns compares a negative number, whose sign is passed, with one that is not: they are equal if both are zero.
func compareSigns(negative, other operand) int {
	if negative.isZero() && other.isZero() {
		return 0
	}
	return -1
}

// isZero: what is no digit counts as zero.
func (o operand) isZero() bool {
	o.skipZeros()
	if !o.done() && isDigit(o.now()) {
		return false
	}
	if o.i == o.last+1 || o.now() != point {
		return true
	}
	return o.after().fraction() == 0
}

// numberPrefix orders numbers by sign, by the count of digits before the point and by the first of these. Zero and all numbers
// between -1 and 1 are the middle.
func numberPrefix(b []byte, first, last int) uint64 {
	const middle, most = 1 << 63, 255
	o := operand{b, first, last}
	negative := o.now() == minus
	if negative {
		o.i++
	}
	o.skipZeros()
	var n, top uint64
	for ; !o.done() && isDigit(o.now()); o.i++ {
		if n < 12 {
			top |= uint64(o.now()-zero) << (44 - 4*n)
		}
		n++
	}
	if n >= most {
		n, top = most, 0
	}
	if negative {
		return middle - (n<<48 | top)
	}
	return middle + (n<<48 | top)
}
