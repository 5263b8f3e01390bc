package streaming

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// JobName is the name under which a task's child finds the job.
const JobName = "streaming"

// Job is the job whose mapper, combiner and reducer are commands or classes that the configuration names.
func Job() *mapreduce.Job { return &mapreduce.Job{Name: JobName, Shape: shape} }

// shape makes the job of a configuration.
func shape(c *conf.Config) (*mapreduce.Job, error) {
	j := &mapreduce.Job{Name: JobName}
	if c.Get(keyRecordReader) != "" {
		in, err := readerByClass(c)
		if err != nil {
			return nil, err
		}
		j.Input = in
	}
	inKey, inValue := j.InputFormat().Types(c)
	if err := shapeMapper(j, c, inKey, inValue); err != nil {
		return nil, err
	}
	key, value := j.MapOutputTypes(c)
	if key == nil || value == nil {
		return nil, failure.New(failure.Config, "make the job", JobName, errors.New("the types of the map output are unknown")).Fix("set stream.map.output")
	}
	if err := shapeCombiner(j, c, key, value); err != nil {
		return nil, err
	}
	return j, shapeReducer(j, c, key, value)
}

func shapeMapper(j *mapreduce.Job, c *conf.Config, key, value mapreduce.Type) (err error) {
	command, err := commandOf(c, keyMapCommand)
	if err != nil || command == "" {
		if err == nil {
			j.Mapper, err = mapperByClass(c)
		}
		return err
	}
	s := &side{command: command, in: formatOf(c.Get(keyMapInput)), out: formatOf(c.Get(keyMapOutput)), inKey: key, inValue: value}
	if s.ignoreKey, err = c.Bool(keyIgnoreKey, isTextInput(c)); err != nil {
		return err
	}
	if err := s.read(c, keyMapInSeparator, keyMapOutSeparator, keyMapKeyFields); err != nil {
		return err
	}
	j.Mapper = mapreduce.MapperClass{New: func() mapreduce.Mapper { return &mapper{side: s} }, Key: s.out.key, Val: s.out.value}
	return nil
}

// isTextInput tells the input format whose keys a text mapper does not see.
func isTextInput(c *conf.Config) bool {
	class := c.Get(mapreduce.KeyInputClass)
	return c.Get(keyRecordReader) == "" && (class == "" || simpleName(class) == "TextInputFormat")
}

func shapeReducer(j *mapreduce.Job, c *conf.Config, key, value mapreduce.Type) error {
	s, err := reduceSide(c, keyReduceCommand, key, value)
	if err != nil {
		return err
	}
	if s == nil {
		j.Reducer, err = reducerByClass(c, keyReduceClass, key, value)
		return err
	}
	j.Reducer = mapreduce.ReducerClass{New: func() mapreduce.Reducer { return &reducer{side: s} }, Key: s.out.key, Val: s.out.value}
	return nil
}

// shapeCombiner: a combiner reads and writes as reducers do, but what it writes takes the place of what it read.
func shapeCombiner(j *mapreduce.Job, c *conf.Config, key, value mapreduce.Type) error {
	s, err := reduceSide(c, keyCombineCommand, key, value)
	if err != nil {
		return err
	}
	if s == nil {
		if c.Get(keyCombineClass) != "" {
			j.Combiner, err = reducerByClass(c, keyCombineClass, key, value)
		}
		return err
	}
	if s.out.key.Class() != key.Class() || s.out.value.Class() != value.Class() {
		return failure.New(failure.Config, "make the combiner", s.command,
			fmt.Errorf("it writes %s and %s, but the mapper %s and %s", s.out.key.Class(), s.out.value.Class(), key.Class(), value.Class())).
			Fix("give stream.map.output and stream.reduce.output the same value")
	}
	j.Combiner = mapreduce.ReducerClass{New: func() mapreduce.Reducer { return &combiner{side: s} }, Key: key, Val: value}
	return nil
}

// reduceSide reads what a reducer or combiner needs; nil if it is no command.
func reduceSide(c *conf.Config, key string, inKey, inValue mapreduce.Type) (*side, error) {
	command, err := commandOf(c, key)
	if err != nil || command == "" {
		return nil, err
	}
	s := &side{command: command, in: formatOf(c.Get(keyReduceInput)), out: formatOf(c.Get(keyReduceOutput)), inKey: inKey, inValue: inValue}
	fields := keyReduceKeyFields
	if c.Get(fields) == "" {
		fields = keyReduceKeyFieldsManual
	}
	return s, s.read(c, keyReduceInSeparator, keyReduceOutSeparator, fields)
}

// read reads what both sides have.
func (s *side) read(c *conf.Config, inSep, outSep, fields string) error {
	s.inSep, s.outSep = separator(c, inSep), separator(c, outSep)
	n, err := c.Int(fields, 1, 0, math.MaxInt32)
	if err != nil {
		return err
	}
	s.keyFields = int(n)
	ok, err := c.Bool(keyNonZeroExit, true)
	if err != nil {
		return err
	}
	s.anyExit = !ok
	s.minWritten, err = c.Int(keyMinWritten, math.MaxInt64, 0, math.MaxInt64)
	return err
}

// separator gives a separator as it is written, by default a tab. An empty one is none: Hadoop loses it on the way to its tasks.
func separator(c *conf.Config, key string) string {
	if v, _, ok := c.Lookup(key); ok && v != "" {
		return v
	}
	return "\t"
}

// commandOf decodes a command; "" if there is none.
func commandOf(c *conf.Config, key string) (string, error) {
	command, err := url.QueryUnescape(c.Get(key))
	if err != nil {
		return "", c.Refuse(key, err)
	}
	return command, nil
}

// simpleName drops a Java package.
func simpleName(class string) string { return class[strings.LastIndexByte(class, '.')+1:] }
