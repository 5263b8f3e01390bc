package runner

import (
	"fmt"
	"io"
	"strings"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
)

// Lines is a Watcher that prints lines in Hadoop's format.
type Lines struct {
	fold   bool // fold the counters of small jobs
	W      io.Writer
	id     job.ID
	last   [2]int          // last printed percentages
	before bool            // whether last is valid
	panics map[string]bool // reasons for which a stack was already printed
}

// Started prints the job's tracking URL, if it has one, and its ID.
func (l *Lines) Started(id job.ID, url string) {
	l.id, l.before, l.panics = id, false, map[string]bool{}
	if url != "" {
		fmt.Fprintf(l.W, "The url to track the job: %s\n", url)
	}
	fmt.Fprintf(l.W, "Running job: %s\n", id)
}

// Hint prints the advice.
func (l *Lines) Hint(text string) { fmt.Fprintln(l.W, text) }

// Progress prints a line if a percentage has changed.
func (l *Lines) Progress(maps, reduces float32) {
	now := [2]int{percent(maps), percent(reduces)}
	if l.before && now == l.last {
		return
	}
	l.last, l.before = now, true
	fmt.Fprintf(l.W, " map %d%% reduce %d%%\n", now[0], now[1])
}

// Waits prints why the job waits.
func (l *Lines) Waits(why string) { fmt.Fprintf(l.W, "Job %s waits: %s\n", l.id, why) }

// percent converts a fraction to a percentage. It rounds down, so that only a finished job shows
// 100.
func percent(share float32) int { return int(share*100 + 1e-4) }

// Attempt prints an ended attempt's state, the reason for it, and the end of the attempt's log. It
// prints the stack of a panic only once for each reason, because all attempts usually panic at the
// same place.
func (l *Lines) Attempt(e AttemptEvent) {
	fmt.Fprintf(l.W, "Task Id : %s, Status : %s\n", e.Attempt, e.State)
	if e.Text != "" {
		fmt.Fprintln(l.W, e.Text)
	}
	log := strings.TrimRight(e.Log, "\n")
	if i := strings.Index(log, "\ngoroutine "); i >= 0 {
		if l.panics[e.Text] {
			log = log[:i] + "\nhowdah job -logs " + e.Attempt.Job.String() + " " + e.Attempt.String() + " prints the stack"
		}
		l.panics[e.Text] = true
	}
	if log != "" {
		fmt.Fprintln(l.W, log)
	}
}

// Ended prints the result of the job and its counters.
func (l *Lines) Ended(r *mapreduce.Result) {
	if r.State == job.Succeeded {
		fmt.Fprintf(l.W, "Job %s completed successfully\n", r.ID)
	} else {
		fmt.Fprintf(l.W, "Job %s failed with state %s due to: %s\n", r.ID, r.State, r.Diagnostics)
	}
	switch {
	case r.Counters == nil:
	case l.fold:
		writeFolded(l.W, r.Counters)
	default:
		WriteCounters(l.W, r.Counters)
	}
}
