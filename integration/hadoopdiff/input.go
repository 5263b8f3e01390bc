//go:build integration

package hadoopdiff

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// Input writes files to a new folder. If the seed of r is the same, the files are the same.
type Input func(dir string, r *rand.Rand) error

// none is an Input without files.
func none(string, *rand.Rand) error { return nil }

// file returns an input that consists of a single file with the given text.
func file(text string) Input {
	return func(dir string, _ *rand.Rand) error { return write(filepath.Join(dir, "a"), text) }
}

// files returns an input that consists of several files. texts maps their names, which may contain
// folders, to their texts.
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

// spread returns an input that consists of n files, whose content text generates.
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

// prose returns a function that generates lines from a small vocabulary. Each line ends with one of
// ends.
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

// word returns a random word out of about 300. A few of the words are frequent.
func word(r *rand.Rand) string { return fmt.Sprintf("w%x", int(r.ExpFloat64()*40)) }

// sequences contains the bytes of a surrogate and of 1- to 4-byte characters. Random selections of
// these bytes contain many kinds of invalid UTF-8.
const sequences = "ab\xc3\xa4\xf0\x9f\x90\x98\xe2\x82\xac\xed\xa0\x80"

// noise generates random bytes with occasional line ends.
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

// table generates lines of fields with separators.
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

// numbers generates lines of n integers, separated by spaces.
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

// longLines generates short lines and a few lines of up to a megabyte.
func longLines(r *rand.Rand) string {
	var b strings.Builder
	for range 4 {
		b.WriteString("short line\n")
		b.WriteString(strings.Repeat(word(r)+" ", 1+r.IntN(150_000)))
		b.WriteString(strings.Repeat("x", r.IntN(200_000)))
		b.WriteByte('\n')
	}
	return b.String()
}

// folders spreads text over the input folder and three levels of folders below it.
func folders(text func(*rand.Rand) string) Input {
	return func(dir string, r *rand.Rand) error {
		for _, name := range []string{"a", "d/b", "d/e/c", "d/e/f/g", "h/i"} {
			if err := write(filepath.Join(dir, name), text(r)); err != nil {
				return err
			}
		}
		return nil
	}
}

// points generates lines with two coordinates near one of three centers.
func points(lines int) func(*rand.Rand) string {
	return func(r *rand.Rand) string {
		var b strings.Builder
		for range lines {
			c := r.IntN(3)
			fmt.Fprintf(&b, "%.3f,%.3f\n", float64(c*10)+r.NormFloat64(), float64(c*c*5)+r.NormFloat64())
		}
		return b.String()
	}
}

// web generates lines of the form PAGE TAB TARGET TARGET...
func web(pages int) func(*rand.Rand) string {
	return func(r *rand.Rand) string {
		var b strings.Builder
		for p := range pages {
			fmt.Fprintf(&b, "page%d\t", p)
			for range r.IntN(6) {
				fmt.Fprintf(&b, "page%d ", r.IntN(pages*5/4))
			}
			b.WriteByte('\n')
		}
		return b.String()
	}
}

// documents generates lines of the form ID TAB LABEL TAB TEXT.
func documents(lines int) func(*rand.Rand) string {
	return func(r *rand.Rand) string {
		var b strings.Builder
		for range lines {
			fmt.Fprintf(&b, "d%d\ttopic%d\t", r.Int64(), r.IntN(3))
			for range 5 + r.IntN(20) {
				b.WriteString(word(r) + []string{" ", ", ", "-", ". The "}[r.IntN(4)])
			}
			b.WriteByte('\n')
		}
		return b.String()
	}
}

// traffic generates lines of the form PROJECT TITLE VISITS BYTES. Some of the lines are malformed.
func traffic(lines int) func(*rand.Rand) string {
	return func(r *rand.Rand) string {
		var b strings.Builder
		for range lines {
			fmt.Fprintf(&b, "%s %s %d %d\n", []string{"en", "de", "fr"}[r.IntN(3)], word(r), r.IntN(100), r.IntN(100000))
			if r.IntN(20) == 0 {
				b.WriteString("en " + word(r) + "\n")
			}
		}
		return b.String()
	}
}

// follows generates lines of the form USER USER. If tweets is set, about a third of the lines are
// of the form tweet USER WORD WORD.
func follows(lines int, tweets bool) func(*rand.Rand) string {
	return func(r *rand.Rand) string {
		var b strings.Builder
		for range lines {
			if tweets && r.IntN(3) == 0 {
				fmt.Fprintf(&b, "tweet %d %s %s\n", r.IntN(20), word(r), word(r))
				continue
			}
			fmt.Fprintf(&b, "%d %d\n", r.IntN(20), r.IntN(20))
		}
		return b.String()
	}
}

// concatenatedGzip writes a file of three concatenated gzip streams. Each stream may end in the
// middle of a line.
func concatenatedGzip(dir string, r *rand.Rand) error {
	var b bytes.Buffer
	text := prose(60)(r)
	for _, part := range []string{text[:100], text[100:205], text[205:]} {
		w := gzip.NewWriter(&b)
		if _, err := w.Write([]byte(part)); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
	}
	return write(filepath.Join(dir, "a.gz"), b.String())
}

// alike generates lines of four equal fields, which are three-digit numbers, and a value.
func alike(lines int, sep string) func(*rand.Rand) string {
	return func(r *rand.Rand) string {
		var b strings.Builder
		for range lines {
			field := fmt.Sprintf("%03d", 100+r.IntN(50))
			fmt.Fprintf(&b, "%s\t%s\n", strings.Join([]string{field, field, field, field}, sep), word(r))
		}
		return b.String()
	}
}

// sortedPairs writes two folders with one file each. The files have lines of the form KEY TAB
// VALUE, sorted by key.
func sortedPairs(dir string, r *rand.Rand) error {
	for _, name := range []string{"a", "b"} {
		var b strings.Builder
		for k := 100; k < 160; k++ {
			for range r.IntN(3) {
				fmt.Fprintf(&b, "k%d\t%s%d\n", k, name, r.IntN(1000))
			}
		}
		if err := write(filepath.Join(dir, name, "part"), b.String()); err != nil {
			return err
		}
	}
	return nil
}

// packedBeside returns an input that is like in, and also writes the words.tgz archive next to the
// input's folder. The archive contains in/more.
func packedBeside(in Input) Input {
	return func(dir string, r *rand.Rand) error {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		w := tar.NewWriter(z)
		const text = "more words\tin an archive\n"
		err := w.WriteHeader(&tar.Header{Name: "in/more", Mode: 0o644, Size: int64(len(text))})
		_, err2 := w.Write([]byte(text))
		if err := errors.Join(err, err2, w.Close(), z.Close()); err != nil {
			return err
		}
		return errors.Join(write(filepath.Join(filepath.Dir(dir), "words.tgz"), b.String()), in(dir, r))
	}
}
