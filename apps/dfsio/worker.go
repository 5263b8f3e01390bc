package dfsio

import (
	"io"
	"strconv"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/aggregate"
)

// worker receives the numbers of files. It reads, writes, or extends each of these files, and
// measures the time.
type worker struct {
	test   string
	bytes  int64
	buffer []byte
}

func (w *worker) Setup(c *mapreduce.Context) (err error) {
	w.test = conf.DFSIOTest.Get(c.Conf)
	if w.bytes, err = conf.DFSIOBytes.Get(c.Conf); err != nil {
		return err
	}
	n, err := conf.TestIOFileBufferSize.Get(c.Conf)
	if err != nil {
		return err
	}
	w.buffer = make([]byte, n)
	for i := range w.buffer {
		w.buffer[i] = byte('0' + i%50)
	}
	return nil
}

func (w *worker) Map(c *mapreduce.Context, n int64, _ mapreduce.Null, out *mapreduce.Out[string, string]) error {
	fs, name, err := c.FS.Resolve(dataFile(c.Conf, n))
	if err != nil {
		return err
	}
	start := time.Now()
	if w.test == read.name {
		err = w.read(c, fs, name)
	} else {
		err = w.write(c, fs, name, dfs.CreateOptions{Overwrite: w.test == write.name, Append: w.test == add.name})
	}
	if err != nil {
		return err
	}
	ms := max(time.Since(start).Milliseconds(), 1)
	rate := float64(w.bytes) * 1000 / float64(ms*megabyte)
	c.SetStatus("finished " + name)
	for _, x := range []struct{ kind, id, value string }{
		{aggregate.LongValueSum, "tasks", "1"},
		{aggregate.LongValueSum, "size", strconv.FormatInt(w.bytes, 10)},
		{aggregate.LongValueSum, "time", strconv.FormatInt(ms, 10)},
		{aggregate.DoubleValueSum, "rate", strconv.FormatFloat(rate, 'g', -1, 64)},
		{aggregate.DoubleValueSum, "sqrate", strconv.FormatFloat(rate*rate, 'g', -1, 64)},
	} {
		out.Emit(x.kind+":"+x.id, x.value)
	}
	return out.Err()
}

func (w *worker) write(c *mapreduce.Context, fs dfs.FileSystem, name string, o dfs.CreateOptions) error {
	f, err := fs.Create(c.Context(), name, o)
	if err != nil {
		return err
	}
	for left := w.bytes; left > 0; {
		n, err := f.Write(w.buffer[:min(left, int64(len(w.buffer)))])
		if err != nil {
			f.Abort()
			return err
		}
		left -= int64(n)
		c.Progress()
	}
	return f.Close()
}

func (w *worker) read(c *mapreduce.Context, fs dfs.FileSystem, name string) error {
	f, err := fs.Open(c.Context(), name)
	if err != nil {
		return err
	}
	defer f.Close()
	for done := int64(0); done < w.bytes; {
		n, err := f.Read(w.buffer[:min(w.bytes-done, int64(len(w.buffer)))])
		done += int64(n)
		if err == io.EOF && done < w.bytes {
			return tooShort(name, done, w.bytes)
		}
		if err != nil && err != io.EOF {
			return err
		}
		c.Progress()
	}
	return nil
}
