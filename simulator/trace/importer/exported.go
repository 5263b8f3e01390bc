package importer

import (
	"bufio"
	"errors"
	"io"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/codec"
)

// exported reads an exported trace on demand.
type exported struct {
	im   *Import
	path string
	file io.Closer
	in   *lines
	done bool
}

func (im *Import) exported(path string, r *bufio.Reader, f io.Closer) error {
	l := &lines{in: r, max: im.opt.MaxLine * 8}
	line, err := l.next()
	for err == nil && len(line) == 0 {
		line, err = l.next()
	}
	if err != nil {
		return failure.New(failure.Corrupt, "import", path, err)
	}
	h, err := codec.ReadHeader(line)
	if err != nil {
		return failure.New(failure.Corrupt, "import", path, err)
	}
	im.Origin, im.Nodes, im.Slots = h.Origin, h.Nodes, h.Slots
	if im.opt.Name == "" && h.Name != "" {
		im.Name = h.Name
	}
	im.stream = &exported{im: im, path: path, file: f, in: l}
	return nil
}

// Next returns the next job. It skips damaged lines.
func (e *exported) Next() (*trace.Job, error) {
	for !e.done {
		line, err := e.in.next()
		switch {
		case err == io.EOF:
			e.done = true
			return nil, io.EOF
		case errors.Is(err, errLong):
			e.im.damage(e.path, e.in.n, "the line is longer than %d bytes", e.in.max)
			continue
		case err != nil:
			e.im.damage(e.path, e.in.n, "reading stopped: %v", err)
			e.done = true
			return nil, io.EOF
		case len(line) == 0:
			continue
		}
		j, err := codec.ReadJob(line)
		if err == nil {
			return j, nil
		}
		e.im.damage(e.path, e.in.n, "not a job: %v", err)
	}
	return nil, io.EOF
}

func (e *exported) close() error {
	e.done = true
	if e.file == nil {
		return nil
	}
	f := e.file
	e.file = nil
	return f.Close()
}
