package fs

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

// meter shows on a terminal how far a long copy is.
type meter struct {
	out   io.Writer
	now   func() time.Time
	total int64

	mu           sync.Mutex
	done         int64
	began, shown time.Time
	visible      bool
}

// Short copies show nothing, long ones a new line some times a second.
const (
	quickCopy   = time.Second
	meterPeriod = 200 * time.Millisecond
)

func newMeter(out io.Writer, total int64) *meter {
	return &meter{out: out, now: time.Now, total: total, began: time.Now()}
}

// Write counts bytes.
func (m *meter) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done += int64(len(p))
	now := m.now()
	if now.Sub(m.began) < quickCopy || now.Sub(m.shown) < meterPeriod {
		return len(p), nil
	}
	m.shown, m.visible = now, true
	speed := float64(m.done) / now.Sub(m.began).Seconds()
	fmt.Fprintf(m.out, "\r\x1b[K%s of %s, %s/s", human(m.done), human(m.total), human(int64(speed)))
	if m.total > 0 {
		const width = 30
		part := min(m.done*width/m.total, width)
		fmt.Fprintf(m.out, " [%-*s] %d%%", width, bar[:part], min(100*m.done/m.total, 100))
	}
	return len(p), nil
}

const bar = "##############################"

// end takes the line away.
func (m *meter) end() {
	if m.visible {
		fmt.Fprint(m.out, "\r\x1b[K")
	}
}

// copyBytes is what all copies go through.
func (s *shell) copyBytes(w io.Writer, r io.Reader, size int64) error {
	if s.set.Terminal {
		m := newMeter(s.err, size)
		defer m.end()
		r = io.TeeReader(r, m)
	}
	b := copyBuffers.Get().(*[]byte)
	defer copyBuffers.Put(b)
	_, err := io.CopyBuffer(struct{ io.Writer }{w}, r, *b)
	return err
}

// stdin gives standard input so that Ctrl-C ends the wait for it. The goroutine that waits ends with the input, or the process.
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
