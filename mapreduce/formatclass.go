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

// simpleName drops a Java package.
func simpleName(class string) string { return class[strings.LastIndexByte(class, '.')+1:] }

func inputByClass(c *conf.Config) (InputFormat, error) {
	switch class := c.Get(KeyInputClass); simpleName(class) {
	case "", "TextInputFormat":
		return TextInput{}, nil
	case "KeyValueTextInputFormat":
		return KeyValueTextInput{}, nil
	case "CombineTextInputFormat":
		return CombineTextInput{}, nil
	default:
		return nil, unknownClass(c, KeyInputClass, "TextInputFormat, KeyValueTextInputFormat, CombineTextInputFormat")
	}
}

func outputByClass(c *conf.Config) (OutputFormat, error) {
	switch class := c.Get(KeyOutputClass); simpleName(class) {
	case "", "TextOutputFormat":
		return TextOutput{}, nil
	case "NullOutputFormat":
		return NullOutput{}, nil
	default:
		return nil, unknownClass(c, KeyOutputClass, "TextOutputFormat, NullOutputFormat")
	}
}

func unknownClass(c *conf.Config, key, known string) error {
	return c.Refuse(key, errors.New("no such class here")).Fix("use one of " + known)
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
