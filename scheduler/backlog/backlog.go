// Package backlog keeps the jobs that want a task now, in a policy's order. A search does not look
// at jobs whose tasks do not fit.
package backlog

import "github.com/howdah/howdah/internal/ordered"

// A List holds the jobs J that want a task of one type. It groups them by N, the need of one task,
// such as a number of slots or an amount of memory. A search skips a whole group if its tasks do not
// fit. The zero List with Compare set is empty.
type List[J, N comparable] struct {
	// Compare defines the order of the jobs. It must never return 0 for two different jobs. The
	// order of two jobs must not change while both are in the list.
	Compare func(a, b J) int
	groups  []group[J, N] // one for each need; groups without jobs are reused
}

type group[J, N comparable] struct {
	need N
	jobs ordered.Ranking[J]
	open bool // during a search: the tasks fit
	next int  // during a search: index of the next job
}

// Clear removes all jobs.
func (l *List[J, N]) Clear() { l.groups = nil }

// Empty reports whether no job is in the list.
func (l *List[J, N]) Empty() bool {
	for i := range l.groups {
		if len(l.groups[i].jobs.Items) > 0 {
			return false
		}
	}
	return true
}

// Set adds x if it wants a task and removes it otherwise. need must not change while x is in the
// list. listed points to a flag that the caller stores with x. Set uses the flag to record whether
// x is in the list.
func (l *List[J, N]) Set(x J, need N, listed *bool, wants bool) {
	if *listed == wants {
		return
	}
	*listed = wants
	if wants {
		l.of(need).jobs.Put(x)
	} else {
		l.of(need).jobs.Take(x)
	}
}

// of returns the group with the given need. It creates the group if necessary.
func (l *List[J, N]) of(need N) *group[J, N] {
	for i := range l.groups {
		if l.groups[i].need == need {
			return &l.groups[i]
		}
	}
	for i := range l.groups {
		if g := &l.groups[i]; len(g.jobs.Items) == 0 {
			g.need = need
			return g
		}
	}
	l.groups = append(l.groups, group[J, N]{need: need, jobs: ordered.Ranking[J]{Compare: l.Compare}})
	return &l.groups[len(l.groups)-1]
}

// Find calls try for the jobs whose tasks fit, in order, until try returns true. It reports whether
// try returned true. try may change the list only if it returns true.
func (l *List[J, N]) Find(fits func(N) bool, try func(J) bool) bool {
	for i := range l.groups {
		g := &l.groups[i]
		g.open, g.next = len(g.jobs.Items) > 0 && fits(g.need), 0
	}
	for {
		g := l.first()
		if g == nil {
			return false
		}
		g.next++
		if try(g.jobs.Items[g.next-1]) {
			return true
		}
	}
}

// first returns the open group whose next job comes first, or nil if no job is left.
func (l *List[J, N]) first() (best *group[J, N]) {
	for i := range l.groups {
		g := &l.groups[i]
		if !g.open || g.next == len(g.jobs.Items) {
			continue
		}
		if best == nil || l.Compare(g.jobs.Items[g.next], best.jobs.Items[best.next]) < 0 {
			best = g
		}
	}
	return best
}
