package mapreduce

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// Reduces returns the configured number of reducers. The default is 1.
func Reduces(c *conf.Config) (int, error) {
	n, err := conf.JobReduces.Within(c, 0, math.MaxInt32)
	return int(n), err
}

// Shaped returns the job that c describes. It resolves Shape, and Count as a combiner. If the job has
// neither, Shaped returns j itself. A Runner calls Shaped before any other method of the job.
func (j *Job) Shaped(c *conf.Config) (*Job, error) {
	if j.Shape != nil {
		s, err := j.Shape(c)
		if err != nil {
			return nil, err
		}
		own := *s
		own.Name, own.Shape = j.Name, nil
		j = &own
	}
	if n, err := Reduces(c); err != nil || n == 0 {
		return j, nil // Validate reports the error
	}
	return j.countEarly(c), nil
}

// InputFormat returns the job's input format. The default is the format that
// conf.JobInputFormatClass selects, which is text lines unless configured.
func (j *Job) InputFormat() InputFormat {
	if j.Input != nil {
		return j.Input
	}
	return configuredInput{}
}

// OutputFormat returns the job's output format. The default is the format that
// conf.JobOutputFormatClass selects, which is text unless configured.
func (j *Job) OutputFormat() OutputFormat {
	if j.Output != nil {
		return j.Output
	}
	return configuredOutput{}
}

// MapOutputTypes returns the types of the records between maps and reducers. If neither the mapper
// nor the input format defines them, the configuration does (conf.MapOutputKeyClass and the related
// keys).
func (j *Job) MapOutputTypes(c *conf.Config) (key, value Type) {
	inKey, inVal := j.InputFormat().Types(c)
	key, value = orElse(j.Mapper.Key, orElse(j.Mapper.InKey, inKey)), orElse(j.Mapper.Val, orElse(j.Mapper.InVal, inVal))
	if key == nil {
		key = configuredType(c, conf.MapOutputKeyClass.Name, conf.JobOutputKeyClass.Name)
	}
	if value == nil {
		value = configuredType(c, conf.MapOutputValueClass.Name, conf.JobOutputValueClass.Name)
	}
	return key, value
}

// RecordTypes returns the types of the records that r, a reader of the job's input, delivers.
// Unknown types are nil.
func (j *Job) RecordTypes(c *conf.Config, r RecordReader) (key, value Type) {
	key, value = j.InputFormat().Types(c)
	if t, ok := r.(TypedReader); ok {
		k, v := t.RecordTypes()
		key, value = orElse(k, key), orElse(v, value)
	}
	return key, value
}

// CheckRecords returns an error of kind Config if the record types of r differ from the types that
// the job's maps read.
func (j *Job) CheckRecords(c *conf.Config, r RecordReader) error {
	t, ok := r.(TypedReader)
	if !ok {
		return nil
	}
	gotKey, gotVal := t.RecordTypes()
	wantKey, wantVal := j.Mapper.InKey, j.Mapper.InVal
	if j.Mapper.New == nil {
		wantKey, wantVal = j.MapOutputTypes(c)
	}
	for _, x := range []struct {
		half      string
		want, got Type
		class     string
	}{{"key", wantKey, gotKey, conf.JobOutputKeyClass.Name}, {"value", wantVal, gotVal, conf.JobOutputValueClass.Name}} {
		if x.want != nil && x.got != nil && x.want.Class() != x.got.Class() {
			return failure.New(failure.Config, "read the input", j.Name,
				fmt.Errorf("Type mismatch in %s from map: expected %s, received %s", x.half, x.want.Class(), x.got.Class())).
				Fix("use input files of other types, or set " + x.class + " if the program does not set it")
		}
	}
	return nil
}

// OutputTypes returns the types of the job's output records. In a map-only job, these are the types
// of the map output.
func (j *Job) OutputTypes(c *conf.Config) (key, value Type) {
	key, value = j.MapOutputTypes(c)
	if n, err := Reduces(c); err == nil && n == 0 {
		return key, value
	}
	return orElse(j.Reducer.Key, key), orElse(j.Reducer.Val, value)
}

func orElse(t, other Type) Type {
	if t != nil {
		return t
	}
	return other
}

// Comparator returns the sort order of map output keys. An order set by the program takes
// precedence over one selected by conf.JobOutputKeyComparatorClass. The default is the order of the
// key type.
func (j *Job) Comparator(c *conf.Config) Comparator {
	if x := j.ownOrder(c); x != nil {
		return x
	}
	key, _ := j.MapOutputTypes(c)
	return key
}

