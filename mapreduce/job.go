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

// KeyReduces is the number of reducers; 0 makes a job of maps alone, whose output is the job's.
const KeyReduces = "mapreduce.job.reduces"

// Reduces gives the number of reducers of a configuration, by default 1.
func Reduces(c *conf.Config) (int, error) {
	n, err := c.Int(KeyReduces, 1, 0, math.MaxInt32)
	return int(n), err
}

// Shaped gives the job as c describes it; a job without Shape is what it is. What runs a job calls it before anything else.
func (j *Job) Shaped(c *conf.Config) (*Job, error) {
	if j.Shape == nil {
		return j, nil
	}
	s, err := j.Shape(c)
	if err != nil {
		return nil, err
	}
	own := *s
	own.Name, own.Shape = j.Name, nil
	return &own, nil
}

// InputFormat gives the job's input format, by default what the user chose by KeyInputClass, which is text lines.
func (j *Job) InputFormat() InputFormat {
	if j.Input != nil {
		return j.Input
	}
	return configuredInput{}
}

// OutputFormat gives the job's output format, by default what the user chose by KeyOutputClass, which is text.
func (j *Job) OutputFormat() OutputFormat {
	if j.Output != nil {
		return j.Output
	}
	return configuredOutput{}
}

// MapOutputTypes gives the types of the records that go from maps to reducers. Where neither the mapper nor the input format
// says them, the user does (KeyMapKeyClass and its like).
func (j *Job) MapOutputTypes(c *conf.Config) (key, value Type) {
	inKey, inVal := j.InputFormat().Types(c)
	key, value = orElse(j.Mapper.Key, orElse(j.Mapper.InKey, inKey)), orElse(j.Mapper.Val, orElse(j.Mapper.InVal, inVal))
	if key == nil {
		key = configuredType(c, KeyMapKeyClass, KeyOutputKeyClass)
	}
	if value == nil {
		value = configuredType(c, KeyMapValueClass, KeyOutputValueClass)
	}
	return key, value
}

// RecordTypes gives the types of what a reader of the job's input delivers, nil where nobody knows.
func (j *Job) RecordTypes(c *conf.Config, r RecordReader) (key, value Type) {
	key, value = j.InputFormat().Types(c)
	if t, ok := r.(TypedReader); ok {
		k, v := t.RecordTypes()
		key, value = orElse(k, key), orElse(v, value)
	}
	return key, value
}

// CheckRecords refuses a reader whose records turn out to be of other types than the job's maps read (kind Config).
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
	}{{"key", wantKey, gotKey, KeyOutputKeyClass}, {"value", wantVal, gotVal, KeyOutputValueClass}} {
		if x.want != nil && x.got != nil && x.want.Class() != x.got.Class() {
			return failure.New(failure.Config, "read the input", j.Name, fmt.Errorf("Type mismatch in %s from map: expected %s, received %s", x.half, x.want.Class(), x.got.Class())).
				Fix("read files of other types, or set " + x.class + " if the program leaves it to you")
		}
	}
	return nil
}

// OutputTypes gives the types of the records that the job writes. Without reducers the maps write.
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

// Comparator gives the order of the map output's keys: the job's own, else what the user chose by KeySortClass, else that of
// the keys' type.
func (j *Job) Comparator(c *conf.Config) Comparator {
	if x := j.ownOrder(c); x != nil {
		return x
	}
	key, _ := j.MapOutputTypes(c)
	return key
}

// ownOrder gives an order that is not that of the keys' type, else nil.
func (j *Job) ownOrder(c *conf.Config) Comparator {
	if j.Sort != nil {
		return j.Sort
	}
	x, _ := chosenOrder(c) // Validate refuses what cannot be made
	return x
}

// Grouping tells which keys form a group of the reducer: those it calls equal. nil stands for the order of keys.
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

// GroupComparator is Grouping with the order in place of nil.
func (j *Job) GroupComparator(c *conf.Config) Comparator {
	if x := j.Grouping(c); x != nil {
		return x
	}
	return j.Comparator(c)
}

// NewMapper makes the mapper of an attempt; the identity if the job has none.
func (j *Job) NewMapper() Mapper {
	if j.Mapper.New == nil {
		return identityMapper{}
	}
	return j.Mapper.New()
}

// NewReducer makes the reducer of an attempt; the identity if the job has none.
func (j *Job) NewReducer() Reducer {
	if j.Reducer.New == nil {
		return &identityReducer{}
	}
	return j.Reducer.New()
}

