package mapreduce

import (
	"context"
	"errors"

	"github.com/howdah/howdah/conf"
)

// KeyLazyOutput names the class of the output format behind LazyOutput.
const KeyLazyOutput = "mapreduce.output.lazyoutputformat.outputformat"

// LazyOutput opens the output of a task with its first record, so that a task without records leaves no empty file. It is
// Hadoop's LazyOutputFormat; as there, its bytes are not counted.
type LazyOutput struct {
	Of OutputFormat // nil = the one that KeyLazyOutput names
}

// Check refuses what the format behind it refuses, and a job that names none.
func (l LazyOutput) Check(ctx context.Context, env *Env) error {
	of, err := l.format(env.Conf)
	if err != nil {
		return err
	}
	return of.Check(ctx, env)
}

func (l LazyOutput) format(c *conf.Config) (OutputFormat, error) {
	if l.Of != nil {
		return l.Of, nil
	}
	class := c.Get(KeyLazyOutput)
	switch simpleName(class) {
	case "":
		return nil, c.Refuse(KeyLazyOutput, errors.New("Output Format not set for LazyOutputFormat"))
	case "LazyOutputFormat":
		return nil, c.Refuse(KeyLazyOutput, errors.New("LazyOutputFormat cannot be behind itself"))
	}
	return OutputByClass(c, KeyLazyOutput, class)
}

// Open gives a writer that makes no file yet.
func (l LazyOutput) Open(c *Context, key, value Type) (RecordWriter, error) {
	of, err := l.format(c.Conf)
	if err != nil {
		return nil, err
	}
	own := *c
	own.mute = true
	return &lazyWriter{open: func() (RecordWriter, error) { return of.Open(&own, key, value) }}, nil
}

type lazyWriter struct {
	open func() (RecordWriter, error)
	w    RecordWriter // nil until the first record
}

func (l *lazyWriter) Write(key, value []byte) (err error) {
	if l.w == nil {
		if l.w, err = l.open(); err != nil {
			return err
		}
	}
	return l.w.Write(key, value)
}

func (l *lazyWriter) Close() error {
	if l.w == nil {
		return nil
	}
	return l.w.Close()
}
