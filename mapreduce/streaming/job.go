package streaming

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// JobName is the name by which a task's child process finds the job.
const JobName = "streaming"

// Job returns the Streaming job. The configuration contains the commands or classes of its mapper,
// combiner, and reducer.
func Job() *mapreduce.Job { return &mapreduce.Job{Name: JobName, Shape: shape} }

// shape returns the job that c describes.
func shape(c *conf.Config) (*mapreduce.Job, error) {
	j := &mapreduce.Job{Name: JobName}
	if conf.StreamRecordReaderClass.Get(c) != "" {
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
		return nil, failure.New(failure.Config, "make the job", JobName,
			errors.New("the types of the map output are unknown")).Fix("set stream.map.output")
	}
	if err := shapeCombiner(j, c, key, value); err != nil {
		return nil, err
	}
	return j, shapeReducer(j, c, key, value)
}

func shapeMapper(j *mapreduce.Job, c *conf.Config, key, value mapreduce.Type) (err error) {
	command, err := commandOf(c, conf.StreamMapStreamProcessor.Name)
	if err != nil || command == "" {
		if err == nil {
			j.Mapper, err = mapperByClass(c)
		}
		return err
	}
	s := &side{command: command, in: formatOf(conf.StreamMapInput.Get(c)), out: formatOf(conf.StreamMapOutput.Get(c)),
		inKey: key, inValue: value}
	if s.ignoreKey, err = conf.StreamMapInputIgnoreKey.GetOr(c, isTextInput(c)); err != nil {
		return err
	}
	if err := s.read(c, conf.StreamMapInputFieldSeparator.Name, conf.StreamMapOutputFieldSeparator.Name,
		&conf.StreamNumMapOutputKeyFields); err != nil {
		return err
	}
	j.Mapper = mapreduce.MapperClass{New: func() mapreduce.Mapper { return &mapper{side: s} }, Key: s.out.key,
		Val: s.out.value}
	return nil
}

// isTextInput reports whether the input format reads text lines, whose keys a text mapper does not
// receive.
func isTextInput(c *conf.Config) bool {
	class := conf.JobInputFormatClass.Get(c)
	return conf.StreamRecordReaderClass.Get(c) == "" && (class == "" || simpleName(class) == "TextInputFormat")
}

func shapeReducer(j *mapreduce.Job, c *conf.Config, key, value mapreduce.Type) error {
	s, err := reduceSide(c, conf.StreamReduceStreamProcessor.Name, key, value)
	if err != nil {
		return err
	}
	if s == nil {
		j.Reducer, err = reducerByClass(c, conf.JobReduceClass.Name)
		return err
	}
	j.Reducer = mapreduce.ReducerClass{New: func() mapreduce.Reducer { return &reducer{side: s} }, Key: s.out.key,
		Val: s.out.value}
	return nil
}

// shapeCombiner sets the combiner. A combiner reads and writes like a reducer, but its output must
// have the types of its input.
func shapeCombiner(j *mapreduce.Job, c *conf.Config, key, value mapreduce.Type) error {
	s, err := reduceSide(c, conf.StreamCombineStreamProcessor.Name, key, value)
	if err != nil {
		return err
	}
	if s == nil {
		if conf.JobCombineClass.Get(c) != "" {
			j.Combiner, err = reducerByClass(c, conf.JobCombineClass.Name)
		}
		return err
	}
	if s.out.key.Class() != key.Class() || s.out.value.Class() != value.Class() {
		return failure.New(failure.Config, "make the combiner", s.command,
			fmt.Errorf("the combiner writes %s and %s, but the mapper writes %s and %s", s.out.key.Class(), s.out.value.Class(),
				key.Class(), value.Class())).
			Fix("set stream.map.output and stream.reduce.output to the same value")
	}
	j.Combiner = mapreduce.ReducerClass{New: func() mapreduce.Reducer { return &combiner{side: s} }, Key: key, Val: value}
	return nil
}

// reduceSide returns the settings of the reducer or combiner command that is the value of key. It
// returns nil if the reducer or combiner is not a command.
func reduceSide(c *conf.Config, key string, inKey, inValue mapreduce.Type) (*side, error) {
	command, err := commandOf(c, key)
	if err != nil || command == "" {
		return nil, err
	}
	s := &side{command: command, in: formatOf(conf.StreamReduceInput.Get(c)),
		out: formatOf(conf.StreamReduceOutput.Get(c)), inKey: inKey,
		inValue: inValue}
	fields := &conf.StreamNumReduceOutputKeyFields
	if c.Get(fields.Name) == "" {
		fields = &conf.StreamNumReduceOutputFields
	}
	return s, s.read(c, conf.StreamReduceInputFieldSeparator.Name, conf.StreamReduceOutputFieldSeparator.Name, fields)
}

// read reads the settings that mappers and reducers have in common.
func (s *side) read(c *conf.Config, inSep, outSep string, fields *conf.Int) error {
	s.inSep, s.outSep = separator(c, inSep), separator(c, outSep)
	n, err := fields.Get(c)
	if err != nil {
		return err
	}
	s.keyFields = int(n)
	ok, err := conf.StreamNonZeroExitIsFailure.Get(c)
	if err != nil {
		return err
	}
	s.anyExit = !ok
	s.minWritten, err = conf.StreamMinRecWrittenToEnableSkip.Get(c)
	return err
}

// separator returns the configured separator without unescaping. The default is a tab. An empty
// separator is the same as an unset one, because Hadoop does not pass empty settings to its tasks.
func separator(c *conf.Config, key string) string {
	if v, _, ok := c.Lookup(key); ok && v != "" {
		return v
	}
	return "\t"
}

// commandOf returns the decoded command that is the value of key, or "" if there is no command.
func commandOf(c *conf.Config, key string) (string, error) {
	command, err := url.QueryUnescape(c.Get(key))
	if err != nil {
		return "", c.Refuse(key, err)
	}
	return command, nil
}

// simpleName returns a Java class name without its package.
func simpleName(class string) string { return class[strings.LastIndexByte(class, '.')+1:] }