// HasCombiner reports whether the job has a combiner.
func (j *Job) HasCombiner() bool { return j.Combiner.New != nil }

// NewPartitioner makes the partitioner of an attempt. With a single reducer there is nothing to choose.
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
	class, err := PartitionerByClass(env.Conf, KeyPartitionerClass, env.Conf.Get(KeyPartitionerClass))
	if err != nil {
		return nil, err
	}
	return class(env, key)
}

// orderedType is the type of keys in another order than its own.
type orderedType struct {
	Type
	order Comparator
}

func (t orderedType) Compare(a, b []byte) int  { return t.order.Compare(a, b) }
func (t orderedType) Prefix(key []byte) uint64 { return t.order.Prefix(key) }

// unordered gives the type itself, in its own order.
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

// identityReducer has a loop body that is made once: a range loop would make one for every group.
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
	// With a grouping comparator the key moves on with the values.
	if k := r.c.Key(); k != nil {
		r.key = k
	}
	r.err = r.out.Emit(r.key, v)
	return r.err == nil
}

// PlanSplits cuts the job's input and puts the largest splits first, as Hadoop does when it submits a job; equally large
// ones keep their order. Map number n reads the nth. A partitioner that cannot be made is found out here as well, before any
// task starts.
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

// Configure gives a copy of c in which the job's own settings stand where the user set nothing.
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
	c.Set(KeyCommitter, strconv.FormatBool(j.Committer != nil), "job "+j.Name)
	return c
}

// KeyCommitter is set for jobs: whether the program brings a committer of its own, for which set-up and clean-up tasks run.
const KeyCommitter = "howdah.job.committer"

// Validate checks that the parts of a job fit together: what the input delivers is what the mapper reads, and so on to the
// output. What does not fit is kind Config.
func (j *Job) Validate(c *conf.Config) error {
	if j.Name == "" {
		return j.unfit("it has no name, by which its tasks find it")
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
	if err := j.fits("the mapper", j.Mapper.InKey, j.Mapper.InVal, "the input format delivers", inKey, inVal); err != nil {
		return err
	}
	if key == nil || val == nil {
		return j.unfit("the types that the mapper emits are unknown; set Mapper.Key and Mapper.Val, or " + KeyOutputKeyClass + " and " + KeyOutputValueClass)
	}
	if err := j.known("the mapper emits", key, val); err != nil || reduces == 0 {
		return err
	}
	if err := j.validCombiner(key, val); err != nil {
		return err
	}
	if err := j.fits("the reducer", j.Reducer.InKey, j.Reducer.InVal, "the mapper emits", key, val); err != nil {
		return err
	}
	return j.known("the reducer emits", outKey, outVal)
}

// validCombiner: a combiner's output takes the place of its input.
func (j *Job) validCombiner(key, val Type) error {
	if j.Combiner.New == nil {
		return nil
	}
	if err := j.fits("the combiner", j.Combiner.InKey, j.Combiner.InVal, "the mapper emits", key, val); err != nil {
		return err
	}
	return j.fits("whoever reads after the combiner", key, val, "the combiner emits", orElse(j.Combiner.Key, key), orElse(j.Combiner.Val, val))
}

// fits refuses a reader that wants other types than it gets. nil wants anything; unknown input fits whatever reads it.
func (j *Job) fits(reader string, wantKey, wantVal Type, source string, key, val Type) error {
	if err := j.known(reader+" reads", wantKey, wantVal); err != nil {
		return err
	}
	for _, x := range []struct {
		half      string
		want, got Type
	}{{"keys", wantKey, key}, {"values", wantVal, val}} {
		if x.want != nil && x.got != nil && x.want.Class() != x.got.Class() {
			return j.unfit(fmt.Sprintf("%s reads %s of type %s, but %s %s", reader, x.half, x.want.Class(), source, x.got.Class()))
		}
	}
	return nil
}

// known refuses Go types that no Writable is known for.
func (j *Job) known(who string, types ...Type) error {
	for _, t := range types {
		if bad, ok := t.(badType); ok && bad.whole {
			return failure.New(failure.Config, "check job", j.Name, bad.err)
		} else if ok {
			return failure.New(failure.Config, "check job", j.Name, fmt.Errorf("%s a %w", who, bad.err))
		}
	}
	return nil
}

func (j *Job) unfit(why string) error {
	return failure.New(failure.Config, "check job", j.Name, errors.New(why))
}
