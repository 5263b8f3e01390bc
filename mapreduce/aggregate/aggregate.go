// Package aggregate sums up values by keys that say how: "LongValueSum:apples" with the value "3" adds 3 to apples. It is
// Hadoop's package of the same name, with its kinds, its key format and its output texts; Streaming's reducer "aggregate" is
// Reducer here.
//
// A job needs no more than a Descriptor, which says for each record what to aggregate: see App.
package aggregate

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// The kinds of aggregates. Values are texts; sums of doubles depend on the order in which combiners ran.
const (
	LongValueSum   = "LongValueSum"   // sum of whole numbers; it wraps around
	LongValueMax   = "LongValueMax"   // the largest whole number
	LongValueMin   = "LongValueMin"   // the smallest whole number
	DoubleValueSum = "DoubleValueSum" // sum of numbers
	StringValueMax = "StringValueMax" // the last text, in the order of UTF-16
	StringValueMin = "StringValueMin" // the first text
	UniqValueCount = "UniqValueCount" // how many different texts there are
	// ValueHistogram counts texts, each being VALUE or VALUE TAB COUNT, and gives, with tabs between them: how many different
	// ones, the least, the middle and the largest count, their mean and their standard deviation.
	ValueHistogram = "ValueHistogram"
)

// KeyMaxUnique bounds what UniqValueCount remembers; one more than that is the largest count. Default: no limit.
const KeyMaxUnique = "mapreduce.aggregate.max.num.unique.values"

// Reducer gives each aggregate's report, under its key without the kind. Keys and values are Text.
func Reducer() mapreduce.ReducerClass { return class(false) }

// Combiner brings the values of each key together before the shuffle.
func Combiner() mapreduce.ReducerClass { return class(true) }

func class(combine bool) mapreduce.ReducerClass {
	text := mapreduce.TextWritable
	return mapreduce.ReducerClass{New: func() mapreduce.Reducer { return newReducer(combine) }, InKey: text, InVal: text, Key: text, Val: text}
}

// aggregator sums up the values of one key. What it is given is valid during the call.
type aggregator interface {
	reset()
	add(value []byte) error
	// report appends the result.
	report(dst []byte) []byte
	// partial calls f with values that stand for those that were added.
	partial(f func(value []byte) error) error
}

type reducer struct {
	combine     bool
	aggregators map[string]aggregator // by kind
	key, value  []byte                // what is emitted, serialised
	report      []byte
	err         error

	// What the functions below work on; they are made once, so that a group costs no allocation.
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
	return c.Int(KeyMaxUnique, math.MaxInt64, 1, math.MaxInt64)
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

// find finds an aggregator by its kind, in any case as Hadoop does.
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

// begin finds the aggregator of KIND:ID and the key under which results go out.
func (r *reducer) begin(key, name []byte) error {
	kind, id, ok := bytes.Cut(name, []byte(":"))
	if !ok {
		return failure.New(failure.User, "aggregate", string(name), errors.New("the key has no colon; want KIND:ID"))
	}
	if r.current = r.find(kind); r.current == nil {
		return failure.New(failure.User, "aggregate", string(name), fmt.Errorf("there is no kind %q", kind)).
			Fix("use LongValueSum, LongValueMax, LongValueMin, DoubleValueSum, StringValueMax, StringValueMin, UniqValueCount or ValueHistogram")
	}
	if r.combine {
		r.key = append(r.key[:0], key...)
	} else {
		r.key = serialise(r.key[:0], id)
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
	r.value = serialise(r.value[:0], value)
	return r.out.Emit(r.key, r.value)
}
