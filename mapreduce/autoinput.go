package mapreduce

import (
	"context"
	"errors"
	"io"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce/sequencefile"
)

// AutoInput reads SequenceFiles like SequenceInput and all other files like TextInput. It is Hadoop
// Streaming's AutoInputFormat. It recognizes a SequenceFile by its first bytes.
type AutoInput struct{}

// Types returns nil for both types because each file has its own.
func (AutoInput) Types(*conf.Config) (key, value Type) { return nil, nil }

// Splits divides the job's input into splits in the same way as TextInput.
func (AutoInput) Splits(ctx context.Context, env *Env) ([]Split, error) { return lineSplits(ctx, env) }

// Open returns a reader for the records in s.
func (AutoInput) Open(c *Context, s *Split) (RecordReader, error) {
	for _, chunk := range s.Chunks {
		sequence, err := isSequenceFile(c, chunk.Path)
		if err != nil {
			return nil, err
		}
		if sequence {
			return SequenceInput{}.Open(c, s)
		}
	}
	r, err := TextInput{}.Open(c, s)
	if err != nil {
		return nil, err
	}
	return lineRecords{r}, nil
}

func isSequenceFile(c *Context, name string) (bool, error) {
	fs, name, err := c.FS.Resolve(name)
	if err != nil {
		return false, err
	}
	f, err := fs.Open(c.Context(), name)
	if err != nil {
		return false, err
	}
	head := make([]byte, 4)
	n, err := io.ReadFull(f, head)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // the file is shorter than the magic number
	}
	return sequencefile.Is(head[:n]), errors.Join(err, f.Close())
}

// lineRecords is a reader of lines that also reports the record types.
type lineRecords struct{ RecordReader }

// RecordTypes implements TypedReader.
func (lineRecords) RecordTypes() (key, value Type) { return LongWritable, TextWritable }
