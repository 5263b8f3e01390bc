package aggregate

import (
	"strconv"

	"github.com/howdah/howdah/mapreduce"
)

// Descriptor adds a record's values to aggregates by calling methods of out. key and value are in
// the format of Java's toString and are valid only during the call.
type Descriptor func(c *mapreduce.Context, key, value []byte, out *Entries)

// Entries emits the values that a Descriptor adds to aggregates.
type Entries struct {
	to         mapreduce.Emitter
	key, value []byte // serialized
	name, pair []byte
	err        error
}

// Add adds value, as text, to the aggregate with the given kind and the name id. After an error, Add
// does nothing, and the attempt fails.
func (e *Entries) Add(kind string, id, value []byte) {
	if e.err != nil {
		return
	}
	e.name = append(append(append(e.name[:0], kind...), ':'), id...)
	e.key = serialize(e.key[:0], e.name)
	e.value = serialize(e.value[:0], value)
	e.err = e.to.Emit(e.key, e.value)
}

// Count adds n occurrences of value to the ValueHistogram named id.
func (e *Entries) Count(id, value []byte, n int64) {
	e.pair = strconv.AppendInt(append(append(e.pair[:0], value...), '\t'), n, 10)
	e.Add(ValueHistogram, id, e.pair)
}

var one = []byte("1")

// Records is a Descriptor that counts all records, in total and by input file. If a split has
// several chunks, its records count only toward the total. Hadoop's ValueAggregatorJob counts
// records this way by default.
func Records(c *mapreduce.Context, _, _ []byte, out *Entries) {
	out.Add(LongValueSum, []byte("record_count"), one)
	if s := c.Task().Split; s != nil && len(s.Chunks) == 1 {
		out.Add(LongValueSum, []byte(s.Chunks[0].Path), one)
	}
}

// Mapper returns a mapper that passes each record to every descriptor. It accepts records of any
// type.
func Mapper(describe ...Descriptor) mapreduce.MapperClass {
	return mapreduce.MapperClass{
		New: func() mapreduce.Mapper { return &mapper{describe: describe} },
		Key: mapreduce.TextWritable, Val: mapreduce.TextWritable,
	}
}

type mapper struct {
	describe     []Descriptor
	inKey, inVal mapreduce.Type
	key, value   []byte
	out          Entries
}

// Setup implements mapreduce.Setupper.
func (m *mapper) Setup(c *mapreduce.Context) error {
	if m.inKey, m.inVal = c.RecordTypes(); m.inKey == nil || m.inVal == nil {
		m.inKey, m.inVal = mapreduce.NullWritable, mapreduce.NullWritable // the split has no records
	}
	return nil
}

// Map implements mapreduce.Mapper.
func (m *mapper) Map(c *mapreduce.Context, key, value []byte, to mapreduce.Emitter) error {
	m.key = m.inKey.AppendText(m.key[:0], key)
	m.value = m.inVal.AppendText(m.value[:0], value)
	k, v := mapreduce.JavaString(m.key), mapreduce.JavaString(m.value)
	m.out.to = to
	for _, d := range m.describe {
		d(c, k, v, &m.out)
	}
	return m.out.err
}
