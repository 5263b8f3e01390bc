package mapreduce

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/internal/vint"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

const outputBufferSize = 64 << 10

// SetOutputPath sets a job's output directory in its configuration, c.
func SetOutputPath(c *conf.Config, dir string) {
	c.Set(conf.OutputFileOutputFormatOutputDir.Name, dir, "programmatically")
}

// TextOutput writes a line for each record. The line consists of key, separator, and value, with
// key and value in the format of Java's toString. TextOutput omits a key or value that is
// NullWritable or null (emitted as zero bytes), together with the separator. It writes no line if
// it omits both. Files have names like part-m-00000 or part-r-00000, with the codec's extension.
type TextOutput struct{}

// Check returns an error of kind Config if the output directory is unset or the codec is unknown.
// It returns an error of kind Exists if the output directory exists.
func (TextOutput) Check(ctx context.Context, env *Env) error {
	if _, err := outputCodec(env.Conf); err != nil {
		return err
	}
	return checkOutputDir(ctx, env)
}

func checkOutputDir(ctx context.Context, env *Env) error {
	dir := conf.OutputFileOutputFormatOutputDir.Get(env.Conf)
	if dir == "" {
		return failure.New(failure.Config, "check the output", "", errors.New("Output directory not set")).
			Fix("specify an output directory, or set " + conf.OutputFileOutputFormatOutputDir.Name)
	}
	fs, name, err := env.FS.Resolve(dir)
	if err != nil {
		return err
	}
	_, err = fs.Stat(ctx, name)
	switch {
	case err == nil:
		return failure.New(failure.Exists, "", "", fmt.Errorf("Output directory %s%s already exists", fs.URI(), name)).
			Fix("remove it or choose another directory; howdah never overwrites existing output")
	case failure.Is(err, failure.NotFound):
		return nil
	}
	return err
}

// Open creates the task's output and returns a writer for its records.
func (TextOutput) Open(c *Context, key, value Type) (RecordWriter, error) {
	w, err := openPartFile(c)
	if err != nil {
		return nil, err
	}
	sep := []byte("\t")
	// Hadoop does not pass an empty separator to its tasks.
	if s, _, ok := c.Conf.Lookup(conf.OutputTextOutputFormatSeparator.Name); ok && s != "" {
		sep = []byte(s)
	}
	t := &textWriter{out: w, key: key, value: value, sep: sep}
	_, t.noKey = key.(nullType)
	_, t.noValue = value.(nullType)
	return t, nil
}

// oldMapper reports whether a job's mapper uses Hadoop's old API.
func oldMapper(c *conf.Config) bool { return conf.MapperNewAPI.Get(c) == "false" }

// PartName returns the name of a task's output file without an extension, such as part-r-00000.
// With Hadoop's old API, the name is part-00000.
func PartName(c *Context) string {
	if c.base != "" {
		return numbered(c, c.base)
	}
	api := conf.MapperNewAPI.Name
	if c.Task().Reduces > 0 {
		api = conf.ReducerNewAPI.Name
	}
	if c.Conf.Get(api) == "false" {
		return fmt.Sprintf("part-%05d", c.Partition())
	}
	base := conf.OutputBaseName.Get(c.Conf)
	base = cmp.Or(base, "part")
	return numbered(c, base)
}

func numbered(c *Context, base string) string {
	return fmt.Sprintf("%s-%c-%05d", base, c.Task().Attempt.Type.Letter(), c.Partition())
}

type textWriter struct {
	out            *partFile
	key, value     Type
	noKey, noValue bool
	sep            []byte
	buf            []byte
}

func (t *textWriter) Write(key, value []byte) error {
	noKey, noValue := t.noKey || len(key) == 0, t.noValue || len(value) == 0
	if noKey && noValue {
		return nil
	}
	if len(key)+len(value) > hugeRecord {
		return t.writeHuge(key, value)
	}
	b := t.buf[:0]
	if !noKey {
		b = t.key.AppendText(b, key)
		if !noValue {
			b = append(b, t.sep...)
		}
	}
	if !noValue {
		b = t.value.AppendText(b, value)
	}
	t.buf = append(b, '\n')
	_, err := t.out.Write(t.buf)
	return err
}

