package cgroup

import (
	"bytes"
	"errors"
	"os"
	"syscall"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// Reading is what changes from moment to moment of a group: the numbers of Usage and Limits that are of use in every sample.
type Reading struct {
	CPU    time.Duration // as in Usage
	Memory int64         // as in Usage
	Weight int64         // as in Limits
	Limit  int64         // Memory of Limits
}

// Gauge reads a group again and again. It keeps the kernel's files open, which makes a reading ten times as cheap as one by Usage and
// Limits. It belongs to one goroutine.
type Gauge struct {
	path   string
	needle []needle
	buf    []byte
}

// needle is a file of the kernel and what it says.
type needle struct {
	file *os.File
	fd   int // of file: to ask for it locks
	note func(*Reading, []byte) error
}

// source names a file and says how it is read.
type source struct {
	path string
	note func(*Reading, []byte) error
}

// gaugeBuffer holds each of the files; the longest is memory.stat.
const gaugeBuffer = 8 << 10

// Gauge opens the group's files. Errors are those of Usage.
func (g *Group) Gauge() (*Gauge, error) {
	x := &Gauge{path: g.path, buf: make([]byte, gaugeBuffer)}
	for _, s := range g.control.sources() {
		f, err := os.Open(s.path)
		if err != nil {
			x.Close()
			return nil, g.explain("read usage of control group", err)
		}
		x.needle = append(x.needle, needle{f, int(f.Fd()), s.note})
	}
	return x, nil
}

// Read takes a reading. Of a group that is gone the error is of kind NotFound.
func (x *Gauge) Read() (Reading, error) {
	r := Reading{Weight: DefaultWeight}
	for _, n := range x.needle {
		k, err := syscall.Pread(n.fd, x.buf, 0) // ReadAt asks twice: the kernel writes the file anew each time
		if err == nil {
			err = n.note(&r, x.buf[:max(0, k)])
		}
		if err != nil {
			return r, failure.New(failure.NotFound, "read usage of control group", x.path, err)
		}
	}
	return r, nil
}

// Close closes the files.
func (x *Gauge) Close() {
	for _, n := range x.needle {
		n.file.Close()
	}
}

// number makes a note of a file that holds one number.
func number(set func(*Reading, int64)) func(*Reading, []byte) error {
	return func(r *Reading, b []byte) error {
		n, err := parseNumber(string(bytes.TrimSpace(b)))
		set(r, n)
		return err
	}
}

// sum makes a note of the sum of lines in units, which begin with one of the prefixes and a number.
func sum(unit int64, set func(*Reading, int64), names ...string) func(*Reading, []byte) error {
	prefixes := make([][]byte, len(names))
	for i, name := range names {
		prefixes[i] = []byte(name)
	}
	return func(r *Reading, b []byte) error {
		total, found := int64(0), 0
		for line := range bytes.Lines(b) {
			for _, p := range prefixes {
				if rest, ok := bytes.CutPrefix(line, p); ok {
					text, _, _ := bytes.Cut(bytes.TrimSpace(rest), []byte(" "))
					n, err := parseNumber(string(text))
					if err != nil {
						return err
					}
					total += n * unit
					found++
				}
			}
			if found == len(prefixes) {
				break
			}
		}
		if found == 0 {
			return errors.New("a line is missing")
		}
		set(r, total)
		return nil
	}
}

func setMemory(r *Reading, n int64) { r.Memory = n }
func setLimit(r *Reading, n int64)  { r.Limit = n }
