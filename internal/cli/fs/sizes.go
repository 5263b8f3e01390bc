package fs

import (
	"fmt"

	"github.com/howdah/howdah/dfs"
)

// summary returns the totals of the tree at i. It gets them from the storage if the storage can
// compute them, and otherwise walks the tree.
func (s *shell) summary(i *item) (dfs.Summary, error) {
	if sum, ok := i.fs.(dfs.Summarizer); ok {
		t, err := sum.Summarize(s.ctx, i.path)
		return t, explain(i.shown, err)
	}
	t := dfs.Summary{Quota: -1, SpaceQuota: -1}
	return t, s.walk(i, &t)
}

func (s *shell) walk(i *item, t *dfs.Summary) error {
	if !i.dir() {
		t.Files++
		t.Bytes += i.info.Size
		t.Space += i.info.Size * int64(i.info.Replication)
		return nil
	}
	t.Dirs++
	if i.info.Link {
		return nil // the target is counted at its own path
	}
	entries, err := s.list(i)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if err := s.walk(e, t); err != nil {
			return err
		}
	}
	return nil
}

// present returns the totals of the tree at i. If o has x, it excludes data that only snapshots
// contain.
func (s *shell) present(o options, i *item) (dfs.Summary, error) {
	t, err := s.summary(i)
	if o.has("x") {
		t.Dirs -= t.Snapshot.Dirs
		t.Files -= t.Snapshot.Files
		t.Bytes -= t.Snapshot.Bytes
		t.Space -= t.Snapshot.Space
	}
	return t, err
}

func du(s *shell, o options, args []string) error {
	var rows [][]string
	add := func(i *item) error {
		t, err := s.present(o, i)
		if err != nil {
			return err
		}
		rows = append(rows, []string{size(o, t.Bytes), size(o, t.Space), i.shown})
		return nil
	}
	if len(args) == 0 {
		args = []string{"."}
	}
	s.each(args, func(i *item) error {
		if o.has("s") || !i.dir() {
			return add(i)
		}
		entries, err := s.list(i)
		for _, e := range entries {
			if err := add(e); err != nil {
				s.report(err)
			}
		}
		return err
	})
	if o.has("v") && len(rows) > 0 {
		rows = append([][]string{{"SIZE", "DISK_SPACE_CONSUMED_WITH_ALL_REPLICAS", "FULL_PATH_NAME"}}, rows...)
	}
	s.table(rows, "%-*s")
	return nil
}

func dus(s *shell, _ options, args []string) error { return du(s, options{"s": ""}, args) }

func size(o options, n int64) string {
	if o.has("h") {
		return human(n)
	}
	return fmt.Sprint(n)
}

// table prints rows in columns separated by two spaces. The first column is left-aligned. The other
// columns are formatted with format, whose operands are a width and a cell.
func (s *shell) table(rows [][]string, format string) {
	var width []int
	for _, r := range rows {
		for c, cell := range r {
			if c == len(width) {
				width = append(width, 0)
			}
			width[c] = max(width[c], len(cell))
		}
	}
	for _, r := range rows {
		for c, cell := range r {
			switch c {
			case 0:
				s.printf("%-*s", width[c], cell)
			case len(r) - 1:
				s.printf("  "+lastColumn(format), width[c], cell)
			default:
				s.printf("  "+format, width[c], cell)
			}
		}
		s.printf("\n")
	}
}

// lastColumn converts the format of a column to the format of the last column, which has no
// trailing spaces.
func lastColumn(format string) string {
	if format == "%-*s" {
		return "%[2]s"
	}
	return format
}

func df(s *shell, o options, args []string) error {
	if len(args) == 0 {
		args = []string{"/"}
	}
	rows := [][]string{{"Filesystem", "Size", "Used", "Available", "Use%"}}
	s.each(args, func(i *item) error {
		sp, ok := i.fs.(dfs.Spacer)
		if !ok {
			return pathError(i.shown, i.fs.Scheme()+": does not report its size")
		}
		space, err := sp.Space(s.ctx, i.path)
		if err != nil {
			return explain(i.shown, err)
		}
		percent := 0.0
		if space.Total > 0 {
			percent = 100 * float64(space.Used) / float64(space.Total)
		}
		root := i.fs.URI()
		if root == i.fs.Scheme()+":" {
			root += "///"
		}
		rows = append(rows, []string{root, size(o, space.Total), size(o, space.Used), size(o, space.Free),
			fmt.Sprintf("%.0f%%", percent)})
		return nil
	})
	if len(rows) > 1 {
		s.table(rows, "%*s")
	}
	return nil
}
