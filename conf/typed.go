package conf

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The types of keys. Each key is declared once, as a variable of one of these types. Its name comes
// from the key, without mapreduce, mapred, or howdah: TaskIOSortMB is mapreduce.task.io.sort.mb.
// Get returns the key's value from a configuration. From gets it through a Reader, which keeps the
// first error. An error is a *failure.Error of kind Config that contains the key, its value, and
// the value's source.
type (
	Int      Key // a whole number, decimal or hexadecimal (0x)
	Float    Key // a number
	Bool     Key // true or false, in any case
	Size     Key // a number of bytes; the suffixes k m g t p multiply it by powers of 1024
	Duration Key // a time, in milliseconds unless it has one of the suffixes ns us ms s m h d
	Memory   Key // the memory of a task's process, in MiB
	Choice   Key // one of the words in its range, in any case
	Text     Key // any text
	List     Key // comma-separated strings
)

// declared is a key of any type.
type declared interface{ key() *Key }

func (k *Key) key() *Key      { return k }
func (k *Int) key() *Key      { return (*Key)(k) }
func (k *Float) key() *Key    { return (*Key)(k) }
func (k *Bool) key() *Key     { return (*Key)(k) }
func (k *Size) key() *Key     { return (*Key)(k) }
func (k *Duration) key() *Key { return (*Key)(k) }
func (k *Memory) key() *Key   { return (*Key)(k) }
func (k *Choice) key() *Key   { return (*Key)(k) }
func (k *Text) key() *Key     { return (*Key)(k) }
func (k *List) key() *Key     { return (*Key)(k) }

// Get returns the key's value, or 0 if it is unset and has no default.
func (k *Int) Get(c *Config) (int64, error) { return k.GetOr(c, 0) }

// GetOr returns the key's value, or def if it is unset and has no default.
func (k *Int) GetOr(c *Config, def int64) (int64, error) {
	lo, hi := k.key().limits()
	return c.Int(k.Name, def, lo, hi)
}

// Within is like Get, but the bounds lo and hi replace the key's range.
func (k *Int) Within(c *Config, lo, hi int64) (int64, error) { return c.Int(k.Name, 0, lo, hi) }

// From is like Get, but uses a Reader, which records any error.
func (k *Int) From(r reading) int64 { return from(r, k.Get) }

// BuiltIn returns the key's default.
func (k *Int) BuiltIn() int64 { return must(k.Get(New())) }

// Bounds returns the bounds of the key's range.
func (k *Int) Bounds() (lo, hi int64) { return k.key().limits() }

// Max returns the upper bound of the key's range.
func (k *Int) Max() int64 {
	_, hi := k.Bounds()
	return hi
}

// Get returns the key's value, or 0 if it is unset and has no default.
func (k *Float) Get(c *Config) (float64, error) { return k.GetOr(c, 0) }

// GetOr returns the key's value, or def if it is unset and has no default.
func (k *Float) GetOr(c *Config, def float64) (float64, error) {
	lo, hi := k.Bounds()
	return c.Float(k.Name, def, lo, hi)
}

// Parse returns the number in text, which must be in the key's range. It is for text that does not
// come from a Config but, for example, from a job's settings.
func (k *Float) Parse(text string) (float64, error) {
	lo, hi := k.Bounds()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= lo && x <= hi) {
		return 0, errors.New("want " + k.Range)
	}
	return x, nil
}

// Bounds returns the bounds of the key's range.
func (k *Float) Bounds() (lo, hi float64) {
	low, high := k.key().span()
	return must(strconv.ParseFloat(low, 64)), must(strconv.ParseFloat(high, 64))
}

// From is like Get, but uses a Reader, which records any error.
func (k *Float) From(r reading) float64 { return from(r, k.Get) }

// BuiltIn returns the key's default.
func (k *Float) BuiltIn() float64 { return must(k.Get(New())) }

// Get returns the key's value, or false if it is unset and has no default.
func (k *Bool) Get(c *Config) (bool, error) { return c.Bool(k.Name, false) }

// GetOr returns the key's value, or def if it is unset and has no default.
func (k *Bool) GetOr(c *Config, def bool) (bool, error) { return c.Bool(k.Name, def) }

// From is like Get, but uses a Reader, which records any error.
func (k *Bool) From(r reading) bool { return from(r, k.Get) }

// BuiltIn returns the key's default.
func (k *Bool) BuiltIn() bool { return must(k.Get(New())) }

// Get returns the key's value, or 0 if it is unset and has no default.
func (k *Size) Get(c *Config) (int64, error) { return k.GetOr(c, 0) }

// GetOr returns the key's value, or def if it is unset and has no default.
func (k *Size) GetOr(c *Config, def int64) (int64, error) {
	lo, hi := k.key().limits()
	return c.Size(k.Name, def, lo, hi)
}

// From is like Get, but uses a Reader, which records any error.
func (k *Size) From(r reading) int64 { return from(r, k.Get) }

// BuiltIn returns the key's default.
func (k *Size) BuiltIn() int64 { return must(k.Get(New())) }

// Get returns the key's value, or 0 if it is unset and has no default.
func (k *Duration) Get(c *Config) (time.Duration, error) { return k.GetOr(c, 0) }

// GetOr returns the key's value, or def if it is unset and has no default.
func (k *Duration) GetOr(c *Config, def time.Duration) (time.Duration, error) {
	lo, hi := k.key().limits()
	return c.Duration(k.Name, def, time.Millisecond, time.Duration(lo)*time.Millisecond,
		time.Duration(hi)*time.Millisecond)
}

