package mapreduce

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/howdah/howdah/conf"
)

// formatClass is a format and the simple name of its Java class. In inputClasses and outputClasses,
// the first entry is the default.
type formatClass[F any] struct {
	name   string
	format F
}

// inputClasses returns every input format that the configuration can select.
func inputClasses() []formatClass[InputFormat] {
	return []formatClass[InputFormat]{
		{"TextInputFormat", TextInput{}},
		{"KeyValueTextInputFormat", KeyValueTextInput{}},
		{"CombineTextInputFormat", CombineTextInput{}},
		{delegatingInput, MultipleInputs(nil)},
		{"NLineInputFormat", NLineInput{}},
		{"FixedLengthInputFormat", FixedLengthInput{}},
		{"CombineSequenceFileInputFormat", CombineSequenceInput{}},
		{"AutoInputFormat", AutoInput{}},
		{"AvroAsTextInputFormat", AvroAsTextInput{}},
		{"SequenceFileInputFormat", SequenceInput{}},
		{"SequenceFileAsTextInputFormat", SequenceAsTextInput{}},
		{"SequenceFileAsBinaryInputFormat", SequenceAsBinaryInput{}},
	}
}

// outputClasses returns every output format that the configuration can select.
func outputClasses() []formatClass[OutputFormat] {
	return []formatClass[OutputFormat]{
		{"TextOutputFormat", TextOutput{}},
		{"NullOutputFormat", NullOutput{}},
		{"LazyOutputFormat", LazyOutput{}},
		{"SequenceFileOutputFormat", SequenceOutput{}},
		{"MapFileOutputFormat", MapFileOutput{}},
		{"SequenceFileAsBinaryOutputFormat", SequenceAsBinaryOutput{}},
	}
}

// InputByClass returns the input format that corresponds to the given Java class, whose name may
// omit the package. If class is empty, it returns the text-line format. For an unknown class, it
// returns an error of kind Config that contains key, the configuration key of class.
func InputByClass(c *conf.Config, key, class string) (InputFormat, error) {
	return byClass(c, key, class, inputClasses())
}

// OutputByClass is like InputByClass but returns an output format. If class is empty, it returns
// the text format.
func OutputByClass(c *conf.Config, key, class string) (OutputFormat, error) {
	return byClass(c, key, class, outputClasses())
}

func byClass[F any](c *conf.Config, key, class string, all []formatClass[F]) (format F, err error) {
	if class == "" {
		return all[0].format, nil
	}
	var names []string
	for _, x := range all {
		if names = append(names, x.name); x.name == simpleName(class) {
			return x.format, nil
		}
	}
	return format, unknownClass(c, key, names)
}

func unknownClass(c *conf.Config, key string, known []string) error {
	return c.Refuse(key, errors.New("howdah does not have this class")).Fix("use one of " + strings.Join(known, ", "))
}

// simpleName returns a Java class name without its package.
func simpleName(class string) string { return class[strings.LastIndexByte(class, '.')+1:] }

func inputByClass(c *conf.Config) (InputFormat, error) {
	return InputByClass(c, conf.JobInputFormatClass.Name, conf.JobInputFormatClass.Get(c))
}

func outputByClass(c *conf.Config) (OutputFormat, error) {
	return OutputByClass(c, conf.JobOutputFormatClass.Name, conf.JobOutputFormatClass.Get(c))
}

// configuredInput is the input format that conf.JobInputFormatClass selects. Jobs that do not set
// an input format use it.
type configuredInput struct{}

// Types returns the types of the configured format. If the class is unknown, it returns the types
// of the text-line format, and Splits returns the error.
func (configuredInput) Types(c *conf.Config) (key, value Type) {
	in, err := inputByClass(c)
	if err != nil {
		return TextInput{}.Types(c)
	}
	return in.Types(c)
}

func (configuredInput) Splits(ctx context.Context, env *Env) ([]Split, error) {
	in, err := inputByClass(env.Conf)
	if err != nil {
		return nil, err
	}
	return in.Splits(ctx, env)
}

func (configuredInput) Open(c *Context, s *Split) (RecordReader, error) {
	in, err := inputByClass(c.Conf)
	if err != nil {
		return nil, err
	}
	return in.Open(c, s)
}

// configuredOutput is the output format that conf.JobOutputFormatClass selects. Jobs that do not
// set an output format use it.
type configuredOutput struct{}

func (configuredOutput) Check(ctx context.Context, env *Env) error {
	out, err := outputByClass(env.Conf)
	if err != nil {
		return err
	}
	return out.Check(ctx, env)
}

func (configuredOutput) Open(c *Context, key, value Type) (RecordWriter, error) {
	out, err := outputByClass(c.Conf)
	if err != nil {
		return nil, fmt.Errorf("open the output: %w", err)
	}
	return out.Open(c, key, value)
}
