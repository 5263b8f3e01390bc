package hadoopdiff

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// Input fills a new folder. What it draws from r is the same for the same seed.
type Input func(dir string, r *rand.Rand) error

// none has no input at all.
func none(string, *rand.Rand) error { return nil }

// file is one file of given bytes.
func file(text string) Input {
	return func(dir string, _ *rand.Rand) error { return write(filepath.Join(dir, "a"), text) }
}

// files are some of given bytes; names may hold folders.
func files(texts map[string]string) Input {
	return func(dir string, _ *rand.Rand) error {
		for name, text := range texts {
			if err := write(filepath.Join(dir, name), text); err != nil {
				return err
			}
		}
		return nil
	}
}

func write(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o644)
}

// spread is n files that text makes.
func spread(n int, text func(r *rand.Rand) string) Input {
	return func(dir string, r *rand.Rand) error {
		for i := range n {
			if err := write(filepath.Join(dir, fmt.Sprintf("f%04d", i)), text(r)); err != nil {
				return err
			}
		}
		return nil
	}
}

// prose makes lines of few different words with one of the ends given.
func prose(lines int, ends ...string) func(*rand.Rand) string {
	if len(ends) == 0 {
		ends = []string{"\n"}
	}
	return func(r *rand.Rand) string {
		var b strings.Builder
		for range lines {
			for i := range r.IntN(9) {
				if i > 0 {
					b.WriteString(blanks[r.IntN(len(blanks))])
				}
				b.WriteString(word(r))
			}
			b.WriteString(ends[r.IntN(len(ends))])
		}
		return b.String()
	}
}

var blanks = []string{" ", " ", " ", "\t", "  "}

// word draws one of about 300, a few of them often.
func word(r *rand.Rand) string { return fmt.Sprintf("w%x", int(r.ExpFloat64()*40)) }

// sequences are the bytes of characters of 1 to 4 bytes and of a surrogate: picked one by one they make every kind of broken UTF-8.
const sequences = "ab\xc3\xa4\xf0\x9f\x90\x98\xe2\x82\xac\xed\xa0\x80"

// noise is bytes of every kind, with line ends now and then.
func noise(n int) func(*rand.Rand) string {
	return func(r *rand.Rand) string {
		b := make([]byte, n)
		for i := range b {
			switch r.IntN(12) {
			case 0:
				b[i] = '\n'
			case 1, 2:
				b[i] = ' '
			case 3, 4, 5, 6:
				b[i] = sequences[r.IntN(len(sequences))]
			default:
				b[i] = byte(r.IntN(256))
			}
		}
		return string(b)
	}
}

// table makes lines of fields between separators.
func table(lines, fields int, sep string) func(*rand.Rand) string {
	return func(r *rand.Rand) string {
		var b strings.Builder
		for range lines {
			for f := range fields {
				if f > 0 {
					b.WriteString(sep)
				}
				switch r.IntN(4) {
				case 0:
					fmt.Fprintf(&b, "%d", r.IntN(2000)-1000)
				case 1:
					fmt.Fprintf(&b, "%.2f", r.Float64()*100-50)
				default:
					b.WriteString(word(r))
				}
			}
			b.WriteByte('\n')
		}
		return b.String()
	}
}

// numbers makes lines of n whole numbers between blanks.
func numbers(lines, n int) func(*rand.Rand) string {
	return func(r *rand.Rand) string {
		var b strings.Builder
		for range lines {
			for i := range n {
				if i > 0 {
					b.WriteByte(' ')
				}
				fmt.Fprintf(&b, "%d", r.IntN(60)-30)
			}
			b.WriteByte('\n')
		}
		return b.String()
	}
}
