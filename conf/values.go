package conf

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// If a key is unset or empty and has no default in the table, the getters in this file return def.
// Their error is a *failure.Error of kind Config that contains the key, the value, and its source.

// text returns a key's expanded value without surrounding spaces.
func (c *Config) text(key string) (string, error) {
	raw, source, _ := c.raw(key)
	v, err := c.expand(raw)
	if err != nil {
		return "", failure.New(failure.Config, "expand "+key+"="+raw, "("+source+")", err)
	}
	if v = strings.TrimSpace(v); v == "" { // raw replaces an empty value, but not one whose expansion is blank
		if k := Find(key); k != nil {
			v = k.Default
		}
	}
	return v, nil
}

// Refuse returns an error of kind Config about the value of a key. The error contains the key, the
// value, and its source. why is the reason.
func (c *Config) Refuse(key string, why error) *failure.Error {
	value, source, _ := c.Lookup(key)
	if source != "" {
		source = "(" + source + ")"
	}
	return failure.New(failure.Config, "read "+key+"="+strings.TrimSpace(value), source, why)
}

func (c *Config) bad(key, want string) error { return c.Refuse(key, errors.New("want "+want)) }

// Int returns a key's value as a whole number within [min, max], decimal or hexadecimal (0x).
func (c *Config) Int(key string, def, min, max int64) (int64, error) {
	s, err := c.text(key)
	if err != nil || s == "" {
		return def, err
	}
	n, err := parseInt(s)
	if err != nil || n < min || n > max {
		return 0, c.bad(key, "a whole number "+within(min, max))
	}
	return n, nil
}

func parseInt(s string) (int64, error) {
	if h, ok := strings.CutPrefix(strings.ToLower(s), "0x"); ok {
		return strconv.ParseInt(h, 16, 64)
	}
	return strconv.ParseInt(s, 10, 64)
}

func within(min, max int64) string {
	if max == math.MaxInt64 {
		return fmt.Sprintf("of at least %d", min)
	}
	return fmt.Sprintf("from %d to %d", min, max)
}

// Float returns a key's value as a number within [min, max].
func (c *Config) Float(key string, def, min, max float64) (float64, error) {
	s, err := c.text(key)
	if err != nil || s == "" {
		return def, err
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || !(n >= min && n <= max) {
		return 0, c.bad(key, fmt.Sprintf("a number from %g to %g", min, max))
	}
	return n, nil
}

// Bool returns a key's value, which is true or false in upper or lower case.
func (c *Config) Bool(key string, def bool) (bool, error) {
	s, err := c.text(key)
	if err != nil {
		return def, err
	}
	switch strings.ToLower(s) {
	case "":
		return def, nil
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, c.bad(key, "true or false")
}

// Strings returns the nonempty elements of a comma-separated list.
func (c *Config) Strings(key string) []string {
	var out []string
	for s := range strings.SplitSeq(c.Get(key), ",") {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

var timeUnits = []struct {
	suffix string
	unit   time.Duration
}{ // longer suffixes first, because "ms" ends in "s"
	{"ns", time.Nanosecond}, {"us", time.Microsecond}, {"ms", time.Millisecond},
	{"s", time.Second}, {"m", time.Minute}, {"h", time.Hour}, {"d", 24 * time.Hour},
}

// Duration returns a key's value as a duration within [min, max]. The value is a whole number of
// units, and unit is the length of one. One of Hadoop's suffixes (ns us ms s m h d) overrides unit.
func (c *Config) Duration(key string, def, unit, min, max time.Duration) (time.Duration, error) {
	s, err := c.text(key)
	if err != nil || s == "" {
		return def, err
	}
	number := strings.ToLower(s)
	u := unit
	for _, t := range timeUnits {
		if rest, ok := strings.CutSuffix(number, t.suffix); ok {
			number, u = strings.TrimSpace(rest), t.unit
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	d, fits := multiply(n, int64(u))
	if err != nil || !fits || time.Duration(d) < min || time.Duration(d) > max {
		want := fmt.Sprintf("a time from %v to %v", min, max)
		if max == math.MaxInt64 {
			want = fmt.Sprintf("a time of at least %v", min)
		}
		return 0, c.bad(key, fmt.Sprintf("%s, a whole number of units of %v or with a suffix ns us ms s m h d", want, unit))
	}
	return time.Duration(d), nil
}

// Size returns a key's value as a number of bytes within [min, max]. The suffixes k m g t p
// multiply the number by powers of 1024.
func (c *Config) Size(key string, def, min, max int64) (int64, error) {
	s, err := c.text(key)
	if err != nil || s == "" {
		return def, err
	}
	n, ok := parseSize(s)
	if !ok || n < min || n > max {
		return 0, c.bad(key, "a number of bytes "+within(min, max)+", or with a suffix k m g t p")
	}
	return n, nil
}

// parseSize parses a number that can have one of the suffixes k m g t p. A suffix multiplies the
// number by a power of 1024.
func parseSize(s string) (int64, bool) {
	factor := int64(1)
	if s != "" {
		const suffixes = "kmgtp"
		if i := strings.IndexByte(suffixes, s[len(s)-1]|0x20); i >= 0 {
			factor, s = 1<<(10*(i+1)), strings.TrimSpace(s[:len(s)-1])
		}
	}
	n, err := parseInt(s)
	if err != nil {
		return 0, false
	}
	return multiply(n, factor)
}

// multiply returns n*factor and reports whether the product fits into 64 bits. factor must be
// positive.
func multiply(n, factor int64) (int64, bool) {
	neg := n < 0
	hi, lo := bits.Mul64(uint64(max(n, -n)), uint64(factor))
	if hi != 0 || lo > math.MaxInt64 || n == math.MinInt64 {
		return 0, false
	}
	if neg {
		return -int64(lo), true
	}
	return int64(lo), true
}
