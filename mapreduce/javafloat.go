package mapreduce

import (
	"math"
	"strconv"
)

// AppendDouble appends what Java's Double.toString gives (as specified since Java 19: the shortest digits that tell the
// number from its neighbours, at least one after the point).
func AppendDouble(dst []byte, f float64) []byte { return appendJavaFloat(dst, f, 64) }

// AppendFloat appends what Java's Float.toString gives.
func AppendFloat(dst []byte, f float32) []byte { return appendJavaFloat(dst, float64(f), 32) }

func appendJavaFloat(dst []byte, f float64, bits int) []byte {
	switch {
	case f != f:
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	if math.Signbit(f) {
		dst, f = append(dst, '-'), -f
	}
	if f == 0 {
		return append(dst, "0.0"...)
	}
	if f >= 1e-3 && f < 1e7 {
		start := len(dst)
		dst = strconv.AppendFloat(dst, f, 'f', -1, bits)
		for _, c := range dst[start:] {
			if c == '.' {
				return dst
			}
		}
		return append(dst, ".0"...)
	}
	return appendScientific(dst, f, bits)
}

// appendScientific gives "1.0E10". Java asks for two digits at least and picks the closest such number, even where one
// digit would do: 4.9E-324.
func appendScientific(dst []byte, f float64, bits int) []byte {
	var buf [32]byte
	s := strconv.AppendFloat(buf[:0], f, 'e', -1, bits)
	if s[1] != '.' {
		two := strconv.AppendFloat(buf[len(s):len(s)], f, 'e', 1, bits)
		if back, err := strconv.ParseFloat(string(two), bits); err == nil && back == f {
			s = two
		}
	}
	e := len(s) - 1
	for s[e] != 'e' {
		e--
	}
	dst = append(dst, s[:e]...)
	if s[1] != '.' {
		dst = append(dst, ".0"...)
	}
	exp, _ := strconv.Atoi(string(s[e+1:]))
	return strconv.AppendInt(append(dst, 'E'), int64(exp), 10)
}
