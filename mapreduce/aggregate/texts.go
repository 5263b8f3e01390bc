package aggregate

import (
	"cmp"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

var texts, _ = mapreduce.CodecOf[mapreduce.Text]()

// text returns the content of a serialized Text.
func text(b []byte) ([]byte, error) {
	t, err := texts.Decode(b)
	if err != nil {
		return nil, failure.New(failure.Corrupt, "aggregate", fmt.Sprintf("%x", b), err)
	}
	return t, nil
}

func serialize(dst, s []byte) []byte { return texts.Append(dst, s) }

// stringBest keeps the last string in order if sign is 1 and the first if sign is -1.
type stringBest struct {
	sign int
	any  bool
	best []byte
}

func (a *stringBest) reset() { a.any, a.best = false, a.best[:0] }

func (a *stringBest) add(v []byte) error {
	if !a.any || a.sign*compareStrings(v, a.best) > 0 {
		a.any, a.best = true, append(a.best[:0], v...)
	}
	return nil
}

func (a *stringBest) report(dst []byte) []byte { return append(dst, a.best...) }

func (a *stringBest) partial(f func([]byte) error) error { return f(a.best) }

// compareStrings compares valid UTF-8 in the order of Java's String.compareTo. That order compares
// UTF-16 units, so characters beyond the basic plane precede U+E000.
func compareStrings[S string | []byte](a, b S) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	if i == len(a) || i == len(b) {
		return cmp.Compare(len(a), len(b))
	}
	for i > 0 && !utf8.RuneStart(a[i]) {
		i--
	}
	x, y := runeAt(a[i:]), runeAt(b[i:])
	if (x >= 0x10000) == (y >= 0x10000) {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(firstUnit(x), firstUnit(y))
}

func runeAt[S string | []byte](s S) rune {
	var b [utf8.UTFMax]byte
	r, _ := utf8.DecodeRune(b[:copy(b[:], s)])
	return r
}

func firstUnit(r rune) rune {
	if high, _ := utf16.EncodeRune(r); r >= 0x10000 {
		return high
	}
	return r
}
