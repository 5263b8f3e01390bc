package fs

import (
	"context"
	"io"
	"sync"

	"github.com/schollz/progressbar/v3"

	"github.com/howdah/howdah/internal/progress"
)

// copyBytes copies r to w. On a terminal it shows the progress. size is the expected number of
// bytes, or -1 if it is not known.
func (s *shell) copyBytes(w io.Writer, r io.Reader, size int64) error {
	if s.set.Terminal {
		b := progress.Bytes(s.err, size)
		defer b.Finish()
		r = io.TeeReader(r, lenient{b})
	}
	b := copyBuffers.Get().(*[]byte)
	defer copyBuffers.Put(b)
	_, err := io.CopyBuffer(struct{ io.Writer }{w}, r, *b)
	return err
}

// lenient is a writer that shows on a progress bar how many bytes were written to it. It ignores
// the bar's errors, because the bar returns an error if there are more bytes than expected. This
// happens if a file is growing or is in /proc.
type lenient struct{ bar *progressbar.ProgressBar }

func (c lenient) Write(p []byte) (int, error) {
	_ = c.bar.Add(len(p))
	return len(p), nil
}

// stdin returns a reader of standard input whose reads fail after Ctrl-C. The goroutine that waits
// for input ends when the input or the process ends.
func (s *shell) stdin() io.Reader {
	r, w := io.Pipe()
	context.AfterFunc(s.ctx, func() { r.CloseWithError(s.ctx.Err()) })
	go func() {
		_, err := io.CopyBuffer(w, struct{ io.Reader }{s.in}, make([]byte, 256<<10))
		w.CloseWithError(err)
	}()
	return r
}

var copyBuffers = sync.Pool{New: func() any {
	b := make([]byte, 1<<20)
	return &b
}}
