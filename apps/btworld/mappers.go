package btworld

import (
	"fmt"

	"github.com/howdah/howdah/mapreduce"
)

// scrapeMapper maps scrapes to keys with numbers.
type scrapeMapper struct {
	reader
	key   []byte
	value numbers
	make  func(m *scrapeMapper) bool
}

// scrapes makes the mapper of jobs that read scrapes: what sets key and value, and says whether there is anything to emit.
func scrapes(what func(m *scrapeMapper) bool) mapreduce.MapperClass {
	return mapreduce.MapOf(func() *scrapeMapper { return &scrapeMapper{make: what} })
}

func (m *scrapeMapper) Map(_ *mapreduce.Context, _ int64, line mapreduce.Text, out *mapreduce.Out[mapreduce.Text, numbers]) error {
	if m.read(line) && m.make(m) {
		out.Emit(m.key, m.value)
	}
	return nil
}

// maxColumns is how many columns a line has at most that a job here writes.
const maxColumns = 8

// lineMapper maps the lines that another job wrote.
type lineMapper[V any] struct {
	columns int
	f       [maxColumns][]byte
	key     []byte
	value   V
	make    func(m *lineMapper[V]) error
}

// lines makes the mapper of jobs that read what others wrote: what sets key and value by the columns f.
func lines[V any](columns int, what func(m *lineMapper[V]) error) mapreduce.MapperClass {
	return mapreduce.MapOf(func() *lineMapper[V] { return &lineMapper[V]{columns: columns, make: what} })
}

func (m *lineMapper[V]) Map(_ *mapreduce.Context, _ int64, line mapreduce.Text, out *mapreduce.Out[mapreduce.Text, V]) error {
	if n := fields(line, m.f[:]); n != m.columns {
		return fmt.Errorf("%q has %d columns, want %d: no job of the workflow wrote this", line, n, m.columns)
	}
	if err := m.make(m); err != nil {
		return err
	}
	out.Emit(m.key, m.value)
	return nil
}

// number reads a column.
func (m *lineMapper[V]) number(column int) (int64, error) {
	n, ok := parseNumber(m.f[column])
	if !ok {
		return 0, fmt.Errorf("%q in column %d is no number", m.f[column], column+1)
	}
	return n, nil
}

// join puts texts one after the other with tabs in between.
func join(dst []byte, texts ...[]byte) []byte {
	for i, t := range texts {
		if i > 0 {
			dst = append(dst, '\t')
		}
		dst = append(dst, t...)
	}
	return dst
}
