package runner

import (
	"fmt"
	"io"
	"strings"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
)

// Lines is a Watcher that prints lines in Hadoop's words.
type Lines struct {
	W      io.Writer
	id     job.ID
	last   [2]int // percentages printed last
	before bool   // something was printed
}

// Started prints the job's page and name.
func (l *Lines) Started(id job.ID, url string) {
	l.id, l.before = id, false
	if url != "" {
		fmt.Fprintf(l.W, "The url to track the job: %s\n", url)
	}
	fmt.Fprintf(l.W, "Running job: %s\n", id)
}

// Progress prints a line when a percentage has changed.
func (l *Lines) Progress(maps, reduces float32) {
	now := [2]int{percent(maps), percent(reduces)}
	if l.before && now == l.last {
		return
	}
	l.last, l.before = now, true
	fmt.Fprintf(l.W, " map %d%% reduce %d%%\n", now[0], now[1])
}

// percent rounds down, so that 100 means done.
func percent(share float32) int { return int(share*100 + 1e-4) }

// Attempt prints how an attempt ended, why, and what it had to say.
func (l *Lines) Attempt(e AttemptEvent) {
	fmt.Fprintf(l.W, "Task Id : %s, Status : %s\n", e.Attempt, e.State)
	if e.Text != "" {
		fmt.Fprintln(l.W, e.Text)
	}
	if e.Log != "" {
		fmt.Fprintf(l.W, "%s\n", strings.TrimRight(e.Log, "\n"))
	}
}

// Ended prints how the job ended and its counters.
func (l *Lines) Ended(r *mapreduce.Result) {
	if r.State == job.Succeeded {
		fmt.Fprintf(l.W, "Job %s completed successfully\n", r.ID)
	} else {
		fmt.Fprintf(l.W, "Job %s failed with state %s due to: %s\n", r.ID, r.State, r.Diagnostics)
	}
	if r.Counters != nil {
		WriteCounters(l.W, r.Counters)
	}
}
