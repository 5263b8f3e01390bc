package mapreduce_test

import (
	"context"
	"fmt"
	"io"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce"
)

// WholeFiles is an input format whose records are whole files. The key is the path.
type WholeFiles struct{}

// Types implements mapreduce.InputFormat.
func (WholeFiles) Types(*conf.Config) (key, value mapreduce.Type) {
	return mapreduce.TextWritable, mapreduce.BytesWritable
}

// Splits implements mapreduce.InputFormat. It does not divide any file.
func (WholeFiles) Splits(ctx context.Context, env *mapreduce.Env) ([]mapreduce.Split, error) {
	return mapreduce.FileSplits(ctx, env, func(string) bool { return false })
}

// Open implements mapreduce.InputFormat.
func (WholeFiles) Open(c *mapreduce.Context, s *mapreduce.Split) (mapreduce.RecordReader, error) {
	keys, err := mapreduce.CodecOf[string]()
	if err != nil {
		return nil, err
	}
	values, err := mapreduce.CodecOf[[]byte]()
	if err != nil {
		return nil, err
	}
	fs, name, err := c.FS.Resolve(s.Chunks[0].Path)
	if err != nil {
		return nil, err
	}
	f, err := fs.Open(c.Context(), name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(f)
	return &wholeFile{key: keys.Append(nil, name), value: values.Append(nil, content)}, err
}

// wholeFile delivers one record.
type wholeFile struct {
	key, value []byte
	done       bool
}

func (f *wholeFile) Next() (key, value []byte, err error) {
	if f.done {
		return nil, nil, io.EOF
	}
	f.done = true
	return f.key, f.value, nil
}

func (f *wholeFile) Progress() float32 {
	if f.done {
		return 1
	}
	return 0
}

func (f *wholeFile) Close() error { return nil }

// This example reads files with an input format of its own.
func Example_customFormat() {
	sizes := func(_ *mapreduce.Context, file string, content []byte, out *mapreduce.Out[string, string]) error {
		out.Emit(file, fmt.Sprint(len(content), " bytes"))
		return nil
	}
	runOn(&mapreduce.Job{Name: "sizes", Input: WholeFiles{}, Mapper: mapreduce.MapFunc(sizes)},
		map[string]string{"a": "one\ntwo\n", "b": "three\n"})
	// Output:
	// /in/a	8 bytes
	// /in/b	6 bytes
}
