package runner

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/howdah/howdah/internal/progress"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
)

// watcherFor returns a Watcher that shows jobs on w. It shows a progress bar on a terminal and
// Hadoop's log lines elsewhere. On a terminal, it folds the counters of small jobs, unless
// allCounters is set.
func watcherFor(w io.Writer, allCounters bool) Watcher {
	lines := &Lines{W: w}
	if !progress.Terminal(w) {
		return lines
	}
	lines.fold = !allCounters
	return &bar{Lines: lines, w: w, width: func() int {
		width, _, err := term.GetSize(int(w.(*os.File).Fd()))
		if err != nil || width == 0 {
			return 80
		}
		return width
	}}
}

// bar is a Watcher that keeps a progress bar on the last line and prints other lines above it.
// Package progress has no bar for two phases.
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

// clear removes the bar before another line is printed.
func (b *bar) clear() {
	if b.shown {
		fmt.Fprint(b.w, clearLine)
		b.shown = false
	}
}

// Started prints the job's tracking URL, if it has one, and its ID.
func (b *bar) Started(id job.ID, url string) {
	b.start = time.Now()
	b.Lines.Started(id, url)
}

// Progress redraws the bar.
func (b *bar) Progress(maps, reduces float32) {
	fmt.Fprint(b.w, toLineStart+b.line(maps, reduces, time.Since(b.start)))
	b.shown = true
}

// line formats the bar to fit the width of the terminal.
func (b *bar) line(maps, reduces float32, since time.Duration) string {
	const words = len(" map [] 100%  reduce [] 100%  1234.5 s ")
	n := min(max((b.width()-words)/2, 5), 40)
	return fmt.Sprintf(" map [%s] %3d%%  reduce [%s] %3d%%  %.1f s ", cells(maps, n), int(maps*100+1e-4),
		cells(reduces, n), int(reduces*100+1e-4), since.Seconds())
}

func cells(share float32, n int) string {
	full := min(max(int(share*float32(n)+1e-4), 0), n)
	return strings.Repeat("=", full) + strings.Repeat(" ", n-full)
}

// Waits prints why the job waits.
func (b *bar) Waits(why string) {
	b.clear()
	b.Lines.Waits(why)
}

// Attempt prints how an attempt ended.
func (b *bar) Attempt(e AttemptEvent) {
	b.clear()
	b.Lines.Attempt(e)
}

// Ended leaves the last state of the bar on the screen and prints the result below it.
func (b *bar) Ended(r *mapreduce.Result) {
	if b.shown {
		fmt.Fprintln(b.w)
		b.shown = false
	}
	b.Lines.Ended(r)
}
