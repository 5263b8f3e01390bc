package fs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/howdah/howdah/dfs"
)

func ls(s *shell, o options, args []string) error {
	if len(args) == 0 {
		args = []string{"."}
	}
	l := &lister{shell: s, o: o, replicas: 3, bytes: 10}
	s.each(args, l.argument)
	return nil
}

func lsr(s *shell, _ options, args []string) error { return ls(s, options{"R": ""}, args) }

type lister struct {
	*shell
	o options
	// replicas, owner, group, policy, and bytes are the widths of columns. They grow with the
	// listed values and, except policy, never shrink.
	replicas, owner, group, policy, bytes int
}

func (l *lister) argument(i *item) error {
	if !i.dir() || l.o.has("d") {
		return l.print([]*item{i})
	}
	return l.directory(i)
}

func (l *lister) directory(i *item) error {
	entries, err := l.list(i)
	if err != nil {
		return err
	}
	if !l.o.has("R") { // with -R, entries are always sorted by name
		l.sort(entries)
		if len(entries) > 0 && !l.o.has("C") {
			l.printf("Found %d items\n", len(entries))
		}
		return l.print(entries)
	}
	if err := l.fit(entries); err != nil {
		return err
	}
	for _, e := range entries {
		if l.stop() {
			return nil
		}
		l.line(e)
		if e.dir() && !e.info.Link {
			if err := l.directory(e); err != nil {
				l.report(err)
			}
		}
	}
	return nil
}

// sort sorts entries by time, size, or name. Entries with equal times or sizes are in the order of
// their names, even with -r.
func (l *lister) sort(items []*item) {
	byName := func(a, b *item) int { return strings.Compare(a.path, b.path) }
	less := byName
	switch {
	case l.o.has("t"):
		less = func(a, b *item) int { return l.time(b).Compare(l.time(a)) }
	case l.o.has("S"):
		less = func(a, b *item) int { return cmp.Compare(b.info.Size, a.info.Size) }
	}
	slices.SortFunc(items, byName)
	slices.SortStableFunc(items, func(a, b *item) int {
		if l.o.has("r") {
			return -less(a, b)
		}
		return less(a, b)
	})
}

func (l *lister) time(i *item) time.Time {
	if l.o.has("u") {
		return i.info.AccessTime
	}
	return i.info.ModTime
}

func (l *lister) print(items []*item) error {
	if err := l.fit(items); err != nil {
		return err
	}
	for _, i := range items {
		l.line(i)
	}
	return nil
}

// fit widens the columns to fit the items. With -e, it also sets their erasure coding policies.
func (l *lister) fit(items []*item) error {
	if len(items) == 0 {
		return nil
	}
	l.policy = 0 // only this column has the width that the current list requires
	for _, i := range items {
		l.replicas = max(l.replicas, len(fmt.Sprint(i.info.Replication)))
		l.owner = max(l.owner, len(i.info.Owner))
		l.group = max(l.group, len(i.info.Group))
		l.bytes = max(l.bytes, len(l.size(i)))
		if l.o.has("e") {
			sum, err := l.summary(i)
			if err != nil {
				return err
			}
			i.policy = sum.ErasureCoding
			l.policy = max(l.policy, len(i.policy))
		}
	}
	return nil
}

func (l *lister) size(i *item) string {
	if l.o.has("h") {
		return human(i.info.Size)
	}
	return fmt.Sprint(i.info.Size)
}

func (l *lister) line(i *item) {
	name := i.shown
	if l.o.has("q") {
		name = strings.Map(func(r rune) rune {
			if unicode.IsPrint(r) {
				return r
			}
			return '?'
		}, name)
	}
	if l.o.has("C") {
		l.printf("%s\n", name)
		return
	}
	replicas, more := "-", " "
	if !i.info.Dir {
		replicas = fmt.Sprint(i.info.Replication)
	}
	if i.info.AccessList {
		more = "+"
	}
	policy := ""
	if l.policy > 0 {
		policy = fmt.Sprintf("%-*s ", l.policy, i.policy)
	}
	l.printf("%s%s%*s %-*s %-*s %s%*s %s %s\n", permissions(i.info), more, l.replicas, replicas, l.owner, i.info.Owner,
		l.group, i.info.Group,
		policy, l.bytes, l.size(i), l.time(i).Local().Format("2006-01-02 15:04"), name)
}

// permissions returns the type and the permissions of a file, such as "drwxr-xr-t".
func permissions(i dfs.Info) string {
	first := "-"
	if i.Dir {
		first = "d"
	}
	return first + letters(i.Mode)
}

// letters returns the permissions in mode as letters, such as "rwxr-xr-t".
func letters(mode uint32) string {
	b := []byte("rwxrwxrwx")
	for n := range b {
		if mode&(1<<(8-n)) == 0 {
			b[n] = '-'
		}
	}
	if mode&sticky != 0 {
		b[8] = 'T'
		if mode&1 != 0 {
			b[8] = 't'
		}
	}
	return string(b)
}

const sticky = 0o1000

// human formats a number of bytes as Hadoop does: "12", "4 K", "252.0 G".
func human(n int64) string {
	const units = "KMGTPE"
	if n < 1024 {
		return fmt.Sprint(n)
	}
	u := 0
	for ; u < len(units)-1 && n>>(10*(u+2)) > 0; u++ {
	}
	one := uint64(1) << (10 * (u + 1))
	whole, rest := uint64(n)/one, uint64(n)%one
	if rest == 0 {
		return fmt.Sprintf("%d %c", whole, units[u])
	}
	tenths := (10*rest + one/2) / one // rounds up half of a tenth
	whole, tenths = whole+tenths/10, tenths%10
	if whole == 1024 && u < len(units)-1 { // rounds up to the next unit
		u++
		whole = 1
	}
	return fmt.Sprintf("%d.%d %c", whole, tenths, units[u])
}
