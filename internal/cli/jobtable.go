package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/howdah/howdah/internal/visible"
	"github.com/howdah/howdah/job/status"
)

// jobColumn is a column of the table of jobs for people.
type jobColumn struct {
	name string
	text func(j *status.Job, now time.Time) string
	// compare orders jobs by this column. The first job is the one that a reader looks for: the one
	// with the most of something, or the earliest deadline.
	compare func(a, b *status.Job) int
}

var jobColumns = []jobColumn{
	{"JOB", func(j *status.Job, _ time.Time) string { return j.ID.String() },
		func(a, b *status.Job) int { return cmp.Compare(b.ID.Seq, a.ID.Seq) }},
	{"NAME", func(j *status.Job, _ time.Time) string { return shortened(j.Name) },
		func(a, b *status.Job) int { return strings.Compare(a.Name, b.Name) }},
	{"USER", func(j *status.Job, _ time.Time) string { return j.User },
		func(a, b *status.Job) int { return strings.Compare(a.User, b.User) }},
	{"QUEUE", func(j *status.Job, _ time.Time) string { return queueOf(j) },
		func(a, b *status.Job) int { return strings.Compare(queueOf(a), queueOf(b)) }},
	{"PRIORITY", func(j *status.Job, _ time.Time) string { return j.Priority.String() },
		func(a, b *status.Job) int { return cmp.Compare(b.Priority, a.Priority) }},
	{"STATE", func(j *status.Job, _ time.Time) string { return j.State.Shown() },
		func(a, b *status.Job) int { return cmp.Compare(a.State, b.State) }},
	{"MAPS", func(j *status.Job, _ time.Time) string { return tasksDone(&j.Maps) },
		func(a, b *status.Job) int { return cmp.Compare(b.Maps.Total, a.Maps.Total) }},
	{"REDUCES", func(j *status.Job, _ time.Time) string { return tasksDone(&j.Reduces) },
		func(a, b *status.Job) int { return cmp.Compare(b.Reduces.Total, a.Reduces.Total) }},
	{"SLOTS", func(j *status.Job, _ time.Time) string { return fmt.Sprint(slotsOf(j)) },
		func(a, b *status.Job) int { return cmp.Compare(slotsOf(b), slotsOf(a)) }},
	{"TIME", func(j *status.Job, now time.Time) string {
		return since(cmp.Or(j.FinishMs, now.UnixMilli()), j.SubmitMs)
	},
		func(a, b *status.Job) int { return cmp.Compare(a.SubmitMs, b.SubmitMs) }},
	{"DEADLINE", deadlineOf, func(a, b *status.Job) int {
		// Jobs without a deadline come last.
		return cmp.Compare(uint64(a.DeadlineMs)-1, uint64(b.DeadlineMs)-1)
	}},
}

func queueOf(j *status.Job) string { return cmp.Or(j.Pool, j.Queue) }

func slotsOf(j *status.Job) int32 { return j.Maps.Running + j.Reduces.Running }

func deadlineOf(j *status.Job, now time.Time) string {
	if j.DeadlineMs == 0 {
		return ""
	}
	return j.DeadlineText(now)
}

// columnNamed returns the index of a column, or -1. It ignores the case of name.
func columnNamed(name string) int {
	return slices.IndexFunc(jobColumns, func(c jobColumn) bool { return strings.EqualFold(c.name, name) })
}

// writeJobTable prints jobs in a table for people.
func writeJobTable(w io.Writer, list []*status.Job, now time.Time) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	row := func(text func(c *jobColumn) string) {
		cells := make([]string, len(jobColumns))
		for i := range cells {
			cells[i] = cmp.Or(visible.Text(text(&jobColumns[i])), "-")
		}
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	row(func(c *jobColumn) string { return c.name })
	for _, j := range list {
		row(func(c *jobColumn) string { return c.text(j, now) })
	}
	return t.Flush()
}

// shortened returns a job's name on one line and with at most 30 characters.
func shortened(name string) string {
	const most = 30
	r := []rune(oneLine(name))
	if len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return string(r)
}

// tasksDone returns the number of finished tasks, the total, and the progress.
func tasksDone(t *status.Tasks) string {
	if t.Total == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d %3.0f%%", t.Done, t.Total, 100*t.Progress)
}
