package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"
	"golang.org/x/term"

	jobclient "github.com/howdah/howdah/client"
	"github.com/howdah/howdah/internal/arguments"
	"github.com/howdah/howdah/internal/plural"
	"github.com/howdah/howdah/job/status"
)

// topCommand returns the command that shows the cluster and its jobs live.
func (s *session) topCommand() *urfave.Command {
	var names []string
	for _, c := range jobColumns {
		names = append(names, strings.ToLower(c.name))
	}
	return &urfave.Command{
		Name: "top", Usage: "show the cluster and its jobs live, like top", HideHelpCommand: true,
		Description: "Keys: < and > select the column by which the jobs are sorted, r reverses the order, a shows or hides " +
			"jobs that have ended, and q quits. If standard output is not a terminal, the command prints one screen and " +
			"ends.",
		Flags: []urfave.Flag{
			&urfave.StringFlag{Name: "sort", Value: "slots", Usage: "sort by `COLUMN`: " + strings.Join(names, ", ")},
			&urfave.BoolFlag{Name: "all", Usage: "also show jobs that have ended"},
			&urfave.DurationFlag{Name: "every", Value: 2 * time.Second, Usage: "refresh after `TIME`"},
		},
		Action: taking(0, func(c *urfave.Context) error {
			v := topView{column: columnNamed(c.String("sort")), all: c.Bool("all")}
			if v.column < 0 {
				return arguments.Unknown("column", c.String("sort"), names, "howdah top --help")
			}
			if c.Duration("every") <= 0 {
				return usageError("--every=%s: must be more than 0", c.Duration("every"))
			}
			return s.withJobs(c.Context, func(ctx context.Context, jobs *jobclient.Client) error {
				return s.top(ctx, jobs, &v, c.Duration("every"))
			})
		}),
	}
}

// topView is what the user selected.
type topView struct {
	column  int // of jobColumns
	reverse bool
	all     bool // includes jobs that have ended
}

// key changes the view. It reports whether the command goes on.
func (v *topView) key(k byte) bool {
	switch k {
	case '<':
		v.column = max(0, v.column-1)
	case '>':
		v.column = min(len(jobColumns)-1, v.column+1)
	case 'r':
		v.reverse = !v.reverse
	case 'a':
		v.all = !v.all
	case 'q', 3: // Ctrl-C in raw mode
		return false
	}
	return true
}

// screen returns the lines for the state of a cluster, which it cuts to the given size. A height of
// 0 means no limit, as does a width of 0. It sorts list.
func (v *topView) screen(c *status.Cluster, list []*status.Job, now time.Time, width, height int) []string {
	slices.SortStableFunc(list, func(a, b *status.Job) int {
		n := jobColumns[v.column].compare(a, b)
		if v.reverse {
			return -n
		}
		return n
	})
	var maps, reduces status.Slots
	for _, t := range c.Trackers {
		maps = status.Slots{Total: maps.Total + t.Maps.Total, Used: maps.Used + t.Maps.Used}
		reduces = status.Slots{Total: reduces.Total + t.Reduces.Total, Used: reduces.Used + t.Reduces.Used}
	}
	order := strings.ToLower(jobColumns[v.column].name)
	if v.reverse {
		order += ", reversed"
	}
	lines := []string{
		fmt.Sprintf("%s  scheduler %s  %s  map slots %d of %d  reduce slots %d of %d", now.Format(time.TimeOnly),
			c.Scheduler, plural.Of(len(c.Trackers), "TaskTracker"), maps.Used, maps.Total, reduces.Used, reduces.Total),
		fmt.Sprintf("jobs: %d running, %d preparing, %d ended  sorted by %s", c.Running, c.Prep, c.Finished, order), ""}
	var table bytes.Buffer
	_ = writeJobTable(&table, list, now) // a Buffer returns no errors
	lines = append(lines, strings.Split(strings.TrimSuffix(table.String(), "\n"), "\n")...)
	if height > 0 {
		lines = lines[:min(len(lines), height)]
	}
	for i, l := range lines {
		if r := []rune(l); width > 0 && len(r) > width {
			lines[i] = string(r[:width])
		}
	}
	return lines
}

// top prints the screen, again and again if standard output is a terminal.
func (s *session) top(ctx context.Context, jobs *jobclient.Client, v *topView, every time.Duration) error {
	draw := func(width, height int) ([]string, error) {
		c, err := jobs.Cluster(ctx)
		if err != nil {
			return nil, err
		}
		list, err := jobs.List(ctx, status.Filter{All: v.all})
		if err != nil {
			return nil, err
		}
		return v.screen(c, list, time.Now(), width, height), nil
	}
	out, onTerminal := s.out.(*os.File)
	if !onTerminal || !term.IsTerminal(int(out.Fd())) {
		lines, err := draw(0, 0)
		if err == nil {
			_, err = fmt.Fprintln(s.out, strings.Join(lines, "\n"))
		}
		return err
	}
	keys := make(chan byte)
	if in, ok := s.in.(*os.File); ok && term.IsTerminal(int(in.Fd())) {
		old, err := term.MakeRaw(int(in.Fd()))
		if err != nil {
			return err
		}
		defer term.Restore(int(in.Fd()), old)
		go readKeys(in, keys)
	}
	const (
		enter = "\x1b[?1049h\x1b[?25l" // the alternate screen, without a cursor
		leave = "\x1b[?25h\x1b[?1049l"
	)
	fmt.Fprint(out, enter)
	defer fmt.Fprint(out, leave)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		width, height, err := term.GetSize(int(out.Fd()))
		if err != nil {
			return err
		}
		lines, err := draw(width, height)
		if err != nil {
			return err
		}
		// Each line ends with a command that clears the rest of the line; the last one clears the rest of
		// the screen. So the screen does not flicker.
		fmt.Fprint(out, "\x1b[H"+strings.Join(lines, "\x1b[K\r\n")+"\x1b[J")
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case k := <-keys:
			if !v.key(k) {
				return nil
			}
		case <-tick.C:
		}
	}
}

// readKeys sends the keys that the user presses. It ends with the process, because a read from a
// terminal cannot be interrupted.
func readKeys(in *os.File, keys chan<- byte) {
	for b := make([]byte, 1); ; {
		if _, err := in.Read(b); err != nil {
			return
		}
		keys <- b[0]
	}
}
