package fs

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/lifecycle"
)

// glance is the number of bytes that -head and -tail print.
const glance = 1024

func cat(s *shell, _ options, args []string) error {
	s.each(args, func(i *item) error {
		return s.open(i, func(r io.ReadSeeker) error { return s.pour(r) })
	})
	return nil
}

// open opens a file, calls do with it, and closes it.
func (s *shell) open(i *item, do func(io.ReadSeeker) error) error {
	if i.info.Dir {
		return pathError(i.shown, isDirectory)
	}
	f, err := i.fs.Open(s.ctx, i.path)
	if err != nil {
		return explain(i.shown, err)
	}
	defer f.Close()
	return explain(i.shown, do(f))
}

// pour copies r to standard output.
func (s *shell) pour(r io.Reader) error {
	return s.print(func(w io.Writer) error {
		_, err := io.Copy(w, r)
		return err
	})
}

// print calls write with a writer to standard output. If that writer fails, print returns nil,
// because the error does not concern the file that the caller prints. From then on, stop returns
// true.
func (s *shell) print(write func(io.Writer) error) error {
	broken := false
	err := write(writerFunc(func(p []byte) (int, error) {
		n, err := s.out.Write(p)
		broken = err != nil
		return n, err
	}))
	if broken {
		return nil
	}
	return err
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// plain returns the item for arg, which it treats as a path and not as a pattern. It returns an
// error if the path does not exist.
func (s *shell) plain(arg string) (*item, error) {
	i, err := s.resolve(arg)
	if err == nil {
		i, err = s.look(i)
	}
	if err == nil {
		err = i.missing()
	}
	return i, err
}

func head(s *shell, _ options, args []string) error {
	i, err := s.plain(args[0])
	if err != nil {
		return err
	}
	return s.open(i, func(r io.ReadSeeker) error { return s.pour(io.LimitReader(r, glance)) })
}

func tail(s *shell, o options, args []string) error {
	every := 5 * time.Second
	if v, ok := o["s"]; ok {
		ms, err := strconv.ParseInt(v, 10, 32)
		if err != nil || ms < 1 {
			return usagef("-s %s: want milliseconds, at least 1", v)
		}
		every = time.Duration(ms) * time.Millisecond
	}
	i, err := s.plain(args[0])
	if err != nil {
		return err
	}
	for from := max(i.info.Size-glance, 0); ; {
		n, err := s.from(i, from)
		if err != nil || !o.has("f") {
			return err
		}
		from += n
		if err := s.out.Flush(); err != nil || lifecycle.Sleep(s.ctx, every) != nil {
			return nil
		}
		if i, err = s.plain(args[0]); err != nil {
			return err
		}
		from = min(from, i.info.Size) // the file may have been truncated
	}
}

// from prints a file from an offset to its end and returns the number of bytes printed.
func (s *shell) from(i *item, off int64) (n int64, err error) {
	err = s.open(i, func(r io.ReadSeeker) error {
		if _, err := r.Seek(off, io.SeekStart); err != nil {
			return err
		}
		counted := readerFunc(func(p []byte) (int, error) {
			m, err := r.Read(p)
			n += int64(m)
			return m, err
		})
		return s.pour(counted)
	})
	return n, err
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func checksum(s *shell, o options, args []string) error {
	s.each(args, func(i *item) error {
		if i.info.Dir {
			return pathError(i.shown, isDirectory)
		}
		sum := "NONE"
		if c, ok := i.fs.(dfs.Checksummer); ok {
			got, err := c.Checksum(s.ctx, i.path)
			if err != nil {
				return explain(i.shown, err)
			}
			sum = fmt.Sprintf("%s\t%x", got.Algorithm, got.Bytes)
		}
		if o.has("v") {
			sum += fmt.Sprintf("\tBlockSize=%d", i.info.BlockSize)
		}
		s.printf("%s\t%s\n", i.shown, sum)
		return nil
	})
	return nil
}

func getmerge(s *shell, o options, args []string) error {
	dst, err := s.local(args[len(args)-1])
	if err != nil {
		return err
	}
	if dst.dir() {
		return pathError(dst.shown, isDirectory)
	}
	var sources []*item
	s.each(args[:len(args)-1], func(i *item) error {
		if !i.dir() {
			sources = append(sources, i)
			return nil
		}
		entries, err := s.list(i)
		for _, e := range entries {
			if !e.dir() {
				sources = append(sources, e)
			}
		}
		return err
	})
	if s.failed() > 0 {
		return errSilent // already reported; a merge of only some files would be wrong
	}
	return s.write(dst, options{"f": "", "d": ""}, func(w io.Writer) error {
		for _, i := range sources {
			if err := s.open(i, func(r io.ReadSeeker) error { return s.copyBytes(w, r, i.info.Size) }); err != nil {
				return err
			}
			if o.has("nl") && (i.info.Size > 0 || !o.has("skip-empty-file")) {
				if _, err := io.WriteString(w, "\n"); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
