package runner

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
)

// watcherFor shows jobs on w: a bar on a terminal, Hadoop's lines elsewhere.
func watcherFor(w io.Writer) Watcher {
	lines := &Lines{W: w}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return lines
	}
	return &bar{Lines: lines, w: w, width: func() int {
		width, _, err := term.GetSize(int(f.Fd()))
		if err != nil || width == 0 {
			return 80
		}
		return width
	}}
}

// bar is a Watcher that keeps one line up to date and prints everything else above it.
type bar struct {
	*Lines
	w     io.Writer
	width func() int
	start time.Time
	shown bool
}

const (
	toLineStart = "\r"
	clearLine   = "\r\x1b[K"
)

// clear removes the bar, so that a line can be printed.
func (b *bar) clear() {
	if b.shown {
		fmt.Fprint(b.w, clearLine)
		b.shown = false
	}
}

// Started prints the job's page and name.
func (b *bar) Started(id job.ID, url string) {
	b.start = time.Now()
	b.Lines.Started(id, url)
}

// Progress draws the bar anew.
func (b *bar) Progress(maps, reduces float32) {
	fmt.Fprint(b.w, toLineStart+b.line(maps, reduces, time.Since(b.start)))
	b.shown = true
}

// line lays the bar out in the width of the terminal.
func (b *bar) line(maps, reduces float32, since time.Duration) string {
	const words = len(" map [] 100%  reduce [] 100%  1234.5 s ")
	n := min(max((b.width()-words)/2, 5), 40)
	return fmt.Sprintf(" map [%s] %3d%%  reduce [%s] %3d%%  %.1f s ", cells(maps, n), int(maps*100+1e-4), cells(reduces, n), int(reduces*100+1e-4), since.Seconds())
}

func cells(share float32, n int) string {
	full := min(max(int(share*float32(n)+1e-4), 0), n)
	return strings.Repeat("=", full) + strings.Repeat(" ", n-full)
}

// Attempt prints how an attempt ended.
func (b *bar) Attempt(e AttemptEvent) {
	b.clear()
	b.Lines.Attempt(e)
}

// Ended leaves the last bar where it is and prints the rest below.
func (b *bar) Ended(r *mapreduce.Result) {
	if b.shown {
		fmt.Fprintln(b.w)
		b.shown = false
	}
	b.Lines.Ended(r)
}
