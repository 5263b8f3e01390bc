package library

import (
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce"
)

// FieldSelection returns a mapper that builds the output key and value from selected fields of the
// input, like Unix cut and Hadoop's FieldSelectionMapper. key and value are the input types. The
// configuration selects the fields with a KEYS:VALUES specification. If the input keys are offsets
// (LongWritable), the mapper selects from the value only; otherwise, it selects from key and value
// concatenated. If KEYS selects no field, the output key consists of the fields that VALUES
// selects, and the value is empty. The output is Text.
func FieldSelection(key, value mapreduce.Type) mapreduce.MapperClass {
	return mapreduce.MapperClass{
		New:   func() mapreduce.Mapper { return &fieldMapper{key: texts{as: key}, value: texts{as: value}} },
		InKey: key, InVal: value, Key: mapreduce.TextWritable, Val: mapreduce.TextWritable,
	}
}

// FieldSelectionReducer returns a reducer that selects fields from each key and value, joined by a
// separator, like Hadoop's FieldSelectionReducer. The configuration selects the fields with a
// KEYS:VALUES specification. If KEYS or VALUES selects no field, text output omits the key or the
// value, together with the separator.
func FieldSelectionReducer() mapreduce.ReducerClass {
	t := mapreduce.TextWritable
	return mapreduce.ReducerClass{New: func() mapreduce.Reducer { return &fieldReducer{} }, InKey: t, InVal: t,
		Key: t, Val: t}
}

type fieldMapper struct {
	selector
	key, value texts
	line       []byte
}

// Setup implements mapreduce.Setupper.
func (m *fieldMapper) Setup(c *mapreduce.Context) error {
	key, value := c.RecordTypes()
	if m.key.as == nil {
		m.key.as = key
	}
	if m.value.as == nil {
		m.value.as = value
	}
	return m.read(c.Conf, conf.FieldSelMapOutputKeyValueFieldsSpec.Name)
}

func (m *fieldMapper) Map(_ *mapreduce.Context, key, value []byte, out mapreduce.Emitter) error {
	m.line = m.line[:0]
	if m.key.as != mapreduce.LongWritable {
		m.line = append(m.line, m.key.of(key)...)
	}
	m.line = append(m.line, m.value.of(value)...)
	m.cut(m.line)
	k, okKey := m.keys.choose(m.fields, m.sep)
	v, okValue := m.values.choose(m.fields, m.sep)
	if !okKey {
		k, v, okValue = v, nil, false
	}
	if !okValue {
		v = nil
	}
	m.outKey, m.outValue = text.Append(m.outKey[:0], k), text.Append(m.outValue[:0], v)
	return out.Emit(m.outKey, m.outValue)
}

type fieldReducer struct {
	selector
	line []byte
}

// Setup implements mapreduce.Setupper.
func (r *fieldReducer) Setup(c *mapreduce.Context) error {
	return r.read(c.Conf, conf.FieldSelReduceOutputKeyValueFieldsSpec.Name)
}

func (r *fieldReducer) Reduce(_ *mapreduce.Context, key []byte, values iter.Seq[[]byte], out mapreduce.Emitter) error {
	k, err := text.Decode(key)
	if err != nil {
		return err
	}
	r.line = append(append(r.line[:0], mapreduce.JavaString(k)...), r.sep...)
	head := len(r.line)
	for value := range values {
		v, err := text.Decode(value)
		if err != nil {
			return err
		}
		r.line = append(r.line[:head], mapreduce.JavaString(v)...)
		r.cut(r.line)
		r.outKey, r.outValue = r.outKey[:0], r.outValue[:0]
		if k, ok := r.keys.choose(r.fields, r.sep); ok {
			r.outKey = text.Append(r.outKey, k)
		}
		if v, ok := r.values.choose(r.fields, r.sep); ok {
			r.outValue = text.Append(r.outValue, v)
		}
		if err := out.Emit(r.outKey, r.outValue); err != nil {
			return err
		}
	}
	return nil
}

// selector applies a specification. It reuses its buffers.
type selector struct {
	splitter
	sep              string
	keys, values     selection
	outKey, outValue []byte
}

func (s *selector) read(c *conf.Config, key string) (err error) {
	s.sep = "\t"
	if x := conf.FieldSelDataFieldSeparator.Get(c); x != "" {
		s.sep = x
	}
	if s.splitter, err = newSplitter(s.sep); err != nil {
		return c.Refuse(conf.FieldSelDataFieldSeparator.Name, err)
	}
	spec := c.Get(key)
	if spec == "" {
		spec = "0-:"
	}
	keys, values, _ := strings.Cut(spec, ":")
	values, _, _ = strings.Cut(values, ":")
	if s.keys, err = parseSelection(keys); err == nil {
		s.keys.from = -1
		s.values, err = parseSelection(values)
	}
	if err != nil {
		return c.Refuse(key, err)
	}
	return nil
}

// selection is a list of selected fields.
type selection struct {
	fields []int
	from   int // start of an open range; -1 = no open range
	buf    []byte
}

// maxFields is the maximum number of selected fields, not counting an open range.
const maxFields = 100_000

func parseSelection(list string) (selection, error) {
	s := selection{from: -1}
	for _, item := range strings.Split(list, ",") {
		if item == "" {
			continue
		}
		first, last, ranged := strings.Cut(item, "-")
		from, err := strconv.Atoi(first)
		to := from
		if err == nil && ranged && last == "" {
			s.from = from
			continue
		}
		if err == nil && ranged {
			to, err = strconv.Atoi(last)
		}
		if err != nil || from < 0 || to-from > maxFields {
			return s, fmt.Errorf("%q is neither a field nor a range of fields", item)
		}
		for n := from; n <= to; n++ {
			s.fields = append(s.fields, n)
		}
	}
	if len(s.fields) > maxFields {
		return s, errors.New("too many fields")
	}
	return s, nil
}

// choose returns the selected fields, joined by sep. ok is false if the selection is empty.
func (s *selection) choose(fields [][]byte, sep string) (joined []byte, ok bool) {
	if len(s.fields) == 0 && s.from < 0 {
		return nil, false
	}
	b := s.buf[:0]
	for _, n := range s.fields {
		if n < len(fields) {
			b = append(b, fields[n]...)
		}
		b = append(b, sep...)
	}
	if s.from >= 0 {
		for i := s.from; i < len(fields); i++ {
			b = append(append(b, fields[i]...), sep...)
		}
	}
	s.buf = b
	// Like Hadoop, drop one character, regardless of the length of the separator.
	return b[:max(0, len(b)-lastRune(sep))], true
}
