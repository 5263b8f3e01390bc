package keyfield

// Numbers are compared digit by digit as text, so they can have any length. A number consists of an
// optional minus, digits, and optionally a point and more digits. Any other byte ends the number.
// All positions are inclusive. Hadoop reads the first byte of a number even if its range is empty,
// so the following functions take whole keys and indices.

const (
	minus = '-'
	zero  = '0'
	point = '.'
)

// byteAt returns b[i], or 0 if i is out of range.
func byteAt(b []byte, i int) byte {
	if i < 0 || i >= len(b) {
		return 0
	}
	return b[i]
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// operand is the unread part of a number in a comparison.
type operand struct {
	b       []byte
	i, last int
}

func (o *operand) done() bool { return o.i > o.last }
func (o *operand) now() byte  { return byteAt(o.b, o.i) }

func (o *operand) skipZeros() {
	for !o.done() && o.now() == zero {
		o.i++
	}
}

// digits skips the leading digits and the byte after them. It returns the number of digits.
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

// compareMagnitudes compares numbers without their signs. cx and cy are the first bytes of the
// numbers, including the sign. As in Hadoop, the first byte takes part in the comparison if the
// number has ended.
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

// compareFractions compares the fractions of numbers with equal integer parts.
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

// after returns the operand without its next byte.
func (o operand) after() operand {
	o.i++
	return o
}

// fraction returns 1 if the remaining digits represent more than zero, otherwise 0.
func (o operand) fraction() int {
	o.skipZeros()
	if !o.done() && isDigit(o.now()) {
		return 1
	}
	return 0
}

// compareSigns compares a negative number, without its sign, with a nonnegative one. They are equal
// if both are zero.
func compareSigns(negative, other operand) int {
	if negative.isZero() && other.isZero() {
		return 0
	}
	return -1
}

// isZero reports whether the number is zero. A number that starts with neither a digit nor a point is
// zero.
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

// numberPrefix maps numbers to integers in the same order. It uses the sign, the number of digits
// before the point, and as many leading digits as fit. Zero and all numbers between -1 and 1 map to
// the middle.
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
