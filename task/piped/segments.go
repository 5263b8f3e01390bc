package piped

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/task/shuffle"
	"github.com/howdah/howdah/task/sortio"
)

// send writes the finished output of map m, which is in dir, in pieces. It omits empty partitions.
func send(out io.Writer, dir string, m uint32) error {
	name := filepath.Join(dir, sortio.OutputName)
	f, err := os.Open(name)
	if err != nil {
		return failure.New(failure.KindOf(err), "open map output", name, err)
	}
	defer f.Close()
	index, err := sortio.ReadIndexOf(f)
	if err != nil {
		return err
	}
	w := writer{w: bufio.NewWriterSize(out, pieceSize)}
	buf := make([]byte, pieceSize)
	for p, e := range index {
		if e.Part == 0 {
			continue
		}
		at := place{uint32(p), m, 0}
		if err := w.record(at, appendHead(nil, e)); err != nil {
			return lost(err)
		}
		for off := int64(0); off < e.Part; {
			n := min(pieceSize, e.Part-off)
			if _, err := f.ReadAt(buf[:n], e.Start+off); err != nil {
				return failure.New(failure.IO, "read map output", name, err)
			}
			at.n++
			off += n
			if err := w.record(at, buf[:n]); err != nil {
				return lost(err)
			}
		}
	}
	if err := w.w.Flush(); err != nil {
		return lost(err)
	}
	return nil
}

// lost returns the error for a failed write to Hadoop.
func lost(err error) error {
	return failure.New(failure.IO, "hand map output to Hadoop", "standard output", err)
}

// receive reads the segments of one partition from in and writes them to files below root. The
// files have the same layout as outputs of maps that run on this machine as part of job id. Maps
// that sent no segment have empty output.
func receive(in io.Reader, root string, id job.ID, partition, maps int) error {
	r := reader{r: bufio.NewReaderSize(in, 2*pieceSize)}
	s := laying{root: root, id: id, partition: partition, maps: maps, next: 0}
	for {
		p, value, err := r.next()
		if err == io.EOF {
			return s.finish()
		}
		if err == nil {
			err = s.piece(p, value)
		}
		if err != nil {
			if s.file != nil {
				s.file.Close()
			}
			return err
		}
	}
}

// laying writes received segments to files, one map after another. It relies on pieces arriving in
// key order.
type laying struct {
	root      string
	id        job.ID
	partition int
	maps      int
	next      int // first map that has no output file yet

	file  *os.File // file of the current segment; nil if there is no current segment
	entry sortio.Entry
	last  place
	wrote int64
}

func (s *laying) piece(p place, value []byte) error {
	switch {
	case int(p.partition) != s.partition:
		return damaged("a piece of partition %d was sent to reducer %d", p.partition, s.partition)
	case int64(p.m) >= int64(s.maps):
		return damaged("a piece of map %d, of %d", p.m, s.maps)
	case p.n == 0:
		return s.begin(p, value)
	case s.file == nil || p.m != s.last.m || p.n != s.last.n+1:
		return damaged("piece %d of map %d after piece %d of map %d", p.n, p.m, s.last.n, s.last.m)
	}
	s.last = p
	s.wrote += int64(len(value))
	if s.wrote > s.entry.Part {
		return damaged("map %d sent more than %d bytes", p.m, s.entry.Part)
	}
	if _, err := s.file.Write(value); err != nil {
		return failure.New(failure.KindOf(err), "write", s.file.Name(), err)
	}
	return nil
}

// begin completes the current segment and starts that of map p.m. It creates empty outputs for the
// maps between the two.
func (s *laying) begin(p place, head []byte) error {
	if err := s.end(); err != nil {
		return err
	}
	if int(p.m) < s.next {
		return damaged("map %d occurs twice", p.m)
	}
	if err := s.empty(int(p.m)); err != nil {
		return err
	}
	e, err := parseHead(head)
	if err != nil {
		return err
	}
	s.entry, s.last, s.wrote = e, p, 0
	s.file, err = s.create(int(p.m))
	return err
}

// end checks the length of the current segment, if there is one, and completes its file.
func (s *laying) end() error {
	f := s.file
	if f == nil {
		return nil
	}
	s.file = nil
	err := s.complete(f, s.entry)
	if s.wrote != s.entry.Part {
		return damaged("map %d sent %d of %d bytes", s.last.m, s.wrote, s.entry.Part)
	}
	s.next = int(s.last.m) + 1
	return err
}

// empty creates empty outputs for the maps below m that sent no segment.
func (s *laying) empty(m int) error {
	for ; s.next < m; s.next++ {
		f, err := s.create(s.next)
		if err == nil {
			err = s.complete(f, sortio.Entry{})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *laying) finish() error { return errors.Join(s.end(), s.empty(s.maps)) }

func (s *laying) dir(m int) string {
	return shuffle.OutputDir(s.root, job.AttemptID{TaskID: job.TaskID{Job: s.id, Index: int32(m)}})
}

func (s *laying) create(m int) (*os.File, error) {
	dir := s.dir(m)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, failure.New(failure.KindOf(err), "make directory", dir, err)
	}
	name := filepath.Join(dir, sortio.OutputName)
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "create", name, err)
	}
	return f, nil
}

// complete writes the index at the end of f and closes f. e is the entry for the reducer's partition.
// The entries before e are empty because the reducer reads only its own entry.
func (s *laying) complete(f *os.File, e sortio.Entry) error {
	x := make(sortio.Index, s.partition+1)
	x[s.partition] = e
	b, err := x.MarshalBinary()
	if err == nil {
		_, err = f.Write(b)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return failure.New(failure.KindOf(err), "write", f.Name(), err)
	}
	return nil
}
