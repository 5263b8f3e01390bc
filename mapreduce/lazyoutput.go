package mapreduce

import (
	"context"
	"errors"

	"github.com/howdah/howdah/conf"
)

// LazyOutput creates a task's output when the task writes its first record, so a task without
// records leaves no empty file. It is Hadoop's LazyOutputFormat. As in Hadoop, the bytes that it
// writes do not count as output bytes of the task.
type LazyOutput struct {
	Of OutputFormat // wrapped format; nil = the one that conf.OutputLazyOutputFormatOutputFormat selects
}

// Check calls the Check method of the wrapped format. It returns an error if neither Of nor the
// configuration selects a format.
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
	class := conf.OutputLazyOutputFormatOutputFormat.Get(c)
	switch simpleName(class) {
	case "":
		return nil, c.Refuse(conf.OutputLazyOutputFormatOutputFormat.Name,
			errors.New("Output Format not set for LazyOutputFormat"))
	case "LazyOutputFormat":
		return nil, c.Refuse(conf.OutputLazyOutputFormatOutputFormat.Name, errors.New("LazyOutputFormat cannot wrap itself"))
	}
	return OutputByClass(c, conf.OutputLazyOutputFormatOutputFormat.Name, class)
}

// Open returns a writer that creates its file when it writes the first record.
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
