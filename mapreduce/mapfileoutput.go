package mapreduce

import (
	"errors"
	"io"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce/mapfile"
)

// MapFileOutput writes MapFiles, which have an index of keys. It is Hadoop's MapFileOutputFormat.
// Each task creates a directory like part-r-00000, which contains a data file and an index file.
// A task must write its records in the order of the key type. Most reducers emit records in that
// order.
type MapFileOutput struct{ SequenceOutput }

// Open creates the task's output and returns a writer for its records.
func (MapFileOutput) Open(c *Context, key, value Type) (RecordWriter, error) {
	o, err := sequenceOptions(c.Conf)
	if err != nil {
		return nil, err
	}
	interval, err := conf.IOMapIndexInterval.Get(c.Conf)
	if err != nil {
		return nil, err
	}
	o.KeyClass, o.ValueClass = key.Class(), value.Class()
	data, err := c.CreateOutput(PartName(c) + "/" + mapfile.Data)
	if err != nil {
		return nil, err
	}
	index, err := c.CreateOutput(PartName(c) + "/" + mapfile.Index)
	if err != nil {
		return nil, err
	}
	w, err := mapfile.NewWriter(&countedWriter{w: data, c: c}, &countedWriter{w: index, c: c}, o, interval, key.Compare)
	if err != nil {
		return nil, err
	}
	return &mapFileWriter{w, data, index}, nil
}

type mapFileWriter struct {
	w           *mapfile.Writer
	data, index io.Closer
}

func (w *mapFileWriter) Write(key, value []byte) error { return w.w.Append(key, value) }

func (w *mapFileWriter) Close() error {
	if err := w.w.Close(); err != nil {
		return err
	}
	return errors.Join(w.data.Close(), w.index.Close())
}