// ownOrder returns the sort order that replaces the order of the key type, or nil if there is none.
func (j *Job) ownOrder(c *conf.Config) Comparator {
	if j.Sort != nil {
		return j.Sort
	}
	x, _ := chosenOrder(c) // Validate has rejected invalid orders
	return x
}

// Grouping returns the comparator that defines a reducer's groups. Keys that compare equal belong
// to the same group. If Grouping returns nil, the sort order defines the groups.
func (j *Job) Grouping(c *conf.Config) Comparator {
	if j.Group != nil {
		return j.Group
	}
	if x, _ := chosenGroups(c); x != nil {
		return x
	}
	if f, ok := j.ownOrder(c).(*fieldComparator); ok {
		return fieldGrouping{f}
	}
	return nil
}

// GroupComparator is like Grouping but returns the sort order instead of nil.
func (j *Job) GroupComparator(c *conf.Config) Comparator {
	if x := j.Grouping(c); x != nil {
		return x
	}
	return j.Comparator(c)
}

// NewMapper returns a new mapper for an attempt. For a job without a mapper, it returns the
// identity mapper.
func (j *Job) NewMapper() Mapper {
	if j.Mapper.New == nil {
		return identityMapper{}
	}
	return j.Mapper.New()
}

// NewReducer returns a new reducer for an attempt. For a job without a reducer, it returns the
// identity reducer.
func (j *Job) NewReducer() Reducer {
	if j.Reducer.New == nil {
		return &identityReducer{}
	}
	return j.Reducer.New()
}

// HasCombiner reports whether the job has a combiner.
func (j *Job) HasCombiner() bool { return j.Combiner.New != nil }

// NewPartitioner returns a new partitioner for an attempt. With fewer than two reducers, it ignores
// the job's partitioner.
func (j *Job) NewPartitioner(env *Env) (Partitioner, error) {
	if n, err := Reduces(env.Conf); err != nil || n <= 1 {
		return onePartition{}, err
	}
	key, _ := j.MapOutputTypes(env.Conf)
	if order := j.ownOrder(env.Conf); order != nil {
		key = orderedType{key, order}
	}
	if j.Partitioner != nil {
		return j.Partitioner(env, key)
	}
	class, err := PartitionerByClass(env.Conf, conf.JobPartitionerClass.Name, conf.JobPartitionerClass.Get(env.Conf))
	if err != nil {
		return nil, err
	}
	return class(env, key)
}

// orderedType is a key type with a different sort order.
type orderedType struct {
	Type
	order Comparator
}

func (t orderedType) Compare(a, b []byte) int  { return t.order.Compare(a, b) }
func (t orderedType) Prefix(key []byte) uint64 { return t.order.Prefix(key) }

// unordered returns the key type t with its original sort order.
func unordered(t Type) Type {
	if o, ok := t.(orderedType); ok {
		return o.Type
	}
	return t
}

type onePartition struct{}

func (onePartition) Partition(_, _ []byte, _ int) int { return 0 }

type identityMapper struct{}

func (identityMapper) Map(_ *Context, key, value []byte, out Emitter) error {
	return out.Emit(key, value)
}

// identityReducer emits every record unchanged. It creates step, the body of its loop over the
// values, only once. A range loop would allocate a new function for every group.
type identityReducer struct {
	c    *Context
	key  []byte
	out  Emitter
	err  error
	step func([]byte) bool
}

func (r *identityReducer) Reduce(c *Context, key []byte, values iter.Seq[[]byte], out Emitter) error {
	if r.step == nil {
		r.step = r.one
	}
	r.c, r.key, r.out, r.err = c, key, out, nil
	values(r.step)
	return r.err
}

func (r *identityReducer) one(v []byte) bool {
	// With a grouping comparator, the key can change from value to value.
	if k := r.c.Key(); k != nil {
		r.key = k
	}
	r.err = r.out.Emit(r.key, v)
	return r.err == nil
}

// PlanSplits splits the job's input. Map n reads split n of the result. PlanSplits sorts the splits
// by size, largest first, as Hadoop does when it submits a job. Splits of equal size keep their
// order. PlanSplits also creates a partitioner, so that an error in the partitioner's settings
// appears before any task starts.
func (j *Job) PlanSplits(ctx context.Context, env *Env) ([]Split, error) {
	if _, err := j.NewPartitioner(env); err != nil {
		return nil, err
	}
	splits, err := j.InputFormat().Splits(ctx, env)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(splits, func(a, b Split) int { return cmp.Compare(b.Length, a.Length) })
	return splits, nil
}

