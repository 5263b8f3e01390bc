package lab

import (
	"io"
	"os"
	"sync"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// bar shows how far simulations are, on a terminal only. Its methods may be called by several goroutines.
type bar struct {
	mu sync.Mutex
	b  *progressbar.ProgressBar // nil = nobody would see it
}

// newBar makes a bar of so many steps; less than 0 = nobody knows how many.
func newBar(w io.Writer, what string, steps int) *bar {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return &bar{}
	}
	return &bar{b: progressbar.NewOptions(steps, progressbar.OptionSetWriter(f), progressbar.OptionSetDescription(what), progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100e6), progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(steps >= 0))}
}

func (b *bar) step() {
	if b.b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	_ = b.b.Add(1) // a terminal that went away is not worth an error
}

func (b *bar) end() {
	if b.b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	_ = b.b.Finish()
}
