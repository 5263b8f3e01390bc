package btworld

import (
	"fmt"

	"github.com/howdah/howdah/mapreduce"
)

// scrapeMapper calls make for each scrape. If make returns true, scrapeMapper emits the key and the
// value that make has set.
type scrapeMapper struct {
	reader
	key   []byte
	value numbers
	make  func(m *scrapeMapper) bool
}

// scrapes returns the mapper of jobs that read scrapes. what sets key and value and reports whether
// to emit them.
func scrapes(what func(m *scrapeMapper) bool) mapreduce.MapperClass {
	return mapreduce.MapOf(func() *scrapeMapper { return &scrapeMapper{make: what} })
}

func (m *scrapeMapper) Map(_ *mapreduce.Context, _ int64, line mapreduce.Text,
	out *mapreduce.Out[mapreduce.Text, numbers]) error {
	if m.read(line) && m.make(m) {
		out.Emit(m.key, m.value)
	}
	return nil
}

// maxColumns is more than the number of columns in any line that a job of this package writes.
const maxColumns = 8

// lineMapper maps the lines of another job's output.
type lineMapper[V any] struct {
	columns int
	f       [maxColumns][]byte
	key     []byte
	value   V
	make    func(m *lineMapper[V]) error
}

// lines returns the mapper of jobs that read the output of other jobs. what sets key and value from
// the columns in f.
func lines[V any](columns int, what func(m *lineMapper[V]) error) mapreduce.MapperClass {
	return mapreduce.MapOf(func() *lineMapper[V] { return &lineMapper[V]{columns: columns, make: what} })
}

func (m *lineMapper[V]) Map(_ *mapreduce.Context, _ int64, line mapreduce.Text,
	out *mapreduce.Out[mapreduce.Text, V]) error {
	if n := fields(line, m.f[:]); n != m.columns {
		return fmt.Errorf("%q has %d columns, want %d; no job of the workflow wrote this line", line, n, m.columns)
	}
	if err := m.make(m); err != nil {
		return err
	}
	out.Emit(m.key, m.value)
	return nil
}

// number parses the given column, which must contain a number.
func (m *lineMapper[V]) number(column int) (int64, error) {
	n, ok := parseNumber(m.f[column])
	if !ok {
		return 0, fmt.Errorf("%q in column %d is not a number", m.f[column], column+1)
	}
	return n, nil
}

// join appends texts to dst, with tabs between them.
func join(dst []byte, texts ...[]byte) []byte {
	for i, t := range texts {
		if i > 0 {
			dst = append(dst, '\t')
		}
		dst = append(dst, t...)
	}
	return dst
}