// Configure returns a copy of c with the job's own settings added. The user's settings take
// precedence.
func (j *Job) Configure(c *conf.Config) *conf.Config {
	c = c.Clone()
	set := map[string]bool{}
	for _, p := range c.Properties(true) {
		set[p.Name] = true
	}
	for k, v := range j.Conf {
		if !set[conf.Canonical(k)] {
			c.Set(k, v, "job "+j.Name)
		}
	}
	c.Set(conf.JobCommitter.Name, strconv.FormatBool(j.Committer != nil), "job "+j.Name)
	return c
}

// Validate checks that the parts of the job fit together. It returns an error of kind Config if the
// output types of a stage do not match the input types of the next.
func (j *Job) Validate(c *conf.Config) error {
	if j.Name == "" {
		return j.unfit("the job has no name, which its tasks need")
	}
	reduces, err := Reduces(c)
	if err != nil {
		return err
	}
	if err := chosenClasses(c); err != nil {
		return err
	}
	inKey, inVal := j.InputFormat().Types(c)
	key, val := j.MapOutputTypes(c)
	outKey, outVal := j.OutputTypes(c)
	if err := j.fits("the mapper", j.Mapper.InKey, j.Mapper.InVal, "the input format has type", inKey, inVal); err != nil {
		return err
	}
	if key == nil || val == nil {
		return j.unfit("the output types of the mapper are unknown; set Mapper.Key and Mapper.Val, or " +
			conf.JobOutputKeyClass.Name + " and " + conf.JobOutputValueClass.Name)
	}
	if err := j.known("the mapper emits", key, val); err != nil || reduces == 0 {
		return err
	}
	if _, ok := key.(*valueType); ok {
		return j.unfit("the mapper emits keys of type " + typeName(key) +
			", but equal keys of this type can have different bytes; use a mapreduce.JSON or a type with a Codec method")
	}
	if err := j.validCombiner(key, val); err != nil {
		return err
	}
	if err := j.fits("the reducer", j.Reducer.InKey, j.Reducer.InVal, "the mapper emits", key, val); err != nil {
		return err
	}
	return j.known("the reducer emits", outKey, outVal)
}

// validCombiner returns an error unless the combiner, if there is one, reads and emits the types of
// the map output, key and val.
func (j *Job) validCombiner(key, val Type) error {
	if j.Combiner.New == nil {
		return nil
	}
	if j.Combiner.counts() {
		return j.unfit("the combiner is Count, but the reducer is not; use Count as both, or remove the combiner")
	}
	if err := j.fits("the combiner", j.Combiner.InKey, j.Combiner.InVal, "the mapper emits", key, val); err != nil {
		return err
	}
	return j.fits("the stage after the combiner", key, val, "the combiner emits", orElse(j.Combiner.Key, key),
		orElse(j.Combiner.Val, val))
}

// fits returns an error if a reader expects types other than those that its source delivers. reader
// and source are descriptions for the error message. An expected type of nil accepts any type, and
// an unknown source type fits any reader.
func (j *Job) fits(reader string, wantKey, wantVal Type, source string, key, val Type) error {
	if err := j.known(reader+" reads", wantKey, wantVal); err != nil {
		return err
	}
	for _, x := range []struct {
		half      string
		want, got Type
	}{{"keys", wantKey, key}, {"values", wantVal, val}} {
		if x.want != nil && x.got != nil && !sameType(x.want, x.got) {
			return j.unfit(fmt.Sprintf("%s reads %s of type %s, but %s %s", reader, x.half, typeName(x.want), source,
				typeName(x.got)))
		}
	}
	return nil
}

// known returns the error of the first badType in types, or nil if there is none.
func (j *Job) known(who string, types ...Type) error {
	for _, t := range types {
		if bad, ok := t.(badType); ok && bad.whole {
			return failure.New(failure.Config, "check job", j.Name, bad.err)
		} else if ok {
			return failure.New(failure.Config, "check job", j.Name, fmt.Errorf("%s a type without a Writable: %w", who, bad.err))
		}
	}
	return nil
}

func (j *Job) unfit(why string) error {
	return failure.New(failure.Config, "check job", j.Name, errors.New(why))
}
