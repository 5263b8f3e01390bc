package aggregate

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/howdah/howdah/mapreduce"
)

// long parses an integer like Java's Long.parseLong.
func long(b []byte) (int64, error) {
	n, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return 0, errors.New(strconv.Quote(string(b)) + " is not an integer")
	}
	return n, nil
}

type longSum struct {
	sum int64
	buf []byte
}

func (a *longSum) reset() { a.sum = 0 }

func (a *longSum) add(v []byte) error {
	n, err := long(v)
	a.sum += n
	return err
}

func (a *longSum) report(dst []byte) []byte { return strconv.AppendInt(dst, a.sum, 10) }

func (a *longSum) partial(f func([]byte) error) error {
	a.buf = a.report(a.buf[:0])
	return f(a.buf)
}

// longBest keeps the largest number if sign is 1 and the smallest if sign is -1.
type longBest struct {
	sign int
	best int64
	buf  []byte
}

func (a *longBest) reset() {
	a.best = math.MinInt64
	if a.sign < 0 {
		a.best = math.MaxInt64
	}
}

func (a *longBest) add(v []byte) error {
	n, err := long(v)
	if err == nil && (a.sign > 0 && n > a.best || a.sign < 0 && n < a.best) {
		a.best = n
	}
	return err
}

func (a *longBest) report(dst []byte) []byte { return strconv.AppendInt(dst, a.best, 10) }

func (a *longBest) partial(f func([]byte) error) error {
	a.buf = a.report(a.buf[:0])
	return f(a.buf)
}

type doubleSum struct {
	sum float64
	buf []byte
}

func (a *doubleSum) reset() { a.sum = 0 }

func (a *doubleSum) add(v []byte) error {
	x, err := double(v)
	a.sum += x
	return err
}

func (a *doubleSum) report(dst []byte) []byte { return appendDouble(dst, a.sum) }

func (a *doubleSum) partial(f func([]byte) error) error {
	a.buf = a.report(a.buf[:0])
	return f(a.buf)
}

// appendDouble appends x in the format of Java's Double.toString.
func appendDouble(dst []byte, x float64) []byte {
	var b [8]byte
	return mapreduce.DoubleWritable.AppendText(dst, doubles.Append(b[:0], x))
}

var doubles, _ = mapreduce.CodecOf[float64]()

// double parses a number like Java's Double.parseDouble. It ignores surrounding white space and a
// trailing d or f.
func double(b []byte) (float64, error) {
	s := strings.TrimFunc(string(b), func(r rune) bool { return r <= ' ' })
	bad := func() (float64, error) { return 0, errors.New(strconv.Quote(string(b)) + " is not a number") }
	switch strings.TrimLeft(s, "+-") {
	case "NaN", "Infinity":
	default:
		hex := strings.ContainsAny(s, "xX")
		if n := len(s) - 1; n > 0 && strings.IndexByte("dDfF", s[n]) >= 0 && (!hex || strings.ContainsAny(s, "pP")) {
			s = s[:n]
		}
		if strings.Trim(s, "0123456789+-.eExXpPaAbBcCdDfF") != "" || strings.ContainsAny(s, "_nNiI") {
			return bad()
		}
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return bad()
	}
	return x, nil
}