// hugeRecord is the size in bytes above which a record is not assembled in a buffer, because a copy
// might not fit in memory.
const hugeRecord = 1 << 20

func (t *textWriter) writeHuge(key, value []byte) error {
	noKey, noValue := t.noKey || len(key) == 0, t.noValue || len(value) == 0
	if !noKey {
		if err := t.writeText(t.key, key); err != nil {
			return err
		}
		if !noValue {
			if _, err := t.out.Write(t.sep); err != nil {
				return err
			}
		}
	}
	if !noValue {
		if err := t.writeText(t.value, value); err != nil {
			return err
		}
	}
	return t.out.WriteByte('\n')
}

// writeText writes b, a key or value of type as. It does not copy a Text.
func (t *textWriter) writeText(as Type, b []byte) error {
	var text []byte
	if as == TextWritable {
		text = vint.Body(b)
	} else {
		t.buf = as.AppendText(t.buf[:0], b)
		text = t.buf
	}
	_, err := t.out.Write(text)
	return err
}

func (t *textWriter) Close() error { return t.out.Close() }

// partFile is a task's output file. It buffers and counts the bytes, and compresses them if
// configured.
type partFile struct {
	*bufio.Writer
	encoder io.WriteCloser // nil = uncompressed
	file    io.WriteCloser
}

func openPartFile(c *Context) (*partFile, error) {
	name := PartName(c)
	how, err := outputCodec(c.Conf)
	if err != nil {
		return nil, err
	}
	if how != nil {
		name += how.Extension()
	}
	file, err := c.CreateOutput(name)
	if err != nil {
		return nil, err
	}
	p := &partFile{file: file}
	var to io.Writer = &countedWriter{w: file, c: c}
	if how != nil {
		p.encoder = how.NewWriter(to)
		to = p.encoder
	}
	p.Writer = bufio.NewWriterSize(to, outputBufferSize)
	return p, nil
}

func (p *partFile) Close() error {
	err := p.Flush()
	if p.encoder != nil {
		err = errors.Join(err, p.encoder.Close())
	}
	if err != nil {
		// Leave the file incomplete; the attempt's cleanup removes it.
		return err
	}
	return p.file.Close()
}

// outputCodec returns the codec of a job's output, or nil for uncompressed output.
func outputCodec(c *conf.Config) (codec.Codec, error) {
	on, err := conf.OutputFileOutputFormatCompress.Get(c)
	if err != nil || !on {
		return nil, err
	}
	class := conf.OutputFileOutputFormatCompressCodec.Get(c)
	class = cmp.Or(class, "org.apache.hadoop.io.compress.DefaultCodec")
	x, err := codec.ByClass(class)
	if err != nil {
		return nil, c.Refuse(conf.OutputFileOutputFormatCompressCodec.Name, err)
	}
	return x, nil
}

type countedWriter struct {
	w io.Writer
	c *Context
}

func (w *countedWriter) Write(p []byte) (int, error) {
	n, err := w.w.Write(p)
	if !w.c.mute { // as in Hadoop, the bytes of lazy output and of additional files do not count
		w.c.Inc(job.OutputBytesWritten, int64(n))
	}
	return n, err
}

// NullOutput discards records.
type NullOutput struct{}

// Check accepts any job.
func (NullOutput) Check(context.Context, *Env) error { return nil }

// Open returns a writer that does nothing.
func (NullOutput) Open(*Context, Type, Type) (RecordWriter, error) { return nullWriter{}, nil }

type nullWriter struct{}

func (nullWriter) Write(_, _ []byte) error { return nil }
func (nullWriter) Close() error            { return nil }