// From is like Get, but uses a Reader, which records any error.
func (k *Duration) From(r reading) time.Duration { return from(r, k.Get) }

// BuiltIn returns the key's default.
func (k *Duration) BuiltIn() time.Duration { return must(k.Get(New())) }

// Get returns the key's value in MiB. As in Hadoop, -1 means the key's default.
func (k *Memory) Get(c *Config) (int64, error) {
	lo, _ := k.key().limits()
	return k.AtLeast(c, lo)
}

// AtLeast is like Get, but least replaces the lower bound of the key's range.
func (k *Memory) AtLeast(c *Config, least int64) (int64, error) {
	if s, err := c.text(k.Name); err == nil && s == "-1" {
		return k.BuiltIn(), nil // -1 is the default in Hadoop's mapred-default.xml
	}
	_, hi := k.key().limits()
	return c.Int(k.Name, 0, least, hi)
}

// From is like Get, but uses a Reader, which records any error.
func (k *Memory) From(r reading) int64 { return from(r, k.Get) }

// BuiltIn returns the key's default.
func (k *Memory) BuiltIn() int64 { return must(k.Get(New())) }

// Get returns the key's value in lower case, or "" if it is unset and has no default.
func (k *Choice) Get(c *Config) (string, error) { return k.GetOr(c, "") }

// GetOr returns the key's value in lower case, or def if it is unset and has no default.
func (k *Choice) GetOr(c *Config, def string) (string, error) {
	s, err := c.text(k.Name)
	if err != nil || s == "" {
		return def, err
	}
	if s = strings.ToLower(s); !slices.Contains(strings.Split(k.Range, ", "), s) {
		return "", c.bad(k.Name, "one of "+k.Range)
	}
	return s, nil
}

// From is like Get, but uses a Reader, which records any error.
func (k *Choice) From(r reading) string { return from(r, k.Get) }

// Get returns the key's expanded value, or "" if it is unset and has no default.
func (k *Text) Get(c *Config) string { return c.Get(k.Name) }

// Get returns the key's nonempty elements.
func (k *List) Get(c *Config) []string { return c.Strings(k.Name) }

// Suffix returns the key whose name is the name of k, a dot, and suffix.
func (k *Text) Suffix(suffix string) *Text { return &Text{Name: k.Name + "." + suffix} }

// Suffix returns the key whose name is the name of k, a dot, and suffix.
func (k *List) Suffix(suffix string) *List { return &List{Name: k.Name + "." + suffix} }

// Of returns the key for a user. In the name of k, the placeholder USER stands for the user's name.
func (k *List) Of(user string) *List { return &List{Name: strings.Replace(k.Name, "USER", user, 1)} }

// reading is a Reader, or a type that embeds one.
type reading interface{ reader() *Reader }

func (r *Reader) reader() *Reader { return r }

// from returns the result of get for r's configuration and records any error in r.
func from[T any](r reading, get func(*Config) (T, error)) T {
	v, err := get(r.reader().Conf)
	r.reader().Note(err)
	return v
}

// must returns v. It panics if err is not nil. A test reads every key in the table, so errors
// cannot occur.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// span returns the bounds in the key's range. For "ms, 10 to 1h; 0 = never", these are "10" and
// "1h", and for "-1 or 1 to 9", they are "-1" and "9". If the range is "0 or more", hi is empty. If
// the range has no bounds, lo and hi are empty.
func (k *Key) span() (lo, hi string) {
	words := strings.FieldsFunc(k.Range, func(r rune) bool { return r == ' ' || r == ',' || r == ';' })
	for i := 1; i+1 < len(words); i++ {
		switch {
		case words[i] == "or" && words[i+1] == "more":
			return words[i-1], ""
		case words[i] == "to" && i >= 3 && words[i-2] == "or":
			return words[i-3], words[i+1]
		case words[i] == "to":
			return words[i-1], words[i+1]
		}
	}
	return "", ""
}

// limits returns the bounds of the key's range as whole numbers. For times, they are in the unit of
// the range.
func (k *Key) limits() (lo, hi int64) {
	lo, hi = math.MinInt64, math.MaxInt64
	low, high := k.span()
	if low != "" {
		lo = k.whole(low)
	}
	if high != "" {
		hi = k.whole(high)
	}
	return lo, hi
}

// whole parses a bound: 10, 10^8, 2^31-1, 64k, or a time. A time, such as 1h or 1d, is converted to
// milliseconds.
func (k *Key) whole(s string) int64 {
	if base, power, ok := strings.Cut(s, "^"); ok {
		power, minus, _ := strings.Cut(power, "-")
		n := uint64(1)
		for range must(strconv.Atoi(power)) {
			n *= uint64(must(strconv.Atoi(base)))
		}
		return int64(n - uint64(len(minus))) // the only subtrahend is 1
	}
	if s, ok := strings.CutSuffix(s, "h"); ok {
		return must(parseInt(s)) * time.Hour.Milliseconds()
	}
	if s, ok := strings.CutSuffix(s, "d"); ok {
		return must(parseInt(s)) * 24 * time.Hour.Milliseconds()
	}
	n, ok := parseSize(s)
	if !ok {
		panic(k.Name + ": no number: " + s)
	}
	return n
}
