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
	l := &lister{shell: s, o: o}
	s.each(args, l.argument)
	return nil
}

func lsr(s *shell, _ options, args []string) error { return ls(s, options{"R": ""}, args) }

type lister struct {
	*shell
	o options
}

func (l *lister) argument(i *item) error {
	if !i.dir() || l.o.has("d") {
		l.print([]*item{i})
		return nil
	}
	return l.directory(i)
}

func (l *lister) directory(i *item) error {
	entries, err := l.list(i)
	if err != nil {
		return err
	}
	l.sort(entries)
	if !l.o.has("R") {
		if len(entries) > 0 && !l.o.has("C") {
			l.printf("Found %d items\n", len(entries))
		}
		l.print(entries)
		return nil
	}
	format := l.format(entries)
	for _, e := range entries {
		if l.stop() {
			return nil
		}
		l.line(format, e)
		if e.dir() && !e.info.Link {
			if err := l.directory(e); err != nil {
				l.report(err)
			}
		}
	}
	return nil
}

func (l *lister) sort(items []*item) {
	less := func(a, b *item) int { return strings.Compare(a.path, b.path) }
	switch {
	case l.o.has("t"):
		less = func(a, b *item) int { return cmp.Or(l.time(b).Compare(l.time(a)), strings.Compare(a.path, b.path)) }
	case l.o.has("S"):
		less = func(a, b *item) int {
			return cmp.Or(cmp.Compare(b.info.Size, a.info.Size), strings.Compare(a.path, b.path))
		}
	}
	slices.SortFunc(items, less)
	if l.o.has("r") {
		slices.Reverse(items)
	}
}

func (l *lister) time(i *item) time.Time {
	if l.o.has("u") {
		return i.info.AccessTime
	}
	return i.info.ModTime
}

func (l *lister) print(items []*item) {
	format := l.format(items)
	for _, i := range items {
		l.line(format, i)
	}
}

// format fits the columns to what stands in them.
func (l *lister) format(items []*item) string {
	replicas, owner, group, size := 3, 0, 0, 10
	for _, i := range items {
		replicas = max(replicas, len(fmt.Sprint(i.info.Replication)))
		owner = max(owner, len(i.info.Owner))
		group = max(group, len(i.info.Group))
		size = max(size, len(l.size(i)))
	}
	return fmt.Sprintf("%%s %%%ds %%-%ds %%-%ds %%%ds %%s %%s\n", replicas, owner, group, size)
}

func (l *lister) size(i *item) string {
	if l.o.has("h") {
		return human(i.info.Size)
	}
	return fmt.Sprint(i.info.Size)
}

func (l *lister) line(format string, i *item) {
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
	replicas := "-"
	if !i.info.Dir {
		replicas = fmt.Sprint(i.info.Replication)
	}
	l.printf(format, permissions(i.info), replicas, i.info.Owner, i.info.Group, l.size(i),
		l.time(i).Local().Format("2006-01-02 15:04"), name)
}

// permissions gives "drwxr-xr-t".
func permissions(i dfs.Info) string {
	first := "-"
	if i.Dir {
		first = "d"
	}
	return first + letters(i.Mode)
}

// letters gives "rwxr-xr-t".
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

// human writes a number of bytes for people, as Hadoop does: "12", "4 K", "252.0 G".
func human(n int64) string {
	const units = "KMGTPE"
	if n < 1024 {
		return fmt.Sprint(n)
	}
	u := 0
	for ; u < len(units)-1 && n>>(10*(u+2)) > 0; u++ {
	}
	one := int64(1) << (10 * (u + 1))
	if n%one == 0 {
		return fmt.Sprintf("%d %c", n/one, units[u])
	}
	v := fmt.Sprintf("%.1f", float64(n)/float64(one))
	if strings.HasPrefix(v, "1024") && u < len(units)-1 { // rounded up to the next unit
		u++
		v = "1.0"
	}
	return fmt.Sprintf("%s %c", v, units[u])
}
