// Package library has the ready mappers and reducers of Hadoop's library, under the names of their Java classes, for programs
// and for users who name classes in a configuration (Mapper, Reducer).
package library

import (
	"bytes"
	"errors"
	"strings"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/aggregate"
)

// The names that Mapper and Reducer know.
var (
	Mappers  = []string{"IdentityMapper", "InverseMapper", "TokenCounterMapper", "TokenCountMapper", "RegexMapper", "FieldSelectionMapper", "FieldSelectionMapReduce"}
	Reducers = []string{"IdentityReducer", "IntSumReducer", "LongSumReducer", "FieldSelectionReducer", "FieldSelectionMapReduce", "ValueAggregatorReducer", "ValueAggregatorCombiner"}
)

// Mapper finds a mapper by its Java class, with or without package, for records of the given types. An unknown class is kind
// Config. The old and the new Java API differ in TokenCountMapper, which counts with LongWritable, and TokenCounterMapper.
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

// Reducer finds a reducer or combiner by its Java class as Mapper does a mapper.
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
	return failure.New(failure.Config, "find "+what, class, errors.New("no such class here: Java classes do not run")).
		Fix("use one of " + strings.Join(known, ", "))
}

// Inverse swaps key and value.
func Inverse(key, value mapreduce.Type) mapreduce.MapperClass {
	return mapreduce.MapperClass{New: func() mapreduce.Mapper { return inverse{} }, InKey: key, InVal: value, Key: value, Val: key}
}

type inverse struct{}

func (inverse) Map(_ *mapreduce.Context, key, value []byte, out mapreduce.Emitter) error {
	return out.Emit(value, key)
}

// textMapper gives a mapper class that works on the text of values: what Java's toString gives of them.
func textMapper(value, out mapreduce.Type, make func(*texts) mapreduce.Mapper) mapreduce.MapperClass {
	return mapreduce.MapperClass{New: func() mapreduce.Mapper { return make(&texts{as: value}) }, InVal: value, Key: mapreduce.TextWritable, Val: out}
}

// texts turns serialised values into text.
type texts struct {
	as  mapreduce.Type // nil until Setup: what the reader says
	buf []byte
}

// Setup implements mapreduce.Setupper.
func (t *texts) Setup(c *mapreduce.Context) error {
	if t.as == nil {
		_, t.as = c.RecordTypes()
	}
	return nil
}

func (t *texts) of(b []byte) []byte {
	t.buf = t.as.AppendText(t.buf[:0], b)
	return mapreduce.JavaString(t.buf)
}

var text, _ = mapreduce.CodecOf[mapreduce.Text]()

// TokenCounter emits each word of a value with the count 1. Words are what is between blanks.
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
		n := bytes.IndexAny(line, " \t\n\r\f") // what Java's StringTokenizer cuts at
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
