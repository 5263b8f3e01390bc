// Package library contains mappers and reducers from Hadoop's library. Programs use them directly.
// Streaming also accepts the names of the corresponding Java classes; Mapper and Reducer look them
// up.
package library

import (
	"bytes"
	"errors"
	"strings"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/aggregate"
)

// Mappers and Reducers list the simple names of the classes that Mapper and Reducer accept. Both
// functions also accept the name of Hadoop's base class and the empty name, which stand for the
// identity.
var (
	Mappers = []string{"IdentityMapper", "InverseMapper", "TokenCounterMapper", "TokenCountMapper", "RegexMapper",
		"FieldSelectionMapper", "FieldSelectionMapReduce"}
	Reducers = []string{"IdentityReducer", "IntSumReducer", "LongSumReducer", "FieldSelectionReducer",
		"FieldSelectionMapReduce", "ValueAggregatorReducer", "ValueAggregatorCombiner"}
)

// Mapper returns the mapper that corresponds to the given Java class, for records of the given
// types. The name of the class may omit the package. For an unknown class, Mapper returns an error
// of kind Config. TokenCountMapper is from Hadoop's old API and counts with LongWritable.
// TokenCounterMapper is from the new API and counts with IntWritable.
func Mapper(class string, key, value mapreduce.Type) (mapreduce.MapperClass, error) {
	switch simpleName(class) {
	case "", "Mapper", "IdentityMapper":
		return mapreduce.MapperClass{}, nil
	case "InverseMapper":
		return Inverse(key, value), nil
	case "TokenCounterMapper":
		return TokenCounter[int32](value), nil
	case "TokenCountMapper":
		return TokenCounter[int64](value), nil
	case "RegexMapper":
		return Regex(value), nil
	case "FieldSelectionMapper", "FieldSelectionMapReduce":
		return FieldSelection(key, value), nil
	}
	return mapreduce.MapperClass{}, unknown("mapper", class, Mappers)
}

// Reducer is like Mapper but returns a reducer, which can also be a combiner.
func Reducer(class string) (mapreduce.ReducerClass, error) {
	switch simpleName(class) {
	case "", "Reducer", "IdentityReducer":
		return mapreduce.ReducerClass{}, nil
	case "IntSumReducer":
		return mapreduce.Sum[int32](), nil
	case "LongSumReducer":
		return mapreduce.Sum[int64](), nil
	case "FieldSelectionReducer", "FieldSelectionMapReduce":
		return FieldSelectionReducer(), nil
	case "ValueAggregatorReducer":
		return aggregate.Reducer(), nil
	case "ValueAggregatorCombiner":
		return aggregate.Combiner(), nil
	}
	return mapreduce.ReducerClass{}, unknown("reducer", class, Reducers)
}

func simpleName(class string) string { return class[strings.LastIndexByte(class, '.')+1:] }

func unknown(what, class string, known []string) error {
	return failure.New(failure.Config, "find "+what, class, errors.New("howdah does not have this class "+
		"and does not run Java classes")).
		Fix("use one of " + strings.Join(known, ", "))
}

// Inverse returns a mapper that swaps key and value.
func Inverse(key, value mapreduce.Type) mapreduce.MapperClass {
	return mapreduce.MapperClass{New: func() mapreduce.Mapper { return inverse{} }, InKey: key, InVal: value,
		Key: value, Val: key}
}

type inverse struct{}

func (inverse) Map(_ *mapreduce.Context, key, value []byte, out mapreduce.Emitter) error {
	return out.Emit(value, key)
}

// textMapper returns a mapper class that processes the text of values, in the format of Java's
// toString.
func textMapper(value, out mapreduce.Type, make func(*texts) mapreduce.Mapper) mapreduce.MapperClass {
	return mapreduce.MapperClass{New: func() mapreduce.Mapper { return make(&texts{as: value}) }, InVal: value,
		Key: mapreduce.TextWritable, Val: out}
}

// texts converts serialized values to text.
type texts struct {
	as  mapreduce.Type // type of the values; nil = Setup determines it from the reader
	buf []byte
}

// Setup implements mapreduce.Setupper.
func (t *texts) Setup(c *mapreduce.Context) error {
	if t.as == nil {
		_, t.as = c.RecordTypes()
	}
	return nil
}

// of returns the text of the serialized value b. The text is valid until the next call and only
// while b is valid.
func (t *texts) of(b []byte) []byte {
	if t.as == mapreduce.TextWritable {
		if s, err := text.Decode(b); err == nil {
			return mapreduce.JavaString(s) // without a copy, because a line can be very long
		}
	}
	t.buf = t.as.AppendText(t.buf[:0], b)
	return mapreduce.JavaString(t.buf)
}

var text, _ = mapreduce.CodecOf[mapreduce.Text]()

// TokenCounter returns a mapper that emits each word of a value with the count 1. Whitespace
// separates words.
func TokenCounter[N int32 | int64](value mapreduce.Type) mapreduce.MapperClass {
	n, _ := mapreduce.CodecOf[N]()
	one := n.Append(nil, 1)
	return textMapper(value, n.Type, func(t *texts) mapreduce.Mapper { return &tokens{texts: t, one: one} })
}

type tokens struct {
	*texts
	one, key []byte
}

func (m *tokens) Map(_ *mapreduce.Context, _, value []byte, out mapreduce.Emitter) error {
	for line := m.of(value); len(line) > 0; {
		n := bytes.IndexAny(line, " \t\n\r\f") // the delimiters of Java's StringTokenizer
		if n < 0 {
			n = len(line)
		}
		if n > 0 {
			m.key = text.Append(m.key[:0], line[:n])
			if err := out.Emit(m.key, m.one); err != nil {
				return err
			}
		}
		line = line[min(n+1, len(line)):]
	}
	return nil
}
