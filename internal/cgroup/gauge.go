package cgroup

import (
	"bytes"
	"errors"
	"os"
	"syscall"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// Reading holds the values of Usage and Limits that change often.
type Reading struct {
	CPU    time.Duration // as in Usage
	Memory int64         // as in Usage
	Weight int64         // as in Limits
	Limit  int64         // Limits.Memory
}

// A Gauge reads a group repeatedly. It keeps the kernel's files open, which makes Read ten times
// faster than calls to Usage and Limits. It is not safe for concurrent use.
type Gauge struct {
	path   string
	needle []needle
	buf    []byte
}

// needle is an open kernel file with its parser.
type needle struct {
	file *os.File
	fd   int // descriptor of file, because each call to Fd takes a lock
	note func(*Reading, []byte) error
}

// source is the path of a kernel file with its parser.
type source struct {
	path string
	note func(*Reading, []byte) error
}

// gaugeBuffer is the size in bytes of the buffer for a file. It exceeds the size of the largest
// file, memory.stat.
const gaugeBuffer = 8 << 10

// Gauge opens the group's files and returns a Gauge that reads them. It returns the same errors as
// Usage.
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

// Read takes a reading. The error is of kind NotFound if the group no longer exists, and of kind
// Corrupt if a file of the kernel lacks the expected value.
func (x *Gauge) Read() (Reading, error) {
	r := Reading{Weight: DefaultWeight}
	for _, n := range x.needle {
		k, err := syscall.Pread(n.fd, x.buf, 0) // ReadAt would read twice, and the kernel generates the file each time
		kind := failure.IO
		switch err {
		case nil:
			kind, err = failure.Corrupt, n.note(&r, x.buf[:k])
		case syscall.ENODEV: // the kernel has removed the open file
			kind = failure.NotFound
		}
		if err != nil {
			return r, failure.New(kind, "read usage of control group", x.path, err)
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

// number returns a parser for a file that contains one number.
func number(set func(*Reading, int64)) func(*Reading, []byte) error {
	return func(r *Reading, b []byte) error {
		n, err := parseNumber(string(bytes.TrimSpace(b)))
		set(r, n)
		return err
	}
}

// sum returns a parser that adds the numbers on the lines that start with one of the names. The
// parser calls set with the total, multiplied by unit.
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
			return errors.New("an expected line is missing")
		}
		set(r, total)
		return nil
	}
}

func setMemory(r *Reading, n int64) { r.Memory = n }
func setLimit(r *Reading, n int64)  { r.Limit = n }
