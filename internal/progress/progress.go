// Package progress shows the progress of a long operation in one line on a terminal.
package progress

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

const (
	quick    = time.Second // an operation that ends sooner shows no bar
	interval = 100 * time.Millisecond
)

// Terminal reports whether w is a terminal.
func Terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Steps returns a bar for total steps, or for an unknown number if total is -1.
func Steps(w io.Writer, what string, total int64) *progressbar.ProgressBar {
	return newBar(after(w, quick), total, interval, progressbar.OptionSetDescription(what))
}

// Bytes returns a bar for total bytes, or for an unknown number if total is -1.
func Bytes(w io.Writer, total int64) *progressbar.ProgressBar {
	return newBar(after(w, quick), total, interval, progressbar.OptionShowBytes(true))
}

func newBar(w io.Writer, total int64, interval time.Duration, more progressbar.Option) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total, more, progressbar.OptionSetWriter(w), progressbar.OptionShowCount(),
		progressbar.OptionThrottle(interval), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetPredictTime(total >= 0))
}

// delayed is a writer that discards everything until the time at.
type delayed struct {
	w   io.Writer
	now func() time.Time
	at  time.Time
}

func after(w io.Writer, d time.Duration) *delayed { return &delayed{w, time.Now, time.Now().Add(d)} }

func (d *delayed) Write(p []byte) (int, error) {
	if d.now().Before(d.at) {
		return len(p), nil
	}
	return d.w.Write(p)
}
