// Package corpus generates the inputs of benchmarks. For a given size, the generated text is the
// same on every machine.
package corpus

import (
	"bufio"
	"errors"
	"io"
	"math/rand"
	"os"
)

// Generator writes at least size bytes to w. The last line is complete.
type Generator func(w io.Writer, size int64) error

// File creates the named file with generated text unless the file exists. The file has a temporary
// name until it is complete.
func File(name string, size int64, generate Generator) error {
	if _, err := os.Stat(name); err == nil {
		return nil
	}
	f, err := os.Create(name + ".tmp")
	if err != nil {
		return err
	}
	if err := errors.Join(generate(f, size), f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), name)
}

// Rows writes rows for TeraSort that are also lines of text, so that any program can sort them. A row
// has 100 bytes: a key of 10 random letters and digits, the row's number, padding, and a newline.
func Rows(w io.Writer, size int64) error {
	const seed, keyAlphabet, keyLength, numberEnd, rowLength = 7, "0123456789ABCDEFGHIJKLMNOPQRSTUV", 10, 20, 100
	r := rand.New(rand.NewSource(seed))
	out := bufio.NewWriterSize(w, 1<<20)
	row := make([]byte, rowLength)
	for i := range row {
		row[i] = 'X'
	}
	row[rowLength-1] = '\n'
	for n := int64(0); n*rowLength < size; n++ {
		for i, bits := 0, r.Uint64(); i < keyLength; i, bits = i+1, bits/uint64(len(keyAlphabet)) {
			row[i] = keyAlphabet[bits%uint64(len(keyAlphabet))]
		}
		for i, rest := numberEnd-1, n; i >= keyLength; i, rest = i-1, rest/10 {
			row[i] = byte('0' + rest%10)
		}
		if _, err := out.Write(row); err != nil {
			return err
		}
	}
	return out.Flush()
}

// Unique writes lines of ten words. In the first 20 GB, no word occurs twice.
func Unique(w io.Writer, size int64) error {
	// The step and 26⁸ have no common factor, so the first 26⁸ words are all different.
	const letters, wordLength, words, step = 26, 8, 208_827_064_576, 8_000_000_033
	return lines(w, size, func(word []byte, n int64) []byte {
		for i, rest := 0, uint64(n)*step%words; i < wordLength; i, rest = i+1, rest/letters {
			word = append(word, byte('a'+rest%letters))
		}
		return word
	})
}

// OneWord writes lines of ten words that are all the same.
func OneWord(w io.Writer, size int64) error {
	return lines(w, size, func(word []byte, _ int64) []byte { return append(word, "sameword"...) })
}

// Records returns a generator whose lines have length bytes, including the newline. length must be
// at least 10. Each line starts with its number, whose lowest digit comes first.
func Records(length int64) Generator {
	const digits = 9
	return func(w io.Writer, size int64) error {
		out := bufio.NewWriterSize(w, 1<<20)
		for n := int64(0); n*length < size; n++ {
			for i, rest := 0, n; i < digits; i, rest = i+1, rest/10 {
				out.WriteByte(byte('0' + rest%10))
			}
			for i := range length - digits - 1 {
				out.WriteByte(byte('a' + i%26))
			}
			if err := out.WriteByte('\n'); err != nil {
				return err
			}
		}
		return out.Flush()
	}
}

func lines(w io.Writer, size int64, word func([]byte, int64) []byte) error {
	const perLine = 10
	out := bufio.NewWriterSize(w, 1<<20)
	var b []byte
	for n, written := int64(0), int64(0); written < size || n%perLine > 0; n++ {
		b = word(b[:0], n)
		end := byte(' ')
		if n%perLine == perLine-1 {
			end = '\n'
		}
		b = append(b, end)
		if _, err := out.Write(b); err != nil {
			return err
		}
		written += int64(len(b))
	}
	return out.Flush()
}
