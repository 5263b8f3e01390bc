package mapreduce

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/howdah/howdah/conf"
)

// The keys by which a user chooses the formats of a job that does not insist on its own: Hadoop's class names, with or
// without their package.
const (
	KeyInputClass  = "mapreduce.job.inputformat.class"  // TextInputFormat
	KeyOutputClass = "mapreduce.job.outputformat.class" // TextOutputFormat
)

// inputClass and outputClass are formats under the last name of their Java class. The first of each table is the default.
type (
	inputClass struct {
		name   string
		format InputFormat
	}
	outputClass struct {
		name   string
		format OutputFormat
	}
)

// inputClasses has a line for every input format that can be chosen by class.
func inputClasses() []inputClass {
	return []inputClass{
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

// outputClasses has a line for every output format that can be chosen by class.
func outputClasses() []outputClass {
	return []outputClass{
		{"TextOutputFormat", TextOutput{}},
		{"NullOutputFormat", NullOutput{}},
		{"LazyOutputFormat", LazyOutput{}},
		{"SequenceFileOutputFormat", SequenceOutput{}},
		{"MapFileOutputFormat", MapFileOutput{}},
		{"SequenceFileAsBinaryOutputFormat", SequenceAsBinaryOutput{}},
	}
}

// InputByClass finds an input format by its Java class, with or without package. An empty class is text lines, an unknown
// one kind Config.
func InputByClass(c *conf.Config, key, class string) (InputFormat, error) {
	all := inputClasses()
	names := make([]string, len(all))
	for i, x := range all {
		if names[i] = x.name; x.name == simpleName(class) {
			return x.format, nil
		}
	}
	if class == "" {
		return all[0].format, nil
	}
	return nil, unknownClass(c, key, names)
}

// OutputByClass finds an output format as InputByClass does an input format.
func OutputByClass(c *conf.Config, key, class string) (OutputFormat, error) {
	all := outputClasses()
	names := make([]string, len(all))
	for i, x := range all {
		if names[i] = x.name; x.name == simpleName(class) {
			return x.format, nil
		}
	}
	if class == "" {
		return all[0].format, nil
	}
	return nil, unknownClass(c, key, names)
}

func unknownClass(c *conf.Config, key string, known []string) error {
	return c.Refuse(key, errors.New("no such class here")).Fix("use one of " + strings.Join(known, ", "))
}

// simpleName drops a Java package.
func simpleName(class string) string { return class[strings.LastIndexByte(class, '.')+1:] }

func inputByClass(c *conf.Config) (InputFormat, error) {
	return InputByClass(c, KeyInputClass, c.Get(KeyInputClass))
}

func outputByClass(c *conf.Config) (OutputFormat, error) {
	return OutputByClass(c, KeyOutputClass, c.Get(KeyOutputClass))
}

// configuredInput is the input format of a job that names none: the one that the user chose by KeyInputClass.
type configuredInput struct{}

// Types gives text lines' types when the class is unknown; Splits says what is wrong.
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

// configuredOutput is the output format of a job that names none.
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
