package fs

import (
	"bufio"
	"io"

	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/sequencefile"
)

func text(s *shell, _ options, args []string) error {
	s.each(args, func(i *item) error {
		return s.open(i, func(r io.ReadSeeker) error { return s.decoded(i, r) })
	})
	return nil
}

// decoded pours a file as text: by its first bytes a SequenceFile or gzip, by its name otherwise compressed.
func (s *shell) decoded(i *item, r io.Reader) error {
	b := bufio.NewReaderSize(r, 64<<10)
	magic, _ := b.Peek(4)
	if sequencefile.Is(magic) {
		return s.records(i, b)
	}
	c := codec.ByPath(i.path)
	if len(magic) > 2 && magic[0] == 0x1f && magic[1] == 0x8b {
		c = codec.ByPath(".gz")
	}
	if c == nil {
		return s.pour(b)
	}
	d, err := c.NewReader(b)
	if err != nil {
		return err
	}
	defer d.Close()
	return s.pour(d)
}

// records prints the records of a SequenceFile.
func (s *shell) records(i *item, r io.Reader) error {
	f, err := sequencefile.NewReader(r, sequencefile.ReadOptions{Name: i.shown})
	if err != nil {
		return err
	}
	key, value := mapreduce.TypeOf(f.Header().KeyClass), mapreduce.TypeOf(f.Header().ValueClass)
	var line []byte
	for {
		k, v, err := f.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		line = append(key.AppendText(line[:0], k), '\t')
		line = append(value.AppendText(line, v), '\n')
		if _, err := s.out.Write(line); err != nil {
			return nil // nobody reads any more
		}
	}
}
