// Package aggregate aggregates values. Each key identifies an operation and an aggregate. For
// example, the key "LongValueSum:apples" with the value "3" adds 3 to the sum called apples. The
// kinds of aggregates, the key format, and the output match Hadoop's package of the same name.
// Streaming's "aggregate" reducer is Reducer.
//
// A program that uses App supplies only a Descriptor, which adds each record's values to
// aggregates.
package aggregate

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// The kinds of aggregates. All values are text. Because of rounding, a sum of doubles can depend on
// the order of the values.
const (
	LongValueSum   = "LongValueSum"   // sum of integers; an overflow wraps around
	LongValueMax   = "LongValueMax"   // the largest integer
	LongValueMin   = "LongValueMin"   // the smallest integer
	DoubleValueSum = "DoubleValueSum" // sum of numbers
	StringValueMax = "StringValueMax" // the last string in UTF-16 order
	StringValueMin = "StringValueMin" // the first string in UTF-16 order
	UniqValueCount = "UniqValueCount" // number of distinct strings
	// ValueHistogram counts strings. Each value has the form VALUE or VALUE TAB COUNT. The result
	// is a tab-separated list. It contains the number of distinct strings, followed by the minimum,
	// median, maximum, mean, and standard deviation of their counts.
	ValueHistogram = "ValueHistogram"
)

// Reducer returns a reducer that emits each aggregate. The output key is the input key without the
// kind and the colon. Keys and values are Text.
func Reducer() mapreduce.ReducerClass { return class(false) }

// Combiner returns a combiner that aggregates the values of each key before the shuffle.
func Combiner() mapreduce.ReducerClass { return class(true) }

func class(combine bool) mapreduce.ReducerClass {
	text := mapreduce.TextWritable
	return mapreduce.ReducerClass{New: func() mapreduce.Reducer { return newReducer(combine) }, InKey: text, InVal: text,
		Key: text, Val: text}
}

// aggregator aggregates the values of a key. The arguments of its methods are valid only during the
// call.
type aggregator interface {
	reset()
	add(value []byte) error
	// report appends the result to dst.
	report(dst []byte) []byte
	// partial calls f with values that represent the values added so far.
	partial(f func(value []byte) error) error
}

type reducer struct {
	combine     bool
	aggregators map[string]aggregator // by kind
	key, value  []byte                // the emitted record, serialized
	report      []byte
	err         error

	// add and pass are method values that use current and out. The reducer creates them once, so
	// that it need not allocate memory for each group.
	current aggregator
	out     mapreduce.Emitter
	add     func([]byte) bool
	pass    func([]byte) error
}

func newReducer(combine bool) *reducer {
	r := &reducer{combine: combine}
	r.add, r.pass = r.one, r.emit
	return r
}

// Setup implements mapreduce.Setupper.
func (r *reducer) Setup(c *mapreduce.Context) error {
	most, err := maxUnique(c.Conf)
	r.aggregators = map[string]aggregator{
		LongValueSum: &longSum{}, LongValueMax: &longBest{sign: 1}, LongValueMin: &longBest{sign: -1},
		DoubleValueSum: &doubleSum{},
		StringValueMax: &stringBest{sign: 1}, StringValueMin: &stringBest{sign: -1},
		UniqValueCount: &uniqueCount{most: most}, ValueHistogram: &histogram{},
	}
	return err
}

func maxUnique(c *conf.Config) (int64, error) {
	return conf.AggregateMaxNumUniqueValues.Get(c)
}

// Reduce implements mapreduce.Reducer.
func (r *reducer) Reduce(_ *mapreduce.Context, key []byte, values iter.Seq[[]byte], out mapreduce.Emitter) error {
	name, err := text(key)
	if err != nil {
		return err
	}
	if err := r.begin(key, mapreduce.JavaString(name)); err != nil {
		return err
	}
	r.out, r.err = out, nil
	r.current.reset()
	if values(r.add); r.err != nil {
		return failure.New(failure.User, "aggregate", string(name), r.err)
	}
	if r.combine {
		return r.current.partial(r.pass)
	}
	r.report = r.current.report(r.report[:0])
	return r.emit(r.report)
}

// find returns the aggregator for the given kind, or nil if there is none. Like Hadoop, it ignores
// case.
func (r *reducer) find(kind []byte) aggregator {
	if a := r.aggregators[string(kind)]; a != nil {
		return a
	}
	for name, a := range r.aggregators {
		if strings.EqualFold(name, string(kind)) {
			return a
		}
	}
	return nil
}

// begin selects the aggregator for name, which has the form KIND:ID, and sets the key of the
// results.
func (r *reducer) begin(key, name []byte) error {
	kind, id, ok := bytes.Cut(name, []byte(":"))
	if !ok {
		return failure.New(failure.User, "aggregate", string(name), errors.New("the key has no colon; want KIND:ID"))
	}
	if r.current = r.find(kind); r.current == nil {
		return failure.New(failure.User, "aggregate", string(name), fmt.Errorf("unknown kind %q", kind)).
			Fix("use LongValueSum, LongValueMax, LongValueMin, DoubleValueSum, StringValueMax, StringValueMin, UniqValueCount " +
				"or ValueHistogram")
	}
	if r.combine {
		r.key = append(r.key[:0], key...)
	} else {
		r.key = serialize(r.key[:0], id)
	}
	return nil
}

func (r *reducer) one(value []byte) bool {
	v, err := text(value)
	if err == nil {
		err = r.current.add(mapreduce.JavaString(v))
	}
	r.err = err
	return err == nil
}

func (r *reducer) emit(value []byte) error {
	r.value = serialize(r.value[:0], value)
	return r.out.Emit(r.key, r.value)
}
